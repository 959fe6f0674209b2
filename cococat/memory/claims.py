"""What a user's sentences claim: a question claims nothing, and a "not" must not get lost."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from cococat.memory.words import related, tokens

__all__ = ["denied", "statements"]

_SENTENCE = re.compile(r"[^.!?;\n。！？؟]+[.!?;\n。！？؟]*")  # noqa: RUF001 - the marks of other scripts
_ASKS = re.compile(r"[?？؟]")  # noqa: RUF001 - as above
_CLAUSE = re.compile(r"[,،、，:—–]|\bbut\b|\baber\b|\bpero\b|\bmais\b|\bно\b|(?<=[\u3040-\u9fff])\s+")  # noqa: RUF001 - as above
_OPENS = re.compile(
    r"\W*(what|who|whom|whose|where|when|why|how|which|is|are|am|was|were|do|does|did|can|could|will|would|should|shall"
    r"|may|might|have|has|any)\b"
)
_KEEP = re.compile(r"\b(remember|note|forget|keep in mind|merk|recuerda|souviens)", re.IGNORECASE)
_NOT = re.compile(
    r"\b(not|no|never|nor|none|without|cannot|hat(?:e|es|ed)|dislikes?|nicht|keine?[nmrs]?|nie|ohne|nunca|jamais|aucune?"
    r"|não|нет|не|никогда)\b|n['’]t\b|\bne\b.*\b(?:pas|plus)\b|不|没|沒|ません|ない|않",  # noqa: RUF001 - as typed
    re.IGNORECASE,
)


def statements(text: str) -> str:
    """Return *text* without its questions; a fact that a question begins with stays, as does what is to be kept."""
    return "\n".join(part for sentence in _SENTENCE.findall(text) for part in _claimed(sentence))


def denied(line: str, words: Sequence[str], text: str) -> str:
    """
    Return the clause of *text* that says "not" where *line* says the same without it; empty when there is none.

    Args:
        words: the words of *line* that carry meaning.
    """
    if _NOT.search(line):
        return ""
    for sentence in _SENTENCE.findall(text):
        for clause in _CLAUSE.split(sentence):
            there = tokens(clause)
            if _NOT.search(clause) and 2 * sum(related(word, there) for word in words) > len(words):
                return clause.strip()
    return ""


def _claimed(sentence: str) -> Iterator[str]:
    if not _ASKS.search(sentence) or _KEEP.search(sentence):
        yield sentence
    elif not _OPENS.match(unicodedata.normalize("NFKC", sentence).casefold()):
        yield from _CLAUSE.split(sentence)[:-1]
