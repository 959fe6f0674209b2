"""`/memory` and `/dream`: the commands of the same names, inside a chat."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cococat.app.conversation import Conversation
from cococat.app.prompting.memory_prompt import remembered
from cococat.errors import UsageError
from cococat.ui.lines.theme import Theme

__all__ = ["DREAM_WORDS", "MEMORY_WORDS", "dream_command", "memory_command"]

MEMORY_WORDS = ("show", "path", "edit", "search", "why", "rm")
DREAM_WORDS = ("now", "review", "log", "show", "diff", "undo")


def memory_command(conversation: Conversation, rest: str) -> None:
    """
    Run `/memory REST`.

    Raises: UsageError: it makes no sense. StorageError: the memory is not usable.
    """
    from cococat.app.dream import memory

    word, _, words = rest.partition(" ")
    words = words.strip()
    match word, words:
        case "" | "show", "":
            memory.show(conversation.folders)
        case "path", "":
            memory.path(conversation.folders)
        case "edit", "":
            memory.edit(conversation.folders)
        case "search", words if words:
            memory.search(conversation.folders, words)
        case "why", words if words:
            memory.why(conversation.folders, words)
        case "rm", words if words:
            memory.rm(conversation.folders, words)
        case _:
            hint = "/memory, /memory path, /memory edit, /memory search WORDS, /memory why LINE, /memory rm LINE"
            raise UsageError(f"/memory {rest} is unknown", hint)
    if word in ("edit", "rm"):
        _reread(conversation)


def dream_command(
    conversation: Conversation, rest: str, now: Callable[[], None], review: Callable[[], None], theme: Theme
) -> None:
    """
    Run `/dream REST`.

    Args:
        now: dreams in the foreground.
        review: asks about the change that waits.
        theme: of what prints a diff.
    Raises: UsageError: it makes no sense. StorageError: the memory is not usable.
    """
    from cococat.app.dream import log

    actions: Mapping[str, Callable[[], object]] = {
        "": now,
        "now": now,
        "review": review,
        "log": lambda: log.log(conversation.folders),
        "undo": lambda: log.undo(conversation.folders, None, theme),
    }
    numbered: Mapping[str, Callable[[int], object]] = {
        "show": lambda number: log.show(conversation.folders, number, theme),
        "diff": lambda number: log.diff(conversation.folders, number, theme),
        "undo": lambda number: log.undo(conversation.folders, number, theme),
    }
    match rest.split():
        case [] | [_] as words if (word := "".join(words)) in actions:
            actions[word]()
        case [word, number] if word in numbered and number.isascii() and number.isdigit():
            numbered[word](int(number))
        case _:
            hint = "/dream, /dream review, /dream log, /dream show N, /dream diff N, /dream undo [N]"
            raise UsageError(f"/dream {rest} is unknown", hint)
    _reread(conversation)


def _reread(conversation: Conversation) -> None:
    """Put the memory as it is now into the next request."""
    found = remembered(conversation.settings, conversation.folders, quiet=True)
    conversation.memory, conversation.notes = found
