"""The tool that replaces one passage of a file that was read before."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cococat.core.tools import Tool, ToolOutcome, tool
from cococat.safety.secrets import mask as mask_secrets
from cococat.tools.access import Seen, locate, shown, translate_os_errors
from cococat.tools.checked_write import current, put
from cococat.tools.diff import places, unified
from cococat.tools.masks import Mask, diffed, unmasked_passage
from cococat.tools.preimages import Preimages
from cococat.tools.replace import Splice, splice

__all__ = ["edit_tool"]


def edit_tool(root: Path, seen: Seen, keep: Preimages | None = None, mask: Mask = mask_secrets) -> Tool:
    """
    Make the tool that replaces one passage of a file that was read before.

    Args:
        mask: what the model is shown went through it.
    """

    def prepare(path: str, old_text: str, new_text: str, replace_all: bool = False) -> tuple[bytes, int, Splice]:
        parts = locate(root, path)
        with translate_os_errors(root, parts):
            before, mode = current(root, parts, seen)
            old, new = unmasked_passage(before, old_text, new_text, mask)
            return before, mode, splice(before, old, new, every=replace_all)

    @tool("writes", about="path", check=prepare)
    async def edit_file(
        path: str,
        old_text: Annotated[str, "exact passage, without line numbers"],
        new_text: str,
        replace_all: bool = False,
    ) -> ToolOutcome:
        """Replace a passage of a file; old_text must occur once. Read it first."""
        parts = locate(root, path)
        before, mode, done = prepare(path, old_text, new_text, replace_all)
        with translate_os_errors(root, parts):
            put(root, parts, done.data, seen, keep, replaces=before, mode=mode)
        versions = diffed(done.before, done.after, mask)
        diff, size = unified(*versions, shown(parts))
        head = f"changed {shown(parts)}: {size}{f', {done.count} replaced' if replace_all else ''}"
        return ToolOutcome(f"{head}\n{places(*versions, changed=True)}", size, shown=f"{head}\n{diff}")

    return edit_file
