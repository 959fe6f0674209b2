"""How far a "not" reaches within a clause."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from cococat.memory.words import fold, language, sequence

__all__ = ["AND", "denials_of", "in_portuguese"]

AND = frozenset({"and", "und", "y", "et", "e", "и"})
_NO = re.compile(r"\bno\b", re.IGNORECASE)
_OR = frozenset({"or", "oder", "o", "ou", "или"})
_NE = frozenset({"ne", "n"})
_WHOLE_NE = frozenset({"pas", "plus", "jamais", "rien", "aucun", "aucune", "personne", "ni", "guere"})
_THE = frozenset({"the", "der", "die", "das", "den", "dem", "el", "la"})
_LEAVE = frozenset({"lass", "lasse", "lasst", "lassen"})


def in_portuguese(said: str, *texts: str) -> tuple[str, ...]:
    """Return *said* and *texts* without the "no" that English and Spanish deny with, where it is Portuguese and means "in the"."""
    if language("in_portuguese").isdisjoint(map(fold, sequence(said))):
        return (said, *texts)
    return tuple(_NO.sub("em", text) for text in (said, *texts))


def _no_such(before: Sequence[str]) -> bool:
    """Return whether the "not" in force goes with one noun alone: "no meat and the fish", not "I do not like meat and ..."."""
    last = next((word for word in reversed(before) if word in language("not")), "")
    return last == "no" or last.startswith("kein")


def denials_of(folded: Sequence[str]) -> list[bool]:
    """Return for each word of a clause whether it stands in the scope of a "not"."""
    twos = [" ".join(folded[at : at + 2]) for at in range(len(folded))]
    nots = language("not")
    nots -= frozenset() if not _WHOLE_NE.isdisjoint(folded) else _NE  # "eine", "di esso"; French has two parts
    nots -= frozenset() if not _LEAVE.isdisjoint(folded) else {"weg"}  # "away"
    found: list[bool] = []
    no = False
    for at, word in enumerate(folded):
        prefers = not language("prefer").isdisjoint(folded[: max(0, at - 1)]) and folded[at + 1 : at + 2] != ["be"]
        than = (at and twos[at - 1] in language("than")) or (prefers and word in ("to", "over", "than"))
        behind = folded[at + 1] if at + 1 < len(folded) else ""
        fresh = word in language("joins") and (
            word not in AND | _OR
            or behind in language("acts") | language("light")
            or (behind in _THE and _no_such(folded[:at]))
        )
        no = bool((no and not fresh) or word in nots or than)
        found.append(no)
    last = next((word for word in reversed(folded) if word not in language("more")), "")
    if last in nots and sum(found) == 1 + (last != folded[-1]):
        tail = len(list(takewhile(lambda word: word not in language("joins"), reversed(folded))))
        return [False] * (len(folded) - tail) + [True] * tail
    for at in reversed(range(found.index(True))) if any(found) else ():
        found[at] = folded[at] in language("modals")
        if found[at] or folded[at] not in language("free"):
            break
    return found
