"""Which words of a line are not the user's own, and whether they say anything new."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cococat.memory.dates import undated
from cococat.memory.negation import AND
from cococat.memory.statements import plain, sentences
from cococat.memory.words import (
    TOKEN,
    closed,
    content_words,
    fold,
    language,
    numbers,
    related,
    tokens,
    unspaced,
    weekdays,
)

__all__ = ["borrowed", "foreign_words"]

_TO = frozenset({"in", "aus", "nach", "bei", "mit", "von", "herr", "frau"})  # a name may stand behind it
_HEAD = 4  # letters of a word that a compound ends with
_SHARE = 4  # one word in so many may be the writer's own
_PART = re.compile(r"[,;:()]+(?=\D|$)")
_PLACED = re.compile(r"\b(?:in|at|from|to|en|a|à|au|em|no|na|nach|aus|bei|в|из)\s+([A-ZÀ-ÖØ-ÞА-Я]\w+)")


def foreign_words(
    line: str,
    words: Sequence[str],
    said: str,
    everything: str,
    old: Sequence[str],
    *,
    stated: str | None = None,
    noted: Sequence[str] = (),
) -> list[str]:
    """
    Return the *words* of *line* that are not the user's own; none where those who are carry it.

    Args:
        said: what the quoted records state.
        everything: what all records say, and the memory.
        stated: the same without what they only ask, of which a line may take but few words: less than half; None where nothing was.
        noted: lines of the memory; one of them may say again what *line* adds to.
        old: words of the lines that *line* takes the place of.
    """
    moved = _moved(line, old)
    missing = [word for word in _not_said(words, tokens(said)) if word not in old or word in moved]
    missing = [word for word in missing if not _heads(word, said)]
    placed = {fold(word) for word in _PLACED.findall(line)}
    rest = everything if stated is None or 2 * len(missing) < len(words) else stated
    foreign = missing if 2 * len(missing) > len(words) else _not_said(missing, _unnumbered(tokens(rest)))
    foreign = foreign or [word for word in missing if fold(word) in placed]
    if any(not _not_said(missing, _unnumbered(tokens(one))) for one in noted):
        return []
    return [] if foreign and _adds_nothing(foreign, line, words, said) else foreign


def borrowed(line: str, said: str, everything: str) -> list[str]:
    """
    Return the words of *line* that nothing in *said* carries: told elsewhere, or the writer's own.

    Who somebody is, and a name, may come from anywhere where *said* has a "she" or a name that they may belong to.

    Args:
        everything: what all records say, and the memory.
    """
    told = tokens(plain(said))
    words = [one for one in TOKEN.findall(plain(undated(line))) if not (closed(one) or unspaced(one))]
    names = [one for one in words if one[0].isupper() and (one != words[0] or related(fold(one), tokens(everything)))]
    refers = not (language("third") | language("theirs")).isdisjoint(map(fold, told))
    refers = refers or any(related(fold(one), told) for one in names)
    known = told | (frozenset() if told.isdisjoint(language("not")) else language("not"))
    known |= language("kin") | frozenset(map(fold, names)) if refers else frozenset()
    return [one for one in words if not (related(fold(one), known) or _heads(one, said))]


def _heads(word: str, said: str) -> bool:
    """Return whether *word* is what a German compound is a kind of: "Chor" for "Kirchenchor"; no "Mutter" is a mother-in-law."""
    if len(word) < _HEAD or fold(word) in language("kin") or not _german(said):
        return False
    return any(one.endswith(fold(word)) and len(one) >= len(word) + _HEAD - 1 for one in map(fold, tokens(said)))


def _german(said: str) -> bool:
    return len(language("german").intersection(map(fold, TOKEN.findall(said)))) > 1


def _adds_nothing(foreign: Sequence[str], line: str, words: Sequence[str], said: str) -> bool:
    """
    Return whether the user's own words carry *line* although it holds *foreign* ones.

    These are few and common nouns or verbs: no name, number or relative; none stands where another word was typed, or behind an "and".
    """
    if _SHARE * len(foreign) > len(words):
        return False
    raw = TOKEN.findall(plain(line))
    before = ["", *map(fold, raw)]
    german = _german(said)  # its nouns are no names
    small = {
        fold(word)
        for at, word in enumerate(raw)
        if (german or word.islower() or at == 0) and before[at] not in AND | _TO
    }
    telling = language("kin") | language("not") | weekdays() | numbers()
    if not small.issuperset(map(fold, foreign)) or not telling.isdisjoint(map(fold, foreign)):
        return False
    clauses = [content_words(part) for part in sentences(plain(said))]
    return not any(_replaces(words, at, clauses) for at, word in enumerate(words) if word in foreign)


def _replaces(words: Sequence[str], at: int, clauses: Sequence[Sequence[str]]) -> bool:
    """Return whether the word at *at* stands beside its neighbour where another word was typed, which the line lacks."""
    for step in (-1, 1):
        if not 0 <= at + step < len(words):
            continue
        near = frozenset({words[at + step]})
        for clause in clauses:
            for here, word in enumerate(clause):
                there = here - step
                if related(word, near) and 0 <= there < len(clause) and not related(clause[there], frozenset(words)):
                    return True
    return False


def _unnumbered(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if not word.isdigit() and fold(word) not in numbers())


def _not_said(words: Sequence[str], said: frozenset[str]) -> list[str]:
    letters = frozenset("".join(filter(unspaced, said)))  # one of a script without spaces may stand alone
    return [word for word in words if not related(word, said) and word not in letters]


def _moved(line: str, old: Sequence[str]) -> frozenset[str]:
    """Return the words of *line* that *old* has in another order, within a part of the line, or less often."""
    parts = [[word for word in content_words(part) if word in old] for part in _PART.split(undated(plain(line)))]
    every = [word for part in parts for word in part]
    more = {word for word in every if every.count(word) > old.count(word)}
    return frozenset(more.union(*(_out_of_order(part, old) for part in parts)))


def _out_of_order(words: Sequence[str], old: Sequence[str]) -> list[str]:
    """Return the words that do not follow one another in *old*: "tea, not coffee" is not "coffee, not tea"."""
    found: list[str] = []
    at = 0
    for word in words:
        if word in old[at:]:
            at = old.index(word, at) + 1
        else:
            found.append(word)
    return found
