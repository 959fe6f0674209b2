"""Messages and events as JSON objects, and back: explicit, tolerant of keys from the future.

Reading never raises: what is not understood is None, and whoever reads decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from cococat.core.events import Event, MessageAdded, TurnFinished, UserAsked
from cococat.core.limits import Problem, Stop, StopReason, Usage
from cococat.core.messages import Assistant, Attachment, Message, Summary, System, ToolCall, ToolResult, User
from cococat.core.public import SHAPES, as_public

__all__ = ["from_record", "message_from_json", "message_to_json", "stop_to_json", "to_record"]

Json = Mapping[str, Any]
MAX_EXTRA = 1 << 20  # characters of what a provider gave with one message; more of it is not kept
_EVENTS = {name: (event, fields) for event, (name, fields) in SHAPES.items()}
_NUMBERS = ("at", "seconds", "delay_s")
_INTEGERS = (
    "step",
    "steps",
    "attempt",
    "before_tokens",
    "after_tokens",
    "dream",
    "prompt_tokens",
    "completion_tokens",
    "covers",
)
_WORDS: Mapping[str, tuple[str, ...]] = {
    "level": ("info", "warning", "error"),
    "outcome": ("changed", "nothing", "failed", "gave_up", "held", "cancelled"),
    "status": ("completed", "error"),
    "origin": ("typed", "pasted", "file", "stdin"),
}
_Kind = TypeVar("_Kind")


def message_to_json(message: Message) -> dict[str, object]:
    """Return *message* as a JSON object; fields that hold nothing are left out."""
    match message:
        case System(text):
            return {"role": "system", "text": text}
        case User(text, attachments, synthetic, pasted):
            files = [{"name": a.name, "text": a.text, "origin": a.origin} for a in attachments]
            optional = {"attachments": files, "synthetic": synthetic, "pasted": list(pasted)}
            return {"role": "user", "text": text, **{key: value for key, value in optional.items() if value}}
        case Assistant(text, reasoning, calls, cut):
            given = len(message.extra) + sum(len(call.extra) for call in calls) <= MAX_EXTRA
            made: list[dict[str, str]] = []
            for call in calls:
                own = {"id": call.id, "name": call.name, "arguments": call.arguments}
                made.append({**own, "extra": call.extra} if given and call.extra else own)
            optional = {"reasoning": reasoning, "calls": made, "cut": cut, "extra": message.extra if given else ""}
            return {"role": "assistant", "text": text, **{key: value for key, value in optional.items() if value}}
        case ToolResult(call_id, name, output, status, display):
            result = {"role": "tool", "call_id": call_id, "name": name, "output": output, "status": status}
            return {**result, "display": display} if display else {**result}
        case Summary(text, covers):
            return {"role": "summary", "text": text, "covers": covers}


def message_from_json(value: object) -> Message | None:
    """Read a message; None when it is none that we know."""
    if not isinstance(value, dict):
        return None
    reader = _MESSAGES.get(str(value.get("role")))
    return _tried(reader, value) if reader else None


def stop_to_json(stop: Stop) -> dict[str, object]:
    """Return *stop* as a JSON object."""
    problem = stop.problem
    return {
        "reason": str(stop.reason),
        "detail": stop.detail,
        "problem": problem and {"kind": problem.kind, "message": problem.message, "hint": problem.hint},
    }


def to_record(event: Event) -> dict[str, object]:
    """Return *event* as a JSON object with its `type`; public events have their public names."""
    match event:
        case MessageAdded(message):
            return {"type": "message", "message": message_to_json(message)}
        case UserAsked(question, answer, choices, action):
            agreed = {} if action is None else {"action": action}
            return {"type": "user_asked", "question": question, "answer": answer, "choices": list(choices), **agreed}
        case TurnFinished(answer, stop, steps, usage, seconds):
            cost = {
                "prompt_tokens": usage.prompt_tokens,
                "completion_tokens": usage.completion_tokens,
                "estimated": usage.estimated,
            }
            ended = {"answer": answer, "stop": stop_to_json(stop), "steps": steps, "usage": cost, "seconds": seconds}
            return {"type": "turn_finished", **ended}
        case _:
            return as_public(event) or {}


def from_record(record: Json) -> Event | None:
    """Read an event; None when its type or one of its values is not one that we know."""
    match record.get("type"):
        case "message":
            message = message_from_json(record.get("message"))
            return MessageAdded(message) if message else None
        case "user_asked":
            return _tried(_asked, record)
        case "turn_finished":
            return _tried(_turn, record)
        case str(name) if name in _EVENTS:
            return _tried(_event, record)
        case _:
            return None


def _tried(read: Callable[[Json], _Kind], value: Json) -> _Kind | None:
    """Call *read*; None when a key is missing or a value is of the wrong kind."""
    try:
        return read(value)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _event(record: Json) -> Event:
    event, fields = _EVENTS[record["type"]]
    made: Event = event(**{field: _value(record, field) for field in fields})
    return made


def _asked(record: Json) -> UserAsked:
    action = record.get("action")
    choices = tuple(_text(choice) for choice in record["choices"])
    return UserAsked(_value(record, "question"), _value(record, "answer"), choices, action and _text(action))


def _turn(record: Json) -> TurnFinished:
    stop, usage = record["stop"], record["usage"]
    problem = stop.get("problem")
    return TurnFinished(
        _value(record, "answer"),
        Stop(
            StopReason(stop["reason"]),
            _value(stop, "detail"),
            Problem(*(_value(problem, key) for key in ("kind", "message", "hint"))) if problem else None,
        ),
        _value(record, "steps"),
        Usage(_value(usage, "prompt_tokens"), _value(usage, "completion_tokens"), bool(usage.get("estimated"))),
        _value(record, "seconds"),
    )


def _user(value: Json) -> User:
    attachments = tuple(
        Attachment(_value(item, "name"), _value(item, "text"), _value(item, "origin"))
        for item in value.get("attachments", ())
    )
    pasted = tuple(_text(part) for part in value.get("pasted", ()))
    return User(_value(value, "text"), attachments, bool(value.get("synthetic")), pasted)


def _assistant(value: Json) -> Assistant:
    calls = tuple(
        ToolCall(_value(item, "id"), _value(item, "name"), _value(item, "arguments"), _text(item.get("extra", "")))
        for item in value.get("calls", ())
    )
    reasoning, cut, extra = (_text(value.get(field, "")) for field in ("reasoning", "cut", "extra"))
    return Assistant(_value(value, "text"), reasoning, calls, cut, extra)


def _tool_result(value: Json) -> ToolResult:
    call_id, name = _value(value, "call_id"), _value(value, "name")
    return ToolResult(call_id, name, _value(value, "output"), _value(value, "status"), _text(value.get("display", "")))


_MESSAGES: Mapping[str, Callable[[Json], Message]] = {
    "system": lambda value: System(_value(value, "text")),
    "user": _user,
    "assistant": _assistant,
    "tool": _tool_result,
    "summary": lambda value: Summary(_value(value, "text"), _value(value, "covers")),
}


def _value(record: Json, field: str) -> Any:
    """Return one field; raises ValueError when it is not of the kind that its name promises."""
    value = record[field]
    if field in _NUMBERS:
        return _number(value, float)
    if field in _INTEGERS:
        return _number(value, int)
    if field in _WORDS and value not in _WORDS[field]:
        raise ValueError(field)
    return _text(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"text expected, got {type(value).__name__}")
    return value


def _number(value: object, kind: type[float]) -> float:
    """Return *value* as it is; a whole number is a float too."""
    if isinstance(value, bool) or not isinstance(value, int | kind):
        raise TypeError(f"a number expected, got {type(value).__name__}")
    return value
