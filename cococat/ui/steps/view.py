"""The state of a screen as a value: events are folded into it, drawing reads it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, assert_never

from cococat.core import events as ev
from cococat.core.events import Event

CallStatus: TypeAlias = Literal["pending", "running", "completed", "failed"]

TAIL = 2000  # characters that a view keeps of text that may grow without end


@dataclass(frozen=True, slots=True)
class Call:
    """
    One tool call.

    Args:
        output: the beginning of the result; *lines* counts all of it.
        tail: the end of what the running tool printed, and of the result once there is one.
        seconds: wall clock, once it has ended.
    """

    id: str
    name: str
    arguments: str
    status: CallStatus = "pending"
    output: str = ""
    lines: int = 0
    display: str = ""
    tail: str = ""
    seconds: float = 0

    @property
    def has_result(self) -> bool:
        """The call has its result."""
        return self.status in ("completed", "failed")


@dataclass(frozen=True, slots=True)
class Step:
    """
    One request and what came of it.

    Args:
        text: the end of the reply's text; *text_chars* counts all of it.
        reasoning: the end of the reasoning; *reasoning_chars* counts all of it.
        thinks: reasoning came last.
    """

    number: int
    text: str = ""
    text_chars: int = 0
    reasoning: str = ""
    reasoning_chars: int = 0
    calls: tuple[Call, ...] = ()
    thinks: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """A turn as a screen needs it; the turn before it is forgotten when a new one begins."""

    steps: tuple[Step, ...] = ()
    retrying: ev.Retrying | None = None
    working: ev.Working | None = None

    @property
    def step(self) -> Step:
        """The newest step."""
        return self.steps[-1] if self.steps else Step(1)

    @property
    def running(self) -> tuple[Call, ...]:
        """Calls that run at this moment, in call order."""
        return tuple(call for call in self.step.calls if call.status == "running")


def fold(view: View, event: Event) -> View:
    """Return the view after *event*; the cost does not depend on how much was said before."""
    match event:
        case ev.SessionStarted():
            return View()
        case ev.StepStarted(number):
            kept = () if number <= view.step.number else view.steps
            return replace(view, steps=(*kept, Step(number)), retrying=None, working=None)
        case ev.TextDelta(text):
            step = view.step
            tail = (step.text + text)[-TAIL:]
            thinks = step.thinks and not text.strip()
            return _with(view, replace(step, text=tail, text_chars=step.text_chars + len(text), thinks=thinks))
        case ev.ReasoningDelta(text):
            step = view.step
            tail = (step.reasoning + text)[-TAIL:]
            chars = step.reasoning_chars + len(text)
            return _with(view, replace(step, reasoning=tail, reasoning_chars=chars, thinks=True))
        case ev.ToolPending(call_id, name, arguments):
            return _with(view, replace(view.step, calls=(*view.step.calls, Call(call_id, name, arguments))))
        case ev.ToolRunning() | ev.ToolOutput() | ev.ToolCompleted() | ev.ToolFailed():
            calls = tuple(_moved(call, event) if call.id == event.call_id else call for call in view.step.calls)
            return _with(view, replace(view.step, calls=calls))
        case ev.Working() | ev.Retrying() | ev.TurnFinished():
            retrying = event if isinstance(event, ev.Retrying) else None
            return replace(view, retrying=retrying, working=event if isinstance(event, ev.Working) else view.working)
        case ev.ContextCompacted() | ev.Notice() | ev.DreamFinished() | ev.MessageAdded() | ev.UserAsked():
            return view
        case _:
            assert_never(event)


def _with(view: View, step: Step) -> View:
    return replace(view, steps=(*view.steps[:-1], step), retrying=None)


def _moved(call: Call, event: ev.ToolRunning | ev.ToolOutput | ev.ToolCompleted | ev.ToolFailed) -> Call:
    match event:
        case ev.ToolRunning():
            return replace(call, status="running")
        case ev.ToolOutput():
            return replace(call, tail=(call.tail + event.text)[-TAIL:])
        case ev.ToolCompleted() | ev.ToolFailed():
            status: CallStatus = "completed" if isinstance(event, ev.ToolCompleted) else "failed"
            return replace(
                call,
                status=status,
                output=event.output[:TAIL],
                tail=event.output[-TAIL:],
                lines=len(event.output.splitlines()),
                display=event.display,
                seconds=event.seconds,
            )
