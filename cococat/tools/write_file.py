"""The tool that writes a new file, or replaces a whole one that was read before."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cococat.core.tools import Tool, ToolFailure, ToolOutcome, tool
from cococat.safety.secrets import mask as mask_secrets
from cococat.tools.access import MAX_EDIT, Seen, display_path, locate, translate_os_errors
from cococat.tools.checked_write import current, put
from cococat.tools.diff import changed_places, unified
from cococat.tools.masks import Mask, diffed, unmasked_content
from cococat.tools.preimages import Preimages
from cococat.tools.replace import Splice, rewrite

KEPT = "(it holds these lines already; the line ends of a file stay as they are)"


def write_tool(root: Path, seen: Seen, keep: Preimages | None = None, mask: Mask = mask_secrets) -> Tool:
    """
    Make the tool that writes a new file, or one that was read before as a whole.

    Args:
        mask: what the model is shown went through it.
    """

    def prepare(path: str, content: str) -> tuple[bytes | None, int, Splice]:
        """Return what the file holds, None where there is none, its mode, and what it is to hold."""
        parts = locate(root, path)
        if len(content.encode("utf-8", "replace")) > MAX_EDIT:
            raise ToolFailure(f"content is larger than {MAX_EDIT >> 20} MiB; write it in parts")
        with translate_os_errors(root, parts):
            try:
                before, mode, unread = current(root, parts, seen)
            except FileNotFoundError:
                before, mode, unread = None, 0o666, None
            if unread:
                raise unread
            return before, mode, rewrite(before, unmasked_content(before, content, mask))

    @tool("writes", about="path", check=prepare)
    async def write_file(
        path: Annotated[str, "new or read"], content: Annotated[str, "whole, without line numbers; up to 5 MiB"]
    ) -> ToolOutcome:
        """Write a new file, or replace one you have read."""
        parts = locate(root, path)
        before, mode, done = prepare(path, content)
        with translate_os_errors(root, parts):
            put(root, parts, done.data, seen, keep, replaces=before, mode=mode)
        versions = diffed(done.before, done.after, mask)
        diff, size = unified(*versions, display_path(parts))
        if before is None:
            lines = len(content.splitlines())
            head = f"created {display_path(parts)}: {lines} lines, {len(done.data)} bytes"
            return ToolOutcome(head, f"+{lines} lines", shown=f"{head}\n{diff}")
        head = f"{'changed' if done.data != before else 'unchanged'} {display_path(parts)}: {size}"
        return ToolOutcome(f"{head}\n{changed_places(*versions, changed=False) or KEPT}", size, shown=f"{head}\n{diff}")

    return write_file
