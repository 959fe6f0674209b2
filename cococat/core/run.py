"""What changes while a turn goes on; everything else in this room is a value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from cococat.core.agent import Agent
from cococat.core.events import (
    Emit,
    Event,
    MessageAdded,
    ToolCompleted,
    ToolFailed,
    ToolOutput,
    ToolPending,
    ToolRunning,
)
from cococat.core.guards import Made
from cococat.core.limits import Budget, Spent, Stop, StopReason, Usage
from cococat.core.messages import Assistant, Message, Summary, ToolResult, User
from cococat.core.model import Draft
from cococat.core.parts import Part, ToolState, advance
from cococat.core.tools import Denied

Attempt: TypeAlias = Literal["continued", "unreadable", "empty", "replanned", "retried", "asked", "misshapen"]


@dataclass(frozen=True, slots=True)
class GuardState:
    """
    What the guards have seen of a run.

    Args:
        made: the newest calls of the run by their ids, with their results once they have run.
        rounds: the outputs of the newest rounds of calls since something was written or the user was asked.
        fresh: how many of the newest *rounds* came after the last command, which may have changed something.
        failed: rounds in a row of which every call failed.
    """

    made: Mapping[str, Made] = field(default_factory=dict)
    rounds: Sequence[Sequence[str]] = ()
    fresh: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class RequestState:
    """
    What the requests of a run have come to.

    Args:
        reply_tokens: what the last one asked for as its reply's limit; 0 = the server's own setting.
        raised: a reply was used up by reasoning, so requests ask for all that there may be.
        refused: the model found one too long.
    """

    reply_tokens: int = 0
    raised: bool = False
    refused: bool = False


@dataclass(slots=True)
class Run:
    """
    The state of one turn.

    Args:
        hints: said to the model with the next request only, never kept in the history.
        said: pieces of an answer that the model was asked to continue.
        results: what calls of the current batch gave, kept for the case of a cancel.
        outputs: the same as their tools wrote it, for the guards: without what is put around it for the model.
        pictures: what calls of the current batch gave to be shown behind their results.
        denied: calls by their id that needed a user's leave when no user was available.
        draft: the reply that is being streamed; None in between.
        closing: why the run ends after the next reply; no more tools are offered.
        attempts: how often it was given another chance, by a new request or a question to the user.
        folded: messages that summaries have taken the place of.
    """

    agent: Agent
    emit: Emit
    started: float
    messages: list[Message]
    hints: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    results: dict[str, ToolResult] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    pictures: list[User] = field(default_factory=list)
    parts: dict[str, Part] = field(default_factory=dict)
    denied: dict[str, Denied] = field(default_factory=dict)
    draft: Draft | None = None
    closing: Stop | None = None
    folded: int = 0
    budget: Budget = field(default_factory=Budget)
    guards: GuardState = field(default_factory=GuardState)
    requests: RequestState = field(default_factory=RequestState)
    attempts: Counter[Attempt] = field(default_factory=Counter)

    def seconds(self) -> float:
        """Wall clock since the turn began."""
        return self.agent.clock() - self.started

    def worked(self) -> float:
        """Return the seconds of the turn without those that the user took to answer a question."""
        return self.seconds() - self.budget.waited

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Count what passes inside as the user's time, not the turn's."""
        began = self.agent.clock()
        try:
            yield
        finally:
            self.budget = replace(self.budget, waited=self.budget.waited + self.agent.clock() - began)

    def answers(self) -> bool:
        """Return whether the reply is the last one and counts as an answer: `single` after its round."""
        if self.closing:
            return self.closing.reason is StopReason.ANSWERED
        limits = self.agent.limits
        return limits.spent is StopReason.ANSWERED and self.budget.steps >= limits.max_steps

    def calls_completed(self) -> int:
        """Return how many calls of the turn ended well."""
        return sum(part.state.status == "completed" for part in self.parts.values() if part.state)

    def spent(self) -> Spent:
        """What the run has used, the reply that is still streaming included."""
        streaming = self.draft.size // 4 if self.draft else 0
        return Spent(self.budget.usage.total_tokens + streaming, self.seconds())

    def pay(self, usage: Usage) -> None:
        """Count what a request has cost."""
        self.budget = replace(self.budget, usage=self.budget.usage + usage)

    def add(self, message: Message) -> None:
        """Append *message* to the history; whoever records it does so before this returns."""
        self.messages.append(message)
        self.tell(MessageAdded(message))

    def fold(self, summary: Summary) -> None:
        """Put *summary* in the place of the first messages that it covers."""
        self.messages[: summary.covers] = [summary]
        self.folded += summary.covers - 1
        self.tell(MessageAdded(summary))

    def tell(self, event: Event) -> None:
        """Emit *event*, and keep the parts in step with what the world is told."""
        match event:
            case MessageAdded(Assistant() as message):
                self._said("reasoning", message.reasoning)
                self._said("text", message.text)
            case ToolPending():
                part = Part(event.call_id, self.agent.session_id, self._message_id(), "tool", event.name, ToolState())
                self.parts[event.call_id] = advance(part, event)
            case ToolRunning() | ToolOutput() | ToolCompleted() | ToolFailed():
                self.parts[event.call_id] = advance(self.parts[event.call_id], event)
            case _:
                pass
        self.emit(event)

    def _said(self, kind: Literal["text", "reasoning"], text: str) -> None:
        if text:
            part_id = f"{self._message_id()}.{kind}"
            self.parts[part_id] = Part(part_id, self.agent.session_id, self._message_id(), kind, text=text)

    def _message_id(self) -> str:
        return f"m{len(self.messages) + self.folded}"
