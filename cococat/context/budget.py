"""How many tokens things are, and how many a request may be."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TypeAlias, assert_never

from cococat.core.history import request_index
from cococat.core.limits import Problem, Stop, StopReason
from cococat.core.messages import Assistant, Message, Summary, System, ToolResult, User
from cococat.core.model import Request, ToolSpec

Count: TypeAlias = Callable[[str], int]
Size: TypeAlias = Callable[[Message], int]

AROUND = 4  # tokens of a message's role and separators, about


@dataclass(frozen=True, slots=True)
class ContextBounds:
    """
    What a request may hold.

    Args:
        window: tokens that the model can take, prompt and reply together.
        reserved_output: tokens kept for the reply.
        max_reply: tokens of a reply, as set or as the endpoint is known to allow; 0 = asked for only where the window is short.
        ratio: part of the rest that a request may fill, in (0, 1].
        protect: newest tokens whose tool output is never pruned.
        keep: newest messages that are never summarised.
        today: the date, for summaries that name days.
        assumed: the window was made up after a refusal that named none: what it does not hold is tried all the same.
    """

    window: int
    reserved_output: int = 4096
    max_reply: int = 0
    ratio: float = 0.70
    protect: int = 40_000
    keep: int = 4
    today: str = ""
    assumed: bool = False


def budget(window: int, reserved_output: int, ratio: float = 0.70) -> int:
    """
    Tokens that a request may fill.

    Args:
        window: tokens the model can hold, prompt and reply together.
        reserved_output: tokens kept for the reply; half of the window at most, or nothing could be asked.
        ratio: in (0, 1]; the rest is room for what the estimate misses and for the next results.
    Source: docs/acceptance.md, A13.
    """
    return int((window - min(reserved_output, window // 2)) * ratio)


def sizer(count: Count) -> Size:
    """Make a function that gives the tokens of a message and counts equal messages once."""
    return cache(partial(_counted, count=count))


def _counted(message: Message, count: Count) -> int:
    tokens = AROUND
    for text in _texts(message):
        tokens += count(text) if text else 0
    for picture in message.pictures if isinstance(message, User) else ():
        tokens += picture.tokens
    return tokens


def total(messages: Iterable[Message], size: Size) -> int:
    """Tokens of *messages* together; reasoning in plain text goes back in the running turn alone."""
    sent = tuple(messages)
    begun = request_index(sent) or 0
    older = (replace(m, reasoning="") if isinstance(m, Assistant) else m for m in sent[:begun])
    return sum(map(size, (*older, *sent[begun:])))


def request_tokens(request: Request, size: Size, count: Count) -> int:
    """Tokens of a whole request, its tools and schema included."""
    schema = count(json.dumps(request.schema, default=str)) if request.schema else 0
    return total(request.messages, size) + sum(_tool_tokens(tool, count) for tool in request.tools) + schema


def too_large(tokens: int, window: int, reserved_output: int) -> Stop:
    """Return the end of a run whose next request, of *tokens*, cannot be made to fit."""
    reply = "" if tokens > window else f" and {min(reserved_output, window):,} for the reply"
    sizes = f"the conversation needs about {tokens:,} tokens{reply}; the model takes {window:,}"
    hint = "shorten the input, /new, a model with a larger window, or set model.context_window"
    return Stop(StopReason.TOKEN_LIMIT, sizes, Problem("context_overflow", sizes, hint))


def _tool_tokens(tool: ToolSpec, count: Count) -> int:
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return AROUND + count(json.dumps({"type": "function", "function": function}, default=str))


def _texts(message: Message) -> Iterator[str]:
    """What of a message is sent; of reasoning what an endpoint may want back."""
    match message:
        case System(text) | Summary(text):
            yield text
        case User(text, attachments):
            yield text
            for attachment in attachments:
                yield f"{attachment.name} {attachment.text}"
        case Assistant(text, reasoning, calls, extra=extra):
            yield text
            if extra:
                yield extra
                yield reasoning if calls else ""
            for call in calls:
                yield f"{call.id} {call.name} {call.arguments} {call.extra}".rstrip()
        case ToolResult():
            yield message.output
        case _:
            assert_never(message)
