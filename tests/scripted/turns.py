"""What a scripted server may be told to play: values, one for each request.

A turn is a row of steps. A step is bytes (sent as they are), a mapping (sent as one SSE event), a `Delta`
(sent in the envelope of a chunk), a number (seconds to pause), a `threading.Event` (wait until the test
sets it), `reached(event)` (tell the test how far the server is), or one of the marks below.

Public: Turn, Delta, Mark, Step, says, calls, reasons, fault, broken, raw, forever, reached, CUT, RESET, STALL, PINGS.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count, zip_longest
from typing import Any, TypeAlias

SSE = {"content-type": "text/event-stream; charset=utf-8"}
DONE = b"data: [DONE]\n\n"
COUNTED = (None, None)
Tokens: TypeAlias = tuple[int | None, int | None]
_numbers = count(1)


@dataclass(frozen=True)
class Mark:
    """Something to do that is not sent."""

    name: str
    event: threading.Event | None = None


CUT = Mark("cut")  # FIN in the middle of the body
RESET = Mark("reset")  # RST
STALL = Mark("stall")  # silence until the client goes or the server closes
PINGS = Mark("pings")  # `: ping` comments until then


@dataclass(frozen=True)
class Delta:
    """One chunk of choice 0."""

    delta: Mapping[str, Any]
    finish: str | None = None


@dataclass(frozen=True)
class Cost:
    """The usage chunk, sent only when the request asks for it; where a number is None, it is counted, roughly."""

    prompt: int | None = None
    completion: int | None = None


Step: TypeAlias = bytes | Mapping[str, Any] | Delta | Cost | float | threading.Event | Mark


@dataclass(frozen=True)
class Turn:
    """One response; the head goes out with the first step that sends something."""

    steps: tuple[Step, ...]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: SSE)
    endless: bool = False

    def __add__(self, other: Turn) -> Turn:
        """Put the steps of *other* behind these."""
        return replace(other, steps=self.steps + other.steps)


Item: TypeAlias = Turn | Callable[[dict[str, Any]], Turn]  # a function makes the turn from the request


def says(
    *deltas: str | float | threading.Event | Mark,
    finish: str | None = "stop",
    usage: Tokens | None = COUNTED,
    done: bool = True,
) -> Turn:
    """Text in the given deltas; numbers pause, events wait, between them."""
    steps = [Delta({"content": delta}) if isinstance(delta, str) else delta for delta in deltas]
    return Turn((Delta({"role": "assistant", "content": ""}), *steps, *_end(finish, usage, done)))


def reasons(*deltas: str, then: Turn | None = None, key: str = "reasoning_content") -> Turn:
    """Reasoning, then *then* (by default nothing but the end)."""
    return Turn(tuple(Delta({key: delta}) for delta in deltas)) + (then or Turn(_end("stop", COUNTED, True)))


def calls(
    *wanted: Sequence[Any],
    text: str = "",
    dialect: str = "openai",
    finish: str | None = "tool_calls",
    usage: Tokens | None = COUNTED,
) -> Turn:
    """
    Tool calls, each `(name, arguments)` or `(name, arguments, id)`; arguments as text are sent as they are.

    Args:
        dialect: openai, interleaved, same_index, no_index, no_id, empty_id, duplicate_id, split_name,
            object (arguments as an object), whole (one delta a call).
    """
    rows = [list(_call_deltas(number, call, dialect)) for number, call in enumerate(wanted)]
    if dialect == "interleaved":
        entries = [entry for row in zip_longest(*rows) for entry in row if entry]
    else:
        entries = [entry for row in rows for entry in row]
    said = [Delta({"content": text})] if text else []
    deltas = [Delta({"tool_calls": [entry]}) for entry in entries]
    return Turn((Delta({"role": "assistant", "content": None}), *said, *deltas, *_end(finish, usage, True)))


def _call_deltas(number: int, call: Sequence[Any], dialect: str) -> Iterator[dict[str, Any]]:
    name, arguments = call[0], call[1]
    call_id = call[2] if len(call) > 2 else f"call_s{next(_numbers)}"
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    head: dict[str, Any] = {"index": number, "id": call_id, "type": "function"}
    if dialect in ("object", "whole", "no_index"):
        given = arguments if dialect == "object" else text
        head = {key: value for key, value in head.items() if key != "index" or dialect != "no_index"}
        yield {**head, "function": {"name": name, "arguments": given}}
        return
    changed = {
        "empty_id": {"id": ""},
        "duplicate_id": {"id": "call_same"},
        "same_index": {"index": 0},
        "no_id": {"id": None},
    }
    head |= changed.get(dialect, {})
    cut = 3 if dialect == "split_name" else len(name)
    yield {**head, "function": {"name": name[:cut], "arguments": ""}}
    if name[cut:]:
        yield {"index": head["index"], "function": {"name": name[cut:]}}
    for piece in (text[: len(text) // 2], text[len(text) // 2 :]):
        yield {"index": head["index"], "function": {"arguments": piece}}


def _end(finish: str | None, usage: Tokens | None, done: bool) -> tuple[Step, ...]:
    cost = (Cost(*usage),) if usage else ()
    return ((Delta({}, finish),) if finish else ()) + cost + ((DONE,) if done else ())


def given(turn: Turn) -> set[str]:
    """The keys of the message, and of its calls, that *turn* sends."""
    deltas = [step.delta for step in turn.steps if isinstance(step, Delta)]
    for step in turn.steps:
        choices = step.get("choices") if isinstance(step, Mapping) else None
        found = (
            [choice.get("delta") for choice in choices if isinstance(choice, dict)] if isinstance(choices, list) else []
        )
        deltas += [delta for delta in found if isinstance(delta, Mapping)]
    made = [delta["tool_calls"] for delta in deltas if isinstance(delta.get("tool_calls"), list)]
    return {key for part in (*deltas, *chain(*made)) if isinstance(part, Mapping) for key in part}


def fault(
    status: int,
    message: str = "scripted failure",
    *,
    code: str | None = None,
    kind: str = "invalid_request_error",
    headers: Mapping[str, str] | None = None,
) -> Turn:
    """An error response in the usual JSON shape."""
    body = {"error": {"message": message, "type": kind, "param": None, "code": code}}
    head = {"content-type": "application/json", **(headers or {})}
    return Turn((json.dumps(body).encode(),), status, head)


def broken(*deltas: str | float | threading.Event | Mark, how: Mark = CUT) -> Turn:
    """Some text and then *how*: CUT, RESET, STALL or PINGS; no text at all breaks before the head."""
    return says(*deltas, how, finish=None, usage=None, done=False) if deltas else Turn((how,))


def raw(*steps: Step, status: int = 200, content_type: str = SSE["content-type"]) -> Turn:
    """Exactly these steps."""
    return Turn(steps or (b"",), status, {"content-type": content_type})


def forever(turn: Item) -> Item:
    """Play *turn* for this and every later request."""
    if isinstance(turn, Turn):
        return replace(turn, endless=True)
    return lambda body: replace(turn(body), endless=True)


def reached(event: threading.Event) -> Mark:
    """A step that sets *event* when everything before it was sent."""
    return Mark("reached", event)
