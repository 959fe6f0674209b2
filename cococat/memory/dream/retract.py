"""Taking back reaches the memory: what was taken back is read by no dream, and what rests on it alone is named.

Source: docs/reliability.md, M13.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from cococat.memory.dream.evidence import merges
from cococat.memory.file import versions
from cococat.memory.file.document import pinned, read
from cococat.memory.file.find_lines import FoundLine, lines_of
from cococat.memory.file.history import HISTORY, PastExchange, record_of, retraction
from cococat.memory.file.journal import update
from cococat.memory.file.place import append_lines, changing, each_line, each_row
from cococat.memory.file.provenance import PROVENANCE
from cococat.memory.file.state import read_state
from cococat.memory.words import key
from cococat.system.text import json_items, json_object

_VERSION = 1
Said = tuple[str, int]  # session and seq of a record


def retract_turn(folder: Path, session: str, turn: int, typed: str, *, now: datetime) -> bool:
    """
    Take back what was said in one turn; return whether the history held it.

    Args:
        turn: number of the question in its session.
        typed: what the user typed, which finds the record where an older version did not number it.
        now: with its time zone.
    Raises: StorageError: the history or the state could not be written.
    """
    own = _records(folder, session)
    found = [exchange for exchange in own if exchange.turn == turn] or [
        exchange for exchange in own if not exchange.turn and exchange.typed == typed
    ][-1:]
    _retract(folder, found, now)
    return bool(found)


def retract_session(folder: Path, session: str, *, now: datetime) -> bool:
    """
    Take back what was said in a session; return whether the history held any of it.

    Args:
        now: with its time zone.
    Raises: StorageError: the history or the state could not be written.
    """
    found = _records(folder, session)
    _retract(folder, found, now)
    return bool(found)


def unfounded(folder: Path) -> tuple[FoundLine, ...]:
    """
    Return the lines of the memory that rest on nothing but what was taken back; what a user wrote or pinned stands.

    Raises: StorageError: the memory is not readable.
    """
    gone = _retracted(folder)
    if not gone:
        return ()
    rows: dict[str, list[Mapping[str, object]]] = defaultdict(list)
    for row in each_row(folder, PROVENANCE):
        rows[str(row.get("key"))].append(row)
    memory = read(folder)
    own = {line.strip() for line in pinned(memory.text)}
    return tuple(
        found for found in lines_of(memory) if found.line not in own and not _stands(key(found.line), rows, gone, ())
    )


def keep_retracted(folder: Path, lines: Sequence[str]) -> None:
    """
    Note that the user wants *lines* to stay, whatever they rested on.

    Raises: StorageError: it could not be written.
    """
    rows = [{"v": _VERSION, "key": key(line), "line": line, "kept": True} for line in lines]
    with changing(folder):
        append_lines(folder, PROVENANCE, rows)


def _retracted(folder: Path) -> frozenset[Said]:
    return frozenset(filter(None, map(retraction, each_line(folder, HISTORY))))


def _records(folder: Path, session: str) -> list[PastExchange]:
    """Return the records of one session that nobody has taken back, oldest first."""
    gone, mark = _retracted(folder), json.dumps(session).encode("ascii")
    lines = (line for line in each_line(folder, HISTORY) if mark in line)
    read = filter(None, (record_of(json_object(line)) for line in lines))
    found = {record.seq: record for record in read if record.session == session}
    return [record for seq, record in sorted(found.items()) if (session, seq) not in gone]


def _retract(folder: Path, records: Sequence[PastExchange], now: datetime) -> None:
    """Append a row for each record, and drop the change that waits for a user if it was made of one of them."""
    if not records:
        return
    ts = now.isoformat(timespec="seconds")
    rows = [{"v": _VERSION, "retracts": [record.session, record.seq], "ts": ts} for record in records]
    with changing(folder, "the history was not written"):  # a dream that is about to change the memory sees it, or has
        append_lines(folder, HISTORY, rows)
    held = read_state(folder).held
    made_of = json_items(versions.show(folder, held).meta, "records", int) if held else []
    if {record.seq for record in records} & {*made_of}:
        first = min(made_of) - 1  # what is left of it is read again
        update(
            folder,
            lambda state: replace(state if state.cursor <= first else replace(state, cursor=first, offset=0), held=0),
        )
        versions.discard(folder, held)


def _stands(
    name: str, rows: Mapping[str, Sequence[Mapping[str, object]]], gone: Collection[Said], seen: Sequence[str]
) -> bool:
    """Return whether the line with this key rests on something that was not taken back; on a user's hand, too."""
    if name in seen:
        return False
    return name not in rows or any(_row_stands(row, rows, gone, (*seen, name)) for row in rows[name])


def _row_stands(
    row: Mapping[str, object],
    rows: Mapping[str, Sequence[Mapping[str, object]]],
    gone: Collection[Said],
    seen: Sequence[str],
) -> bool:
    sources, parents = json_items(row, "sources", dict), json_items(row, "from", str)
    if row.get("kept") or any((source.get("session"), source.get("seq")) not in gone for source in sources):
        return True
    # a line with evidence of its own rests on the line it replaced only where it still says that one
    inherits = not sources or merges(str(row.get("line")), parents)
    return inherits and any(_stands(parent, rows, gone, seen) for parent in parents)
