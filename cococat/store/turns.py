"""A session as turns that can be shown again, each with a beginning and an end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from cococat.core.events import (
    Event,
    MessageAdded,
    Notice,
    ReasoningDelta,
    SessionStarted,
    StepStarted,
    TextDelta,
    ToolCompleted,
    ToolFailed,
    ToolOutput,
    ToolPending,
    ToolRunning,
    TurnFinished,
)
from cococat.core.limits import Problem, Stop, StopReason, Usage
from cococat.core.messages import Assistant, Message, Summary, ToolResult, User
from cococat.safety.untrusted import unwrap
from cococat.store.sessions import Timed

UNFINISHED = Problem("unfinished", "the log has no end of this turn: it was broken off there, or still goes on")
_OfCall = ToolPending | ToolRunning | ToolOutput | ToolCompleted | ToolFailed
_Delta = TextDelta | ReasoningDelta | ToolOutput


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """
    One turn, from the user's message to what came before the next one.

    Args:
        number: counts the questions of the log from 1, also those that were taken back.
        timeline: its events in order; one of them is *end*.
    """

    number: int
    timeline: tuple[Timed, ...]
    end: TurnFinished


def turns_of(timeline: Iterable[Timed]) -> tuple[tuple[Timed, ...], tuple[RecordedTurn, ...]]:
    """
    Part a timeline into what came before the first question, and the turns.

    A turn that a fork copied as messages alone gets the events that make them visible; one that
    was broken off gets an end that says so.
    """
    parts: list[list[Timed]] = [[]]
    for timed in timeline:
        match timed.event:
            case MessageAdded(User(synthetic=False, steers=False)):
                parts.append([])
            case _:
                pass
        parts[-1].append(timed)
    before = tuple(timed for timed in parts[0] if isinstance(timed.event, SessionStarted))
    return before, tuple(_turn(number, part) for number, part in enumerate(parts[1:], 1))


def _turn(number: int, part: Sequence[Timed]) -> RecordedTurn:
    ended = next((timed.event for timed in part if isinstance(timed.event, TurnFinished)), None)
    if ended:
        return RecordedTurn(number, tuple(_interleaved(part)), ended)
    ran = any(isinstance(timed.event, StepStarted) for timed in part)
    events = tuple(_interleaved(part)) if ran else tuple(_spoken(part))
    said = _said(events)
    whole = Stop(StopReason.ANSWERED) if said and not ran else Stop(StopReason.CANCELLED, problem=UNFINISHED)
    end = TurnFinished(said, whole, 0, Usage(), 0)
    return RecordedTurn(number, (*events, Timed(part[-1].ts, end)), end)


def _interleaved(part: Iterable[Timed]) -> list[Timed]:
    """Put pieces of streams that overlapped between one another, as they were; a log has each stream in one piece."""
    placed: list[Timed] = []
    for timed in part:
        at = len(placed)
        if isinstance(timed.event, _Delta):
            while at and placed[at - 1].ts > timed.ts and _independent(placed[at - 1].event, timed.event):
                at -= 1
        placed.insert(at, timed)
    return placed


def _independent(before: Event, delta: _Delta) -> bool:
    """Return whether *delta* may have come before an event that the log has before it."""
    if isinstance(delta, ToolOutput):
        return isinstance(before, Notice) or (isinstance(before, _OfCall) and before.call_id != delta.call_id)
    return isinstance(before, TextDelta | ReasoningDelta) and type(before) is not type(delta)


def _spoken(part: Iterable[Timed]) -> Iterator[Timed]:
    """Make the events that a turn of messages alone would have had; nobody knows how long its tools took."""
    step, thinking = 0, False
    for timed in part:
        yield timed
        if not isinstance(timed.event, MessageAdded):
            continue
        message = timed.event.message
        if isinstance(message, Assistant) and not thinking:
            step += 1
            yield Timed(timed.ts, StepStarted(step))
        if not isinstance(message, Summary):
            thinking = isinstance(message, Assistant) or (thinking and isinstance(message, User))
        for event in _visible(message):
            yield Timed(timed.ts, event)


def _visible(message: Message) -> Iterator[Event]:
    match message:
        case Assistant(text, reasoning, calls):
            if reasoning:
                yield ReasoningDelta(reasoning)
            if text:
                yield TextDelta(text)
            for call in calls:
                yield ToolPending(call.id, call.name, call.arguments)
        case ToolResult(call_id, name, output, status, display):
            ended = ToolCompleted if status == "completed" else ToolFailed
            yield ended(call_id, name, unwrap(output, name), display)
        case _:
            pass


def _said(events: Iterable[Timed]) -> str:
    """What of the last reply is no thought: nothing, when calls follow it."""
    said: list[str] = []
    for timed in events:
        match timed.event:
            case TextDelta(text):
                said.append(text)
            case StepStarted() | ToolPending():
                said.clear()
            case _:
                pass
    return "".join(said)
