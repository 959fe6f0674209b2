"""What a turn comes to: the result object and the exit code."""

from __future__ import annotations

from cococat.core.agent import Turn
from cococat.core.limits import Problem, StopReason
from cococat.core.result import Result
from cococat.errors import EXIT_CODES
from cococat.store.recorder import SessionLog


def outcome(turn: Turn, log: SessionLog | None, signal_number: int = 0, model: str = "") -> Result:
    """Return the result of *turn*, by the *model* that answered last; a session that could not be saved turns success into exit 6."""
    reason, error = turn.stop.reason, turn.stop.problem
    code = 128 + signal_number if signal_number else EXIT_CODES[reason]
    if log and log.problem and reason is StopReason.ANSWERED:
        reason, code, error = StopReason.STORAGE_ERROR, EXIT_CODES[StopReason.STORAGE_ERROR], log.problem
    if error is None and code not in (0, EXIT_CODES[StopReason.QUESTION]):
        error = Problem(str(reason), turn.stop.detail or str(reason), "")
    return Result(
        answer=turn.answer or None,
        stop_reason=reason,
        exit_code=code,
        session_id=log.id if log else None,
        steps=turn.steps,
        usage=turn.usage,
        duration_s=turn.seconds,
        error=error,
        model=model,
    )
