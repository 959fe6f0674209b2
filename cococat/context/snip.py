"""Snip: the last resort, which leaves the oldest messages out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cococat.context.budget import Size
from cococat.context.groups import recent_start, request_index
from cococat.core.messages import Message, Summary, ToolResult

__all__ = ["snip"]

KEPT = 4  # newest messages that always stay
SLACK = 0.8  # part of the room to fill, so that the next step need not snip again


def snip(messages: Sequence[Message], size: Size, room: int) -> tuple[Message, ...]:
    """
    Leave out whole groups, the oldest first, until there is room for more; a summary goes last, if it must.

    The last four messages, extended back to a whole group, and the user's current request stay.

    Args:
        messages: valid.
        room: tokens.
    Returns: valid messages; more than *room* when what must stay is too much; all when they fit.
    Source: docs/acceptance.md, A19.
    """
    tokens = sum(map(size, messages))
    if tokens <= room:
        return tuple(messages)
    gone: set[int] = set()
    for group in _expendable(messages):
        saved = sum(size(messages[index]) for index in group)
        if isinstance(messages[group.start], Summary) and not tokens - saved <= room < tokens:
            break  # it stands for much: it goes only where that makes the rest fit
        if tokens <= SLACK * room:
            break
        gone.update(group)
        tokens -= saved
    return tuple(message for index, message in enumerate(messages) if index not in gone)


def _expendable(messages: Sequence[Message]) -> Iterator[range]:
    """Groups that may go, in the order in which they go."""
    request = request_index(messages)
    groups = list(_groups(messages, recent_start(messages, KEPT)))
    summaries = [group for group in groups if isinstance(messages[group.start], Summary)]
    yield from (group for group in groups if group.start != request and group not in summaries)
    yield from summaries


def _groups(messages: Sequence[Message], end: int) -> Iterator[range]:
    start = 0
    for index in range(1, end + 1):
        if index == end or not isinstance(messages[index], ToolResult):
            yield range(start, index)
            start = index
