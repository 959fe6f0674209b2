"""What a run is made of and what it gives: frozen values."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from cococat.core.context import Context, keep_all
from cococat.core.hooks import Hooks
from cococat.core.limits import Limits, Stop, Usage
from cococat.core.messages import Message
from cococat.core.model import Model
from cococat.core.parts import Part
from cococat.core.reply import ReplyProtocol
from cococat.core.retry import RetryPolicy
from cococat.core.tools import Consent, FullOutput, Gate, Tool, nobody

__all__ = ["Agent", "Turn", "as_it_is", "estimate_tokens"]


def estimate_tokens(text: str) -> int:
    """Tokens of *text*, estimated as a quarter of its UTF-8 bytes, at least 1."""
    return max(1, len(text.encode("utf-8", "replace")) // 4)


def as_it_is(source: str, text: str, full_output: FullOutput | None) -> str:
    """Let the model see *text* unchanged."""
    del source, full_output
    return text


@dataclass(frozen=True, slots=True)
class Agent:
    """
    Everything a run needs, as one value.

    Args:
        system: the system prompt.
        context: what each request holds of the history.
        closing: said to the model with its last, tool-less request; empty says nothing.
        observe: (tool name, output, where all of it is) -> what the model sees of it: shortened, marked as data.
        count: tokens of a text, estimated; used where the server reports no usage.
        clock: monotonic seconds.
        chance: uniform in [0, 1), for jitter.
    """

    model: Model
    protocol: ReplyProtocol
    system: str
    tools: tuple[Tool, ...]
    limits: Limits
    gate: Gate
    clock: Callable[[], float]
    consent: Consent = nobody
    context: Context = keep_all
    closing: str = ""
    hooks: tuple[Hooks, ...] = ()
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    observe: Callable[[str, str, FullOutput | None], str] = as_it_is
    count: Callable[[str], int] = estimate_tokens
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    chance: Callable[[], float] = random.random
    session_id: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """
    What a run gave.

    Args:
        answer: the model's text; what there is of it when the run was stopped.
        history: the whole history with this turn's messages; always valid.
        steps: requests that were sent, continuations and retries not counted.
        seconds: wall clock of the whole turn.
    """

    answer: str
    stop: Stop
    steps: int
    usage: Usage
    history: tuple[Message, ...]
    parts: tuple[Part, ...]
    seconds: float
