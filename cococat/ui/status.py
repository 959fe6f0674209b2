"""The rows of a turn that runs: what is thought and done at this moment, and how to stop it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from cococat.safety.terminal import safe
from cococat.ui.format import plain, retrying
from cococat.ui.paint import paint
from cococat.ui.step_rows import thought
from cococat.ui.steps import Steps
from cococat.ui.view import Step, View

__all__ = ["Times", "live_rows", "said_rows"]

STALL_S = 10.0  # seconds without data before the screen says so
TAIL_ROWS = 3


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds: since the step began, since something was heard, until a retry is sent."""

    waited: float
    silent: float
    due: float


def live_rows(steps: Steps, reply: Sequence[Text], times: Times, stops: str, width: int) -> list[Text]:
    """Return what may still change: reasoning, the open end of the *reply*, calls, one line of status."""
    step = steps.view.step
    thinks = step.reasoning and not step.text and not step.calls
    lines = [*thought(_tail_of(step.reasoning, width), width, "dim")] if thinks else []
    words = _status(steps.view, times, stops)
    foot = [paint(line) for line in (*steps.waiting(), *((((words, "dim"),),) if words else ()))]
    return [*(paint(line) for line in lines), *reply, *foot]


def said_rows(step: Step, width: int) -> list[Text]:
    """Return the end of a reply that goes to a pipe, as long as it may be a thought."""
    said = _tail_of(step.text, width).split("\n") if step.text and not step.calls else []
    return [paint(((line, "dim"),)) for line in said]


def _status(view: View, times: Times, stops: str) -> str:
    """Return the line below the live rows; empty while a reply streams."""
    if view.retrying:
        return plain(retrying(view.retrying, times.due))
    if view.running:
        return f"{stops} stops"
    if times.silent >= STALL_S:
        return f"no data for {times.silent:.0f} s · {stops} stops"
    return "" if view.step.text else f"thinking… {times.waited:.0f} s · {stops} stops"


def _tail_of(text: str, width: int) -> str:
    """Return the last lines of foreign *text*, as much of each as a few rows hold."""
    return "\n".join(line[-TAIL_ROWS * width :] for line in safe(text).strip().split("\n")[-TAIL_ROWS:])
