"""Prune: of old tool outputs only a part or a title stays; the calls stand as they were."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from cococat.context.budget import Size, total
from cococat.context.groups import group_start
from cococat.context.micro import Keep, full_chars, nowhere, pointed
from cococat.core.messages import Message, ToolResult

__all__ = ["Shorten", "prune", "title"]

LEAST = 16  # tokens that a title must save
WORTH = 0.2  # part of the excess that all titles together must save
GAIN = 0.05  # part of the messages that any measure must save
PRUNED = "[pruned: "

Shorten: TypeAlias = Callable[[ToolResult, str], ToolResult]  # given the name, too, that all of it can be read by


def title(result: ToolResult, name: str) -> ToolResult:
    """Return a result that says in one line what it was."""
    if result.output.startswith(PRUNED):
        return result
    where = f'; read_file path="{name}"' if name else ""
    return replace(result, output=f"{PRUNED}{result.name}, {full_chars(result.output):,} characters{where}]")


def prune(
    messages: Sequence[Message],
    size: Size,
    protect: int,
    excess: int,
    keep: Keep = nowhere,
    *,
    shorten: Shorten = title,
) -> tuple[Message, ...]:
    """
    Shorten tool outputs that are older than the newest *protect* tokens.

    Args:
        messages: valid.
        protect: tokens that stay whole, with every message they reach into; the latest round of
            results stays whole in any case.
        excess: tokens that the messages are too many.
        keep: is given each output that is shortened, unless it is known to be kept; equal
            outputs must have equal names.
        shorten: leaves alone what it has shortened before.
    Returns: equal messages when all that would save too little to be worth a change.
    Source: docs/acceptance.md, A20, C20.
    """
    latest = group_start(messages, len(messages) - 1)
    newer, shortened = 0, list(messages)
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if isinstance(message, ToolResult) and index < latest and newer >= protect:
            short = shorten(message, pointed(message.output))
            shortened[index] = short if size(message) - size(short) >= LEAST else message
        newer += size(message)
    freed = newer - total(shortened, size)
    if freed <= WORTH * excess or freed < GAIN * newer:
        return tuple(messages)
    return tuple(_kept(old, new, keep, shorten) for old, new in zip(messages, shortened, strict=True))


def _kept(old: Message, new: Message, keep: Keep, shorten: Shorten) -> Message:
    """Let *new*, what stays of an output that is kept nowhere yet, say where all of it can be read."""
    if old is new or not isinstance(old, ToolResult) or pointed(old.output):
        return new
    return shorten(old, keep(old.output))
