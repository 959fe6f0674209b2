"""The line below the prompt: who answers, how, what is permitted, what the next request would hold."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from cococat.app.conversation import Conversation
from cococat.context.budget import request_tokens, sizer, total
from cococat.core.limits import Usage
from cococat.core.messages import Message
from cococat.ui.columns import cells, cut
from cococat.ui.format import tokens
from cococat.ui.theme import size_of

__all__ = ["MODES", "Toolbar", "next_mode"]

MODES = ("plan", "ask-first", "edits", "auto")
MARGIN = 2  # columns before the line


class Toolbar:
    """
    The line, and the sizes that it has counted already.

    Args:
        usage: gives what the session has used.
    """

    def __init__(self, conversation: Conversation, usage: Callable[[], Usage]) -> None:
        self._conversation, self._usage = conversation, usage
        self._counted: tuple[object, int] = (None, 0)
        self._drawn = False

    def __call__(self, typed: str) -> str:
        """Return the line for the moment in which *typed* stands in the prompt."""
        c, about = self._conversation, self._conversation.about
        parts = [(0, c.connection.name), (2, _calls(c)), (1, c.mode), (0, c.permission)]
        if self._drawn and (typed or c.history):  # the first prompt waits for no count
            size = self._fixed() + c.quick_count(typed)
            parts.append((0, f"ctx {about}{size / max(1, c.connection.window):.0%}".replace("%", " %")))
        self._drawn = True
        parts.append((3, f"{tokens(self._usage().total_tokens)} tok"))
        if c.memory:
            parts.append((4, f"mem {about}{tokens(c.quick_count(c.notes))}"))
        return f" {_fitting(parts, size_of(sys.stdout)[0] - MARGIN)}"

    def _fixed(self) -> int:
        """Tokens of the next request without what is typed; counted again when something of it has changed."""
        c = self._conversation
        key = (id(c.history), len(c.history), c.mode, c.permission, c.connection.name, c.about, c.memory)
        if self._counted[0] != key:
            self._counted = (key, _size(c, c.history))
        return self._counted[1]


def next_mode(conversation: Conversation) -> None:
    """Shift-Tab: the next permission mode."""
    conversation.permission = MODES[(MODES.index(conversation.permission) + 1) % len(MODES)]


def _fitting(parts: Sequence[tuple[int, str]], room: int) -> str:
    """Return what has room of *parts*: the highest number goes first; of what stays, the first is cut."""
    while cells(line := " · ".join(words for _, words in parts)) > room:
        least, _ = max(parts)
        if not least:
            first = parts[0][1]
            return cut(first, room - cells(line) + cells(first)) + line[len(first) :]
        parts = [part for part in parts if part[0] != least]
    return line


def _calls(conversation: Conversation) -> str:
    """Return how tools are called, in one word: as the protocol does, or in words where that is what works here."""
    connection = conversation.connection
    written = conversation.settings.model.protocol == "auto" and connection.question and connection.question.calls
    return "text" if written == "text" else connection.protocol.name


def _size(conversation: Conversation, history: tuple[Message, ...]) -> int:
    tools, count = conversation.tools(), conversation.quick_count
    size, protocol = sizer(count), conversation.connection.protocol
    return request_tokens(protocol.request(conversation.system(tools), (), tools), size, count) + total(history, size)
