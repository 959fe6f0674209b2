"""Which words of a text are names of persons: by their family, their age, what they do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import dropwhile

from cococat.memory.statements import plain, sentences
from cococat.memory.words import TOKEN, classes, fold, language, weekdays

__all__ = ["persons"]

_PART = re.compile(r"[,،、，:：()（）—–]+(?=\D|$)")  # noqa: RUF001 - the marks of other scripts
_THIRD_PERSON = re.compile(r"(s|t|ed|a|e|ó|io|ou|eu|iu|ет|ит|ёт|ал|ала|ла)$")
_BEFORE_A_NAME = frozenset({"o", "os", "la", "el", "il", "le"})  # "la Romi renunció"


def persons(text: str) -> frozenset[str]:
    """Return the words of *text*, folded, that are taken for names of persons: by their family, their age, what they do."""
    common = _common()
    german = len(language("german").intersection(text.casefold().split())) > 1
    found: set[str] = set()
    for sentence in sentences(plain(text)):
        pieces = [TOKEN.findall(piece) for piece in _PART.split(sentence)]
        words = [word for piece in pieces for word in piece]
        folded = [fold(word) for word in words]
        starts = {sum(map(len, pieces[:at])) for at in range(len(pieces))}
        for at, word in enumerate(words):
            before = folded[max(0, at - 4) : at]
            named = not language("naming").isdisjoint(before[-1:])
            if not (word[0].isupper() or named) or folded[at] in common:
                continue
            kin = not language("kin").isdisjoint(before[-1:])
            called = named and not language("kin").isdisjoint(before)
            article = int(not german and at > 0 and before[-1] in _BEFORE_A_NAME)
            opens = at - article in starts or (
                before[: -article or None] and before[-1 - article] in classes("joins", "ends")
            )
            rest = list(dropwhile(lambda one: one[0].isupper() or fold(one) in classes("adverbs"), words[at : at + 5]))
            acts = opens and _acts(rest, german=german)
            if kin or called or acts:
                found.add(folded[at])
    return frozenset(found)


def _acts(behind: Sequence[str], *, german: bool) -> bool:
    """Return whether the word behind a name tells what somebody does."""
    if not behind or not behind[0].islower():
        return False
    one = fold(behind[0])
    verb = one.endswith("t") if german else bool(_THIRD_PERSON.search(behind[0]))
    return one in language("acts") | language("light") or one == "s" or (one not in language("free") and verb)


@cache
def _common() -> frozenset[str]:
    return classes("free", "light", "kin", "not") | weekdays()
