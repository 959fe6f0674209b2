"""The end of a run: what is still open is closed, and a plain account stands where the model gave no answer."""

from __future__ import annotations

from dataclasses import replace

from cococat.core.act import backfill
from cococat.core.events import TurnFinished
from cococat.core.limits import Stop, StopReason
from cococat.core.messages import Assistant, User
from cococat.core.run import Run

__all__ = ["SUMMED_UP", "account", "finish"]

ROWS = 20
INPUT_CHARS = 80
# stops by a guard that leave room for a last request
SUMMED_UP = (StopReason.LOOP, StopReason.NO_PROGRESS, StopReason.PERMISSION_DENIED)
GUARDED = (
    *SUMMED_UP,
    StopReason.STEP_LIMIT,
    StopReason.TOKEN_LIMIT,
    StopReason.TIME_LIMIT,
    StopReason.OUTPUT_LIMIT,
    StopReason.CONTENT_FILTER,
)


def account(run: Run, why: str = "") -> str:
    """
    List the calls of *run* and how each ended; made from the parts, never from the model's words.

    Args:
        why: there was no answer; empty where that is told beside it, as an error is.
    """
    calls = [part for part in run.parts.values() if part.state]
    rows = [
        f"- {part.tool}({' '.join(part.state.input.split())[:INPUT_CHARS]}): {part.state.status}"
        for part in calls[:ROWS]
        if part.state
    ]
    if len(calls) > ROWS:
        rows.append(f"- and {len(calls) - ROWS} more")
    done = "\n".join(["What was done:", *rows]) if rows else "Nothing was done."
    return f"Stopped before there was an answer{f': {why}' if why else '.'}\n\n{done}"


def finish(run: Run, stop: Stop) -> TurnFinished:
    """Close whatever is still open, so that the history is valid; give how it ended."""
    if run.draft and (text := run.draft.visible):
        run.said.append(text)
        run.add(replace(run.draft.message(), text=text, calls=(), cut=stop.reason))
    backfill(run, stop.detail or stop.reason)
    answer = "".join(run.said) or _last_words(run)
    if not answer and stop.reason in GUARDED:
        answer = account(run)
    return TurnFinished(answer, stop, run.budget.steps, run.budget.usage, run.worked())


def _last_words(run: Run) -> str:
    """What the model said last in this turn, for a run that was stopped before its answer."""
    for message in reversed(run.messages):
        match message:
            case Assistant(text) if text:
                return text
            case User(synthetic=False):
                return ""
            case _:
                pass
    return ""
