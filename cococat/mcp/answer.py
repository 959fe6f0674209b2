"""What a tool of a server answered, as text for the model: untrusted like all that tools give."""

from __future__ import annotations

import binascii
import json
from base64 import b64decode
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from cococat.system.text import clip

if TYPE_CHECKING:
    from mcp.types import CallToolResult

Show: TypeAlias = Callable[[bytes], str]  # takes a picture, and returns what becomes of it
MAX_WORD = 200  # characters of an address or a name
B64 = 3 / 4  # bytes of a character


def not_shown(data: bytes) -> str:
    """Return what becomes of a picture that nobody looks at."""
    del data
    return "not shown"


def text_of(result: CallToolResult, show: Show) -> str:
    """Return the text of *result*: of what is no text one line each, of what is structured JSON where there is no text."""
    show = not_shown if result.is_error else show
    parts = [_text(block, show) for block in result.content]
    if result.structured_content is not None and not any(block.type == "text" for block in result.content):
        parts.append(json.dumps(result.structured_content, ensure_ascii=False, indent=1))
    return "\n".join(part for part in parts if part)


def _text(block: Any, show: Show) -> str:
    match block.type:
        case "text":
            return str(block.text)
        case "image" | "audio":
            try:
                state = show(b64decode(block.data)) if block.type == "image" else "not shown"
            except binascii.Error:
                state = "not shown"
            return f"[{clip(block.mime_type, MAX_WORD)}, {_size(block.data)}: {state}]"
        case "resource_link":
            return f"[link: {clip(block.name, MAX_WORD)}, {clip(str(block.uri), MAX_WORD)}]"
        case "resource":
            inner = block.resource
            held = getattr(inner, "text", None)
            head = f"[resource: {clip(str(inner.uri), MAX_WORD)}"
            return f"{head}]\n{held}" if held is not None else f"{head}, {_size(inner.blob)}: not shown]"
        case _:
            return f"[{clip(str(block.type), MAX_WORD)}: not shown]"


def _size(data: str) -> str:
    return f"{max(1, round(len(data) * B64 / 1024)):,} kB"
