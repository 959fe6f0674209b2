"""Events as scripts see them: the JSON objects of `--output-format stream-json`.

Names and fields are public; the session log uses the same ones.
"""

from __future__ import annotations

from collections.abc import Mapping

from cococat.core.events import (
    ContextCompacted,
    DreamFinished,
    Event,
    Notice,
    ReasoningDelta,
    Retrying,
    SessionStarted,
    StepStarted,
    TextDelta,
    ToolCompleted,
    ToolFailed,
    ToolOutput,
    ToolPending,
    ToolRunning,
)

__all__ = ["SHAPES", "as_public"]

_ENDED = ("call_id", "name", "output", "display", "seconds", "at")
SHAPES: Mapping[type, tuple[str, tuple[str, ...]]] = {
    SessionStarted: ("session_started", ("session_id", "model", "host", "mode")),
    StepStarted: ("step_started", ("step",)),
    TextDelta: ("text_delta", ("text",)),
    ReasoningDelta: ("reasoning_delta", ("text",)),
    ToolPending: ("tool_pending", ("call_id", "name", "arguments")),
    ToolRunning: ("tool_running", ("call_id", "name", "at")),
    ToolOutput: ("tool_output", ("call_id", "text")),
    ToolCompleted: ("tool_completed", _ENDED),
    ToolFailed: ("tool_failed", _ENDED),
    Retrying: ("retrying", ("attempt", "delay_s", "reason")),
    ContextCompacted: ("context_compacted", ("before_tokens", "after_tokens", "how")),
    Notice: ("notice", ("text", "level")),
    DreamFinished: ("dream_finished", ("outcome", "receipt", "diff", "dream")),
}


def as_public(event: Event) -> dict[str, object] | None:
    """Return *event* as a JSON object with its `type`; None for what only the recorder is told."""
    shape = SHAPES.get(type(event))
    if shape is None:
        return None
    name, fields = shape
    return {"type": name, **{field: getattr(event, field) for field in fields}}
