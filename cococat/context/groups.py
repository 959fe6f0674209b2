"""Groups: a message with calls and their results are one piece, whatever is left out."""

from __future__ import annotations

from collections.abc import Sequence

from cococat.core.messages import Message, ToolResult, User

__all__ = ["group_start", "recent_start", "request_index"]


def group_start(messages: Sequence[Message], index: int) -> int:
    """Where the group begins that the message at *index* belongs to; *index* itself at the end of *messages*."""
    while 0 < index < len(messages) and isinstance(messages[index], ToolResult):
        index -= 1
    return index


def recent_start(messages: Sequence[Message], keep: int) -> int:
    """Where the newest *keep* messages begin, extended back to a whole group; at least one is kept."""
    return group_start(messages, max(0, len(messages) - max(keep, 1)))


def request_index(messages: Sequence[Message]) -> int | None:
    """Where the user's current request is: the last message that the user wrote."""
    own = [index for index, message in enumerate(messages) if isinstance(message, User) and not message.synthetic]
    return own[-1] if own else None
