"""Where each line of memory comes from: written by the code, never by the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from cococat.memory.file.history import PastExchange, confirmed
from cococat.memory.file.place import each_row
from cococat.memory.words import key, similarity
from cococat.system.text import json_items

if TYPE_CHECKING:
    from cococat.memory.file.edits import Proposal, Quote

PROVENANCE = "provenance.jsonl"
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Source:
    """
    The user's own words behind a line, and when and where they were said.

    Args:
        asked: the assistant's question that they confirm.
    """

    line: str
    dream: int
    session: str
    seq: int
    quote: str
    said: date
    asked: str = ""


def rows_of(
    made: Iterable[Proposal], records: Sequence[PastExchange], lasting: Sequence[str], hide: Callable[[str], str] = str
) -> tuple[dict[str, object], ...]:
    """
    Return the rows to keep for the lines that a run added.

    Args:
        lasting: the lines of the memory after the run; the others get no row.
        hide: takes out of the user's words what may not be kept.
    """
    by_seq = {record.seq: record for record in records}
    kept = {key(line) for line in lasting}
    return tuple(_row(proposal, by_seq, hide) for proposal in made if proposal.line and key(proposal.line) in kept)


def learned(folder: Path) -> Mapping[str, date]:
    """Return the day the newest evidence of each line was said, by `words.key`; a merged line has that of its parts."""
    days: dict[str, date] = {}
    for row in each_row(folder, PROVENANCE):
        said = [source.said for source in _sources(row)]
        if not said:
            said = [days[name] for name in json_items(row, "from", str) if name in days]
        name = str(row.get("key"))
        if said:
            days[name] = max(*said, days.get(name, date.min))
    return days


def unjudged(folder: Path) -> Mapping[str, date]:
    """Return the days of the lines that stand in the user's own words for nobody judged them, by `words.key`."""
    found: dict[str, date] = {}
    for row in each_row(folder, PROVENANCE):
        name, said = str(row.get("key")), [source.said for source in _sources(row)]
        if row.get("unjudged") and said:
            found[name] = max(said)
        else:
            found.pop(name, None)
    return found


def sources_of(folder: Path, lines: Sequence[str]) -> tuple[Source, ...]:
    """Return the sources of *lines* and of the lines they were made from, oldest first."""
    rows = [*each_row(folder, PROVENANCE)]
    parents: dict[str, set[str]] = {}
    for row in rows:
        parents.setdefault(str(row.get("key")), set()).update(json_items(row, "from", str))
    keys = {key(line) for line in lines}
    waiting = list(keys)
    while waiting:
        fresh = parents.get(waiting.pop(), set()) - keys
        keys |= fresh
        waiting += fresh
    return tuple(source for row in rows if row.get("key") in keys for source in _sources(row))


def _row(one: Proposal, records: Mapping[int, PastExchange], hide: Callable[[str], str]) -> dict[str, object]:
    parents = {key(old) for old in one.removed if not one.quotes or similarity(one.line, old) > 0}
    return {
        "v": _VERSION,
        "key": key(one.line),
        "line": one.line.strip(),
        "from": sorted(parents),
        "sources": [_source(quote, records[quote.seq], hide) for quote in one.quotes if quote.seq in records],
        **({"unjudged": True} if one.unjudged else {}),
    }


def _source(quote: Quote, record: PastExchange, hide: Callable[[str], str]) -> dict[str, object]:
    said = record.ts.date().isoformat()
    source = {"session": record.session, "seq": quote.seq, "quote": hide(quote.quote), "date": said}
    return {**source, "confirmed": hide(record.asked)} if confirmed(record.typed, record.asked) else source


def _sources(row: Mapping[str, object]) -> list[Source]:
    found: list[Source] = []
    for source in json_items(row, "sources", dict):
        match row, source:
            case (
                {"line": str(line), "dream": int(dream)},
                {"session": str(session), "seq": int(seq), "quote": str(quote), "date": str(said)},
            ):
                try:
                    asked = source.get("confirmed", "")
                    found.append(Source(line, dream, session, seq, quote, date.fromisoformat(said), str(asked)))
                except ValueError:
                    continue
            case _:
                pass
    return found
