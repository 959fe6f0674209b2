"""The line below the prompt: who answers, how, what is permitted, what the next request holds."""

from __future__ import annotations

from cococat.app.conversation import Conversation
from cococat.core.limits import Usage

__all__ = ["MODES", "next_mode", "toolbar"]

MODES = ("plan", "ask-first", "edits", "auto")


def toolbar(conversation: Conversation, usage: Usage) -> str:
    """Return the line; *usage* is the session's."""
    about, count = conversation.about, conversation.quick_count
    memory = f" · mem {about}{count(conversation.notes):,} tok" if conversation.memory else ""
    return f" {conversation.connection.name} · {conversation.mode} · {conversation.permission} · {usage.total_tokens:,} tok{memory}"


def next_mode(conversation: Conversation) -> None:
    """Shift-Tab: the next permission mode."""
    conversation.permission = MODES[(MODES.index(conversation.permission) + 1) % len(MODES)]
