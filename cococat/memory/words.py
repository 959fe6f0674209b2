"""Lines of memory as words: when two of them say the same, and which words carry the meaning.

Public: key, tokens, similarity, content_words, related.
"""

from __future__ import annotations

import re
import unicodedata

SAME = 0.85  # similarity from which two lines say the same
_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_DATE = re.compile(r"\b\d{4}-\d\d(?:-\d\d)?\b")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_CONNECTIVES = frozenset(
    _WORD.findall("a an the and or also with of to in on at for by as is are was it its this that user")
)
_LINKING = _CONNECTIVES | frozenset(
    _WORD.findall(
        "be been has have had users he she they his her their i my me we our you your about from s m re ve prefers "
        "prefer likes wants uses use name named called works working"
    )
)
_STEM = 4  # letters that two forms of a word must share at the start


def key(line: str) -> str:
    """Give *line* without case, punctuation, width and spacing: equal keys mean the same line."""
    folded = unicodedata.normalize("NFKC", line).casefold()
    return " ".join(_WORD.findall(folded)) or folded.strip(" -*\t")


def tokens(line: str) -> frozenset[str]:
    """Give the words of *line*; runs of a script without spaces become pairs of characters."""
    found: set[str] = set()
    for word in key(line).split():
        found.update(_split(word))
    return frozenset(found)


def similarity(one: str, other: str) -> float:
    """Say how much two lines share, 0 (nothing) to 1 (the same words in any order)."""
    first, second = tokens(one), tokens(other)
    if not first or not second:
        return float(key(one) == key(other))
    return 2 * len(first & second) / (len(first) + len(second))


def content_words(line: str, *, strict: bool = False) -> frozenset[str]:
    """
    Give the words that carry the meaning of *line*; dates as YYYY-MM-DD are left out.

    Args:
        strict: leave out only words that join others; for telling whether a line says something new.
    """
    plain = _CONNECTIVES if strict else _LINKING
    return tokens(_DATE.sub(" ", line)) - plain


def related(word: str, others: frozenset[str]) -> bool:
    """Say whether *word* or another form of it is among *others* ("prefers" and "prefer")."""
    if word in others:
        return True
    if len(word) < _STEM or not word.isascii():
        return False
    return any(
        len(other) >= _STEM and _common_start(word, other) >= max(_STEM, min(len(word), len(other)) - 1)
        for other in others
    )


def _common_start(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _split(word: str) -> set[str]:
    parts: set[str] = set()
    end = 0
    for run in _UNSPACED.finditer(word):
        parts.update(filter(None, (word[end : run.start()],)))
        text = run.group()
        parts.update(text[at : at + 2] for at in range(max(1, len(text) - 1)))
        end = run.end()
    parts.update(filter(None, (word[end:],)))
    return parts
