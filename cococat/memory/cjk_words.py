"""Which words of a Chinese or Japanese clause were typed, and in which clauses of the typed text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from cococat.memory.cjk import Clause, Number, spots
from cococat.memory.cjk_people import ANYONE, ASSISTANT, SOMEONE, USER
from cococat.memory.words import language

__all__ = ["Chunk", "Words", "alike", "bare", "equal", "named"]

Places: TypeAlias = tuple[tuple[int, int], ...]
_LOOSE = 2  # characters of a clause that may stand alone
_INFLECTED = re.compile("[\u3400-\u9fff\u3041-\u3096][\u3041-\u3096]{1,3}")


@dataclass(frozen=True, slots=True)
class Chunk:
    """What a clause of the line has in common with the typed text; *places* are its clauses and where it stands in them."""

    start: int
    end: int
    places: Places


@dataclass(frozen=True, slots=True)
class Words:
    """
    What the words of a line are looked up in.

    Args:
        typed: clauses that may support the line.
        elsewhere: what else was typed or is remembered; it may be what a clause is about.
        asked: questions, which may fill in a word.
    """

    typed: Sequence[Clause]
    elsewhere: str
    asked: str = ""

    def chunks(self, clause: Clause) -> tuple[list[Chunk], list[str]]:
        """Return what of *clause* was typed, and what was not."""
        runs = _runs(clause, self._untyped(clause.text))
        pieces = [piece for start, end in runs for piece in self._pieces(clause.text, start, end)]
        found = [Chunk(at, at + len(text), places) for at, text, places in pieces if places and _telling(text)]
        size = sum(chunk.end - chunk.start for chunk in found)
        first = min((chunk.start for chunk in found), default=len(clause.text))
        foreign: list[str] = []
        single: list[Chunk] = []
        for start, rest in (
            (at + offset, rest) for at, text, places in pieces if not places for offset, rest in bare(text)
        ):
            inflects = start and _INFLECTED.fullmatch(clause.text[start - 1] + rest)
            if inflects or (rest in self.asked and 2 * len(rest) <= size):  # it fills in what was asked
                continue
            for at, char in self._unexplained(rest, start, leads=start < first):
                if places := self._places(char):
                    single.append(Chunk(at, at + 1, places))
                elif not self._elastic(clause.text, at) and rest not in foreign:
                    foreign.append(rest)
        if len(single) > max(_LOOSE, size):
            foreign = foreign or [clause.text[chunk.start] for chunk in single]
        return sorted((*found, *single), key=lambda one: one.start), foreign

    def _untyped(self, text: str) -> list[tuple[int, int]]:
        """Return where *text* holds words of the writer's own: no half of them is a word that was typed."""
        words = (one for one in _free("cjk_light").finditer(text) if len(one[0].strip()) > 1)
        begun = (one for one in words if not one.start() or not self._places(text[one.start() - 1 : one.start() + 1]))
        return [one.span() for one in begun if not self._places(one[0])]

    def _pieces(self, text: str, start: int, end: int) -> Iterator[tuple[int, str, Places]]:
        """Split a part of *text* into what was typed, as long as it can be, and what was not."""
        at = begin = start
        while at < end:
            size = next((size for size in range(end - at, 1, -1) if self._places(text[at : at + size])), 0)
            if size:
                yield begin, text[begin:at], ()
                yield at, text[at : at + size], self._places(text[at : at + size])
                begin = at + size
            at += size or 1
        yield begin, text[begin:end], ()

    def _unexplained(self, rest: str, start: int, *, leads: bool) -> Iterator[tuple[int, str]]:
        """Yield the characters of *rest* that no word typed elsewhere holds, which may be what the clause is about."""
        at = 0
        while at < len(rest):
            size = next(
                (size for size in range(len(rest) - at, 1, -1) if leads and rest[at : at + size] in self.elsewhere), 0
            )
            if not size:
                yield start + at, rest[at]
            at += size or 1

    def _elastic(self, text: str, at: int) -> bool:
        """Return whether the character is the empty half of a word whose other half was typed."""
        for start in (at - 1, at):
            word = text[start : start + 2]
            if word in language("cjk_elastic"):
                return bool(self._places(word[0] if start == at - 1 else word[1]))
        return False

    def _places(self, text: str) -> Places:
        return tuple((number, at) for number, clause in enumerate(self.typed) for at in _found(text, clause.text))

    def near(self, clause: Clause, chunks: Sequence[Chunk]) -> frozenset[int]:
        """Return the typed clauses that hold most of *clause*."""
        held = dict.fromkeys(range(len(self.typed)), 0)
        for chunk in chunks:
            for number in {number for number, _ in chunk.places}:
                held[number] += chunk.end - chunk.start
        for number, typed in enumerate(self.typed):
            own = [one for one in clause.people if one.who != frozenset({USER})]
            held[number] += sum(4 for one in own if any(alike(one.who, other.who) for other in typed.people))
            held[number] += sum(any(equal(one, other) for other in typed.numbers) for one in clause.numbers)
            held[number] += sum(any(one.is_of(other) for other in typed.days) for one in clause.days)
        best = max(held.values(), default=0)
        return frozenset(number for number, size in held.items() if size == best and best)


def _found(text: str, within: str) -> Iterator[int]:
    """Yield where *text* stands, as whole words where it is of letters that spaces part."""
    at = within.find(text)
    while at >= 0:
        end = at + len(text)
        if not (_parted(within[at - 1 : at] + text[0]) or _parted(text[-1] + within[end : end + 1])):
            yield at
        at = within.find(text, end)


def _parted(two: str) -> bool:
    return len(two) > 1 and two.isascii() and two.isalpha()


def _runs(clause: Clause, besides: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield what stands between the persons, numbers and dates of a clause, and *besides*, even where that is nothing."""
    taken = [*besides, *((one.start, one.end) for one in clause.people)]
    taken += [(one.start, one.end) for one in clause.numbers]
    taken += [(one.start, one.end) for one in clause.days]
    taken += [one.span() for one in spots("cjk_not", clause.text)]
    at = 0
    for start, end in sorted(taken):
        yield at, start
        at = max(at, end)
    yield at, len(clause.text)


def bare(text: str, *names: str) -> Iterator[tuple[int, str]]:
    """Yield what is left of *text* without its grammar, with where it stands."""
    at = 0
    for one in _free(*(names or ("cjk_free", "cjk_light", "cjk_not", "cjk_past"))).finditer(text):
        if one.start() > at:
            yield at, text[at : one.start()]
        at = one.end()
    if at < len(text):
        yield at, text[at:]


def _telling(text: str) -> bool:
    return any(True for _ in bare(text, "cjk_free", "cjk_not", "cjk_past"))


def equal(one: Number, other: Number) -> bool:
    """Return whether both may be the same number."""
    return one.value == other.value and (one.unit == other.unit or not one.unit or not other.unit)


def alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether both may be the same person."""
    if ANYONE in one | other or one & other:
        return True
    both = one | other
    if SOMEONE in both:
        return any(not side <= {USER, ASSISTANT} for side in (one, other) if SOMEONE not in side)
    return ASSISTANT in both and USER in both


def named(who: frozenset[str]) -> str:
    """Return *who* for a message."""
    named = ", ".join(sorted(one.rstrip("'") for one in who if not one.startswith("<")))
    return named or ("the user" if USER in who else "somebody else")


@cache
def _free(*names: str) -> re.Pattern[str]:
    words = frozenset[str]().union(*map(language, names))
    return re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))) + r"|[\s\W_\0]+")
