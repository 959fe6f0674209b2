"""Which number and which date of a Chinese or Japanese line was typed of something else, or not at all."""

from __future__ import annotations

from collections.abc import Sequence

from cococat.memory.cjk import Clause, Number
from cococat.memory.cjk_words import Chunk, alike, bare, equal

__all__ = ["date_apart", "misnumbered"]


def misnumbered(clause: Clause, typed: Sequence[Clause], chunks: Sequence[Chunk], near: frozenset[int]) -> str:
    """Find a number that was not typed, or was typed of something else."""
    for one in clause.numbers:
        if one.vague:
            continue
        text = clause.text[one.start : one.end + len(one.unit)]
        places = [(at, other) for at, said in enumerate(typed) for other in said.numbers if equal(one, other)]
        if not places:
            return f"the user typed no {text!r}"
        actors = [typed[at].actor(other.start) for at, other in places]
        rivals = any(other.unit == one.unit for at in near for other in typed[at].numbers)
        away = rivals and near.isdisjoint(at for at, _ in places)
        if away or not any(alike(clause.actor(one.start), who) for who in actors):
            return f"{text!r} was not typed there: keep the user's order"
        if why := _crossed(clause, typed, one, chunks):
            return f"{text!r} and {why!r} did not stand together: keep the user's order"
    return ""


def _crossed(clause: Clause, typed: Sequence[Clause], one: Number, chunks: Sequence[Chunk]) -> str:
    """Return what stands behind a number that was typed behind another: "opens at 2" for "opens at 6, closes at 2"."""
    ends = min((other.start for other in clause.numbers if other.start > one.start), default=len(clause.text))
    for behind in (chunk for chunk in chunks if one.end <= chunk.start < ends):
        led = [_before(typed[number], at, one.unit) for number, at in behind.places]
        if led and all(other is not None and other.value != one.value for other in led):
            return clause.text[behind.start : behind.end]
    return ""


def _before(said: Clause, at: int, unit: str) -> Number | None:
    return next((one for one in reversed(said.numbers) if one.end <= at and one.unit == unit), None)


def date_apart(clause: Clause, typed: Sequence[Clause], near: frozenset[int]) -> str:
    """Find the date of one thing with another; one that was typed alone may be of any."""
    alone = {
        number
        for number, one in enumerate(typed)
        for day in one.days
        if not any(bare(one.text[: day.start] + one.text[day.end :], "cjk_free"))
    }
    there = [
        day
        for number in sorted(near | alone)
        for day in typed[number].days
        if day.months and day.firm and not typed[number].denied[day.start]
    ]
    for one in clause.days:
        if one.months and there and not any(one.is_of(day) for day in there):
            return f"{clause.text[one.start : one.end]!r} was not typed there: keep each date with what it is of"
    return ""
