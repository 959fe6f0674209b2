"""Lists of sessions, read from the first and the last lines of their logs.

What was read is kept in an index for the next time, when the caller names a folder for it: a log that has
still the size and the time it had is not opened again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeAlias
from zlib import crc32

from cococat.store.ids import all_ids, log_path
from cococat.store.record import Reading, Record, decode
from cococat.store.session_state import History
from cococat.system.atomic import write_atomic
from cococat.system.private import private_dir
from cococat.system.same_folder import Place, place_of

_HEAD = 1 << 20  # bytes in which the user's first words are looked for
_TAIL = 1 << 16  # bytes in which the last message is looked for first
_MAX_TAIL = 1 << 22
_FEW = 16  # logs that are read again each time rather than writing the index anew
_INDEX = "sessions.json"
_INDEX_HEAD = b'{"v":3,"crc":"%08x"}\n'
# started, updated, title, turns, cwd, its mark, model, first words; as lists, since that is what JSON gives back
Facts: TypeAlias = tuple[float, float, str, int, str, str, str, str]
Row: TypeAlias = tuple[int, int, Facts | None]  # bytes, nanoseconds since 1970 of the change; None: holds no message


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """
    A session in a list: times are seconds since 1970, *size* is bytes, *turns* counts finished ones.

    *first_words* are the user's where the title is a name of theirs, else empty. *cwd* is the folder where it
    worked last, and *mark* what that is known by also at another place.
    """

    id: str
    started: float
    updated: float
    title: str
    turns: int
    cwd: str
    mark: str
    model: str
    first_words: str
    size: int


def list_sessions(folder: Path, cache: Path | None = None) -> list[SessionInfo]:
    """
    Return every session in *folder* that holds a message, the one used last first.

    A log that cannot be read is left out.

    Args:
        cache: folder of what can be derived again; the index is kept there.
    Raises: StorageError: the folder cannot be read.
    """
    rows = _rows(folder, cache)
    infos = [SessionInfo(name, *facts, size) for name, (size, _, facts) in rows.items() if facts]
    return sorted(infos, key=lambda info: (info.updated, info.id), reverse=True)


def latest(folder: Path, cwd: Path | str | None = None, cache: Path | None = None) -> str | None:
    """
    Return the id of the session used last, of those that worked last in *cwd* when it is given.

    One of this very folder, wherever that was then, comes before those of another folder that was at this place.
    Raises: StorageError: the folder cannot be read.
    """
    infos = list_sessions(folder, cache)
    if cwd:
        here = place_of(cwd)
        near = (info for info in infos if info.cwd == here.cwd or (here.mark and info.mark == here.mark))
        infos = sorted(near, key=lambda info: here.is_other(Place(info.cwd, info.mark)))
    return infos[0].id if infos else None


def logs(folder: Path) -> Iterator[tuple[str, int, int]]:
    """
    Return id, bytes, and nanoseconds since 1970 of the last change, of every log in *folder*.

    Raises: StorageError: the folder cannot be read.
    """
    for session_id in all_ids(folder):
        with suppress(OSError):
            status = os.stat(f"{folder}{os.sep}{session_id}.jsonl")  # noqa: PTH116 - as fast as a list of thousands needs
            yield session_id, status.st_size, status.st_mtime_ns


def info_of(path: Path, history: History, size: int) -> SessionInfo:
    """Return what *history*, read from the log at *path*, tells of its session."""
    return SessionInfo(path.stem, *_facts(history), size)


def unlist(cache: Path, sessions: Sequence[str]) -> None:
    """
    Take *sessions* out of the index.

    Raises: OSError: they are still there.
    """
    if not os.path.lexists(cache / _INDEX):
        return
    gone = set(sessions)
    _write_index(cache, {name: row for name, row in _read_index(cache).items() if name not in gone})


def _rows(folder: Path, cache: Path | None) -> dict[str, Row]:
    """Look at each log, or at what the index says of one that is as it was."""
    known = _read_index(cache) if cache else {}
    rows, fresh = {}, 0
    for session_id, size, changed in logs(folder):
        row = known.get(session_id)
        if row is None or row[0] != size or row[1] != changed:
            try:
                row = size, changed, _glance(log_path(folder, session_id))
            except OSError:
                continue
            fresh += 1
        rows[session_id] = row
    if cache and (fresh > _FEW or known.keys() - rows.keys()):
        with suppress(OSError):
            _write_index(cache, rows)
    return rows


def _glance(path: Path) -> Facts | None:
    """Read as little of a log as tells what it is; None when it holds no message."""
    with path.open("rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        history = History()
        if not _first_lines(stream, history) and size <= _HEAD:
            return None
        for record in reversed(list(_last_lines(stream, size))):
            history.take(record)
    return _facts(history)


def _facts(history: History) -> Facts:
    where = history.place.cwd, history.place.mark
    first_words = history.first_words if history.named else ""
    return history.began, history.updated, history.title, history.turns, *where, history.model, first_words


def _first_lines(stream: BinaryIO, history: History) -> bool:
    """Take lines up to the user's first words; say whether there was a message at all."""
    said = False
    reading = Reading(stream)
    for record in reading:
        history.take(record)
        said = said or record.type in ("message", "repair")
        if history.first_words or reading.end > _HEAD:
            break
    return said


def _last_lines(stream: BinaryIO, size: int) -> Iterator[Record]:
    """Return the last lines, newest first, up to one that tells how many turns there were."""
    width = _TAIL
    while True:
        begin = max(size - width, 0)
        stream.seek(begin)
        lines = stream.read(size - begin).splitlines(keepends=True)[1 if begin else 0 :]
        records = list(_up_to_a_turn(lines))
        if begin == 0 or width >= _MAX_TAIL or (records and "turn" in records[-1].body):
            yield from records
            return
        width *= 8


def _up_to_a_turn(lines: list[bytes]) -> Iterable[Record]:
    for line in reversed(lines):
        if record := decode(line):
            yield record
            if "turn" in record.body:
                return


def _read_index(cache: Path) -> dict[str, Row]:
    """Return what is known of each session by id; nothing when there is no index, or not one that was written whole."""
    with suppress(OSError, ValueError):
        head, _, body = (cache / _INDEX).read_bytes().partition(b"\n")
        if head + b"\n" == _INDEX_HEAD % crc32(body):
            rows: dict[str, Row] = json.loads(body)
            return rows
    return {}


def _write_index(cache: Path, rows: dict[str, Row]) -> None:
    """
    Keep *rows*.

    Raises: OSError: what was kept before is still there.
    """
    body = json.dumps(rows, separators=(",", ":")).encode("ascii")
    write_atomic(private_dir(cache) / _INDEX, _INDEX_HEAD % crc32(body) + body)
