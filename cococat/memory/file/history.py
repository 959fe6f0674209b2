"""The history that dreams are made of: what the user said and the final answers, append only."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

from cococat.core.messages import Origin
from cococat.memory.file.place import append_lines, changing, each_line, size, time_of
from cococat.memory.file.state import read_state
from cococat.memory.words import TOKEN, asks, sequence
from cococat.system.text import encodable, json_object

HISTORY = "history.jsonl"
FOREIGN_CHARS = 2000  # characters kept of a text that the user did not type: it is never evidence
TAIL = 1 << 18  # bytes; pending records are nearly always in here, else four times as many are looked at
_VERSION = 1
_RETRACTS = b'{"v":1,"retracts":['  # begins a line that takes another one back
_HEAD = re.compile(rb'\{"v":1,"seq":([1-9]\d{0,17}),')
MAX_WORDS = 12  # of an answer that is read with its question; pairs of characters where no spaces are written
MAX_CHARS = 300  # of a question
_LAST = re.compile(
    r"(?:[^.!?;\n\u3002\uff01\uff1f]|[.](?=\S)|(?<=\d)[.](?= [^\W\d_A-Z]))+[?\uff1f\u061f][\s*_)\"'\u00bb\u201d]*$"
)


@dataclass(frozen=True, slots=True)
class Said:
    """
    A text that came from the user's side, and how.

    Args:
        size: characters that it held, where fewer are kept.
    """

    origin: Origin
    text: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class Exchange:
    """
    What the user said and what was answered, in a chat or by `ask`; no tool output.

    Args:
        asked: the question that the assistant had ended with before.
        foreign: text that is not the user's own had entered the session before: a file, a page, a tool's result.
        chat: it was said in a chat, which dreams when it ends.
        turn: number of the question in its session, from 1; 0 where nobody counts.
    """

    session: str
    user: tuple[Said, ...]
    assistant: str
    asked: str = ""
    foreign: bool = True
    chat: bool = False
    turn: int = 0


@dataclass(frozen=True, slots=True)
class PastExchange:
    """An exchange as it was kept, see `Exchange`; *seq* counts from 1 and never repeats."""

    seq: int
    ts: datetime
    session: str
    user: tuple[Said, ...]
    assistant: str
    asked: str = ""
    foreign: bool = True  # where an older record does not say
    chat: bool = False
    turn: int = 0  # where an older record does not say

    @property
    def typed(self) -> str:
        """What the user typed: the only text that can become a memory."""
        return "\n".join(part.text for part in self.user if part.origin == "typed")


@dataclass(frozen=True, slots=True)
class Pending:
    """
    Records that no dream has read yet and nobody has taken back, oldest first.

    Args:
        skipped: lines since the newest record that was read which make no sense: torn, malformed, of a newer version.
        waiting: how many records there are, also those that were not asked for.
        retracted: seqs of records that were taken back, those among the newest lines at least.
    """

    records: tuple[PastExchange, ...]
    skipped: int
    waiting: int
    retracted: frozenset[int]


def append(folder: Path, exchange: Exchange, *, now: datetime, redact: Callable[[str], str]) -> int:
    """
    Keep *exchange*.

    Args:
        now: with its time zone.
        redact: takes secrets out of a text.
    Returns: its seq.
    Raises: StorageError: the history could not be written.
    """
    with changing(folder, "the history was not written"):
        seq = _last_seq(folder) + 1
        append_lines(folder, HISTORY, [_row(seq, now, exchange, redact)])
    return seq


def pending(folder: Path, cursor: int, *, most: int = 0) -> Pending:
    """
    Return the records after *cursor*; memory is taken for *most* of them, whatever the file holds.

    Args:
        most: records to give, the oldest; 0 = all.
    Raises: StorageError: the history is not a file of ours, or not readable.
    """
    tail = TAIL
    while True:
        with closing(each_line(folder, HISTORY, tail=tail)) as lines:  # a record is taken back behind it
            gone = frozenset(pair[1] for line in lines if (pair := retraction(line)))
        with closing(each_line(folder, HISTORY, tail=tail)) as lines:
            said = (line for line in lines if not retraction(line))
            if (found := _after(said, cursor, most, gone, whole=tail >= size(folder, HISTORY))) is not None:
                return found
        tail *= 4


def _after(lines: Iterator[bytes], cursor: int, most: int, gone: frozenset[int], *, whole: bool) -> Pending | None:
    """Return the records after *cursor*; None as soon as it shows that older lines may hold some of them."""
    skipped, seen, kept, begun = 0, set[int](), dict[int, PastExchange](), whole
    for line in lines:
        seq = _seq(line)
        full = 0 < most <= len(kept)
        if begun and full and seq > max(kept):
            seen.add(seq)
            continue
        record = record_of(json_object(line)) if seq == 0 or seq > cursor else None
        seq = record.seq if record else seq
        if record is None and not 0 < seq <= cursor:
            skipped += 1
        elif seq <= cursor:
            begun, skipped = True, 0
        elif not begun:
            return None
        elif record and seq not in seen:
            seen.add(seq)
            if seq in gone:
                continue
            kept[seq] = record
            if full:
                del kept[max(kept)]
    if not begun:
        return None
    return Pending(tuple(kept[seq] for seq in sorted(kept)), skipped, len(seen - gone), gone)


def retraction(line: bytes) -> tuple[str, int] | None:
    """Return session and seq of the record that *line* takes back; None for any other line."""
    if not line.startswith(_RETRACTS):
        return None
    match json_object(line):
        case {"v": 1, "retracts": [str(session), int(seq)]}:
            return session, seq
        case _:
            return None


def _seq(line: bytes) -> int:
    """Return the number of a line as `append` writes it, without reading the rest; 0 when it is not that plain."""
    head = _HEAD.match(line) if line.endswith(b"}\n") else None
    return int(head[1]) if head else 0


def _seq_within(line: bytes) -> int:
    seq = (json_object(line) or {}).get("seq")
    return seq if isinstance(seq, int) else 0


def _last_seq(folder: Path) -> int:
    """Return the newest seq; the cursor counts too, in case somebody has shortened the history."""
    tail, whole = TAIL, size(folder, HISTORY)
    seqs: list[int] = []
    while not seqs:
        seqs = [seq for line in each_line(folder, HISTORY, tail=tail) if (seq := _seq(line) or _seq_within(line))]
        if tail >= whole:
            break
        tail *= 4
    return max((read_state(folder).cursor, *seqs))


def _row(seq: int, now: datetime, exchange: Exchange, redact: Callable[[str], str]) -> dict[str, object]:
    return {
        "v": _VERSION,
        "seq": seq,
        "ts": now.isoformat(timespec="seconds"),
        "session": exchange.session,
        "user": [_said_row(part, encodable(redact(part.text))) for part in exchange.user],
        "assistant": encodable(redact(exchange.assistant)),
        "asked": encodable(redact(exchange.asked)),
        "foreign": exchange.foreign,
        **({"chat": True} if exchange.chat else {}),
        **({"turn": exchange.turn} if exchange.turn else {}),
    }


def _said_row(said: Said, text: str) -> dict[str, object]:
    if said.origin == "typed" or len(text) <= FOREIGN_CHARS:
        return {"origin": said.origin, "text": text}
    kept = f"{text[:FOREIGN_CHARS]}\n[{len(text) - FOREIGN_CHARS:,} more characters not kept]"
    return {"origin": said.origin, "text": kept, "size": len(said.text)}


def record_of(found: dict[str, object] | None) -> PastExchange | None:
    """Return the record that a row of the history holds; None when it makes no sense."""
    row = found or {}
    match row:
        case {"v": 1, "seq": int(seq), "session": str(session), "user": list(user), "assistant": str(a)}:
            said = tuple(message for message in map(_said, user) if message)
        case _:
            return None
    if (when := time_of(row)) is None or seq < 1 or isinstance(seq, bool) or len(said) != len(user):
        return None
    asked, when = row.get("asked"), when if when.tzinfo else when.replace(tzinfo=UTC)
    question, turn = asked if isinstance(asked, str) else "", row.get("turn")
    marks = row.get("foreign") is not False, row.get("chat") is True, turn if isinstance(turn, int) else 0
    return PastExchange(seq, when, session, said, a, question, *marks)


def _said(row: object) -> Said | None:
    match row:
        case {"origin": str(origin), "text": str(text), **rest}:
            known = next((name for name in get_args(Origin) if name == origin), None)
            size = rest.get("size")
            return Said(known, text, size if isinstance(size, int) else 0) if known else None
        case _:
            return None


def closing_question(answer: str) -> str:
    """Return the question that *answer* ends with; empty when it ends otherwise, or is too long to be one."""
    found = _LAST.search(answer.strip())
    question = " ".join(found[0].split()) if found else ""
    return question if len(question) <= MAX_CHARS else ""


def confirmed(typed: str, asked: str) -> str:
    """Return *asked*, whose words a short answer lends to a line; empty where *typed* is none. What it agrees to is for a judge to say."""
    said = TOKEN.search(typed) and len(sequence(typed)) <= MAX_WORDS and not asks(typed)
    return asked if said else ""


def redacted(record: PastExchange, redact: Callable[[str], str]) -> PastExchange:
    """Return *record* without what *redact* knows for a secret by now."""
    user = tuple(replace(part, text=redact(part.text)) for part in record.user)
    return replace(record, user=user, assistant=redact(record.assistant), asked=redact(record.asked))
