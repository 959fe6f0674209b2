"""What the real API would refuse: the rules for a Chat Completions request.

Public: violations.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Any

from tests.scripted.pictures import picture_violations

BODY_KEYS = frozenset({
    "model", "messages", "tools", "tool_choice", "parallel_tool_calls", "stream", "stream_options", "temperature",
    "top_p", "n", "stop", "seed", "user", "max_tokens", "max_completion_tokens", "response_format",
    "reasoning_effort", "presence_penalty", "frequency_penalty", "logit_bias", "logprobs", "top_logprobs", "verbosity",
})  # fmt: skip
MESSAGE_KEYS = {
    "system": {"role", "content", "name"},
    "developer": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "assistant": {"role", "content", "name", "refusal", "tool_calls"},
    "tool": {"role", "content", "tool_call_id"},
}
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def violations(body: Any, given: AbstractSet[str] = frozenset()) -> list[str]:
    """
    Everything that is wrong with *body*, in order; empty when the API would accept it.

    Args:
        given: keys of messages and calls that the server gave itself, so that it takes them back.
    """
    if not isinstance(body, dict):
        return ["the body is no JSON object"]
    return [*_body(body), *_messages(body.get("messages"), given)]


def _body(body: dict[str, Any]) -> Iterator[str]:
    yield from (f"unknown field {key!r}" for key in sorted(set(body) - BODY_KEYS))
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "model must be a non-empty string"
    if "stream_options" in body and not body.get("stream"):
        yield "stream_options needs stream"
    if "max_tokens" in body and "max_completion_tokens" in body:
        yield "max_tokens and max_completion_tokens exclude each other"
    for key in ("tool_choice", "parallel_tool_calls"):
        if key in body and not body.get("tools"):
            yield f"{key} needs tools"
    if "tools" in body:
        yield from _tools(body["tools"])
    shape = body.get("response_format")
    if shape is not None and (
        not isinstance(shape, dict) or shape.get("type") not in ("text", "json_object", "json_schema")
    ):
        yield "response_format has an unknown type"
    elif shape and shape["type"] == "json_schema" and not {"name", "schema"} <= set(shape.get("json_schema", ())):
        yield "response_format.json_schema needs name and schema"
    if _surrogate(json.dumps(body, ensure_ascii=False)):
        yield "lone surrogate"


def _surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _tools(tools: Any) -> Iterator[str]:
    if not isinstance(tools, list) or not tools:
        yield "tools must be a non-empty array"
        return
    for tool in tools:
        function = tool.get("function") if isinstance(tool, dict) and tool.get("type") == "function" else None
        if not isinstance(function, dict) or set(tool) != {"type", "function"}:
            yield f"tool must be {{type: function, function}}: {tool!r:.80}"
        elif not NAME.fullmatch(str(function.get("name"))) or not isinstance(function.get("parameters", {}), dict):
            yield f"bad name or parameters of tool {function.get('name')!r}"
    names = [tool["function"].get("name") for tool in tools if isinstance(tool, dict) and "function" in tool]
    if len(set(names)) < len(names):
        yield "tool names repeat"


def _messages(messages: Any, given: AbstractSet[str]) -> Iterator[str]:
    if not isinstance(messages, list) or not messages:
        yield "messages must be a non-empty array"
        return
    waiting: list[str] = []
    seen: set[str] = set()
    for at, message in enumerate(messages):
        role = message.get("role") if isinstance(message, dict) else None
        if role not in MESSAGE_KEYS:
            yield f"messages[{at}]: unknown role {role!r}"
            continue
        unknown = sorted(set(message) - MESSAGE_KEYS[role] - (given if role == "assistant" else set()))
        yield from (f"messages[{at}]: unknown key {key!r}" for key in unknown)
        yield from (f"messages[{at}]: {fault}" for fault in _content(message))
        if role == "tool":
            if message.get("tool_call_id") not in waiting:
                yield f"messages[{at}]: no open call has the id {message.get('tool_call_id')!r}"
                continue
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            yield f"messages[{at}]: tool_calls must be followed by tool messages, missing {waiting}"
            waiting = []
        if "tool_calls" in message:
            yield from (f"messages[{at}]: {fault}" for fault in _calls(message["tool_calls"], seen, given))
            waiting = [call.get("id") for call in message["tool_calls"] or () if isinstance(call, dict)]
    if waiting:
        yield f"end: tool_calls must be followed by tool messages, missing {waiting}"


def _content(message: dict[str, Any]) -> Iterator[str]:
    content = message.get("content")
    if not _content_ok(message):
        yield f"bad content {content!r:.60}"
        return
    for part in content if isinstance(content, list) else ():
        if part.get("type") == "image_url":
            yield from picture_violations(message["role"], part)


def _content_ok(message: dict[str, Any]) -> bool:
    content = message.get("content")
    if content is None:
        return message["role"] == "assistant" and bool(message.get("tool_calls"))
    if isinstance(content, list):
        return bool(content) and all(
            isinstance(part, dict)
            and (part.get("type") == "image_url" or isinstance(part.get(part.get("type", "text")), str | list))
            for part in content
        )
    return isinstance(content, str)


def _calls(calls: Any, seen: set[str], given: AbstractSet[str]) -> Iterator[str]:
    if not isinstance(calls, list) or not calls:
        yield "tool_calls must be a non-empty array"
        return
    for call in calls:
        if (
            not isinstance(call, dict)
            or not {"id", "type", "function"} <= set(call) <= {"id", "type", "function", *given}
            or call["type"] != "function"
        ):
            yield f"tool_calls entries are {{id, type: function, function}}: {call!r:.80}"
            continue
        if not isinstance(call["id"], str) or not call["id"] or call["id"] in seen:
            yield f"call id {call['id']!r} is empty or not unique"
        seen.add(call["id"])
        function = call["function"]
        if not isinstance(function, dict) or set(function) != {"name", "arguments"}:
            yield f"function must be {{name, arguments}}: {function!r:.80}"
        elif not NAME.fullmatch(str(function["name"])) or not isinstance(function["arguments"], str):
            yield f"bad name or arguments: {function!r:.80}"
