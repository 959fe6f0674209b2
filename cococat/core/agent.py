"""What a run is made of, what a request holds of its history, and what it gives: frozen values."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from cococat.core.hooks import Hooks
from cococat.core.limits import Limits, Problem, Stop, Usage
from cococat.core.messages import Message, Summary, User
from cococat.core.model import Model
from cococat.core.parts import Part
from cococat.core.reply import ReplyProtocol
from cococat.core.settings import RetryPolicy
from cococat.core.tools import Consent, FullOutput, Gate, Tool, no_user


def estimate_tokens(text: str) -> int:
    """Tokens of *text*, estimated as a quarter of its UTF-8 bytes, rounded up."""
    return (len(text.encode("utf-8", "replace")) + 3) // 4


def identity_output(source: str, text: str, full_output: FullOutput | None) -> str:
    """Let the model see *text* unchanged."""
    return text


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
        noting: told before notes are asked for, of how many messages.
        full_reply: the reply may have all that the window leaves, as far as the user and the endpoint allow.
    """

    messages: Sequence[Message]
    tools: Sequence[Tool] = ()
    hints: Sequence[User] = ()
    asked_tokens: int = 0
    left_tokens: int = 0
    refused: str = ""
    full_reply: bool = False
    noting: Callable[[int], object] = int


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
        stop: nothing makes it fit, or the run was cancelled meanwhile.
        reply_tokens: what to ask for as the reply's limit; 0 = as the agent's limits say.
        agent: takes the place of the run's agent from now on: a smaller window wants a shorter prompt.
        again: should this be refused as well, it can be made smaller once more.
        notes: requests that were made for them.
    """

    messages: tuple[Message, ...]
    summary: Summary | None = None
    usage: Usage = field(default_factory=Usage)
    before_tokens: int = 0
    after_tokens: int = 0
    how: str = ""
    stop: Stop | None = None
    reply_tokens: int = 0
    agent: Agent | None = None
    again: bool = False
    notes: int = 0


Form: TypeAlias = Callable[[str, Stop], tuple[str, Stop]]
Context: TypeAlias = Callable[["Agent", Need], Awaitable[Fitted]]  # the rules behind it live outside this room


async def keep_all(agent: Agent, need: Need) -> Fitted:
    """Send everything: for runs whose history cannot grow long."""
    return Fitted(tuple(need.messages))


async def deny_more_steps(steps: int, gets_on: bool) -> bool:
    """Answer for a run that no user watches: its steps are all there are."""
    return False


def unsteered() -> None:
    """Give what is said while a run goes on that no user watches: nothing."""


def no_fallback(problem: Problem) -> None:
    """Answer for a run that has one model only."""


@dataclass(frozen=True, slots=True)
class Agent:
    """
    Everything a run needs, as one value.

    Args:
        plain: the protocol without the form of answers, for what else is asked of the model; None: it is the same.
        system: the system prompt.
        context: what each request holds of the history.
        permitted: what runs without a user's leave, in words; told with a denial.
        withheld: tools that are not offered, as a call of theirs could only be refused; the gate says why.
        more: asked when the steps are used up whether as many again may follow, with their number, and whether the last ones told something new.
        steered: gives what the user has said since it was asked last; None for nothing.
        fallback: asked when a request has failed for good, which agent goes on with the run, and what to say of it.
        still_waiting: (seconds, words): what the user is told when nothing of a reply came for so long.
        in_parts: how the model does in parts what was too long for one reply; empty: it is told to make it shorter.
        closing: said to the model with its last, tool-less request; empty says nothing.
        form: (answer, why the run ended) -> what is given as its answer, and how it ended: None takes any answer.
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
    consent: Consent = no_user
    context: Context = keep_all
    permitted: str = ""
    withheld: tuple[Tool, ...] = ()
    more: Callable[[int, bool], Awaitable[bool]] = deny_more_steps
    steered: Callable[[], User | None] = unsteered
    fallback: Callable[[Problem], tuple[str, Agent] | None] = no_fallback
    still_waiting: tuple[float, str] = (math.inf, "")
    in_parts: str = ""
    closing: str = ""
    form: Form | None = None
    plain: ReplyProtocol | None = None
    hooks: tuple[Hooks, ...] = ()
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    observe: Callable[[str, str, FullOutput | None], str] = identity_output
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
        seconds: wall clock of the whole turn; what the user took to answer a question is not counted.
    """

    answer: str
    stop: Stop
    steps: int
    usage: Usage
    history: tuple[Message, ...]
    parts: tuple[Part, ...]
    seconds: float
