"""An index of the words that were said, in SQLite: derived from the logs, and rebuilt when it is not as it should be.

It holds what persons and models said and nothing of tools. It only proposes: `Query` decides, so a search
without it finds the same. What is taken out is gone from the file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from unicodedata import unidata_version
from zlib import crc32

from cococat.core.events import MessageAdded
from cococat.core.messages import Assistant, Message, Summary, System, ToolResult, User
from cococat.store.codec import from_record
from cococat.store.ids import log_path
from cococat.store.listing import logs
from cococat.store.query import Query, expression, fold, grams
from cococat.store.record import Reading
from cococat.system.private import open_private, private_dir
from cococat.system.text import encodable

if TYPE_CHECKING:
    from sqlite3 import Connection

_NAME = "search.sqlite"
_BESIDE = ("", "-journal", "-wal", "-shm")  # files of one database
_VERSION = crc32(f"1 {unidata_version}".encode()) >> 1  # of the tables, and of what `fold` makes of a text
_WAIT_S = 1.0  # for another process that writes the index
_BATCH = 512  # sessions between two commits
_SEAL = 11  # bytes at the end of a line that no other line is likely to have
_TABLES = """
CREATE TABLE log (session TEXT PRIMARY KEY, size INTEGER, changed INTEGER, good INTEGER, seal BLOB, seq INTEGER);
CREATE TABLE message (number INTEGER PRIMARY KEY, session TEXT, seq INTEGER, ts REAL, role TEXT, text TEXT);
CREATE INDEX message_session ON message (session);
CREATE VIRTUAL TABLE word USING fts5(folded, content='', tokenize='ascii');
"""


@dataclass(frozen=True, slots=True)
class LoggedText:
    """One message of a user or a model: *role* is `user` or `assistant`, *ts* seconds since 1970."""

    seq: int
    ts: float
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class _Known:
    """What was read of a log: its size and time then, the end of its last good line, that line's seal and number."""

    size: int = -1
    changed: int = 0
    good: int = 0
    seal: bytes = b""
    seq: int = 0


class FullText:
    """
    The open index.

    Args:
        cache: its folder; made when it is missing.
    Raises: sqlite3.Error, OSError, ImportError: there can be no index; search without.
    """

    def __init__(self, cache: Path) -> None:
        from sqlite3 import DatabaseError, OperationalError

        path = private_dir(cache) / _NAME
        self._db = _connected(path)
        try:
            _prepare(self._db)
        except DatabaseError as error:
            self._db.close()
            if isinstance(error, OperationalError):  # in use, no space, no FTS5: another file would not fix it
                raise
            remove(cache)
            self._db = _connected(path)
            _prepare(self._db)

    def close(self) -> None:
        """Let the file go."""
        self._db.close()

    def update(self, folder: Path, tell: Callable[[int, int], object]) -> None:
        """
        Bring the index in step with the logs in *folder*.

        Args:
            tell: gets the number of logs that were read for it, and of those that have to be, at first none of them.
        Raises: sqlite3.Error: it cannot be written, or is damaged.
        """
        known, there = self._known(), list(logs(folder))
        self.forget(known.keys() - {name for name, _, _ in there})
        fresh = [
            file for file in there if file[0] not in known or file[1:] != (known[file[0]].size, known[file[0]].changed)
        ]
        tell(0, len(fresh))
        for begin in range(0, len(fresh), _BATCH):
            with self._db:
                self._db.execute("BEGIN IMMEDIATE")
                for at, (name, size, changed) in enumerate(fresh[begin : begin + _BATCH], begin + 1):
                    with suppress(OSError):
                        self._read(log_path(folder, name), size, changed)
                    tell(at, len(fresh))

    def likely(self, query: Query) -> dict[str, list[int]] | None:
        """Return the messages of each session that may hold what *query* looks for; None: each and every one may."""
        if not (wanted := expression(query)):
            return None
        found: dict[str, list[int]] = {}
        rows = "SELECT session, number FROM message WHERE number IN (SELECT rowid FROM word WHERE word MATCH ?)"
        for session, number in self._db.execute(rows, (wanted,)):
            found.setdefault(session, []).append(number)
        return found

    def said(self, numbers: Sequence[int]) -> list[LoggedText]:
        """Return the messages that have these *numbers*."""
        one = "SELECT seq, ts, role, text FROM message WHERE number = ?"
        return [LoggedText(*row) for number in sorted(numbers) for row in self._db.execute(one, (number,))]

    def all_said(self, session: str) -> list[LoggedText]:
        """Return every message of *session*, in order."""
        rows = "SELECT seq, ts, role, text FROM message WHERE session = ? ORDER BY number"
        return [LoggedText(*row) for row in self._db.execute(rows, (session,))]

    def forget(self, sessions: Iterable[str]) -> None:
        """
        Take everything of *sessions* out of the file.

        Raises: sqlite3.Error: it cannot be written, or is damaged.
        """
        known = self._known()
        gone = [name for name in sessions if name in known]
        if not gone:
            return
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            for name in gone:
                self._take_out(name)
            # until its parts are merged, the index of the words still holds those that were deleted
            self._db.execute("INSERT INTO word (word) VALUES ('optimize')")

    def _known(self) -> dict[str, _Known]:
        return {name: _Known(*row) for name, *row in self._db.execute("SELECT * FROM log")}

    def _take_out(self, session: str) -> None:
        rows = self._db.execute("SELECT number, text FROM message WHERE session = ?", (session,)).fetchall()
        words = [(number, grams(fold(text))) for number, text in rows]
        self._db.executemany("INSERT INTO word (word, rowid, folded) VALUES ('delete', ?, ?)", words)
        self._db.execute("DELETE FROM message WHERE session = ?", (session,))
        self._db.execute("DELETE FROM log WHERE session = ?", (session,))

    def _read(self, path: Path, size: int, changed: int) -> None:
        """Add what a log holds, or what it holds more than before."""
        row = self._db.execute("SELECT size, changed, good, seal, seq FROM log WHERE session = ?", (path.stem,))
        before = next((_Known(*values) for values in row), _Known())
        with path.open("rb") as stream:
            if _seal(stream, before.good) != before.seal:
                self._take_out(path.stem)  # it is not the log that was read
                before = _Known()
            stream.seek(before.good)
            reading = Reading(stream)
            reading.seq = before.seq
            for message in said_in(reading):
                values = (path.stem, message.seq, message.ts, message.role, message.text)
                made = self._db.execute(
                    "INSERT INTO message (session, seq, ts, role, text) VALUES (?, ?, ?, ?, ?)", values
                )
                self._db.execute(
                    "INSERT INTO word (rowid, folded) VALUES (?, ?)", (made.lastrowid, grams(fold(message.text)))
                )
            good = before.good + reading.end
            known = (path.stem, size, changed, good, _seal(stream, good), reading.seq)
        self._db.execute("INSERT OR REPLACE INTO log VALUES (?, ?, ?, ?, ?, ?)", known)


