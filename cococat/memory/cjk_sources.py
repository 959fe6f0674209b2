"""Whether a clause of a line says what one typed clause says, or puts together parts of several that say something else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from cococat.memory.cjk import Clause
from cococat.memory.cjk_people import USER
from cococat.memory.cjk_words import Chunk, alike, bare, equal
from cococat.memory.words import language

__all__ = ["mixed"]

Spans: TypeAlias = tuple[tuple[int, int, int], ...]
_ME = frozenset({USER})
_NAMING = re.compile("(?:小?名字?)?叫做?")
_WHEN = re.compile("的?时")


@dataclass(frozen=True, slots=True)
class _Part:
    """What of a line's clause was typed; *spans* are the number of a typed clause, and where it begins and ends there."""

    start: int
    end: int
    spans: Spans

    def numbers(self) -> frozenset[int]:
        """Return the typed clauses that it stands in."""
        return frozenset(number for number, *_ in self.spans)


@dataclass(frozen=True, slots=True)
class _Line:
    """A clause of a line, all of the line, and what was typed."""

    clause: Clause
    whole: Sequence[Clause]
    typed: Sequence[Clause]

    def left(self, number: int, parts: Sequence[_Part], *, before: bool = False) -> list[str]:
        """Return what a typed clause tells beside *parts*; only what stands in front of them all, if *before*."""
        said = self.typed[number]
        spans = [(start, end) for part in parts for at, start, end in part.spans if at == number]
        ends = min((start for start, _ in spans), default=len(said.text)) if before else len(said.text)
        told = [_ME, *(one.who for clause in self.whole for one in clause.people)]
        days = [day for clause in self.whole for day in clause.days]
        spans += [(one.start, one.end) for one in said.people if any(alike(one.who, who) for who in told)]
        spans += [(one.start, one.end) for one in said.days if any(one.is_of(day) for day in days)]
        text = list(said.text)
        for start, end in spans:
            text[start:end] = " " * (end - start)
        free = ("cjk_free", "cjk_not", "cjk_past", *(("cjk_light",) if before else ()))
        rests = bare(_NAMING.sub(" ", "".join(text[:ends])), *free)
        return [rest for _, rest in rests if rest not in self.clause.text]


def mixed(clause: Clause, whole: Sequence[Clause], typed: Sequence[Clause], chunks: Sequence[Chunk]) -> str:
    """
    Find "lives in Bath" for "I live in York and work in Bath".

    A clause may be put together of several typed ones when all but one of them are told to their end: "a cat called Miu" of "I have
    a grey cat. She is called Miu". What it speaks of may be from anywhere, unless the rest was typed of something else.
    """
    line = _Line(clause, whole, typed)
    parts = [part for part in _parts(line, chunks) if part.spans]
    cover = _cover(parts)
    topic = _topic(clause, parts)
    if rest := parts[topic:]:
        when = _WHEN.match(clause.text, parts[topic - 1].end)
        others = _cover(rest)
        if when or not any(line.left(number, rest, before=True) for number in others):
            parts, cover = rest, others
    # "from the book department", without a verb, says what one is: a part of that may be told
    left = [
        repr(typed[number].text)
        for number in cover
        if not typed[number].text.endswith("的") and line.left(number, parts)
    ]
    if len(left) <= 1:
        return ""
    return f"{clause.text!r} is put together of {' and '.join(left)}: say what one of them says"


def _topic(clause: Clause, parts: Sequence[_Part]) -> int:
    """Return with how many of *parts* a clause says of what or when it speaks."""
    if when := _WHEN.search(clause.text):
        return sum(part.end <= when.start() for part in parts)
    return int(bool(parts) and parts[0].start <= _opening(clause) and parts[0].end - parts[0].start > 1)


def _opening(clause: Clause) -> int:
    return max((one.end for one in clause.people if one.start == 0), default=0)


def _parts(line: _Line, chunks: Sequence[Chunk]) -> Iterator[_Part]:
    """Yield the words, numbers and dates of a clause; one character alone may be from anywhere, but the verb that opens it."""
    first = _opening(line.clause)
    for chunk in chunks:
        if (size := chunk.end - chunk.start) > 1:
            yield _Part(chunk.start, chunk.end, tuple((number, at, at + size) for number, at in chunk.places))
        if chunk.start == first + 1 and (verb := line.clause.text[first]) not in language("cjk_free"):
            yield _Part(first, first + 1, tuple(_alone(verb, line.typed)))
    typed = list(enumerate(line.typed))
    for one in line.clause.numbers:
        if one.value != 1 or one.unit not in ("", "个"):
            same = ((at, other) for at, said in typed for other in said.numbers if equal(one, other))
            yield _Part(one.start, one.end, tuple((at, other.start, other.end + len(other.unit)) for at, other in same))
    for day in line.clause.days:
        days = ((at, other) for at, said in typed for other in said.days if other.months and day.is_of(other))
        yield _Part(day.start, day.end, tuple((at, other.start, other.end) for at, other in days if day.months))


def _alone(char: str, typed: Sequence[Clause]) -> Iterator[tuple[int, int, int]]:
    return (
        (number, at, at + 1) for number, said in enumerate(typed) for at, one in enumerate(said.text) if one == char
    )


def _cover(parts: Sequence[_Part]) -> list[int]:
    """Return the fewest typed clauses that hold all *parts*."""
    found: list[int] = []
    while parts:
        numbers = sorted(frozenset[int]().union(*(part.numbers() for part in parts)))
        held = {number: sum(part.end - part.start for part in parts if number in part.numbers()) for number in numbers}
        found.append(max(numbers, key=held.__getitem__))
        parts = [part for part in parts if found[-1] not in part.numbers()]
    return found
