"""Parts: the audit record of a run, one for each text, reasoning or tool call."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from cococat.core.events import Event, TextDelta, ToolCompleted, ToolFailed, ToolOutput, ToolPending, ToolRunning

Status: TypeAlias = Literal["pending", "running", "completed", "error"]


class IllegalMoveError(Exception):
    """A part was told to make a move that its state does not allow."""


@dataclass(frozen=True, slots=True)
class ToolState:
    """Where a tool call stands; times are seconds on the run's clock, None before they happen; *display* is for the user."""

    status: Status = "pending"
    input: str = ""
    output: str = ""
    started: float | None = None
    ended: float | None = None
    display: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a message; *state* is set for tools only, *text* for the others only."""

    id: str
    session_id: str
    message_id: str
    type: Literal["text", "tool", "reasoning"]
    tool: str = ""
    state: ToolState | None = None
    text: str = ""


def advance(part: Part, event: Event) -> Part:
    """
    Move *part* on by *event*.

    Raises: IllegalMoveError: pending -> running -> completed | error is the only way; a pending
        call may also end as an error (refused, cancelled); nothing leaves completed or error.
    """
    state = part.state
    if state is None:
        if isinstance(event, TextDelta):
            return replace(part, text=part.text + event.text)
        raise IllegalMoveError(f"a {part.type} part takes no {type(event).__name__}")
    match state.status, event:
        case "pending", ToolPending():
            return replace(part, state=replace(state, input=event.arguments))
        case "pending", ToolRunning():
            return replace(part, state=replace(state, status="running", started=event.at))
        case "running", ToolOutput():
            return replace(part, state=replace(state, output=state.output + event.text))
        case "running", ToolCompleted():
            return _ended(part, replace(state, status="completed"), event)
        case (("pending" | "running"), ToolFailed()):
            return _ended(part, replace(state, status="error"), event)
    raise IllegalMoveError(f"a {state.status} call takes no {type(event).__name__}")


def _ended(part: Part, state: ToolState, event: ToolCompleted | ToolFailed) -> Part:
    return replace(part, state=replace(state, output=event.output, ended=event.at, display=event.display))
