"""Between our values and the JSON of the Chat Completions API."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, assert_never

from cococat.core.limits import Usage
from cococat.core.messages import Assistant, Attachment, Message, Picture, Summary, System, ToolCall, ToolResult, User
from cococat.core.model import CallPiece, FinishPiece, Piece, ReasoningPiece, Request, TextPiece, UsagePiece
from cococat.model.extra import REASONING, GiveBack, call_extra, give_all_back, spoken
from cococat.system.text import join_surrogates

MAX_ID = 40  # characters of a call id; the API refuses longer ones
MAX_NAME = 64
FAILED = "failed"
MAX_WORD = 60  # characters of a finish reason that are told
# finish reasons of servers, letters only: what they mean, as the loop knows it, and FAILED, which it never sees
_FINISHES: Mapping[str, str] = {
    word: meaning
    for meaning, words in {
        "stop": "stop stopped stopsequence stoptoken eos eostoken endoftext endturn endofturn complete completed done finished"
        " success toolcall toolcalls tooluse functioncall functioncalls pauseturn",
        "length": "length maxtokens maxlength maxoutputtokens maxnewtokens modellength maxtokensreached maxcontextlength"
        " tokenlimit lengthlimit outputlimit outputlength contextlength modelcontextwindowexceeded contextwindowexceeded"
        " contextlengthexceeded truncated incomplete timelimit errorlimit",
        "content_filter": "contentfilter contentfiltered filter filtered refusal refused safety recitation prohibitedcontent"
        " blocklist blocked spii sensitive guardrailintervened guardrails imagesafety imageprohibitedcontent imagerecitation"
        " modelarmor errortoxic contentpolicy contentpolicyviolation jailbreak language moderation flagged",
        FAILED: "error networkerror servererror internalerror internalservererror systemerror engineerror unknownerror failed"
        " failure abort aborted cancel canceled cancelled usercancel interrupted timeout timedout overloaded disconnected"
        " connectionerror insufficientsystemresource malformedfunctioncall malformedtoolcall malformedtooluse malformedresponse"
        " malformedmodeloutput invalidfunctioncall invalidtoolcall unexpectedtoolcall toomanytoolcalls missingthoughtsignature"
        " ratelimit ratelimited",
        "": "null none unspecified unfinished notfinished running inprogress",
    }.items()
    for word in words.split()
}
_DETAILS = ("prompt_tokens_details", "input_tokens_details")  # where servers tell what of a prompt was cached, and how
_CACHED = (
    "cached_tokens",
    "prompt_cache_hit_tokens",
    "cache_read_input_tokens",
    "cached_prompt_tokens",
    "num_cached_tokens",
)
ANSWER = "answer"  # what a schema of the user's is called
# the keywords of a schema that a reply can be held to strictly
STRICT = {"type", "enum", "const", "anyOf", "$ref", "$defs", "description", "title"}.union(
    ("properties", "required", "additionalProperties", "items")
)
_BAD_NAME = re.compile(r"[^a-zA-Z0-9_-]")


def body_of(
    request: Request, model: str, source: str = "", more: Mapping[str, Any] | None = None, give_back: GiveBack = ""
) -> dict[str, Any]:
    """
    Return the fields of the request body that every endpoint needs, and *more*.

    Args:
        source: the endpoint and the model, as `Extras` names them.
        give_back: how much of what they gave goes back to them.
    """
    messages = [message_of(message) for message in request.messages]
    give_all_back(request.messages, messages, source, give_back)
    body: dict[str, Any] = {"model": model, "messages": messages}
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
            }
            for tool in request.tools
        ]
    if request.schema is not None:
        shape = {"name": ANSWER if request.answers else "reply", "schema": dict(request.schema)}
        held = request.answers and request.schema.get("type") == "object" and _is_strict(request.schema)
        body["response_format"] = {"type": "json_schema", "json_schema": shape | ({"strict": True} if held else {})}
    merge_neighbours(messages)
    return body | dict(more or {})


def _is_strict(schema: Mapping[str, Any]) -> bool:
    """Return whether OpenAI's API can hold a reply to *schema* and its parts: closed objects whose fields are all required."""
    if schema.keys() - STRICT or schema.keys().isdisjoint(("type", "anyOf", "enum", "const", "$ref")):
        return False
    properties = schema.get("properties", {})
    closed = schema.get("additionalProperties") is False and {*schema.get("required", ())} == properties.keys()
    if schema.get("type") == "object" and not closed:
        return False
    parts = [*properties.values(), *schema.get("anyOf", ()), *schema.get("$defs", {}).values()]
    return all(
        isinstance(part, Mapping) and _is_strict(part)
        for part in [*parts, *([schema["items"]] if "items" in schema else [])]
    )


