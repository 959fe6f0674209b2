"""Prune: of old tool outputs only a title stays; the calls stand as they were.

Public: prune.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cococat.context.budget import Size, total
from cococat.context.groups import group_start
from cococat.core.messages import Message, ToolResult

LEAST = 16  # tokens that a title must save
WORTH = 0.2  # part of the excess that all titles together must save
GAIN = 0.05  # part of the messages that any measure must save


def prune(messages: Sequence[Message], size: Size, protect: int, excess: int) -> tuple[Message, ...]:
    """
    Put titles in the place of tool outputs that are older than the newest *protect* tokens.

    Args:
        messages: valid.
        protect: tokens that stay whole, with every message they reach into; the latest round of
            results stays whole in any case.
        excess: tokens that the messages are too many.
    Returns: equal messages when the titles would save too little to be worth a change.
    Source: ACCEPTANCE C20.
    """
    latest = group_start(messages, len(messages) - 1)
    newer, titled = 0, list(messages)
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if isinstance(message, ToolResult) and index < latest and newer >= protect:
            short = replace(message, output=_title(message))
            titled[index] = short if size(message) - size(short) >= LEAST else message
        newer += size(message)
    freed = newer - total(titled, size)
    worth = freed > WORTH * excess and freed >= GAIN * newer
    return tuple(titled) if worth else tuple(messages)


def _title(result: ToolResult) -> str:
    return f"[pruned: {result.name}, {len(result.output):,} characters]"
