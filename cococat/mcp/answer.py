"""What a tool of a server answered, as text for the model: untrusted like all that tools give."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from cococat.system.text import clip

if TYPE_CHECKING:
    from mcp.types import CallToolResult

__all__ = ["text_of"]

MAX_WORD = 200  # characters of an address or a name
B64 = 3 / 4  # bytes of a character


def text_of(result: CallToolResult) -> str:
    """Return the text of *result*: of what is no text one line each, of what is structured JSON where there is no text."""
    parts = [_text(block) for block in result.content]
    if result.structured_content is not None and not any(block.type == "text" for block in result.content):
        parts.append(json.dumps(result.structured_content, ensure_ascii=False, indent=1))
    return "\n".join(part for part in parts if part)


def _text(block: Any) -> str:
    match block.type:
        case "text":
            return str(block.text)
        case "image" | "audio":
            return f"[{clip(block.mime_type, MAX_WORD)}, {_size(block.data)}: not shown]"
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
