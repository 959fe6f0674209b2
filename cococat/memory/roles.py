"""What a line turns around: said of another, with another "not", tied to another name or number, the other way."""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from cococat.memory.claims import SOMEONE, USER, Claim
from cococat.memory.statements import plain
from cococat.memory.ties import full, torn
from cococat.memory.words import alike, closed, fold, language, pairs, related, weekdays

__all__ = ["Comparison", "first_person", "own_names"]

_SAME = {"is": "ist", "isn": "ist", "s": "ist"}
_INTRODUCED = re.compile(
    r"(?:(?i:\bi am|\bmy name is|\bname['\u2019]?s|\bthis is|\bich bin|\bich hei(?:ß|ss)e|\bme llamo|\bsoy(?: el| la)?"
    r"|je m['\u2019]appelle|je suis|moi[ ,]+c['\u2019]est|mi chiamo|\bsono|me chamo|\bsou(?: o| a)?|меня зовут)\s+|我叫|^- (?=\w+, ))([^\W\d_a-zß-ÿа-я]\w+)\b(?!['\u2019]s)"
)


def own_names(texts: Sequence[str]) -> frozenset[str]:
    """Return the names by which the user has introduced themself, or by which a line of memory does: "- Ada, ..."."""
    return frozenset(fold(name) for text in texts for name in _INTRODUCED.findall(plain(text)))


