"""The history that dreams are made of: what the user said and the final answers, append only.

Public: Said, Exchange, Record, Pending, append, pending, HISTORY.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import get_args

from cococat.core.messages import Origin
from cococat.errors import StorageError
from cococat.memory.lines import Lines, append_lines, read_lines
from cococat.memory.place import Busy, locked
from cococat.memory.state import read_state

HISTORY = "history.jsonl"
FOREIGN_CHARS = 2000  # characters kept of a text that the user did not type: it is never evidence
TAIL = 1 << 20  # bytes; pending records are nearly always in here
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Said:
    """A text that came from the user's side, and how."""

    origin: Origin
    text: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the user said and what was answered; no tool output."""

    session: str
    user: tuple[Said, ...]
    assistant: str


@dataclass(frozen=True, slots=True)
class Record:
    """An exchange as it was kept; *seq* counts from 1 and never repeats."""

    seq: int
    ts: datetime
    session: str
    user: tuple[Said, ...]
    assistant: str

    @property
    def typed(self) -> str:
        """What the user typed: the only text that can become a memory."""
        return "\n".join(said.text for said in self.user if said.origin == "typed")


@dataclass(frozen=True, slots=True)
class Pending:
    """Records that no dream has read yet, oldest first, and how many lines made no sense."""

    records: tuple[Record, ...] = ()
    skipped: int = 0


def append(folder: Path, exchange: Exchange, *, now: datetime, redact: Callable[[str], str]) -> int:
    """
    Keep *exchange*.

    Args:
        now: with its time zone.
        redact: takes secrets out of a text.
    Returns: its seq.
    Raises: StorageError: the history could not be written.
    """
    try:
        with locked(folder):
            seq = _last_seq(folder) + 1
            append_lines(folder, HISTORY, [_row(seq, now, exchange, redact)])
    except Busy as error:
        raise StorageError(f"the history was not written: {error}", "close the other cococat") from error
    return seq


def pending(folder: Path, cursor: int) -> Pending:
    """
    Give the records after *cursor*.

    Raises: StorageError: the history is not a file of ours, or not readable.
    """
    found = _records(read_lines(folder, HISTORY, tail=TAIL))
    if found.records and found.records[0].seq <= cursor + 1:
        return Pending(tuple(record for record in found.records if record.seq > cursor), found.skipped)
    found = _records(read_lines(folder, HISTORY))
    return Pending(tuple(record for record in found.records if record.seq > cursor), found.skipped)


def _last_seq(folder: Path) -> int:
    """Give the newest seq; the cursor counts too, in case somebody deleted the history."""
    rows = read_lines(folder, HISTORY, tail=TAIL).rows or read_lines(folder, HISTORY).rows
    seqs = [row["seq"] for row in rows if isinstance(row.get("seq"), int)]
    return max((seq for seq in seqs if isinstance(seq, int)), default=0) or read_state(folder).cursor


def _row(seq: int, now: datetime, exchange: Exchange, redact: Callable[[str], str]) -> dict[str, object]:
    return {
        "v": _VERSION,
        "seq": seq,
        "ts": now.isoformat(timespec="seconds"),
        "session": exchange.session,
        "user": [{"origin": said.origin, "text": _kept(said, redact)} for said in exchange.user],
        "assistant": _clean(redact(exchange.assistant)),
    }


def _kept(said: Said, redact: Callable[[str], str]) -> str:
    text = _clean(redact(said.text))
    if said.origin == "typed" or len(text) <= FOREIGN_CHARS:
        return text
    return f"{text[:FOREIGN_CHARS]}\n[{len(text) - FOREIGN_CHARS:,} more characters not kept]"


def _clean(text: str) -> str:
    """Take out half surrogates, which no request to a model could carry."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _records(lines: Lines) -> Pending:
    skipped = lines.skipped
    records: dict[int, Record] = {}
    for row in lines.rows:
        record = _record(row)
        if record is None:
            skipped += 1
        else:
            records.setdefault(record.seq, record)
    return Pending(tuple(records[seq] for seq in sorted(records)), skipped)


def _record(row: dict[str, object]) -> Record | None:
    match row:
        case {"v": 1, "seq": int(seq), "ts": str(ts), "session": str(session), "user": list(user), "assistant": str(a)}:
            said = tuple(one for one in map(_said, user) if one)
        case _:
            return None
    try:
        when = datetime.fromisoformat(ts)
    except ValueError:
        return None
    if seq < 1 or isinstance(seq, bool) or len(said) != len(user):
        return None
    return Record(seq, when, session, said, a)


def _said(row: object) -> Said | None:
    match row:
        case {"origin": str(origin), "text": str(text)}:
            known = next((name for name in get_args(Origin) if name == origin), None)
            return Said(known, text) if known else None
        case _:
            return None
