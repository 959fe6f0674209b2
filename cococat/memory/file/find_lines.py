"""Finding lines of the memory, by number or by words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from cococat.errors import StorageError, UsageError
from cococat.memory.file.document import Memory, as_text, memory_lines, read
from cococat.memory.file.edits import changed_lines
from cococat.memory.file.history import pending
from cococat.memory.file.provenance import Source, sources_of
from cococat.memory.file.versions import show
from cococat.memory.words import key, similarity

NEAR = 0.85  # similarity from which a line is the one that is meant


@dataclass(frozen=True, slots=True)
class FoundLine:
    """
    A line that remembers something.

    Args:
        number: from 1, as an editor counts.
        section: the heading it stands under; empty for none.
        said: the day its newest evidence was said; None for a line that no dream wrote.
    """

    number: int
    line: str
    section: str
    said: date | None


def lines_of(memory: Memory) -> tuple[FoundLine, ...]:
    """Return every line that remembers something, in order."""
    found: list[FoundLine] = []
    section = ""
    for number, line in enumerate(memory.text.split("\n"), 1):
        if not memory_lines(line):
            section = line.lstrip("# ").strip() or section
            continue
        found.append(FoundLine(number, line.strip(), section, memory.learned.get(key(line))))
    return tuple(found)


def search(memory: Memory, query: str) -> tuple[FoundLine, ...]:
    """Return the lines that hold every word of *query*, or the beginning of one; the section counts as well."""
    wanted = key(query).split()
    if not wanted:
        return ()

    def holds(found: FoundLine) -> bool:
        text = f" {key(found.section)} {key(found.line)}"
        return all(f" {word}" in text or (not word.isascii() and word in text) for word in wanted)

    return tuple(found for found in lines_of(memory) if holds(found))


def named(memory: Memory, wanted: str, *, near: bool = False) -> tuple[FoundLine, ...]:
    """
    Return the lines that *wanted* names: its number, all of its text, or a part of it.

    Args:
        near: nearly the same words count, too.
    """
    lines = lines_of(memory)
    if wanted.strip().isdecimal():
        return tuple(found for found in lines if found.number == int(wanted))
    folded = key(wanted)
    if not folded:
        return ()
    tests: tuple[Callable[[str], bool], ...] = (
        lambda line: key(line) == folded,
        lambda line: folded in key(line) or (near and similarity(line, wanted) >= NEAR),
    )
    hits = (tuple(found for found in lines if test(found.line)) for test in tests)
    return next(filter(None, hits), ())


@dataclass(frozen=True, slots=True)
class Reason:
    """
    A line and what it rests on.

    Args:
        sources: oldest first, each with the moment it was said where the user was, if the history still tells;
            none for a line that a user wrote.
    """

    found: FoundLine
    sources: tuple[tuple[Source, datetime | None], ...]


def reasons(folder: Path, wanted: str) -> tuple[Reason, ...]:
    """
    Return each line that *wanted* names with its sources; empty when no line does.

    Args:
        wanted: the number of a line, a part of one, or nearly the same words.
    Raises: StorageError: the memory is not readable.
    """
    lines = named(read(folder), wanted, near=True)
    sources = [sources_of(folder, [found.line]) for found in lines]
    records = pending(folder, 0).records if any(sources) else ()
    said = {(record.session, record.seq): record.ts for record in records}
    return tuple(
        Reason(found, tuple((source, said.get((source.session, source.seq))) for source in own))
        for found, own in zip(lines, sources, strict=True)
    )


def facts_of(folder: Path, number: int, first: int = 0) -> tuple[tuple[str, str, str], ...]:
    """
    Return each fact that entry *number* of the log changed: "+" or "-", the line, and the words that it rests on.

    Args:
        first: the entry that a dream of several parts began with; they are taken as a whole.
    Returns: empty when there is no such entry any more; no words where the line is these words.
    """
    try:
        version = show(folder, number)
        before = show(folder, first).before if first else version.before
        removed, added = changed_lines(as_text(before), as_text(version.after))
        new = memory_lines("\n".join(added))
        quotes = {line: _quote(folder, line, range(first or number, number + 1)) for line in new}
    except (StorageError, UsageError, UnicodeDecodeError):
        return ()
    gone = [("-", _bare(line), "") for line in memory_lines("\n".join(removed))]
    return (*gone, *(("+", _bare(line), quotes[line]) for line in new))


def _quote(folder: Path, line: str, dreams: range) -> str:
    sources = [source for source in sources_of(folder, [line]) if source.dream in dreams]
    return sources[0].quote if sources and sources[0].quote not in line else ""


def _bare(line: str) -> str:
    return line.lstrip("-*+ ")
