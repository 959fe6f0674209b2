"""The door to what a request holds of a long history; the rules behind it live outside this room."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from cococat.core.limits import Stop, Usage
from cococat.core.messages import Message, Summary, User
from cococat.core.tools import Tool

if TYPE_CHECKING:  # an agent holds a context
    from cococat.core.agent import Agent

__all__ = ["Context", "Fitted", "Need", "keep_all"]


@dataclass(frozen=True, slots=True)
class Need:
    """
    What is about to be sent.

    Args:
        messages: the whole history, valid.
        hints: go behind it.
        asked_tokens: prompt tokens of the request before this one; 0 = unknown.
        left_tokens: tokens that the run may still use; 0 = no limit.
        refused: the model's words when it found the last request too long; empty when it did not.
    """

    messages: Sequence[Message]
    tools: Sequence[Tool] = ()
    hints: Sequence[User] = ()
    asked_tokens: int = 0
    left_tokens: int = 0
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Fitted:
    """
    What can be sent.

    Args:
        messages: what the request holds of the history; valid.
        summary: takes the place of the history's first messages for good.
        usage: what making the summary cost, also when none came of it.
        before_tokens, after_tokens: of the whole request, estimated.
        how: what was done, in words for the user; empty for nothing.
        stop: nothing makes it fit.
    """

    messages: tuple[Message, ...]
    summary: Summary | None = None
    usage: Usage = field(default_factory=Usage)
    before_tokens: int = 0
    after_tokens: int = 0
    how: str = ""
    stop: Stop | None = None


Context: TypeAlias = Callable[["Agent", Need], Awaitable[Fitted]]


async def keep_all(agent: Agent, need: Need) -> Fitted:
    """Send everything: for runs whose history cannot grow long."""
    del agent
    return Fitted(tuple(need.messages))
