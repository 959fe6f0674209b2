"""The tool that lists a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from cococat.core.tools import Tool, ToolOutcome, tool
from cococat.system.below import folder_below
from cococat.tools.access import display_path, locate, translate_os_errors
from cococat.tools.workers import run_in_daemon

MAX_NAMES = 200


def list_tool(root: Path) -> Tool:
    """Make the tool that lists a folder."""

    @tool("reads", about="path")
    async def list_dir(path: Annotated[str, "default ., 200 names"] = ".") -> ToolOutcome:
        """List a folder."""
        return await run_in_daemon(lambda: _list(root, path))

    return list_dir


def _list(root: Path, path: str) -> ToolOutcome:
    parts = locate(root, path)
    with translate_os_errors(root, parts), folder_below(root, parts) as folder:
        entries = sorted(folder.entries(), key=lambda entry: entry.name)
        lines = [_line(entry) for entry in entries[:MAX_NAMES]]
    if len(entries) > MAX_NAMES:
        lines.append(f"[{len(entries) - MAX_NAMES} more; use glob]")
    return ToolOutcome("\n".join(lines) or "(empty)", f"{len(entries)} {'entry' if len(entries) == 1 else 'entries'}")


def _line(entry: os.DirEntry[str]) -> str:
    name = display_path((entry.name,))
    if entry.is_symlink():
        return f"{name} (link)"
    if entry.is_dir(follow_symlinks=False):
        return f"{name}/"
    try:
        return f"{name}  {entry.stat(follow_symlinks=False).st_size}"
    except OSError:
        return name
