"""The tool that writes a new file, or replaces a whole one that was read before."""

from __future__ import annotations

from pathlib import Path

from cococat.core.tools import Tool, ToolFailure, ToolOutcome, tool
from cococat.safety.secrets import mask as mask_secrets
from cococat.tools.access import MAX_EDIT, Seen, locate, shown, translate_os_errors
from cococat.tools.checked_write import current, put
from cococat.tools.diff import unified
from cococat.tools.masks import Mask, diffed, unmasked_content
from cococat.tools.preimages import Preimages

__all__ = ["write_tool"]


def write_tool(root: Path, seen: Seen, keep: Preimages | None = None, mask: Mask = mask_secrets) -> Tool:
    """
    Make the tool that writes a new file, or one that was read before as a whole.

    Args:
        mask: what the model is shown went through it.
    """

    @tool("writes", about="path")
    async def write_file(path: str, content: str) -> ToolOutcome:
        """Write a new file, or replace one you have read."""
        parts = locate(root, path)
        data = content.encode("utf-8", "replace")
        if len(data) > MAX_EDIT:
            raise ToolFailure(f"content is larger than {MAX_EDIT >> 20} MiB; write it in parts")
        with translate_os_errors(root, parts):
            try:
                before, mode = current(root, parts, seen)
            except FileNotFoundError:
                unmasked_content(None, content, mask)
                put(root, parts, data, seen, keep, replaces=None, mode=0o666)
                lines = len(content.splitlines())
                return ToolOutcome(f"created {shown(parts)}: {lines} lines, {len(data)} bytes", f"+{lines} lines")
            text = before.decode("utf-8", "replace")
            content = unmasked_content(text, content, mask)
            data = content.encode("utf-8", "replace")
            put(root, parts, data, seen, keep, replaces=before, mode=mode)
        diff, size = unified(*diffed(text, content, mask), shown(parts))
        return ToolOutcome(f"{'changed' if data != before else 'unchanged'} {shown(parts)}: {size}\n{diff}", size)

    return write_file