@dataclass(frozen=True)
class Comparison:
    """
    A line beside what was typed.

    Args:
        line, typed: their words, see `claims`.
        people: words that name somebody, the user apart.
        own: names of the user.
        old: words of the lines that this one replaces: nothing is asked of them.
    """

    line: Sequence[Claim]
    typed: Sequence[Claim]
    people: frozenset[str]
    old: frozenset[str]
    own: frozenset[str] = frozenset()

    def fault(self) -> str:
        """Return what the line turns around, and how to fix it; empty when nothing."""
        return (
            self._denied()
            or self._of_another()
            or self._verb_of_another()
            or torn(self.line, self.typed, self._names, self.people)
        )

    def _denied(self) -> str:
        """A "not" is dropped, or one is there that nobody typed; in doubt, neither."""
        return self._dropped() or self._added()

    def _dropped(self) -> str:
        """A word was typed in the scope of a "not" alone, and the line keeps neither that "not" nor another word for it."""
        denials = [one for one in self.line if one.denied and full(one)]
        kept = {other.segment for one in denials for other in self._places[one.at]}
        if not all(other.denied for one in denials for other in self._places[one.at]):
            kept = set()  # "tea, not coffee" for "coffee, not tea"
        for one in self.line:
            every = self._places[one.at]
            places = [other for other in every if one.owner & other.owner & self.people] or every  # "she isn't my boss"
            lost = places and all(other.denied and other.segment not in kept for other in places)
            if lost and full(one) and not one.denied and one.word not in self.old and not self._contrary(one):
                clause = " ".join(dict.fromkeys(other.raw for other in self.typed if other.clause == places[0].clause))
                return f"the user said {clause!r}: keep the 'not'"
        return ""

    def _added(self) -> str:
        for number in {one.clause for one in self.line if one.denied}:
            scope = [
                one
                for one in self.line
                if full(one) and one.clause == number and not closed(one.word) and self._places[one.at]
            ]
            light = [
                one for one in self.line if one.denied and full(one) and one.clause == number and self._places[one.at]
            ]
            behind = [one for one in scope if one.denied] or light or scope
            if behind and not any(other.denied or other.against for other in self._places[behind[0].at]):
                return f"the user typed no 'not' of {behind[0].raw!r}: leave it out"
        return ""

    def _contrary(self, lost: Claim) -> bool:
        """Return whether the line says the "not" in another word: "poor eyes" for "my eyes are no good"."""
        return any(one.clause == lost.clause and fold(one.word) in language("scant") for one in self.line)

    def _verb_of_another(self) -> str:
        """The line opens with a verb that was typed of somebody it does not name: "Goes home" for "dana goes home"."""
        at = int(len(self.line) > 1 and fold(self.line[0].word) in language("not"))
        one, here = self.line[at], {fold(other.word) for other in self.line}
        if one.led or not self.line[0].raw[0].isupper():
            return ""
        form = _SAME.get(fold(one.word), fold(one.word))
        verbs = [other for other in self.typed if _SAME.get(fold(other.word), fold(other.word)) == form]
        clauses = [{place.clause for place in self._places[near]} for near, _ in self._said if near]
        held = (set.intersection(*clauses) if clauses else set()) or set[int]().union(*clauses)
        places = [place for place in verbs if place.clause in held] if held else [*verbs, *self._places[one.at]]
        if places and all(
            place.owner and USER not in place.owner and not place.subject and here.isdisjoint(place.owner)
            for place in places
        ):
            return _said_of(one, places[0])
        return ""

    def _of_another(self) -> str:
        """A word is done to whom it was done by, or most of a clause is said of another."""
        for at, one in enumerate(self.line):
            places = [place for place in self._nearest(at) if place.denied == one.denied]
            fair = full(one) and one.word not in self.old and not one.subject
            if fair and places and all(self._turned(at, one, place) for place in places):
                return _said_of(one, places[0])
        led = sorted({one.clause for one in self.line if one.led})
        for group in range(len(led) + 1):
            judged: list[tuple[Claim, Claim, bool]] = []
            for at, one in self._said:
                places = [place for place in self._nearest(at) if place.denied == one.denied]
                if (
                    bisect(led, one.clause) == group
                    and places
                    and not one.subject
                    and fold(one.word) not in self.people
                ):
                    judged.append((one, places[0], any(self._fits(one, place) for place in places)))
            wrong = [(one, place) for one, place, fits in judged if not fits]
            tie = 2 * len(wrong) == len(judged) and judged and not judged[0][2]  # its verb is another's
            if tie or 2 * len(wrong) > len(judged):
                return _said_of(*wrong[0])
        return ""

    def _nearest(self, at: int) -> list[Claim]:
        """Return where a word was typed: in the clauses that hold most of the line's clause, if it is there."""
        clause = self.line[at].clause
        held = Counter(
            number
            for near, one in self._said
            if one.clause == clause
            for number in {place.clause for place in self._places[near]}
        )
        best = max(held.values(), default=0)
        return [place for place in self._places[at] if held[place.clause] == best] or self._places[at]

    def _owner(self, place: Claim) -> frozenset[str]:
        return frozenset({USER}) if place.clause in self._by_the_user else place.owner

    def _turned(self, at: int, one: Claim, place: Claim) -> bool:
        """Return whether who did it and whom it was done to changed places: "gave Carol" for "Carol gave"."""
        theirs, mine = self._owner(place), one.owner - {USER}
        here = [fold(other.word) for other in self.line[at + 1 :] if other.clause == one.clause]
        behind = [fold(other.word) for other in self.typed[place.at + 1 :] if other.clause == place.clause]
        if place.own and not theirs & mine:
            named = one.led and bool(mine & self.people) and not one.own
            return named or self._led(at, place.own) or self._suffered(one, behind)
        if mine & self.people:
            return False
        if USER not in theirs and self._led(at, "does") and not self._before(theirs, one, self.line):
            return self._before(theirs, place, self.typed)
        link = next((near for near, word in enumerate(behind[:2]) if word in language("object")), None)
        if USER not in theirs and link is not None:
            return len(here) > link and here[link] in self._names and here[:link] == behind[:link] != ["with"]
        return USER not in theirs and any(
            word in theirs & self.people
            and (near == 0 or here[near - 1] in language("direction"))
            and word not in behind
            for near, word in enumerate(here)
        )

    def _suffered(self, one: Claim, behind: Sequence[str]) -> bool:
        """Return whether it is done *by* one to whom the user did it: "mentored by Paul" for "I mentor Paul"."""
        words = [fold(other.word) for other in self.line if other.clause == one.clause]
        for at, word in enumerate(words):
            whom = next((other for other in words[at:] if other not in language("free")), "")
            if word in language("agents") and word not in behind and related(whom, frozenset(behind)):
                return whom in self.people or whom in self._names
        return False

    def _led(self, at: int, own: str) -> bool:
        """Return whether another name than the user's leads to the word at *at*: "Raj drives" for "I drive"."""
        before = [one for one in self.line[:at] if one.segment == self.line[at].segment]
        rest = list(before)
        while rest and fold(rest[-1].word) in language("free"):
            rest.pop()
        if any(one.word == "s" for one in before[len(rest) :]):
            return False
        is_ = any(fold(one.word) in language("copula") for one in before[len(rest) :])
        return bool(rest) and fold(rest[-1].word) in self._names and is_ == (own == "is")

    def _fits(self, one: Claim, place: Claim) -> bool:
        """Return whether *one* may be said where *place* was typed; only a clear sign against it counts."""
        mine, theirs = one.owner - {USER}, self._owner(place)
        if place.subject or not theirs or mine & theirs:
            return True
        if mine & self.people:
            if SOMEONE in theirs:
                before, behind = self.typed[: place.at], self.typed[place.at :]
                return any(fold(other.word) in mine for other in before) or mine.isdisjoint(
                    fold(one.word) for one in behind
                )
            if any(related(who, theirs) for who in mine) or self._before(mine, place, self.typed):
                return True
            if one.led:
                return False  # else the clause only follows one that has a subject
        if USER in theirs:
            return True
        if SOMEONE in theirs and any(
            other.clause < place.clause and not self._owner(other) & self.people
            for at, near in self._said
            if near is not one
            for other in self._nearest(at)
        ):
            return True
        label = sum(other.clause == one.clause for _, other in self._said) == 1  # "Strathclyde: Callum starts"
        return any(
            fold(other.word) in theirs or not theirs.isdisjoint(fold(there.word) for there in self._places[at])
            for at, other in enumerate(self.line)
            if other.clause <= one.clause + label and fold(other.word) not in language("free")
        )

    def _before(self, mine: frozenset[str], place: Claim, words: Sequence[Claim]) -> bool:
        """Return whether one of *mine* stands in the clause of *place* before it, and not as "Bob's"."""
        here = [one for one in words[: place.at] if one.clause == place.clause]
        return any(fold(one.word) in mine and words[one.at + 1].word != "s" for one in here)

    @cached_property
    def _by_the_user(self) -> frozenset[int]:
        """The clauses that tell what the user does by the end of their verb alone: "busco", where the line has "busca"."""
        return frozenset(
            place.clause
            for at, one in enumerate(self.line)
            for place in self._places[at]
            if not place.led and first_person(place.raw, one.raw)
        )

    @cached_property
    def _names(self) -> frozenset[str]:
        """Words that are names by their capital, where nouns have none."""
        german = len(language("german").intersection(one.word for one in self.typed)) > 1
        return (self.people if german else self.people | self._capital) - language("kin") - weekdays() - self.own

    @cached_property
    def _said(self) -> list[tuple[int, Claim]]:
        """The words of the line that carry meaning, with their places."""
        return [
            (at, one)
            for at, one in enumerate(self.line)
            if not closed(one.word) and fold(one.word) not in language("not") and one.word not in self.old
        ]

    @cached_property
    def _places(self) -> dict[int, list[Claim]]:
        """Where each word of the line was typed."""
        return {at: [other for other in self.typed if alike(one.word, other.word)] for at, one in enumerate(self.line)}

    @cached_property
    def _capital(self) -> frozenset[str]:
        """Words that were typed with a capital alone."""
        small = {fold(one.word) for one in self.typed if one.raw[0].islower()}
        return frozenset(fold(one.word) for one in self.typed if one.raw[0].isupper()) - small


def _said_of(one: Claim, place: Claim) -> str:
    whose = ", ".join(sorted(place.owner - {USER, SOMEONE}))
    return f"the user said {one.word!r} of {whose or ('the user' if USER in place.owner else 'somebody else')}: say it of the same one"


def first_person(typed: str, line: str) -> bool:
    """Return whether *typed* says of "I" what *line* says of another: "busco", "busca"; "koche", "kocht"."""
    return any(
        typed.casefold().endswith(one)
        and line.casefold().endswith(other)
        and typed[:2].casefold() == line[:2].casefold()
        for one, *others in pairs("first_person")
        for other in others
    )
