"""Lists of sessions, read from the first and the last lines of their logs.

Public: SessionInfo, list_sessions, latest, info_of.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from cococat.store.history import History
from cococat.store.ids import all_ids, log_path
from cococat.store.record import Reading, Record, decode

_HEAD = 1 << 20  # bytes in which the user's first words are looked for
_TAIL = 1 << 16  # bytes in which the last message is looked for first
_LONGEST_TAIL = 1 << 22


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session in a list: times are seconds since 1970, *size* is bytes, *turns* counts finished ones."""

    id: str
    started: float
    updated: float
    title: str
    turns: int
    cwd: str
    model: str
    size: int


def list_sessions(folder: Path) -> list[SessionInfo]:
    """
    Give every session in *folder* that holds a message, the one used last first.

    A log that cannot be read is left out.
    Raises: StorageError: the folder cannot be read.
    """
    infos = (_glance(log_path(folder, session_id)) for session_id in all_ids(folder))
    return sorted((info for info in infos if info), key=lambda info: (info.updated, info.id), reverse=True)


def latest(folder: Path, cwd: Path | str | None = None) -> str | None:
    """
    Give the id of the session used last, of those begun in *cwd* when it is given.

    Raises: StorageError: the folder cannot be read.
    """
    wanted = str(cwd) if cwd else ""
    return next((info.id for info in list_sessions(folder) if not wanted or info.cwd == wanted), None)


def info_of(path: Path, history: History, size: int) -> SessionInfo:
    """Say what *history*, read from the log at *path*, tells of its session."""
    return SessionInfo(
        path.stem, history.began, history.updated, history.title, history.turns, history.cwd, history.model, size
    )


def _glance(path: Path) -> SessionInfo | None:
    """Read as little of a log as tells what it is; None when it holds no message or cannot be read."""
    with suppress(OSError), path.open("rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        history = History()
        if not _first_lines(stream, history) and size <= _HEAD:
            return None
        for record in reversed(list(_last_lines(stream, size))):
            history.take(record)
        return info_of(path, history, size)
    return None


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
    """Give the last lines, newest first, up to one that tells how many turns there were."""
    width = _TAIL
    while True:
        begin = max(size - width, 0)
        stream.seek(begin)
        lines = stream.read(size - begin).splitlines(keepends=True)[1 if begin else 0 :]
        records = list(_up_to_a_turn(lines))
        if begin == 0 or width >= _LONGEST_TAIL or (records and "turn" in records[-1].body):
            yield from records
            return
        width *= 8


def _up_to_a_turn(lines: list[bytes]) -> Iterable[Record]:
    for line in reversed(lines):
        if record := decode(line):
            yield record
            if "turn" in record.body:
                return
