"""What a part of a sentence says by itself, of when, where, with whom and how it is called, and what a line takes from another part."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby, permutations

from cococat.memory.claims import SOMEONE, USER, Claim
from cococat.memory.negation import AND
from cococat.memory.words import alike, classes, fold, language, numbers, pairs, weekdays

__all__ = ["exchanged", "slot"]

_OF = ("of", "von", "de", "di", "из")
_FAR = 3  # clauses between two parts that are set against each other, at most


@dataclass(frozen=True, slots=True)
class _Part:
    """
    A part of a sentence between commas and "and"s.

    Args:
        at, clause: its number, and that of its clause.
        words: those that are more than grammar.
        places: the words that say when, how many, where and how it is called, each behind the name of that place.
        owner: whom it is said of.
        subject: whom it is said of in its own words.
        counts: each word beside a number, with that number.
        led: it has a subject.
    """

    at: int
    clause: int
    words: tuple[str, ...]
    places: tuple[tuple[str, str], ...]
    owner: frozenset[str]
    subject: tuple[str, ...]
    counts: tuple[tuple[str, frozenset[str]], ...]
    led: bool

    def holds(self, word: str) -> bool:
        """Return whether *word* is said in this part, in any form."""
        return any(alike(word, one) for one in self.words)


def exchanged(line: Sequence[Claim], typed: Sequence[Claim], people: frozenset[str]) -> str:
    """
    Return what *line* takes from one part of a sentence although the part with the rest has its own: empty when nothing.

    "Plays tennis with Leon" for "I play chess with Leon and tennis with Anke".

    Args:
        people: words that name somebody, the user apart.
    """
    german = (
        len((language("german") | language("german_too")).intersection(one.word for one in typed)) > 1
    )  # its nouns have capitals
    parts, lines = _parts(typed, german=german), _parts(line, german=german)
    for here in lines:
        for one, other in permutations(here.words, 2):
            own = _own(one, other, parts, here)
            if own and not any(there.holds(own) and there.holds(one) for there in lines):
                return f"{one!r} was typed with {own!r}, not with {other!r}: say together what was typed together"
        if why := _miscounted(here, parts) or _misplaced(here, parts, people):
            return why
    return _of_another(lines, parts, people)


def _misplaced(here: _Part, parts: Sequence[_Part], people: frozenset[str]) -> str:
    """Find "Jelena runs the lab" for "Sabine runs the lab, Jelena the desk": what stands behind its subject was typed of another."""
    if people.isdisjoint(here.subject):
        return ""
    begin = max((at + 1 for at, word in enumerate(here.words) if word in here.subject), default=0)
    for at, one in enumerate(word for word in here.words[begin:] if word not in language("acts")):
        ones = [part for part in parts if part.holds(one)]
        others = ones and one not in people and (not at or all(_of_one(part, one, people) for part in ones))
        if others and not any(_fits(here.subject, part, parts, people) for part in ones):
            whose = ", ".join(sorted(ones[0].owner - {USER})) or "the user"
            return f"{one!r} was typed of {whose}, not of {here.subject[0]!r}: say it of the same one"
    return ""


def _of_another(lines: Sequence[_Part], parts: Sequence[_Part], people: frozenset[str]) -> str:
    """Find "Drinks tea" for "I drink no coffee, my wife drinks tea": all of it was typed of somebody whom the line does not name."""
    here, *_ = lines
    whole = [part for part in parts if all(map(part.holds, here.words))]
    named = {word for one in lines for part in whole for word in part.subject if one.holds(word)}
    if here.owner or not here.words[1:] or not whole or named:
        return ""
    if any(USER in part.owner or people.isdisjoint(part.subject) for part in whole):
        return ""
    return f"{here.words[0]!r} was typed of {whole[0].subject[0]}, not of the user: say of whom"


def _of_one(part: _Part, one: str, people: frozenset[str]) -> bool:
    """Return whether *part* says *one* of somebody it names, or a number of the user."""
    return not people.isdisjoint(part.subject) or (slot(one) == "number" and part.owner == {USER} and part.led)


def _fits(subject: Sequence[str], part: _Part, parts: Sequence[_Part], people: frozenset[str]) -> bool:
    """Return whether *part* may tell of *subject*: it names them, or the part before does, or it names nobody."""
    before = parts[part.at - 1] if part.at and people.isdisjoint(part.subject) else part
    named = any(part.holds(word) or before.holds(word) or _among(word, part.owner) for word in subject)
    return named or not part.owner or SOMEONE in part.owner


def _miscounted(here: _Part, parts: Sequence[_Part]) -> str:
    """Find "3 km five times" for "5 km three times", and "9 of 3" for "3 of 9"."""
    for one, number in here.counts:
        own = [near for part in parts for word, near in part.counts if alike(one, word)]
        if own and not any(_among(word, number) for near in own for word in near):
            return f"{one!r} was typed with {min(own[0])!r}, not with {min(number)!r}: say together what was typed together"
    return ""


def _among(word: str, others: frozenset[str]) -> bool:
    return any(alike(word, other) for other in others)


def _own(one: str, other: str, parts: Sequence[_Part], here: _Part) -> str:
    """Return what stands with *one* in the place that *other* has elsewhere, or in the line."""
    ones = [part for part in parts if part.holds(one)]
    others = [part for part in parts if part.holds(other)]
    found = [_filled(part, there, one, other, here) for part in ones for there in others if part is not there]
    return found[0] if found and all(found) and not any(part in others for part in ones) else ""


def _filled(part: _Part, there: _Part, one: str, other: str, here: _Part) -> str:
    """Return what fills in *part* the place that *other* fills in the part over *there*, unless *one* leads both."""
    if abs(part.clause - there.clause) > _FAR:
        return ""
    for name in (name for name, word in (*there.places, *here.places) if alike(word, other)):
        own = next((word for place, word in part.places if place == name and word != one), "")
        leads = there.at > part.at and _carries(here, there) and _before(one, own, part.words)
        if own and not alike(own, other) and not leads:
            return own
    return ""


def _carries(here: _Part, there: _Part) -> bool:
    """Return whether the line says all that is said over *there*, and of the same: it only lacks the verb that came before."""
    placed = [word for _, word in there.places]
    rest = [word for word in there.words if word not in placed and word not in there.owner]
    named = USER in there.owner or not there.led or any(map(here.holds, there.owner))
    return named and all(map(here.holds, (*there.subject, *rest)))


def _before(one: str, own: str, words: Sequence[str]) -> bool:
    at = next((number for number, word in enumerate(words) if alike(one, word)), len(words))
    return own in words and at < words.index(own)


def _parts(words: Sequence[Claim], *, german: bool) -> list[_Part]:
    """Return the parts of a text; one that is a single word belongs to the one before: "on mondays and fridays"."""
    found: list[list[Claim]] = []
    for _, segment in groupby(words, key=lambda one: one.segment):
        part = list(segment)
        if found and _bare(part):
            found[-1] += part
        else:
            found.append(part)
    parts: list[_Part] = []
    for at, one in enumerate(found):
        parts.append(_part(at, one, parts[-1] if parts else None, german=german))
    return parts


def _part(at: int, words: Sequence[Claim], before: _Part | None, *, german: bool) -> _Part:
    meant = [one for one in words if _full(one)]
    places = tuple(place for place in _placed(words) if place[0] != "whom" or not german)
    if before and "called" in dict(before.places) and not places:  # "my dog is Rex, the cat Miso"
        places += tuple(("called", fold(one.word)) for one in meant[1:] if one.raw[0].isupper())
    if "called" in dict(places):  # "Ann is my wife": who it is as well as what she is called
        places += tuple(("called", fold(one.word)) for one in meant if one.subject)
    return _Part(
        at,
        words[0].clause,
        tuple(fold(one.word) for one in meant),
        places,
        frozenset[str]().union(*(one.owner for one in words)),
        tuple(fold(one.word) for one in words if one.subject),
        tuple(_counts(words)),
        any(one.led for one in words),
    )


def _bare(words: Sequence[Claim]) -> bool:
    """Return whether *words* are one beside "and" and prepositions, or nothing but names."""
    rest = [one for one in words if fold(one.word) not in AND | _prepositions().keys()]
    return len(rest) == 1 or all(one.raw[0].isupper() and _full(one) for one in words)


def _counts(words: Sequence[Claim]) -> Iterator[tuple[str, frozenset[str]]]:
    """Give the words directly before and behind each number, "is" and "has" left out, with that number."""
    near = [one for one in words if fold(one.word) not in language("copula") | language("acts")]
    runs = [(kind, list(run)) for kind, run in groupby(near, key=_numeral)]
    for at, (number, run) in enumerate(runs):
        if not number or any(one.denied for one in run):
            continue
        counted = frozenset(fold(word.word) for word in run)
        if at and " ".join(one.word for one in runs[at - 1][1]) in _OF:
            yield "of", counted  # "3 of 9"
        for one in (*(runs[at - 1][1][-1:] if at else ()), *(runs[at + 1][1][:1] if at + 1 < len(runs) else ())):
            if _full(one) and fold(one.word) not in _months():
                yield fold(one.word), counted


def _numeral(one: Claim) -> bool:
    return slot(one.word) == "number" and one.raw != "Otto"


def _placed(words: Sequence[Claim]) -> Iterator[tuple[str, str]]:
    """Give each word that says when or how many, or that stands behind a preposition, with the name of that place."""
    behind, begun = "", False
    for one in words:
        word = fold(one.word)
        kind = slot(word) if _full(one) else ""
        if kind in ("day", "code"):
            yield kind, word
        if word in _prepositions():
            behind, begun = _prepositions()[word], False
        elif word in language("copula"):
            behind, begun = "called", False
        elif not _full(one):
            behind = "" if begun else behind
        elif one is not words[0] and not behind and not kind and not one.subject and one.raw[0].isupper():
            yield "whom", word
        elif behind:
            begun = True
            if behind != "called" or one.raw[0].isupper() or word in language("kin"):
                yield behind + kind, word


def slot(word: str) -> str:
    """Return the kind of a word that says when or how many: each thing has one of its own."""
    if fold(word) in weekdays() or fold(word) in language("dayparts"):
        return "day"
    if re.fullmatch(r"\d+[^\W\d_]", word):
        return "code"  # of a class, a bus, a flat
    return "number" if any(map(str.isdigit, word)) or fold(word) in numbers() | language("multiples") else ""


def _full(one: Claim) -> bool:
    return fold(one.word) not in classes("free", "not", "naming")


@cache
def _months() -> frozenset[str]:
    return frozenset(word for group in pairs("months") for word in group)


@cache
def _prepositions() -> dict[str, str]:
    return {word: group[0] for group in pairs("prepositions") for word in group}
