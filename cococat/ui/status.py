"""What stands at the foot of a turn that runs: what it waits for, and how to stop it."""

from __future__ import annotations

from dataclasses import dataclass

from cococat.safety.terminal import safe
from cococat.ui.format import plain, retrying
from cococat.ui.view import View

__all__ = ["Times", "status", "tail_of"]

STALL_S = 10.0  # seconds without data before the screen says so
TAIL_ROWS = 3


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds: since the step began, since something was heard, until a retry is sent."""

    waited: float
    silent: float
    due: float


def status(view: View, times: Times, stops: str) -> str:
    """Return the line below the live rows; empty while a reply streams."""
    if view.retrying:
        return plain(retrying(view.retrying, times.due))
    if view.running:
        return f"{stops} stops"
    if times.silent >= STALL_S:
        return f"no data for {times.silent:.0f} s · {stops} stops"
    return "" if view.step.text else f"thinking… {times.waited:.0f} s · {stops} stops"


def tail_of(text: str, width: int) -> str:
    """Return the last lines of foreign *text*, as much of each as a few rows hold."""
    return "\n".join(line[-TAIL_ROWS * width :] for line in safe(text).strip().split("\n")[-TAIL_ROWS:])
