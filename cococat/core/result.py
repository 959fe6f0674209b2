"""The outcome of one command, as scripts see it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from cococat.core.limits import Problem, StopReason, Usage


@dataclass(frozen=True, slots=True)
class Result:
    """
    The `result` object of docs/scripting.md: printed as JSON, or spread over stdout, stderr and exit code.

    Args:
        shaped: an answer is JSON, which the object holds as such.
    """

    answer: str | None
    stop_reason: StopReason
    exit_code: int
    session_id: str | None = None
    steps: int = 0
    usage: Usage = field(default_factory=Usage)
    duration_s: float = 0
    error: Problem | None = None
    model: str = ""
    shaped: bool = False

    def as_json(self) -> dict[str, object]:
        """Return the public JSON object."""
        error = self.error
        return {
            "type": "result",
            "answer": self.answer,
            **({"data": json.loads(self.answer) if self.answer else None} if self.shaped else {}),
            "stop_reason": str(self.stop_reason),
            "exit_code": self.exit_code,
            "session_id": self.session_id,
            "model": self.model or None,
            "steps": self.steps,
            "usage": {
                "prompt_tokens": self.usage.prompt_tokens,
                "completion_tokens": self.usage.completion_tokens,
                "total_tokens": self.usage.total_tokens,
                "estimated": self.usage.estimated,
            },
            "duration_s": round(self.duration_s, 3),
            "error": error and {"kind": error.kind, "message": error.message, "hint": error.hint},
        }