def merge_neighbours(messages: list[dict[str, Any]]) -> None:
    """Make one message of neighbours of one role, in place: many templates want roles to alternate."""
    merged: list[dict[str, Any]] = []
    for message in messages:
        last = merged[-1] if merged else {}
        both = last.get("content") or "", message.get("content") or ""
        same = message["role"] == last.get("role") != "tool" and not last.get("tool_calls")
        if same and isinstance(both[0], str) and isinstance(both[1], str):
            merged[-1] = {**last, **message, "content": "\n\n".join(filter(None, both)) or message.get("content")}
        elif same and message["role"] == "user":
            merged[-1] = {**message, "content": [part for content in both for part in _parts(content)]}
        else:
            merged.append(message)
    messages[:] = merged


def _parts(content: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": content}] if content else []


def message_of(message: Message) -> dict[str, Any]:
    """Return *message* in the API's shape; text that JSON cannot carry is replaced."""
    match message:
        case System(text):
            return {"role": "system", "content": join_surrogates(text)}
        case User(text, attachments):
            blocks = [join_surrogates(text), *(_block(attachment) for attachment in attachments)]
            said = "\n\n".join(block for block in blocks if block)
            if not message.pictures:
                return {"role": "user", "content": said}
            seen = [part for picture in message.pictures for part in _picture(picture)]
            return {"role": "user", "content": [*_parts(said), *seen]}
        case Assistant(text, calls=calls):
            if not calls:
                return {"role": "assistant", "content": join_surrogates(text)}
            return {
                "role": "assistant",
                "content": join_surrogates(text) or None,
                "tool_calls": [_call(call) for call in calls],
            }
        case ToolResult():
            return {"role": "tool", "tool_call_id": _id(message.call_id), "content": join_surrogates(message.output)}
        case Summary(text, covers):
            head = f"Summary of {covers} earlier messages of this conversation, which it replaces:"
            return {"role": "user", "content": f"{head}\n\n{join_surrogates(text)}"}
        case _:
            assert_never(message)


def _block(attachment: Attachment) -> str:
    """Fence an attachment with a mark that its own text cannot hold, as the mark is a digest of it."""
    text = join_surrogates(attachment.text)
    mark = hashlib.sha256(text.encode()).hexdigest()[:12]
    name = " ".join(join_surrogates(attachment.name).split())
    return f"--- {attachment.origin} {name} [{mark}] ---\n{text}\n--- end of {name} [{mark}] ---"


def _picture(picture: Picture) -> list[dict[str, Any]]:
    """Return a picture behind its name."""
    from base64 import b64encode

    name = " ".join(join_surrogates(picture.name).split())
    url = f"data:{picture.media_type};base64,{b64encode(picture.data).decode()}"
    return [{"type": "text", "text": f"[image {name}]"}, {"type": "image_url", "image_url": {"url": url}}]


def _call(call: ToolCall) -> dict[str, Any]:
    """Return a call as the model made it: the result message tells it what was wrong."""
    name = _BAD_NAME.sub("_", call.name)[:MAX_NAME] or "unknown"
    arguments = join_surrogates(call.arguments or "{}")
    return {"id": _id(call.id), "type": "function", "function": {"name": name, "arguments": arguments}}


def _id(call_id: str) -> str:
    if len(call_id) <= MAX_ID:
        return join_surrogates(call_id)
    return "call_" + hashlib.sha256(join_surrogates(call_id).encode()).hexdigest()[:24]


def pieces_of(event: Mapping[str, Any]) -> list[Piece]:
    """
    Read one chunk, in whatever dialect: what is missing, null or of another type is not there.

    A whole completion (`message` in the place of `delta`) is read alike.
    """
    pieces: list[Piece] = []
    choice = _choice(event)
    _read(delta_of(event), pieces)
    if finish := _finish(choice.get("finish_reason")):
        pieces.append(finish)
    if isinstance(usage := event.get("usage"), dict):
        prompt, completion = (_tokens(usage, key) for key in ("prompt_tokens", "completion_tokens"))
        cached = max(_tokens(of, key) for of in (usage, *map(usage.get, _DETAILS)) for key in _CACHED)
        if prompt or completion:
            pieces.append(UsagePiece(Usage(prompt, completion), cached + _tokens(usage, "cache_creation_input_tokens")))
    return pieces


def _finish(reason: object) -> FinishPiece | None:
    """Read a finish reason: a word that nobody knows is an end; it is told, as that of a failure is."""
    letters = re.sub(r"[\W\d_]", "", reason.lower()) if isinstance(reason, str) else ""
    meaning = _FINISHES.get(letters.removeprefix("finishreason")) if letters else ""
    if meaning == "":
        return None
    return FinishPiece(meaning or "stop", str(reason)[:MAX_WORD] if meaning in (None, FAILED) else "")


def delta_of(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return what *event* adds to the message, or the whole message; empty for nothing."""
    choice = _choice(event)
    delta = choice.get("delta") or choice.get("message")
    return delta if isinstance(delta, dict) else {}


def _choice(event: Mapping[str, Any]) -> dict[str, Any]:
    choices = event.get("choices")
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}


def error_of(event: Mapping[str, Any]) -> object:
    """The error that *event* reports in the middle of a stream: an object or a text; None when there is none."""
    if error := event.get("error"):
        return error
    base = event.get("base_resp")
    if isinstance(base, dict) and base.get("status_code"):  # MiniMax
        return base
    bare = not event.get("choices") and any(event.get(key) for key in ("message", "detail", "errors", "msg"))
    if event.get("object") == "error" or bare:
        return event
    return _choice(event).get("error") or None


def _read(delta: dict[str, Any], pieces: list[Piece]) -> None:
    thought, said = spoken(delta.get("content"))
    fields = (spoken(delta.get(field)) for field in REASONING)
    if reasoning := next((text for _, text in fields if text), thought):
        pieces.append(ReasoningPiece(join_surrogates(reasoning)))
    if said:
        pieces.append(TextPiece(join_surrogates(said)))
    if refusal := spoken(delta.get("refusal"))[1]:
        pieces.append(TextPiece(join_surrogates(refusal), refusal=True))
    if entries := delta.get("tool_calls"):
        entries = entries if isinstance(entries, list) else [entries]
        pieces += [_call_piece(entry) for entry in entries if isinstance(entry, dict)]
    elif legacy := delta.get("function_call"):
        pieces.append(_call_piece({"function": legacy}))


def _call_piece(entry: dict[str, Any]) -> CallPiece:
    function = entry.get("function")
    function = function if isinstance(function, dict) else entry
    index, call_id, name = entry.get("index"), entry.get("id"), function.get("name")
    arguments = function.get("arguments")
    if isinstance(arguments, dict):
        arguments = json.dumps(arguments, ensure_ascii=False)
    return CallPiece(
        index=index if isinstance(index, int) else None,
        id=join_surrogates(call_id) if isinstance(call_id, str) else "",
        name=join_surrogates(name) if isinstance(name, str) else "",
        arguments=join_surrogates(arguments) if isinstance(arguments, str) else "",
        extra=join_surrogates(call_extra(entry)),
    )


def _tokens(counts: object, key: str) -> int:
    count = counts.get(key) if isinstance(counts, dict) else None
    return count if isinstance(count, int) and count > 0 else 0
