"""The tool that replaces one passage of a file that was read before."""

from __future__ import annotations

from pathlib import Path

from cococat.core.tools import Tool, ToolOutcome, tool
from cococat.safety.secrets import mask as mask_secrets
from cococat.tools.access import Seen, locate, shown, translate_os_errors
from cococat.tools.checked_write import current, put
from cococat.tools.diff import unified
from cococat.tools.masks import Mask, diffed, unmasked_passage
from cococat.tools.preimages import Preimages
from cococat.tools.replace import splice

__all__ = ["edit_tool"]


def edit_tool(root: Path, seen: Seen, keep: Preimages | None = None, mask: Mask = mask_secrets) -> Tool:
    """
    Make the tool that replaces one passage of a file that was read before.

    Args:
        mask: what the model is shown went through it.
    """

    @tool("writes", about="path")
    async def edit_file(path: str, old_text: str, new_text: str, replace_all: bool = False) -> ToolOutcome:
        """Replace a passage of a file; old_text must occur exactly once. Read the file first."""
        parts = locate(root, path)
        with translate_os_errors(root, parts):
            before, mode = current(root, parts, seen)
            old, new = unmasked_passage(before, old_text, new_text, mask)
            done = splice(before, old, new, every=replace_all)
            put(root, parts, done.data, seen, keep, replaces=before, mode=mode)
        diff, size = unified(*diffed(done.before, done.after, mask), shown(parts))
        count = f", {done.count} replaced" if replace_all else ""
        return ToolOutcome(f"changed {shown(parts)}: {size}{count}\n{diff}", size)

    return edit_file
