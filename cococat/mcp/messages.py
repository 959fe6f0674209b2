"""What of a server's messages the SDK is not given: what it, or its JSON reader, would fail at with all of a message."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage

MAX_BYTES = 8 << 20  # of one message
MAX_LEVELS = 190  # of a message; pydantic reads 200
NO_OBJECT = {"type": "object", "properties": {"": {"type": "no object"}}}  # `clean` refuses it
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|[][{}]', re.DOTALL)


class TooLong(Exception):
    """A message of more than MAX_BYTES bytes."""


def shallow(message: bytes) -> bytes:
    """Return *message* with nothing in what lies deeper than MAX_LEVELS levels: one deep schema must not lose its list."""
    if message.count(b"{") + message.count(b"[") <= MAX_LEVELS:
        return message
    depth, start, kept = 0, 0, []
    for token in _TOKEN.finditer(message):
        if token[0] in b"{[":
            depth += 1
            if depth == MAX_LEVELS + 1:
                kept.append(message[start : token.end()])
        elif token[0] in b"]}":
            if depth == MAX_LEVELS + 1:
                start = token.start()
            depth -= 1
    return b"".join((*kept, message[start:]))


def trimmed(message: SessionMessage) -> SessionMessage:
    """
    Take out of a list of tools what the SDK fails at, with all of the list.

    It checks results by output schemas, where a foreign pattern could take for ever, and results are only text here.
    """
    result = getattr(message.message, "result", None)
    tools = result.get("tools") if isinstance(result, dict) else None
    for tool in tools if isinstance(tools, list) else ():
        if isinstance(tool, dict):
            tool.pop("outputSchema", None)
            schema = tool.get("inputSchema") or {}
            good = isinstance(schema, dict) and schema.setdefault("type", "object") == "object"
            tool["inputSchema"] = schema if good else NO_OBJECT
    return message
