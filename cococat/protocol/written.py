"""Tool calls that a model wrote as text, instead of making them.

Such a text is nothing but JSON objects, each bare, in a fence, between tags, or both; what goes on in
prose is an answer with an example in it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TypeAlias, TypeVar
from uuid import uuid4

from cococat.core.messages import ToolCall
from cococat.core.reply import Invalid
from cococat.core.tools import Tool
from cococat.protocol.arguments import parse_arguments
from cococat.protocol.lossless import read_object
from cococat.protocol.stream_filter import without_lone_surrogates

__all__ = ["call_lens", "written_calls"]

T = TypeVar("T")
# receives the text one character at a time
Scanner: TypeAlias = Generator[None, str, T]
_NAMES = ("name", "tool", "tool_name", "function", "action")
_INPUTS = ("arguments", "parameters", "args", "input", "tool_input", "action_input")
_BESIDE = ("type", "id")
_KEYS = frozenset((*_NAMES, *_INPUTS, *_BESIDE))
# without blanks, which may stand anywhere between marks
_OPENINGS = tuple(
    f"{tag}{fence}{{" for tag in ("", "<tool_call>", "<function_call>") for fence in ("", "```", "```json")
)
_CLOSINGS = tuple(f"{fence}{tag}" for fence in ("", "```") for tag in ("", "</tool_call>", "</function_call>"))
_BETWEEN = _CLOSINGS + tuple(closing + opening for closing in _CLOSINGS for opening in _OPENINGS)


def written_calls(text: str, tools: Sequence[Tool]) -> tuple[ToolCall, ...]:
    """
    Return the calls that *text* consists of; none when it is anything else.

    Every object must name one of *tools* with arguments that its schema allows.
    """
    offered = {tool.name: tool for tool in tools}
    found: list[str] = []
    scanner = _marked_objects(found)
    next(scanner)
    try:
        for char in text:
            scanner.send(char)
    except StopIteration:
        return ()
    calls = tuple(call for written in found if (call := _call(written, offered)))
    return calls if len(calls) == len(found) else ()


def call_lens() -> Callable[[str], str]:
    """
    Return a filter that holds a reply back for as long as it may be nothing but tool calls.

    From the first character that rules this out, all text is shown.
    """
    held: list[str] = []
    scanner = _marked_objects([])
    next(scanner)
    ruled_out = False

    def look(text: str) -> str:
        nonlocal ruled_out
        if ruled_out:
            return text
        held.append(text)
        try:
            for char in text:
                scanner.send(char)
        except StopIteration:
            ruled_out = True
            return "".join(held)
        return ""

    return look


def _marked_objects(found: list[str]) -> Scanner[None]:
    """
    Follow objects and their marks, and end where the text cannot be tool calls.

    Args:
        found: gets each object; the last one is empty until it is complete.
    """
    marks, allowed = "", _OPENINGS
    while True:
        char = yield
        if char.isspace():
            continue
        marks += char
        if not any(mark.startswith(marks) for mark in allowed):
            return
        if char == "{":
            found.append("")
            found[-1] = yield from _object()
            if not found[-1]:
                return
            marks, allowed = "", _BETWEEN


def _object() -> Scanner[str]:
    """Follow an object behind its brace and give its text; empty when a key is none of a tool call's."""
    said, depth, naming = ["{"], 1, True
    while depth:
        said.append(char := (yield))
        match char:
            case '"':
                said.append(word := (yield from _string()))
                if depth == 1 and naming and word[:-1] not in _KEYS:
                    return ""
            case "{" | "[":
                depth += 1
            case "}" | "]":
                depth -= 1
            case "," | ":":
                naming = char == ","
            case _ if depth == 1 and naming and not char.isspace():
                return ""
            case _:
                pass
    return "".join(said)


def _string() -> Scanner[str]:
    """Follow a string to its closing quote, which is given with it."""
    said: list[str] = []
    while not said or said[-1] != '"':
        said.append((yield))
        if said[-1] == "\\":
            said[-1] += yield
    return "".join(said)


def _call(written: str, offered: Mapping[str, Tool]) -> ToolCall | None:
    """Read one object; None when it is no valid call of a tool that is offered."""
    parsed = read_object(written)
    if isinstance(parsed, Invalid):
        return None
    if isinstance(inner := parsed.get("function"), dict):
        if not parsed.keys() <= {"function", *_BESIDE}:
            return None
        parsed = inner
    names = [parsed[key] for key in _NAMES if key in parsed]
    inputs = [parsed[key] for key in _INPUTS if key in parsed]
    if not (len(names) == len(inputs) == 1 and isinstance(names[0], str) and names[0] in offered):
        return None
    given = inputs[0] if isinstance(inputs[0], str) else json.dumps(inputs[0] or {}, ensure_ascii=False)
    given = without_lone_surrogates(given)
    if isinstance(parse_arguments(offered[names[0]], given), Invalid):
        return None
    return ToolCall(f"call_{uuid4().hex[:12]}", names[0], given)
