"""What the loop tells the world; every sink (screen, log, JSON lines) reads only these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from cococat.core.limits import Stop, Usage
from cococat.core.messages import Message


@dataclass(frozen=True, slots=True)
class SessionStarted:
    """A session is open; sent once, before its first turn."""

    session_id: str
    model: str
    host: str
    mode: str


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A request is about to be sent; *step* counts from 1 within the turn."""

    step: int


@dataclass(frozen=True, slots=True)
class Working:
    """What the turn waits for from now on, for a screen alone; *messages*: how many older ones notes are made of."""

    on: Literal["prompt", "call", "notes"]
    messages: int = 0


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Text of the reply, as it arrives."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """Reasoning of the reply, as it arrives; with *so_far* all text of the reply before it was reasoning."""

    text: str
    so_far: bool = False


@dataclass(frozen=True, slots=True)
class ToolPending:
    """The model has made a tool call; *arguments* is its raw JSON text."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolRunning:
    """A call passed every check and has started; *at* is seconds on the run's clock."""

    call_id: str
    name: str
    at: float = 0


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """A running tool printed something."""

    call_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolCompleted:
    """A call ended well; *seconds* is wall clock, the wait for consent not counted."""

    call_id: str
    name: str
    output: str
    display: str = ""
    seconds: float = 0
    at: float = 0


@dataclass(frozen=True, slots=True)
class ToolFailed:
    """A call was refused, failed or was cancelled; *output* says why."""

    call_id: str
    name: str
    output: str
    display: str = ""
    seconds: float = 0
    at: float = 0


@dataclass(frozen=True, slots=True)
class Retrying:
    """A request failed and will be sent again after *delay_s* seconds."""

    attempt: int
    delay_s: float
    reason: str


@dataclass(frozen=True, slots=True)
class ContextCompacted:
    """The history was made smaller; both sizes in tokens, estimated."""

    before_tokens: int
    after_tokens: int
    how: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know."""

    text: str
    level: Literal["info", "warning", "error"] = "info"


@dataclass(frozen=True, slots=True)
class DreamFinished:
    """
    A dream ended.

    Args:
        receipt: one line.
        diff: the unified diff of the real bytes.
        facts: what it changed, for a reader: "+" or "-", the line, and the words that it rests on.
    """

    outcome: Literal["changed", "nothing", "failed", "gave_up", "held", "cancelled"]
    receipt: str
    diff: str = ""
    dream: int = 0
    facts: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class MessageAdded:
    """A message joined the history; the recorder saves it before anything else happens."""

    message: Message


@dataclass(frozen=True, slots=True)
class UserAsked:
    """
    The user was asked at the terminal, by whom the screen was held meanwhile; for the recorder only.

    Args:
        answer: empty when the turn was stopped instead.
        choices: what could be answered.
        action: the whole of what was to be agreed to; None for a question of the model's own.
    """

    question: str
    answer: str
    choices: tuple[str, ...] = ()
    action: str | None = None


@dataclass(frozen=True, slots=True)
class TurnFinished:
    """The turn is over; sent last, exactly once. Of its *requests*, so many were for *notes*; 0: not known."""

    answer: str
    stop: Stop
    steps: int
    usage: Usage
    seconds: float
    requests: int = 0
    notes: int = 0


PublicEvent: TypeAlias = (
    SessionStarted
    | StepStarted
    | TextDelta
    | ReasoningDelta
    | ToolPending
    | ToolRunning
    | ToolOutput
    | ToolCompleted
    | ToolFailed
    | Retrying
    | ContextCompacted
    | Notice
    | DreamFinished
)
Event: TypeAlias = PublicEvent | MessageAdded | UserAsked | Working | TurnFinished
Emit: TypeAlias = Callable[[Event], None]


def tee(*sinks: Emit) -> Emit:
    """Send each event to every sink in order: put the recorder first, so what is shown is saved."""

    def emit(event: Event) -> None:
        for sink in sinks:
            sink(event)

    return emit


def quiet(event: Event) -> None:
    """Drop the event: the sink of runs nobody watches."""
