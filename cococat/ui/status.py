"""The rows of a turn that runs: what is thought and done at this moment, and how to stop it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from cococat.safety.terminal import safe
from cococat.ui.format import plain, retrying
from cococat.ui.hang import hang, places
from cococat.ui.paint import paint
from cococat.ui.plan import live_plan
from cococat.ui.step_rows import INDENT, LABEL, column, thought
from cococat.ui.steps import Steps
from cococat.ui.view import Step, View

__all__ = ["Times", "live_rows", "said_rows"]

STALL_S = 10.0  # seconds without data before the screen says so
TAIL_ROWS = 3
STRIDE = 400  # characters by which the beginning of a long text moves on: rows stay the same in between


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds: since the step began, since something was heard, until a retry is sent."""

    waited: float
    silent: float
    due: float


def live_rows(steps: Steps, reply: Sequence[Text], times: Times, stops: str, width: int) -> list[Text]:
    """Return what may still change: reasoning, the open end of the *reply*, calls, one line of status."""
    step = steps.view.step
    alone = step.thinks and not step.text.strip() and not step.calls
    rows = _last_rows(step.reasoning, step.reasoning_chars, column(width) or LABEL, width) if alone else []
    lines = thought("\n".join(rows), width, "dim") if rows else ()
    words = _status(steps.view, times, stops)
    style = "warning" if steps.view.retrying else "dim"
    below = hang(((f"{' ' * INDENT}{words}", style),), INDENT, width) if words else ()
    foot = [paint(line) for line in (*steps.waiting(), *live_plan(steps.view.steps, width), *below)]
    return [*(paint(line) for line in lines), *reply, *foot]


def said_rows(step: Step, width: int) -> list[Text]:
    """Return the end of a reply that goes to a pipe, as long as it may be a thought."""
    said = _last_rows(step.text, step.text_chars, 0, width) if step.text and not step.calls else []
    return [paint(((row, "dim"),)) for row in said]


def _status(view: View, times: Times, stops: str) -> str:
    """Return the line below the live rows; empty while a reply streams."""
    if view.retrying:
        return plain(retrying(view.retrying, times.due))
    if view.running:
        return stops
    if times.silent >= STALL_S:
        return f"no data for {times.silent:.0f} s · {stops}"
    return "" if view.step.text.strip() and not view.step.thinks else f"thinking… {times.waited:.0f} s · {stops}"


def _last_rows(text: str, chars: int, indent: int, width: int) -> list[str]:
    """
    Return the last rows of foreign *text*, wrapped at words.

    Args:
        text: the end of what was said.
        chars: of all that was said.
        indent: cells that are taken at the start of each row.
    """
    kept = text[-(chars - len(text)) % STRIDE :] if chars > len(text) else text
    room = max(1, width - indent)
    lines = safe(kept).strip().replace("\t", "    ").split("\n")[-TAIL_ROWS:]
    rows = [line[start:end] for line in lines for start, end in places(line, 0, room)]
    return rows[-TAIL_ROWS:]
