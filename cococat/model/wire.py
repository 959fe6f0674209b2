"""Between our values and the JSON of the Chat Completions API."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, assert_never

from cococat.core.limits import Usage
from cococat.core.messages import Assistant, Attachment, Message, Summary, System, ToolCall, ToolResult, User
from cococat.core.model import (
    CallPiece,
    FinishPiece,
    Piece,
    ReasoningPiece,
    Request,
    TextPiece,
    ToolSpec,
    UsagePiece,
)

__all__ = ["body_of", "clean", "error_of", "has_broken_arguments", "message_of", "pieces_of"]

MAX_ID = 40  # characters of a call id; the API refuses longer ones
MAX_NAME = 64
# reasons of servers for a reply that a filter ended, in lower case
_FILTERED = frozenset({
    "content_filter", "content_filtered", "refusal", "safety", "recitation", "prohibited_content", "blocklist", "spii",
    "sensitive", "guardrail_intervened",
})  # fmt: skip
_REASONING = ("reasoning_content", "reasoning", "thinking")  # where servers put it; some send it twice
_BAD_NAME = re.compile(r"[^a-zA-Z0-9_-]")


def body_of(request: Request, model: str, *, wrap_broken: bool = False) -> dict[str, Any]:
    """
    Return the fields of the request body that every endpoint needs, and no others.

    Args:
        wrap_broken: the endpoint reads the arguments of earlier calls: those that are no JSON go in an object.
    """
    messages = [message_of(message, wrap_broken=wrap_broken) for message in request.messages]
    body: dict[str, Any] = {"model": model, "messages": messages}
    if request.tools:
        body["tools"] = [_tool(spec) for spec in request.tools]
    if request.schema is not None:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "reply", "schema": dict(request.schema)},
        }
    return body


def has_broken_arguments(request: Request) -> bool:
    """Return whether a call in *request* was made with arguments that are no JSON object."""
    calls = (call for message in request.messages if isinstance(message, Assistant) for call in message.calls)
    return any(not _is_object(call.arguments) for call in calls if call.arguments)


def message_of(message: Message, *, wrap_broken: bool = False) -> dict[str, Any]:
    """Return *message* in the API's shape; text that JSON cannot carry is replaced."""
    match message:
        case System(text):
            return {"role": "system", "content": clean(text)}
        case User(text, attachments):
            blocks = [clean(text), *(_block(attachment) for attachment in attachments)]
            return {"role": "user", "content": "\n\n".join(block for block in blocks if block)}
        case Assistant(text, calls=calls):
            if not calls:
                return {"role": "assistant", "content": clean(text)}
            return {
                "role": "assistant",
                "content": clean(text) or None,
                "tool_calls": [_call(call, wrap_broken) for call in calls],
            }
        case ToolResult():
            return {"role": "tool", "tool_call_id": _id(message.call_id), "content": clean(message.output)}
        case Summary(text, covers):
            head = f"Summary of {covers} earlier messages of this conversation, which it replaces:"
            return {"role": "user", "content": f"{head}\n\n{clean(text)}"}
        case _:
            assert_never(message)


def clean(text: str) -> str:
    """Join surrogate pairs and put U+FFFD in the place of lone surrogates, which UTF-8 cannot hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _block(attachment: Attachment) -> str:
    """Fence an attachment with a mark that its own text cannot hold, as the mark is a digest of it."""
    text = clean(attachment.text)
    mark = hashlib.sha256(text.encode()).hexdigest()[:12]
    name = " ".join(clean(attachment.name).split())
    return f"--- {attachment.origin} {name} [{mark}] ---\n{text}\n--- end of {name} [{mark}] ---"


def _call(call: ToolCall, wrap_broken: bool) -> dict[str, Any]:
    """Return a call as the model made it: the result message tells it what was wrong."""
    name = _BAD_NAME.sub("_", call.name)[:MAX_NAME] or "unknown"
    arguments = clean(call.arguments or "{}")
    if wrap_broken and not _is_object(arguments):
        arguments = json.dumps({"invalid_json": arguments}, ensure_ascii=False)
    return {"id": _id(call.id), "type": "function", "function": {"name": name, "arguments": arguments}}


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _id(call_id: str) -> str:
    if len(call_id) <= MAX_ID:
        return clean(call_id)
    return "call_" + hashlib.sha256(clean(call_id).encode()).hexdigest()[:24]


def _tool(spec: ToolSpec) -> dict[str, Any]:
    function = {"name": spec.name, "description": spec.description, "parameters": dict(spec.parameters)}
    return {"type": "function", "function": function}


def pieces_of(event: Mapping[str, Any]) -> list[Piece]:
    """
    Read one chunk, in whatever dialect: what is missing, null or of another type is not there.

    A whole completion (`message` in the place of `delta`) is read alike.
    """
    pieces: list[Piece] = []
    choices = event.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if isinstance(choice, dict):
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, dict):
            _read(delta, pieces)
        if (reason := choice.get("finish_reason")) and isinstance(reason, str):
            filtered = reason.lower().replace("-", "_") in _FILTERED
            pieces.append(FinishPiece("content_filter" if filtered else reason))
    if usage := event.get("usage"):
        _read_usage(usage, pieces)
    return pieces


def error_of(event: Mapping[str, Any]) -> object:
    """The error that *event* reports in the middle of a stream: an object or a text; None when there is none."""
    if error := event.get("error"):
        return error
    if event.get("object") == "error":
        return event
    choices = event.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0].get("error") or None
    return None


def _read(delta: dict[str, Any], pieces: list[Piece]) -> None:
    for field in _REASONING:
        if reasoning := _text(delta.get(field)):
            pieces.append(ReasoningPiece(reasoning))
            break
    if text := _text(delta.get("content")):
        pieces.append(TextPiece(text))
    if refusal := _text(delta.get("refusal")):
        pieces.append(TextPiece(refusal, refusal=True))
    if entries := delta.get("tool_calls"):
        entries = entries if isinstance(entries, list) else [entries]
        pieces += [_call_piece(entry) for entry in entries if isinstance(entry, dict)]
    elif legacy := delta.get("function_call"):
        pieces.append(_call_piece({"function": legacy}))


def _text(content: object) -> str:
    """Text of a content field: a string, or a list of text parts."""
    if isinstance(content, str):
        return content if content.isascii() else clean(content)
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return clean("".join(part for part in parts if isinstance(part, str)))
    return ""


def _call_piece(entry: dict[str, Any]) -> CallPiece:
    function = entry.get("function")
    function = function if isinstance(function, dict) else entry
    index, call_id, name = entry.get("index"), entry.get("id"), function.get("name")
    arguments = function.get("arguments")
    if isinstance(arguments, dict):
        arguments = json.dumps(arguments, ensure_ascii=False)
    return CallPiece(
        index=index if isinstance(index, int) else None,
        id=clean(call_id) if isinstance(call_id, str) else "",
        name=clean(name) if isinstance(name, str) else "",
        arguments=clean(arguments) if isinstance(arguments, str) else "",
    )


def _read_usage(usage: object, pieces: list[Piece]) -> None:
    if isinstance(usage, dict):
        counts = [usage.get(key) for key in ("prompt_tokens", "completion_tokens")]
        prompt, completion = (count if isinstance(count, int) and count > 0 else 0 for count in counts)
        if prompt or completion:
            pieces.append(UsagePiece(Usage(prompt, completion)))
