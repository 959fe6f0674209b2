"""Search in what was said, session by session, the newest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from cococat.store.full_text import FullText, LoggedText, remove, said_in
from cococat.store.ids import log_path
from cococat.store.listing import SessionInfo, list_sessions
from cococat.store.query import Query, parse
from cococat.store.record import Reading

_AROUND = 60  # characters shown on each side of what was found


@dataclass(frozen=True, slots=True)
class Hit:
    """
    A message that holds what was looked for.

    Args:
        ts: when it was said, in seconds since 1970.
        role: `user` or `assistant`.
        excerpt: one line of the message.
        marks: where in *excerpt* the terms are: beginnings and ends, in order.
    """

    info: SessionInfo
    seq: int
    ts: float
    role: str
    excerpt: str
    marks: tuple[tuple[int, int], ...]


def search(
    folder: Path, wanted: str, cache: Path | None = None, *, tell: Callable[[int, int], object] = lambda *_: None
) -> Iterator[Hit]:
    """
    Return every message of a user or a model that holds *wanted* (see `query`).

    Args:
        cache: folder of what can be derived again; without it, or where it cannot be used, every log is read.
        tell: gets how many logs were read for the index, and how many have to be, at first none of them.
    Raises: StorageError: the folder cannot be read.
    """
    query = parse(wanted)
    if not query.terms:
        return
    infos = list_sessions(folder, cache)
    index = _index(folder, cache, tell) if cache else None
    if index is None:
        for info in infos:
            yield from _hits(info, query, _read(folder, info.id))
        return
    with closing(index):
        yield from _indexed(index, folder, query, infos)


def _index(folder: Path, cache: Path, tell: Callable[[int, int], object]) -> FullText | None:
    """Open the index and bring it up to date; None where there can be none."""
    try:
        from sqlite3 import Error, OperationalError
    except ImportError:
        return None

    for attempt in range(2):
        index = None
        try:
            index = FullText(cache)
            index.update(folder, tell)
            return index
        except (Error, OSError) as error:
            if index:
                index.close()
            if attempt or isinstance(error, OperationalError | OSError):
                return None
            with suppress(OSError):
                remove(cache)  # it is damaged: rebuilt, once
    return None


def _indexed(index: FullText, folder: Path, query: Query, infos: list[SessionInfo]) -> Iterator[Hit]:
    """Look at what the index proposes; a session that it cannot give is read from its log."""
    from sqlite3 import Error

    try:
        likely = index.likely(query)
    except Error:  # more than it can parse, or damaged
        likely = None
    for info in infos:
        if likely is not None and info.id not in likely:
            continue
        try:
            said = index.all_said(info.id) if likely is None else index.said(likely[info.id])
        except Error:
            said = list(_read(folder, info.id))
        yield from _hits(info, query, iter(said))


def _hits(info: SessionInfo, query: Query, said: Iterator[LoggedText]) -> Iterator[Hit]:
    for message in said:
        if query.within(message.text):
            excerpt, marks = _excerpt(message.text, query.spans(message.text))
            yield Hit(info, message.seq, message.ts, message.role, excerpt, marks)


def _read(folder: Path, session: str) -> Iterator[LoggedText]:
    with suppress(OSError), log_path(folder, session).open("rb") as stream:
        yield from said_in(Reading(stream))


def _excerpt(text: str, spans: tuple[tuple[int, int], ...]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return one line around the first of *spans*, and where the spans are in it."""
    begin, end = max(spans[0][0] - _AROUND, 0), spans[0][1] + _AROUND
    line, marks, done = "…" if begin else "", [], begin
    for start, stop in (span for span in spans if span[1] <= end):
        line = _joined(line, text[done:start])
        at = len(line)
        line = _joined(line, text[start:stop])
        marks.append((at, len(line)))
        done = stop
    line = _joined(line, text[done:end])
    return f"{line.rstrip()}{'…' if end < len(text) else ''}", tuple(marks)


def _joined(line: str, text: str) -> str:
    """Add *text* to *line*, each stretch of white space as one space."""
    words = " ".join(text.split())
    before = " " if text[:1].isspace() and line and not line.endswith((" ", "…")) else ""
    after = " " if words and text[-1:].isspace() else ""
    return line + before + words + after
