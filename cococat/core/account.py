"""A plain account of what a run did, for the case that the model can no longer give one."""

from __future__ import annotations

from cococat.core.limits import Stop
from cococat.core.run import Run

__all__ = ["account"]

ROWS = 20
INPUT_CHARS = 80


def account(run: Run, stop: Stop) -> str:
    """List the calls of *run* and how each ended; made from the parts, never from the model's words."""
    calls = [part for part in run.parts.values() if part.state]
    rows = [
        f"- {part.tool}({' '.join(part.state.input.split())[:INPUT_CHARS]}): {part.state.status}"
        for part in calls[:ROWS]
        if part.state
    ]
    if len(calls) > ROWS:
        rows.append(f"- and {len(calls) - ROWS} more")
    done = "\n".join(["What was done:", *rows]) if rows else "Nothing was done."
    return f"Stopped before there was an answer: {stop.detail or stop.reason}\n\n{done}"
