"""The tool that replaces one passage of a file that was read before, or of which that passage was shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

from cococat.core.tools import Tool, ToolFailure, ToolOutcome, tool
from cococat.tools.access import Seen, display_path, locate, translate_os_errors
from cococat.tools.checked_write import current, put
from cococat.tools.diff import changed_places, unified
from cococat.tools.hits import Unreadable
from cococat.tools.masks import Mask, diffed, unmasked_passage
from cococat.tools.preimages import Preimages
from cococat.tools.replace import Splice, splice

# what tools put before a line that they show; a line that an edit took away goes whole
_MARGIN = re.compile(r"^(?:-.*\n|[ +]|\d+\t|.*?[:-]\d+[:-] )", re.MULTILINE)


def edit_tool(
    root: Path,
    seen: Seen,
    keep: Preimages | None,
    mask: Mask,
    *,
    results: Callable[[], Iterable[str]],
    unreadable: Unreadable,
) -> Tool:
    """
    Make the tool that replaces one passage of a file that was read before, or of which that passage was shown.

    Args:
        mask: what the model is shown went through it.
        results: what the session was shown; a passage of it that a file holds once counts as read.
        unreadable: files of which none does.
    """

    def prepare(
        path: str, old_text: str, new_text: str, replace_all: bool = False
    ) -> tuple[bytes, int, Splice, ToolFailure | None]:
        parts = locate(root, path)
        with translate_os_errors(root, parts):
            before, mode, unread = current(root, parts, seen)
            if unread and (unreadable(parts) or not _stood(old_text, results())):
                raise unread
            try:
                old, new = unmasked_passage(before, old_text, new_text, mask)
                return before, mode, splice(before, old, new, every=replace_all and not unread), unread
            except ToolFailure as error:
                raise unread or error from None  # what is said of a match tells of the file

    @tool("writes", about="path", check=prepare)
    async def edit_file(
        path: Annotated[str, "in the folder"],
        old_text: Annotated[str, "exact, without line numbers"],
        new_text: Annotated[str, "in its place"],
        replace_all: Annotated[bool, "default false"] = False,
    ) -> ToolOutcome:
        """Replace a passage that you saw; it must occur once."""
        parts = locate(root, path)
        before, mode, done, unread = prepare(path, old_text, new_text, replace_all)
        with translate_os_errors(root, parts):
            put(root, parts, done.data, {} if unread else seen, keep, replaces=before, mode=mode)
        versions = diffed(done.before, done.after, mask)
        diff, size = unified(*versions, display_path(parts))
        head = f"changed {display_path(parts)}: {size}{f', {done.count} replaced' if replace_all else ''}"
        return ToolOutcome(f"{head}\n{changed_places(*versions, changed=True)}", size, shown=f"{head}\n{diff}")

    return edit_file


def _stood(passage: str, results: Iterable[str]) -> bool:
    """Return whether *passage* stood in one of *results*, whatever a tool put before its lines."""
    wanted, texts = passage.replace("\r\n", "\n"), (f"{result}\n" for result in results)
    return any(wanted in text or wanted in _MARGIN.sub("", text) for text in texts)
