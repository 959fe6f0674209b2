"""`/memory` and `/dream`: the commands of the same names, inside a chat.

Public: memory, dream, MEMORY_WORDS, DREAM_WORDS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cococat.app import dreams, memories, opening
from cococat.app.talk import Talk
from cococat.errors import UsageError

MEMORY_WORDS = ("show", "path", "edit", "search", "why", "rm")
DREAM_WORDS = ("now", "review", "log", "show", "diff", "undo")


def memory(talk: Talk, rest: str) -> None:
    """
    Run `/memory REST`.

    Raises: UsageError: it makes no sense. StorageError: the memory is not usable.
    """
    word, _, words = rest.partition(" ")
    words = words.strip()
    match word, words:
        case "" | "show", "":
            memories.show(talk.settings)
        case "path", "":
            memories.path(talk.settings)
        case "edit", "":
            memories.edit(talk.settings)
        case "search", words if words:
            memories.search(talk.settings, words)
        case "why", words if words:
            memories.why(talk.settings, words)
        case "rm", words if words:
            memories.rm(talk.settings, words)
        case _:
            hint = "/memory, /memory path, /memory edit, /memory search WORDS, /memory why LINE, /memory rm LINE"
            raise UsageError(f"/memory {rest} is unknown", hint)
    if word in ("edit", "rm"):
        _reread(talk)


def dream(talk: Talk, rest: str, now: Callable[[], None], review: Callable[[], None]) -> None:
    """
    Run `/dream REST`.

    Args:
        now: dreams in the foreground.
        review: asks about the change that waits.
    Raises: UsageError: it makes no sense. StorageError: the memory is not usable.
    """
    actions: Mapping[str, Callable[[], object]] = {
        "": now,
        "now": now,
        "review": review,
        "log": lambda: dreams.log(talk.settings),
        "undo": lambda: dreams.undo(talk.settings, None),
    }
    numbered: Mapping[str, Callable[[int], object]] = {
        "show": lambda number: dreams.show(talk.settings, number),
        "diff": lambda number: dreams.diff(talk.settings, number),
        "undo": lambda number: dreams.undo(talk.settings, number),
    }
    match rest.split():
        case [] | [_] as words if (word := "".join(words)) in actions:
            actions[word]()
        case [word, number] if word in numbered and number.isascii() and number.isdigit():
            numbered[word](int(number))
        case _:
            hint = "/dream, /dream review, /dream log, /dream show N, /dream diff N, /dream undo [N]"
            raise UsageError(f"/dream {rest} is unknown", hint)
    _reread(talk)


def _reread(talk: Talk) -> None:
    """Put the memory as it is now into the next request."""
    talk.memory = opening.remembered(talk.settings, talk.folders.memory, quiet=True)
