"""Lines of memory as words, in any script: when two of them say the same, and when one word is a form of another."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from functools import lru_cache
from itertools import takewhile
from math import ceil

TOKEN = re.compile(r"[^\W_]+")  # a word, in any script
# the grammar of notes, which the dream's prompt names: a line may hold these though nobody typed them. One constant of
# forty at most, in one language: no other list of words is added, what they mean is for a judge (docs/adr/0012)
JOINING = frozenset(
    "a an and are as at by does for from had has have he her his in is it lives not of on or prefers s she since that the "  # noqa: SIM905
    "their they to until user uses wants was who with".split()
)
NOT = frozenset({"not"})
_UNIT = re.compile(r"(?<=\d)(?=[^\W\d_]{2})")  # "16km" is "16 km"
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+"
)
_ASKS = re.compile("[?\uff1f\u061f][\\s\"'»”)\u300d\u300f]*$")
_STEM = 4  # letters that two forms of a word have in common at least
_SHARE = 0.6  # of the longer of the two


def key(line: str) -> str:
    """Return *line* without case, punctuation, width and spacing: equal keys mean the same line."""
    folded = unicodedata.normalize("NFKC", line).casefold()
    return " ".join(TOKEN.findall(folded)) or folded.strip(" -*\t")


@lru_cache(maxsize=4096)
def sequence(line: str) -> tuple[str, ...]:
    """Return the words of *line* in order; runs of a script without spaces become pairs of characters."""
    return tuple(part for word in key(line).split() for piece in _UNIT.sub(" ", word).split() for part in _split(piece))


@lru_cache(maxsize=4096)
def tokens(line: str) -> frozenset[str]:
    """Return the words of *line* whatever their order."""
    return frozenset(sequence(line))


def asks(sentence: str) -> bool:
    """Return whether *sentence* ends as a question does."""
    return bool(_ASKS.search(sentence))


def content(text: str) -> frozenset[str]:
    """Return the words of *text* that the grammar of notes does not account for."""
    return tokens(text) - (JOINING - NOT)


def similarity(one: str, other: str) -> float:
    """Return how much two lines share, 0 (nothing) to 1 (the same words in any order)."""
    first, second = tokens(one), tokens(other)
    if not first or not second:
        return float(key(one) == key(other))
    return 2 * len(first & second) / (len(first) + len(second))


def same_fact(one: str, other: str) -> bool:
    """Return whether no word, name or number tells two lines apart; small words, forms and order do not."""
    if key(one) == key(other):
        return True
    first, second = content(one), content(other)
    if not first or not second or (first ^ second) & NOT:
        return False
    return all(related(word, second) for word in first) and all(related(word, first) for word in second)


def related(word: str, others: Collection[str]) -> bool:
    """Return whether *word* or another form of it is among *others*: one that begins alike; a number is only itself."""
    return word in others or (len(word) >= _STEM and any(_form(word, other) for other in others))


def unspaced(word: str) -> bool:
    """Return whether *word* is of a script that puts no spaces between words."""
    return bool(_UNSPACED.fullmatch(word))


@lru_cache(maxsize=1 << 16)
def _form(word: str, other: str) -> bool:
    if any(map(str.isdigit, word + other)) or unspaced(word):
        return False
    start = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False)))
    return start >= max(_STEM, ceil(_SHARE * max(len(word), len(other))))


def _split(word: str) -> list[str]:
    parts: list[str] = []
    end = 0
    for run in _UNSPACED.finditer(word):
        text = run.group()
        parts += [word[end : run.start()], *(text[at : at + 2] for at in range(max(1, len(text) - 1)))]
        end = run.end()
    return [part for part in (*parts, word[end:]) if part]
