"""The form that `ask` was told to give its answer in: what of the answer is printed, or why nothing is."""

from __future__ import annotations

from cococat.core.limits import Problem, Stop, StopReason
from cococat.protocol.fence import first_block

__all__ = ["extracted"]

HINT = "leave out -x, or see what was answered: cococat replay ID (cococat sessions list)"


def extracted(answer: str, stop: Stop) -> tuple[str, Stop]:
    """Return the first fenced block of *answer* alone, for -x: of one that was cut, only if it is closed."""
    whole = stop.reason is StopReason.ANSWERED
    block = first_block(answer, closed=not whole)
    if block is not None or not whole:
        return block or "", stop
    problem = Problem("no_block", "the answer holds no fenced block, so nothing is printed", HINT)
    return "", Stop(StopReason.MODEL_ERROR, problem.message, problem)
