"""What stands together in a line that was typed with something else: a number, a name, a direction, an owner."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from cococat.memory.claims import Claim
from cococat.memory.slots import exchanged
from cococat.memory.words import alike, classes, fold, language, pairs

__all__ = ["full", "torn"]

_NEAR = 3  # words between a direction and what it points at, at most
_OF = ("of", "de", "von", "di")


def torn(line: Sequence[Claim], typed: Sequence[Claim], names: frozenset[str], people: frozenset[str]) -> str:
    """
    Return what *line* ties to something else than it was typed with; empty when nothing.

    Args:
        names: words that are names, of persons or of things.
    """
    return (
        _owned(line, typed, names)
        or _not_own(line, typed, names)
        or exchanged(line, typed, people)
        or _directed(line, typed)
        or _wished(line, typed)
    )


def full(one: Claim) -> bool:
    """Return whether a word is more than grammar."""
    return fold(one.word) not in classes("free", "not")


def _owned(line: Sequence[Claim], typed: Sequence[Claim], names: frozenset[str]) -> str:
    """Find "Bob's boss" for "my boss Bob"."""
    for before, one, behind in zip(line, line[1:], line[2:], strict=False):
        tie = fold(one.word)
        owner, owned = (before, behind) if tie == "s" else (behind, before)
        if (tie != "s" and tie not in _OF) or fold(owner.word) not in names:
            continue
        places = [other for other in typed if alike(owned.word, other.word)]
        named = any(other.raw == owner.raw for place in places for other in typed[place.at : place.at + 2])
        mine = [
            any(fold(other.word) in language("mine") for other in typed[max(0, one.at - 2) : one.at]) for one in places
        ]
        if places and (named or all(mine)):
            return f"the user did not type that {owned.word!r} is {owner.raw}'s"
    return ""


def _not_own(line: Sequence[Claim], typed: Sequence[Claim], names: frozenset[str]) -> str:
    """Find "has a carer" for "her carer"."""
    words = [fold(one.word) for one in line]
    for word in words:
        places = [one for one in typed if word in language("kin") and alike(word, one.word)]
        near = [{fold(other.word) for other in typed[max(0, one.at - 2) : one.at]} for one in places]
        called = {fold(other.word) for one in places for other in typed[one.at : one.at + 3]}
        others = {one for one in words if one in names | language("kin") or one == "s"} - called - {word}
        if places and not others and all((language("theirs") | {"s"}) & beside for beside in near):
            return f"the user spoke of somebody else's {word}: say whose"
    return ""


def _directed(line: Sequence[Claim], typed: Sequence[Claim]) -> str:
    """Find "from" where the user typed "to"."""
    for at, one in enumerate(line):
        group = _directions().get(fold(one.word))
        target = next((n for n in range(at, len(line)) if fold(line[n].word) not in language("free")), at)
        if not at < target < at + _NEAR:
            continue
        there = {
            _directions().get(fold(before.word))
            for n, other in enumerate(typed)
            if alike(line[target].word, other.word)
            for before in typed[max(0, n - _NEAR + 1) : n]
        } - {None}
        if there and all({group, other} in _OPPOSED for other in there):
            return f"the user typed no {one.word!r} before {line[target].raw!r}"
    return ""


def _wished(line: Sequence[Claim], typed: Sequence[Claim]) -> str:
    """Find "traded the quad" for "I want to trade the quad", and "is a referee" for "she wants to be a referee"."""
    if any(fold(one.word) in language("moods") or one.denied for one in line):
        return ""
    open_ = frozenset(one.clause for one in typed if fold(one.word) in language("moods"))
    open_ |= {one.clause for one in typed if fold(one.word) in language("whether") and one.clause - 1 in open_}
    for clause in {one.clause for one in line}:
        words = [one for one in line if one.clause == clause and full(one)]
        places = [[other for other in typed if alike(one.word, other.word)] for one in words]
        if not all(any(other.clause in open_ for other in there) for there in places if there):
            continue
        heard = {fold(one.word) for one in typed if one.clause in open_}
        verbs = {fold(one.word) for one in line if one.clause == clause} & (language("acts") | {"does"})
        if any(places) and verbs - heard and all(other.clause in open_ for there in places for other in there):
            return f"the user did not say that it is so, but wished or wondered: leave out {min(verbs - heard)!r}"
        for one, there in zip(words, places, strict=True):
            told = [other.raw.casefold() for other in there if other.clause in open_]
            if (
                told
                and _finite(one.raw.casefold())
                and not any(_finite(raw) for raw in told)
                and one.raw.casefold() not in told
            ):
                return f"the user did not say that it is so, but wished or wondered: {told[0]!r}"
    return ""


def _finite(word: str) -> bool:
    """Return whether *word* may be a verb that tells of somebody else what is or was: "buys", "bought", "kauft"."""
    return bool(re.search(r"[^s]s$|ed$|t$", word))


_OPPOSED = [set(pair) for pair in (("off", "on"), ("from", "to"), ("from", "for"), ("before", "after"))]


@cache
def _directions() -> dict[str, str]:
    return {word: group[0] for group in pairs("directions") for word in group}