def said_in(reading: Reading) -> Iterator[LoggedText]:
    """Return what persons and models said, of a log that is being read."""
    for record in reading:
        event = from_record(record.body) if record.type == "message" else None
        if isinstance(event, MessageAdded):
            role, text = _said(event.message)
            if text:
                yield LoggedText(record.seq, record.ts, role, encodable(text))


def forget(cache: Path, sessions: Sequence[str]) -> None:
    """
    Take everything of *sessions* out of the index in *cache*; where that cannot be done, the index goes as a whole.

    Raises: OSError: it is still there.
    """
    if not os.path.lexists(cache / _NAME):
        return
    try:
        from sqlite3 import Error
    except ImportError:
        remove(cache)
        return
    try:
        index = FullText(cache)
        try:
            index.forget(sessions)
        finally:
            index.close()
    except Error:
        remove(cache)


def remove(cache: Path) -> None:
    """
    Delete the index in *cache*.

    Raises: OSError: it is still there.
    """
    for ending in _BESIDE:
        (cache / f"{_NAME}{ending}").unlink(missing_ok=True)


def _said(message: Message) -> tuple[str, str]:
    match message:
        case User(text, _, False):
            return "user", text
        case Assistant(text):
            return "assistant", text
        case User() | ToolResult() | Summary() | System():
            return "", ""


def _seal(stream: BinaryIO, good: int) -> bytes:
    stream.seek(max(good - _SEAL, 0))
    return stream.read(min(good, _SEAL))


def _connected(path: Path) -> Connection:
    from sqlite3 import connect

    with suppress(FileExistsError):
        os.close(open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    return connect(path, timeout=_WAIT_S, isolation_level=None)


def _prepare(db: Connection) -> None:
    """
    Make the tables of an empty file.

    Raises: sqlite3.DatabaseError: the file is damaged, or of another version.
    """
    from sqlite3 import DatabaseError

    db.execute("PRAGMA secure_delete = ON")  # what is taken out is overwritten
    if _version(db) == _VERSION:
        return
    db.execute("BEGIN IMMEDIATE")
    with db:
        if _version(db) == _VERSION:  # another process was faster
            return
        if _version(db) or db.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
            raise DatabaseError("an index of another version")
        for statement in filter(str.strip, _TABLES.split(";")):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {_VERSION}")


def _version(db: Connection) -> int:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return int(version)
