"""Whether a line in Chinese or Japanese that holds by the rules may still say something else than the sentences it comes from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from itertools import pairwise

from cococat.memory.cjk import spots
from cococat.memory.cjk_names import family
from cococat.memory.cjk_spelling import as_typed, canonical
from cococat.memory.dates import undated
from cococat.memory.ja_doubt import reworded
from cococat.memory.japanese import corrected, japanese, put_right
from cococat.memory.words import language, pairs

__all__ = ["doubtful", "turned"]

_CLAUSE = re.compile(r"[,、;:。!?()\s]+")
_THEY = frozenset("他她彼")
_MOOD = re.compile("たい|つもり|かも|予定|らしい|みたい|うか|るか|迷|たら|无理|ごめん|间违|はず")
_GRAMMAR = re.compile(r"[的了是在和与也都就给把跟对有会要能到着过吗呢吧啊呀被让\da-z]")
_MANY = 3  # pairs of characters that nobody typed, where a word stands for another
_STILL = re.compile("还(?=在|是|没|有|[上住用做当喝吃])|仍|依然|依旧")
_BY = re.compile("被[^,]{1,8}")  # by whom something is done
_DENIED = "the user said a 'not' there"


def doubtful(line: str, sentences: str) -> str:
    """Return what *line* leaves out of the *sentences* it comes from, or has in another order; empty when nothing, as `doubt.doubtful`."""
    return as_typed(_doubt(line, sentences), (sentences, line))


def turned(line: str, typed: str) -> str:
    """Return what turns a *line* around in the clauses that were *typed*, where none of them can stand in its place."""
    said = canonical(undated(line))
    if not japanese(line + typed):
        near = _near(said, canonical(typed))
        if _STILL.search(said) and not _STILL.search(near):
            return "the user did not say that it is still so"
        by = _BY.search(near)
        return (
            as_typed(f"the user said {by[0]!r} there", (typed, line))
            if by and not _BY.search(said) and _turned(said, near)
            else ""
        )
    near = _near(said, put_right(canonical(typed), line))
    if _denials(near) > _denials(said):
        return _DENIED
    if why := corrected(said, canonical(typed), last=True):
        return why
    left = [one for one in _MOOD.findall(near) if one not in said]
    return f"the user said {left[0]!r} there" if left else ""


def _doubt(line: str, sentences: str) -> str:
    said, typed = canonical(undated(line)), canonical(sentences)
    if japanese(line + sentences):
        why = reworded(line, sentences)
        return _DENIED if why and _denials(_near(said, typed)) > _denials(said) else why
    if two := _turned(said, typed):
        return f"the user said {two!r} in another order"
    if len(seams := _seams(said, typed)) >= _MANY:
        return f"the user said no {seams[0]!r}"
    near = _near(said, typed)
    for name in ("cjk_past", "cjk_corrections"):
        if left := [word for word in language(name) if word in near and word not in said]:
            return f"the user said {left[0]!r} there"
    for group in _people():
        resolved = group == tuple(_THEY) and _named_before(said, near)
        if (there := [one for one in group if one in near]) and not resolved and not any(one in said for one in group):
            return f"the user spoke of {there[0]!r} there as well"
    if _denials(near) > _denials(said):
        return _DENIED
    return ""


def _turned(said: str, typed: str) -> str:
    for clause in _CLAUSE.split(said):
        last = 0
        for two in map("".join, pairwise(clause)):
            at = typed.find(two, last)
            if at < 0 and two in typed:
                return two
            last = max(last, at)
    return ""


def _seams(said: str, typed: str) -> list[str]:
    """Return the pairs of characters in *said* that are not so in what was *typed*, but where grammar stands between."""
    clauses = _CLAUSE.split(_small().sub(",", said))
    return [
        two
        for clause in clauses
        for two in map("".join, pairwise(clause))
        if two not in typed and not _GRAMMAR.search(two)
    ]


def _near(said: str, typed: str) -> str:
    """Return the clauses of *typed* from the first to the last that *said* rests on."""
    twos = set(map("".join, pairwise(said)))
    parts = _CLAUSE.split(typed)
    held = _covering([twos.intersection(map("".join, pairwise(part))) for part in parts])
    return ",".join(parts[min(held) : max(held) + 1]) if held else ""


def _covering(clauses: Sequence[AbstractSet[str]]) -> frozenset[int]:
    """Return which of the *clauses* it takes to say what all of them say, by what each says: those first that say most."""
    held, said = set[int](), set[str]()
    for at in sorted(range(len(clauses)), key=lambda one: -len(clauses[one])):
        if clauses[at] - said:
            held.add(at)
            said |= clauses[at]
    return frozenset(held)


def _named_before(said: str, near: str) -> bool:
    """Return whether one of the family whom the line names stands before the "he" of its clauses."""
    they = re.search(f"[{''.join(_THEY)}]", near)
    return they is not None and any(one in said and one in near[: they.start()] for one in _kin())


@cache
def _small() -> re.Pattern[str]:
    """Return the words of grammar of more than one character."""
    words = (word for word in language("cjk_free") | language("cjk_light") if len(word) > 1)
    return re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))))


@cache
def _kin() -> tuple[str, ...]:
    return tuple(word for word in family() if len(word) > 1)


@cache
def _people() -> tuple[tuple[str, ...], ...]:
    return (*pairs("cjk_kin"), tuple(_THEY))


def _denials(text: str) -> int:
    return len([*spots("cjk_not", text), *re.finditer("|".join(language("cjk_not_behind")), text)])
