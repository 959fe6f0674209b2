"""Whether a line says what was typed of the same one, in the same order, and with the same "not"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from cococat.memory.claims import SOMEONE, USER, Claim
from cococat.memory.words import closed, fold, language, numbers, related, sequence

__all__ = ["Comparison", "counted", "directions", "own_names"]

_PIECE = re.compile(r"[^\W_]+")
_NEAR = 3  # words between a direction and what it points at, at most
_ARTICLES = frozenset(
    {"a", "an", "the", "my", "our", "ein", "eine", "einen", "mein", "meine", "un", "una", "une", "mi", "mon", "ma"}
)
_TOGETHER = frozenset({"we", "wir", "nous", "nosotros", "nosotras", "noi", "nós", "мы", "我们"})
_NAMING = frozenset({"name", "nombre", "nom", "nome"})
_INTRODUCED = re.compile(
    r"(?:(?i:\bi am|\bi['\u2019]?m|\bmy name is|\bname['\u2019]?s|\bthis is|\bich bin|\bich hei(?:ß|ss)e|\bme llamo|\bsoy(?: el| la)?"
    r"|je m['\u2019]appelle|je suis|moi[ ,]+c['\u2019]est|mi chiamo|\bsono|me chamo|\bsou(?: o| a)?|меня зовут)\s+|我叫|^- (?=\w+, ))([^\W\d_a-zß-ÿа-я]\w+)\b(?!['\u2019]s)"
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """
    A line beside what was typed.

    Args:
        line, typed: their words, see `claims`.
        names: words that are names of others than the user.
        old: words of the lines that this one replaces: nothing is asked of them.
    """

    line: Sequence[Claim]
    typed: Sequence[Claim]
    names: frozenset[str]
    old: frozenset[str]

    def fault(self) -> str:
        """Return what the line turns around, and how to fix it; empty when nothing."""
        return self._turned() or self._swapped() or self._crossed()

    def _turned(self) -> str:
        for at, one in enumerate(self.line):
            if fold(one.word) in language("free") | language("not"):
                continue
            claim, same = self.line[at], [self.typed[place] for place in self._places(at)]
            if not same or any(other.denied == claim.denied for other in same):
                continue
            if claim.denied:
                return f"the user typed no 'not' of {claim.word!r}: leave it out"
            clause = " ".join(one.word for one in self.typed if one.clause == same[0].clause)
            return f"the user said {clause!r}: keep the 'not'"
        return ""

    def _swapped(self) -> str:
        for at in self._open():
            claim = self.line[at]
            before = fold(self.line[at - 1].word) if at else ""
            if (
                claim.lead
                or claim.word in self.old
                or (before in language("theirs") | {"des", "der"} and self._kin(claim.word))
            ):
                continue
            places = [place for place in self._places(at) if self.typed[place].denied == claim.denied]
            if places and not any(self._fits(at, place) for place in places):
                owner = self.typed[places[0]].owner
                whose = ", ".join(sorted(owner - {USER, SOMEONE})) or ("the user" if USER in owner else "somebody else")
                return f"the user said {claim.word!r} of {whose}: say it of the same one"
        return ""

    def _crossed(self) -> str:
        full = [(self.line[at], self._places(at)) for at in self._open()]
        for (_, left), (claim, here), (_, right) in zip(full, full[1:], full[2:], strict=False):
            named = fold(claim.word) in self.names or claim.word.isdigit()
            if named and left and here and right and max(right) < min(here) and max(here) < min(left):
                return f"{claim.word!r} stood on the other side of what is beside it: keep the user's order"
        numbers = [(claim.word, found[0]) for claim, found in full if claim.word.isdigit() and len(found) == 1]
        for (_, one), (word, other) in pairwise(numbers):
            if other < one and self.typed[other].clause == self.typed[one].clause:
                return f"{word!r} came before: keep the user's order"
        return ""

    def _open(self) -> list[int]:
        """Return where the words of the line stand that carry meaning."""
        return [
            at for at, one in enumerate(self.line) if not closed(one.word) and fold(one.word) not in language("not")
        ]

    def _places(self, at: int) -> list[int]:
        word = self.line[at].word
        return [place for place, other in enumerate(self.typed) if related(word, frozenset({other.word}))]

    def _kin(self, word: str) -> bool:
        return fold(word).removesuffix("s") in language("kin")

    def _fits(self, at: int, place: int) -> bool:
        """Return whether what the word at *at* is said of may be what the one at *place* was said of."""
        claim, other = self.line[at], self.typed[place]
        mine, theirs = claim.owner - {USER}, other.owner
        named = {fold(one.word) for one in self.line} - {fold(claim.word)}
        if SOMEONE in mine:
            return True
        if not theirs & (language("kin") | self.names) and (other.lead or not theirs.isdisjoint(named)):
            return SOMEONE not in theirs or bool(mine)  # a thing is nobody's subject
        if other.lead and not (theirs - {USER, SOMEONE}).isdisjoint(named | _NAMING):
            return True
        return self._of_another(mine, place) if mine else self._of_the_user(at, theirs)

    def _of_the_user(self, at: int, theirs: frozenset[str]) -> bool:
        if not theirs or USER in theirs:
            return True
        before = self.line[:at]
        if SOMEONE in theirs:
            return any(one.lead or fold(one.word) in language("kin") | self.names for one in before)
        opens = {fold(one.word) for one in before[:1]}
        named = any(fold(one.word) in theirs and (one.lead or one.clause < self.line[at].clause) for one in before)
        named = named or any(
            fold(one.word) in theirs and fold(is_.word) in language("copula") for is_, one in pairwise(self.line)
        )
        return named or not theirs.isdisjoint(opens)

    def _of_another(self, mine: frozenset[str], place: int) -> bool:
        typed, theirs = self.typed, self.typed[place].owner
        behind = [one.word for one in typed[1:]] + [""]
        places = [at for at, one in enumerate(typed) if fold(one.word) in mine and behind[at] != "s"]  # not "Bob's"
        if not theirs or SOMEONE in theirs:
            return not any(typed[at].lead for at in places) or min(places) < place
        if any(fold(one.word) in _TOGETHER and one.clause == typed[place].clause for one in typed):
            return True
        noun = not _ARTICLES.isdisjoint(fold(one.word) for one in typed[max(0, place - 2) : place])
        verb = place > 0 and fold(typed[place - 1].word) in language("first")
        beside = any((noun or at < place or not verb) and typed[at].clause == typed[place].clause for at in places)
        return beside or not mine.isdisjoint(theirs)


def own_names(texts: Sequence[str]) -> frozenset[str]:
    """Return the names by which the user has introduced themself, or by which a line of memory does: "- Ada, ..."."""
    return frozenset(fold(name) for text in texts for name in _INTRODUCED.findall(text))


def counted(line: str, said: str) -> str:
    """Return a number that stands in *line* before a thing of which another number was typed; empty when none does."""
    typed: dict[str, set[str]] = {}
    for number, thing in _counts(said):
        typed.setdefault(thing, set()).add(number)
    for number, thing in _counts(line):
        same = [numbers for other, numbers in typed.items() if related(thing, frozenset({other}))]
        if same and not any(related(number, numbers) for numbers in map(frozenset, same)):
            return f"the user typed {min(same[0])!r} before {thing!r}, not {number!r}"
    return ""


def _counts(text: str) -> Iterator[tuple[str, str]]:
    """Find the numbers in *text*, each with the word behind it."""
    for number, thing in pairwise(sequence(text)):
        if (number.isdigit() or number in numbers()) and not (thing.isdigit() or thing in numbers()):
            yield number, thing


def directions(line: str, said: str) -> str:
    """Return a word of direction or a possessive that stands in *line* where the user put none; empty when none does."""
    raw, typed = _PIECE.findall(line), [fold(word) for word in _PIECE.findall(said)]
    words = [fold(word) for word in raw]
    ties = {(one, other) for at, one in enumerate(typed) for other in typed[at + 1 : at + 1 + _NEAR]}
    for at, word in enumerate(words):
        target = next((n for n in range(at + 1, len(words)) if words[n] not in language("free")), at)
        pointed = at < target < at + _NEAR and (
            raw[target][0].isupper() or words[target].isdigit() or words[target] in language("kin")
        )
        if word in language("direction") and pointed and words[target] in typed and (word, words[target]) not in ties:
            return f"the user typed no {word!r} before {raw[target]!r}"
        if (
            at
            and word == "s"
            and raw[at - 1][0].isupper()
            and (words[at - 1], "s") not in ties
            and words[at - 1] + "s" not in typed
        ):
            return f"the user typed no {raw[at - 1]!r} with a possessive"
    return ""
