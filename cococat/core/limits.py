"""Why a run stops, and the bounds that make it stop."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class StopReason(StrEnum):
    """Every way a run can end; the values are public (`stop_reason` in JSON output)."""

    ANSWERED = "answered"
    INTERNAL_ERROR = "internal_error"
    USAGE_ERROR = "usage_error"
    MODEL_ERROR = "model_error"
    SCHEMA_MISMATCH = "schema_mismatch"
    PERMISSION_DENIED = "permission_denied"
    STEP_LIMIT = "step_limit"
    TOKEN_LIMIT = "token_limit"  # noqa: S105 - a stop reason, not a secret
    TIME_LIMIT = "time_limit"
    LOOP = "loop"
    NO_PROGRESS = "no_progress"
    OUTPUT_LIMIT = "output_limit"
    CONTENT_FILTER = "content_filter"
    STORAGE_ERROR = "storage_error"
    QUESTION = "question"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Problem:
    """A failure in words: what failed and why, and the command or setting that fixes it."""

    kind: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Stop:
    """The end of a run; *detail* is shown to the user, *problem* is set when something failed."""

    reason: StopReason
    detail: str = ""
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or many requests; *estimated* when the server reported none for some of them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False

    @property
    def total_tokens(self) -> int:
        """Prompt and completion together."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        """Sum two usages; the sum is an estimate when either is."""
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True)
class Budget:
    """
    What a run has used of its limits, and what the user has added to them.

    Args:
        asked_tokens: prompt tokens of the last request.
        requests: that were sent, those for notes included.
        notes: requests for notes.
        granted_steps: beyond the limit, by the user.
        waited: seconds in which the user was asked something, and nothing else went on.
    """

    usage: Usage = Usage()
    asked_tokens: int = 0
    steps: int = 0
    requests: int = 0
    notes: int = 0
    granted_steps: int = 0
    calls: int = 0
    waited: float = 0.0


@dataclass(frozen=True, slots=True)
class Limits:
    """
    The bounds of one run.

    Args:
        max_steps: requests that may offer tools, 1..200; one tool-less request may follow.
        max_total_tokens: tokens of the whole run, prompt and completion; 0 = no limit.
        max_seconds: wall clock of the whole run, in seconds; 0 = no limit.
        min_tool_calls: calls that must have succeeded before an answer is accepted, as long as there are steps for them.
        max_parallel_tools: concurrent tool calls, >= 1.
        tool_timeout_s: seconds one tool call may take; > 0.
        tool_output_chars: characters of one fresh tool output that the model sees, less in a small window; > 0.
        max_output_tokens: tokens of one reply; 0 = the model's own setting.
        detect_loops: calls that go in circles, and results that stay the same, are refused and end the run.
        spent: what ends a run whose steps are used up; `single` counts that as an answer.
    """

    max_steps: int = 15
    max_total_tokens: int = 0
    max_seconds: float = 0.0
    min_tool_calls: int = 0
    max_parallel_tools: int = 5
    tool_timeout_s: float = 60.0
    tool_output_chars: int = 16_000
    max_output_tokens: int = 0
    detect_loops: bool = True
    spent: StopReason = StopReason.STEP_LIMIT


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run has used so far: tokens, and wall-clock seconds on a monotonic clock."""

    tokens: int
    seconds: float


def hard_stop(limits: Limits, spent: Spent) -> Stop | None:
    """Return which budget is used up, tokens before time; None while both last."""
    if 0 < limits.max_total_tokens <= spent.tokens:
        used = f"{spent.tokens:,} of {limits.max_total_tokens:,} tokens used"
        return Stop(StopReason.TOKEN_LIMIT, f"{used}; raise --max-tokens to go on")
    if 0 < limits.max_seconds <= spent.seconds:
        used = f"{spent.seconds:.0f} of {limits.max_seconds:.0f} s used"
        return Stop(StopReason.TIME_LIMIT, f"{used}; raise --max-seconds to go on")
    return None
