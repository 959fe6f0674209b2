"""Whether a Chinese or Japanese line says what was typed: its words, who is spoken of, each "not", number and date."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from cococat.memory.cjk import Clause, clauses
from cococat.memory.cjk_dates import misdated
from cococat.memory.cjk_numbers import date_apart, misnumbered
from cococat.memory.cjk_people import Mention, People, people_of
from cococat.memory.cjk_sources import mixed
from cococat.memory.cjk_spelling import as_typed, canonical
from cococat.memory.cjk_words import Chunk, Words, alike, named
from cococat.memory.words import language

__all__ = ["Typed", "fault"]

_OPPOSED = (("从自由", "到至去往成给向"), ("先", "再后"), ("把将", "被让叫"))
_RETORT = re.compile(
    "[我他她]?(?:才|还|也|都|就|可|是)*(?:没有?|不|不想|不会|不肯|没有)([^\\W\\d_]{1,2}?)(?:了|过|的|他|她)?"
)
_LATIN = re.compile(r"[a-zà-ÿ][a-zà-ÿ\d.+#'-]*(?:\s+[a-zà-ÿ][a-zà-ÿ\d.+#'-]*)+")
_PATIENT = frozenset({"给", "把", "比", "对", "向", "替", "帮", "从", "に", "を", "から", "へ"})
_SUBJECTS = frozenset({"", "は", "が", "由", "让", "就"})


@dataclass(frozen=True, slots=True)
class Typed:
    """
    A text that may support a line: what was typed on *day*, or a line that is replaced.

    Args:
        context: what was typed before it.
    """

    text: str
    day: date | None = None
    note: bool = False
    context: str = ""


def fault(line: str, said: Sequence[Typed], elsewhere: Sequence[str], *, wished: bool, own: bool = False) -> str:
    """
    Return what *line* says that nobody typed; empty when it rests on *said*.

    Args:
        elsewhere: what else was typed or is remembered: it tells who is who, and may be what a clause is about.
        wished: the line states a wish, so that what was asked of the assistant counts.
        own: the line is the user's own sentences, as for `evidence.unsupported`.
    """
    why = _fault(line, said, elsewhere, wished=wished, own=own)
    return as_typed(why, (line, *(one.text for one in said)))


def _fault(line: str, said: Sequence[Typed], elsewhere: Sequence[str], *, wished: bool, own: bool) -> str:
    people = people_of([canonical(one.text) for one in said], [canonical(text) for text in elsewhere])
    every = [
        clause
        for number, one in enumerate(said)
        for clause in clauses(one.text, people, number, note=one.note, day=one.day, context=one.context)
    ]
    supposed = any(word in line for word in language("cjk_ifs"))
    kinds = (
        {"stated"}
        | ({"wished"} if wished else set())
        | ({"standing"} if wished or own else set())
        | ({"supposed"} if supposed else set())
    )
    read = [clause for clause in every if clause.kind in kinds]
    asked = [clause.text for clause in every if clause.kind != "stated"]
    words = Words(tuple(read), "\n".join(map(canonical, elsewhere)), "\n".join(asked))
    comparison = _Comparison(people, tuple(read), words)
    parts = clauses(line, people, note=True)
    whole = "\n".join(clause.text for clause in read)
    for run in _LATIN.findall(canonical(line)):
        if not re.search("[^a-z]{0,2}".join(map(re.escape, run.split())), whole):
            return f"{run!r}: no words of the user's there, or in another order"
    judged = (_untyped(words.chunks(clause)[1]) if own else comparison.fault(clause, parts) for clause in parts)
    why = next(filter(None, judged), "") or ("" if read else "the user said that only in a question, or in a tale")
    if why or own:
        return why
    return misdated(
        canonical(line), [day for clause in every for day in clause.days], [one.day for one in said if one.day]
    )


def _untyped(foreign: Sequence[str]) -> str:
    shown = ", ".join(map(repr, foreign[:5]))
    return (
        shown and f"{shown}: no words of the user's there, or only in a question; use only the user's own, untranslated"
    )


@dataclass(frozen=True, slots=True)
class _Comparison:
    people: People
    typed: Sequence[Clause]
    words: Words

    def fault(self, clause: Clause, line: Sequence[Clause]) -> str:
        chunks, foreign = self.words.chunks(clause)
        if foreign:
            return _untyped(foreign)
        chunks = [self._fitting(clause, chunk) for chunk in chunks]
        near = self.words.near(clause, chunks)
        return (
            self._unknown(clause)
            or self._denied(clause, chunks, "denied", "not")
            or self._denied(clause, chunks, "past", "formerly")
            or self._hoped(chunks, line)
            or self._refused(clause, chunks, line)
            or self._of_another(clause, chunks, near)
            or self._other_part(clause, near)
            or misnumbered(clause, self.typed, chunks, near)
            or date_apart(clause, self.typed, near)
            or self._turned(clause, near)
            or mixed(clause, line, self.typed, chunks)
        )

    def _fitting(self, clause: Clause, chunk: Chunk) -> Chunk:
        """Return *chunk* with those of its places that are denied as it is itself, one character's also past, if there are any."""
        mine, word = (clause.denied[chunk.start], clause.past[chunk.start]), chunk.end - chunk.start > 1
        typed = ((place, self.typed[place[0]]) for place in chunk.places)
        fit = tuple(
            place for place, one in typed if (one.denied[place[1]], mine[1] if word else one.past[place[1]]) == mine
        )
        return replace(chunk, places=fit) if fit else chunk

    def _unknown(self, clause: Clause) -> str:
        for one in clause.people:
            if not self.people.known(one.who):
                return f"the user did not type of {clause.text[one.start : one.end]!r}"
        return ""

    def _denied(self, clause: Clause, chunks: Sequence[Chunk], name: str, what: str) -> str:
        """Find a "not" (a "formerly") that was dropped, or that nobody typed."""
        mine = getattr(clause, name)
        for chunk in chunks:
            size = chunk.end - chunk.start
            theirs = [any(getattr(self.typed[number], name)[at : at + size]) for number, at in chunk.places]
            ended = name == "past" and any(clause.denied[chunk.start : chunk.end])  # "no longer"
            if not any(mine[chunk.start : chunk.end]) and theirs and all(theirs) and not ended:
                return f"the user said {self.typed[chunk.places[0][0]].text!r}: keep the {what!r}"
        for one in clause.people:
            own = clause.text[one.start : one.end]
            there = [
                getattr(typed, name)[other.start]
                for typed in self.typed
                for other in typed.people
                if (other.mark in ("是", "叫") and typed.text[: other.end].endswith(own))
                or (
                    one.mark == other.mark
                    and one.mark in ("向", "有")
                    and alike(clause.actor(one.start), typed.actor(other.start))
                )
            ]
            if there and all(there) and not mine[one.start]:
                return f"the user did not say that of {own!r}: keep the {what!r}"
            if there and not any(there) and mine[one.start] and not chunks:
                return f"the user typed no {what!r} of {own!r}: leave it out"
        behind = next((chunk for chunk in chunks if any(mine[chunk.start : chunk.end])), None)
        if not behind:
            return ""
        size = behind.end - behind.start
        typed = ((*self.typed[number].denied[at : at + size], *self.typed[number].past) for number, at in behind.places)
        own = clause.text[behind.start : behind.end]
        return "" if any(map(any, typed)) else f"the user typed no {what!r} of {own!r}: leave it out"

    def _hoped(self, chunks: Sequence[Chunk], line: Sequence[Clause]) -> str:
        """Find "has a licence" for "I want a licence"."""
        if any(one.days or word in one.text for one in line for word in language("cjk_hopes")):
            return ""
        for chunk in chunks:
            if chunk.places and all(self.typed[number].hoped[at] for number, at in chunk.places):
                return f"the user said {self.typed[chunk.places[0][0]].text!r}: keep the wish"
        return ""

    def _refused(self, clause: Clause, chunks: Sequence[Chunk], line: Sequence[Clause]) -> str:
        """Find "lent her 20" for "she asked me to lend her 20. I did not"."""
        if any(any(one.denied) for one in line):
            return ""
        for chunk in chunks:
            for number, at in chunk.places:
                typed, behind = self.typed[number], next(iter(self.typed[number + 1 :]), None)
                short = behind and behind.record == typed.record and _RETORT.fullmatch(behind.text)
                said = typed.text[max(0, at - 1) : at + chunk.end - chunk.start]
                mine = clause.actor(chunk.start)
                if behind and short and short[1] in said and alike(mine, behind.actor(len(behind.text))):
                    return f"the user said {behind.text!r}: keep the 'not'"
        return ""

    def _of_another(self, clause: Clause, chunks: Sequence[Chunk], near: frozenset[int]) -> str:
        """Find what is said of somebody else than it was typed of."""
        wrong = total = 0
        told, last = "", False
        for chunk in chunks:
            mine = clause.actor(chunk.start)
            theirs = [self.typed[number].actor(at) for number, at in chunk.places]
            last = bool(theirs) and not any(alike(mine, one) for one in theirs)
            total += chunk.end - chunk.start
            if last:
                wrong += chunk.end - chunk.start
                own = clause.text[chunk.start : chunk.end]
                told = told or f"the user said {own!r} of {named(theirs[0])}: say it of the same one"
        if not chunks and near and clause.people:
            return self._alone(clause, near)
        return told if 2 * wrong + last > total else ""  # the last of two halves tells

    def _alone(self, clause: Clause, near: frozenset[int]) -> str:
        """Find people who were not named together, where nothing else tells: "is with Ada" for "Bob is with Ada"."""
        mine = [clause.actor(len(clause.text)), *(one.who for one in clause.people)]
        has = any(one.mark == "有" for one in clause.people)
        for number in near:
            typed = self.typed[number]
            theirs = [typed.actor(len(typed.text)), *(one.who for one in typed.people)]
            known = has and not any(one.mark == "有" for one in typed.people)  # who speaks of a daughter has one
            if all(any(alike(who, other) for other in theirs) for who in mine[known:]):
                return ""
        return f"the user did not say {clause.text!r} of {named(mine[0])}"

    def _other_part(self, clause: Clause, near: frozenset[int]) -> str:
        """Find "gave it to Bob" for "Bob gave it", "Bob is my boss", and somebody who was not spoken of there."""
        for one in clause.people:
            own = clause.text[one.start : one.end]
            if one.mark == "是" and not self._is(clause, one):
                return f"the user did not type who {own!r} is"
            there = [other for number in near for other in self.typed[number].people if alike(one.who, other.who)]
            if one.mark in _PATIENT and there and all(other.mark in _SUBJECTS for other in there):
                return f"the user typed no {one.mark!r} with {own!r}"
            acts = one.mark == "是" and one.end < len(clause.text) if one.start else not one.mark
            if acts and len(one.who) == 1 and there and all(other.mark in _PATIENT for other in there):
                return f"the user did not type that {own!r} does it"
        return ""

    def _is(self, clause: Clause, one: Mention) -> bool:
        """Return whether the user typed that the one before "is" is *one*."""
        led = one.start == 1 or any(other.end == one.start - 1 for other in clause.people)
        mine = clause.actor(one.start)
        return (
            not led
            or alike(mine, one.who)
            or any(
                alike(one.who, other.who) and other.mark in ("是", "叫") and alike(mine, typed.actor(other.start))
                for typed in self.typed
                for other in typed.people
            )
        )

    def _turned(self, clause: Clause, near: frozenset[int]) -> str:
        """Find "from" where the user typed "to"."""
        for at, mark in enumerate(clause.text[:-1]):
            turns = (pair for both in _OPPOSED for pair in (both, both[::-1]))
            opposite = next((other for group, other in turns if mark in group), "")
            what = re.match(r"\d+|[^\W\d]{2}", clause.text[at + 1 :])
            if not opposite or not what:
                continue
            texts = [self.typed[number].text for number in near]
            before = {
                text[one.start() - 1] for text in texts for one in re.finditer(re.escape(what[0]), text) if one.start()
            }
            if before and before <= set(opposite):
                return f"the user typed no {mark!r} before {what[0]!r}"
        return ""
