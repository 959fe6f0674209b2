"""What a provider gives with a message and wants back: thinking, signatures, encrypted state.

It is kept as JSON text in `Assistant.extra` and `ToolCall.extra`, word for word, with the endpoint and model it
came from, and goes back to those alone, in the fields it came in. Reasoning in plain text is not kept twice: its
field holds null there and stands for `Assistant.reasoning`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from cococat.core.history import request_index
from cococat.core.messages import Assistant, Message, ToolCall
from cococat.system.text import json_object

# how much an endpoint wants back; "": plain reasoning with the calls of the running turn, anything else always
GiveBack: TypeAlias = Literal["", "all", "turn", "none"]
REASONING = ("reasoning_content", "reasoning", "thinking")  # plain text; some servers send it twice
_OURS = frozenset({
    "role", "content", "refusal", "tool_calls", "tool_call_id", "function_call", "name", "annotations", "audio",
})  # fmt: skip
_OF_CALL = frozenset({"id", "type", "index", "function", "name", "arguments"})
_STREAMED = frozenset({"text", "summary", "data", "thinking", *REASONING})  # of an item: its pieces are joined


def how_much(word: str) -> GiveBack:
    """Read *word*, which may come from a file."""
    match word:
        case "all" | "turn" | "none":
            return word
        case _:
            return ""


class Extras:
    """Gathers what one reply carries besides text and calls; *source* names the endpoint and the model."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._fields: dict[str, list[Any]] = {}  # the pieces of each, in order
        self._in_calls = self._new = False

    def take(self, delta: Mapping[str, Any]) -> None:
        """Take in one delta, or a whole message."""
        for name, value in delta.items():
            if value in (None, "", [], {}) or (name == "content" and not self._has_parts(value)):
                continue
            if name in REASONING and isinstance(value, str):
                if name not in self._fields:
                    self._add(name, None)
            elif name == "content":
                self._add(name, value if isinstance(value, list) else [{"type": "text", "text": value}])
            elif name == "tool_calls" and isinstance(value, list):
                if not self._in_calls and any(call_extra(entry) for entry in value if isinstance(entry, dict)):
                    self._in_calls = self._new = True
            elif name not in _OURS:
                self._add(name, value)

    def _add(self, name: str, value: Any) -> None:
        self._fields.setdefault(name, []).append(value)
        self._new = True

    def _has_parts(self, content: object) -> bool:
        """Return whether text alone would not say all of *content*, or of what came of it before."""
        parts = content if isinstance(content, list) else ()
        return "content" in self._fields or any(
            isinstance(part, dict) and part.get("type", "text") != "text" for part in parts
        )

    def news(self) -> str:
        """Return all of it where something came since this was last asked; else nothing."""
        if not self._new:
            return ""
        self._new = False
        return _text({"from": self._source, "fields": {name: _joined(values) for name, values in self._fields.items()}})


def call_extra(entry: Mapping[str, Any]) -> str:
    """Return what a call carries besides its name and arguments, as JSON; empty for nothing."""
    fields = _rest(entry, _OF_CALL)
    function = entry.get("function")
    if isinstance(function, dict) and (inner := _rest(function, _OF_CALL)):
        fields["function"] = inner
    return _text(fields) if fields else ""


def _rest(given: Mapping[str, Any], ours: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name not in ours and value not in (None, "", [], {})}


def spoken(content: object) -> tuple[str, str]:
    """Return the reasoning and the text of a content field: a string, or a list of parts."""
    if isinstance(content, str):
        return "", content
    reasoning, text = [], []
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict):
            continue
        if isinstance(part.get("text"), str):
            text.append(part["text"])
        else:
            inner = next((part[key] for key in ("thinking", "reasoning") if key in part), "")
            reasoning.append("".join(spoken(inner)))
    return "".join(reasoning), "".join(text)


def give_all_back(history: Sequence[Message], sent: Sequence[dict[str, Any]], source: str, how: GiveBack) -> None:
    """Put into *sent*, made of *history*, what goes back to *source* with its messages and calls."""
    begun = request_index(history) or 0
    for at, message in enumerate(history):
        if not isinstance(message, Assistant):
            continue
        if (back := _given_back(message, source, how, current=at >= begun)) is None:
            continue
        sent[at].update(back)
        for call, entry in zip(message.calls, sent[at].get("tool_calls", ()), strict=True):
            fields = _call_given_back(call)
            entry["function"] |= fields.pop("function", {})
            entry.update(fields)


def _given_back(message: Assistant, source: str, how: GiveBack, *, current: bool) -> dict[str, Any] | None:
    """
    Return the fields that go back with *message* to *source*; None where nothing does, with its calls neither.

    Args:
        current: it belongs to the running turn.
    """
    held = json_object(message.extra) or {}
    fields = held.get("fields")
    if how == "none" or held.get("from") != source or not isinstance(fields, dict) or (how == "turn" and not current):
        return None
    plain = how == "all" or (current and bool(message.calls))
    back: dict[str, Any] = {}
    for name, value in fields.items():
        if name in REASONING and value is None:
            if plain:
                back[name] = message.reasoning
        elif name == "content":
            if isinstance(value, list) and spoken(value)[1] == message.text:  # not of a text that was changed
                back[name] = value
        elif name not in _OURS:
            back[name] = value
    return back


def _call_given_back(call: ToolCall) -> dict[str, Any]:
    """Return the fields that go back with *call*; `function` holds those inside of it."""
    fields = json_object(call.extra) or {}
    inner = fields.pop("function", None)
    back = {name: value for name, value in fields.items() if name not in _OF_CALL}
    return {**back, "function": _rest(inner, _OF_CALL)} if isinstance(inner, dict) else back


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _joined(pieces: list[Any], name: str = "") -> Any:
    """Make one value of the pieces that were streamed of it."""
    pieces = [piece for piece in pieces if piece is not None]
    first = pieces[0] if pieces else None
    if len(pieces) < 2 or not all(isinstance(piece, type(first)) for piece in pieces):  # noqa: PLR2004 - one, or a mix
        return pieces[-1] if pieces else None
    match first:
        case str():
            same = name not in _STREAMED and all(piece == first for piece in pieces)
            return first if same else "".join(pieces)
        case dict():
            names = dict.fromkeys(key for piece in pieces for key in piece)
            return {key: _joined([piece[key] for piece in pieces if key in piece], key) for key in names}
        case list():
            groups: list[list[Any]] = []
            for piece in pieces:
                _place(piece, groups)
            return [_joined(group) for group in groups]
        case _:
            return pieces[-1]


def _place(items: list[Any], groups: list[list[Any]]) -> None:
    """Put each of *items* with the one that it goes on with: of the same index, or the last before this delta."""
    before = len(groups)
    for at, item in enumerate(items):
        goes_on = None
        if isinstance(item, dict):
            known = groups[:before] if "index" in item else groups[:before][-1:] if at == 0 else []
            goes_on = next((group for group in reversed(known) if _continues(group[-1], item)), None)
        if goes_on:
            goes_on.append(item)
        else:
            groups.append([item])


def _continues(last: Any, item: dict[str, Any]) -> bool:
    """Return whether *item* is more of *last*: a signature ends one, and whole ones are told apart by id or data."""
    if not isinstance(last, dict) or last.get("type") != item.get("type") or last.get("index") != item.get("index"):
        return False
    if last.get("id") and item.get("id") and last["id"] != item["id"]:
        return False
    return "data" not in item and (("index" in item) or not last.get("signature"))
