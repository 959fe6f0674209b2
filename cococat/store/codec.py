"""Messages and events as JSON objects, and back: explicit, tolerant of keys from the future.

Reading never raises: what is not understood is None, and whoever reads decides.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, fields
from functools import cache, partial
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from cococat.core.events import Event, MessageAdded, TurnFinished, UserAsked, Working
from cococat.core.limits import Problem, Stop, StopReason, Usage
from cococat.core.messages import Assistant, Attachment, Message, Picture, Summary, System, ToolCall, ToolResult, User
from cococat.core.public import SHAPES, public_form

Json = Mapping[str, Any]
MAX_EXTRA = 1 << 20  # characters of what a provider gave with one message; more of it is not kept
_EVENTS = {name: (event, fields) for event, (name, fields) in SHAPES.items()}
_Kind = TypeVar("_Kind")


def message_to_json(message: Message) -> dict[str, object]:
    """Return *message* as a JSON object; fields that hold nothing are left out."""
    match message:
        case System(text):
            return {"role": "system", "text": text}
        case User(text, attachments, synthetic, pasted, steers):
            files = [{"name": a.name, "text": a.text, "origin": a.origin} for a in attachments]
            optional = {"attachments": files, "synthetic": synthetic, "pasted": list(pasted), "steers": steers}
            if message.pictures:  # their bytes are kept beside the log
                known = [each.name for each in fields(Picture) if each.name != "data"]
                optional["pictures"] = [
                    {name: getattr(picture, name) for name in known} for picture in message.pictures
                ]
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


def to_record(event: Event) -> dict[str, object]:
    """Return *event* as a JSON object with its `type`; public events have their public names."""
    match event:
        case MessageAdded(message):
            return {"type": "message", "message": message_to_json(message)}
        case UserAsked(question, answer, choices, action):
            agreed = {} if action is None else {"action": action}
            return {"type": "user_asked", "question": question, "answer": answer, "choices": list(choices), **agreed}
        case TurnFinished():
            known = {name: value for name, value in asdict(event).items() if value or name not in ("requests", "notes")}
            return {"type": "turn_finished", **known, "stop": {**asdict(event.stop), "reason": str(event.stop.reason)}}
        case Working():
            return {"type": "working"}  # of a moment: no log keeps it
        case _:
            return public_form(event)  # a new event that is none of these is a type error here


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
    readers = _readers(event)
    made: Event = event(**{field: readers[field](record[field]) for field in fields})  # all of them, as they are public
    return made


def _asked(record: Json) -> UserAsked:
    action = record.get("action")
    choices = tuple(_text(choice) for choice in record["choices"])
    return _built(UserAsked, record, choices=choices, action=action and _text(action))


def _turn(record: Json) -> TurnFinished:
    stop = record["stop"]
    problem = stop.get("problem") and _built(Problem, stop["problem"])
    ended = _built(Stop, stop, reason=StopReason(stop["reason"]), problem=problem)
    return _built(TurnFinished, record, stop=ended, usage=_built(Usage, record["usage"]))


def _user(value: Json) -> User:
    attachments = tuple(_built(Attachment, item) for item in value.get("attachments", ()))
    pictures = tuple(_built(Picture, item) for item in value.get("pictures", ()))
    pasted = tuple(_text(part) for part in value.get("pasted", ()))
    return _built(User, value, attachments=attachments, pasted=pasted, pictures=pictures)


_MESSAGES: Mapping[str, Callable[[Json], Message]] = {
    "system": lambda value: _built(System, value),
    "user": _user,
    "assistant": lambda value: _built(
        Assistant, value, calls=tuple(_built(ToolCall, call) for call in value.get("calls", ()))
    ),
    "tool": lambda value: _built(ToolResult, value),
    "summary": lambda value: _built(Summary, value),
}


def _built(kind: Callable[..., _Kind], value: Json, **made: object) -> _Kind:
    """
    Make a *kind* of what *value* has for its fields; only one that has a default may be missing.

    Args:
        made: fields that are more than one value.
    Raises: TypeError, ValueError: a value is not of the kind that its field has.
    """
    if not isinstance(value, dict):
        raise TypeError(f"an object expected, got {type(value).__name__}")
    read = {name: read(value[name]) for name, read in _readers(kind).items() if name in value and name not in made}
    return kind(**read, **made)


@cache
def _readers(kind: Callable[..., object]) -> Mapping[str, Callable[[object], object]]:
    """Return what reads each field of *kind* that is one value."""
    scalars: Mapping[object, Callable[[object], object]] = {
        str: _text,
        int: partial(_number, int),
        float: partial(_number, float),
        bool: bool,
    }
    hints = get_type_hints(kind)
    words = {name: partial(_word, get_args(hint)) for name, hint in hints.items() if get_origin(hint) is Literal}
    return {**words, **{name: scalars[hint] for name, hint in hints.items() if hint in scalars}}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"text expected, got {type(value).__name__}")
    return value


def _word(known: Collection[str], value: object) -> str:
    if _text(value) not in known:
        raise ValueError(value)
    return str(value)


def _number(kind: type[float], value: object) -> float:
    """Return *value* as it is; a whole number is a float too."""
    if isinstance(value, bool) or not isinstance(value, int | kind):
        raise TypeError(f"a number expected, got {type(value).__name__}")
    return value
