"""Finding lines of the memory, by number or by words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from cococat.memory.file import Memory, memory_lines
from cococat.memory.words import key, similarity

__all__ = ["Found", "lines_of", "named", "search"]

NEAR = 0.85  # similarity from which a line is the one that is meant


@dataclass(frozen=True, slots=True)
class Found:
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


def lines_of(memory: Memory) -> tuple[Found, ...]:
    """Return every line that remembers something, in order."""
    found: list[Found] = []
    section = ""
    for number, line in enumerate(memory.text.split("\n"), 1):
        if not memory_lines(line):
            section = line.lstrip("# ").strip() or section
            continue
        found.append(Found(number, line.strip(), section, memory.learned.get(key(line))))
    return tuple(found)


def search(memory: Memory, query: str) -> tuple[Found, ...]:
    """Return the lines that hold every word of *query*, or the beginning of one; the section counts as well."""
    wanted = key(query).split()
    if not wanted:
        return ()

    def holds(found: Found) -> bool:
        text = f" {key(found.section)} {key(found.line)}"
        return all(f" {word}" in text or (not word.isascii() and word in text) for word in wanted)

    return tuple(found for found in lines_of(memory) if holds(found))


def named(memory: Memory, wanted: str, *, near: bool = False) -> tuple[Found, ...]:
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
