"""Prune: of old tool outputs only a title stays; the calls stand as they were."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from cococat.context.budget import Size, total
from cococat.context.groups import group_start
from cococat.context.micro import pointed
from cococat.core.messages import Message, ToolResult

__all__ = ["Keep", "nowhere", "prune"]

LEAST = 16  # tokens that a title must save
WORTH = 0.2  # part of the excess that all titles together must save
GAIN = 0.05  # part of the messages that any measure must save
PRUNED = "[pruned: "

Keep: TypeAlias = Callable[[str], str]  # an output -> the name that it can be read by, empty when it is not kept


def nowhere(output: str) -> str:
    """Keep nothing."""
    del output
    return ""


def prune(
    messages: Sequence[Message], size: Size, protect: int, excess: int, keep: Keep = nowhere
) -> tuple[Message, ...]:
    """
    Put titles in the place of tool outputs that are older than the newest *protect* tokens.

    Args:
        messages: valid.
        protect: tokens that stay whole, with every message they reach into; the latest round of
            results stays whole in any case.
        excess: tokens that the messages are too many.
        keep: is given each output that a title takes the place of, unless it is known to be kept; equal
            outputs must have equal names.
    Returns: equal messages when the titles would save too little to be worth a change.
    Source: docs/acceptance.md, C20.
    """
    latest = group_start(messages, len(messages) - 1)
    newer, titled = 0, list(messages)
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if isinstance(message, ToolResult) and index < latest and newer >= protect:
            short = replace(message, output=_title(message, pointed(message.output)))
            fresh = not message.output.startswith(PRUNED)
            titled[index] = short if fresh and size(message) - size(short) >= LEAST else message
        newer += size(message)
    freed = newer - total(titled, size)
    if freed <= WORTH * excess or freed < GAIN * newer:
        return tuple(messages)
    return tuple(_kept(old, new, keep) for old, new in zip(messages, titled, strict=True))


def _kept(old: Message, new: Message, keep: Keep) -> Message:
    """Let the title *new* of an output that is kept nowhere yet say where it can be read."""
    if old is new or not isinstance(old, ToolResult) or pointed(old.output):
        return new
    return replace(old, output=_title(old, keep(old.output)))


def _title(result: ToolResult, name: str) -> str:
    where = f'; read_file path="{name}"' if name else ""
    return f"{PRUNED}{result.name}, {len(result.output):,} characters{where}]"
