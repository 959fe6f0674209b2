"""Which questions ask the assistant for something: "could recipes be in grams?", "recipes in grams, ok?"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from cococat.memory.words import TOKEN, classes, fold, holds, language

__all__ = ["requests", "without_denial"]

_NEAR = 4  # words behind "ok if", or at the beginning, among which stands what is to be given


def requests(words: Sequence[str], *, asking: bool) -> bool:
    """
    Return whether *words*, a sentence, ask the assistant for something.

    Args:
        asking: they are a question, by their mark or by how they open.
    """
    if holds(words, "requests"):
        return True
    if not asking:
        return False
    asked = holds(words, "requests_asked") and language("why").isdisjoint(words[:1])
    return asked or holds(words, "requests_denied") or _allowed(words) or _onward(words)


def without_denial(sentence: str) -> str:
    """Return *sentence*, a request, without the "not" by which it asks: "why not", "didn't i say"."""
    found = [*TOKEN.finditer(sentence)]
    words = [fold(word[0]) for word in found]
    for at in range(len(words)):
        for size in (3, 2):
            if " ".join(words[at : at + size]) in language("requests_denied"):
                return sentence[found[min(at + size, len(found)) - 1].end() :]
    return sentence


def _allowed(words: Sequence[str]) -> bool:
    """Return whether *words* ask if what an assistant gives may be so: "is it ok if recipes are in grams"."""
    given = [at for at, word in enumerate(words) if word in language("outputs")]
    if not given:
        return False
    asks_if = [at for at, pair in enumerate(pairwise(words)) if " ".join(pair) in language("allows_if")]
    others = classes("first", "kin")
    if any(at + 1 < one <= at + _NEAR and others.isdisjoint(words[at + 2 : one]) for at in asks_if for one in given):
        return True
    if words[-1] in language("allows"):
        return given[0] < _NEAR and language("asks").isdisjoint(words[:1])
    before = words[: given[0]]
    articled = (classes("free", "allows_to_be") - others).issuperset(before) and len(before) < _NEAR
    return articled and not language("allows_to_be").isdisjoint(words[: given[0] + 2])


def _onward(words: Sequence[str]) -> bool:
    """Return whether *words* that open with no question are to hold from now on: "short answers next time"."""
    own = language("first") - language("object")
    return holds(words, "onward") and own.isdisjoint(words) and classes("opens", "asks").isdisjoint(words[:1])
