"""The tool that finds files by name: bounded in time, never outside the root."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from cococat.core.tools import Tool, ToolFailure, ToolOutcome, tool
from cococat.permissions.paths import Parts
from cococat.system.gitignore import files_below
from cococat.system.wildmatch import name_pattern
from cococat.tools.access import locate, shown, translate_os_errors
from cococat.tools.workers import run_in_daemon

__all__ = ["glob_tool"]

SECONDS = 5.0
MAX_PATHS = 200


def glob_tool(root: Path) -> Tool:
    """Make the tool that finds files by name."""

    @tool("reads", about="path")
    async def glob(
        pattern: Annotated[str, "** any folders, * ? in a name, {a,b}; without / at any depth"],
        path: Annotated[str, "folder to look below; at most 200 files"] = ".",
    ) -> ToolOutcome:
        """Find files by name, as in **/*.py."""
        parts = locate(root, path)
        try:
            names = name_pattern(pattern)
        except ValueError as error:
            raise ToolFailure(f"PatternError: {error}") from error
        ended: list[bool] = []
        return await run_in_daemon(lambda: _glob(root, parts, names.fullmatch, ended), stop=lambda: ended.append(True))

    return glob


def _glob(root: Path, start: Parts, matches: Callable[[str], object], ended: list[bool]) -> ToolOutcome:
    until = time.monotonic() + SECONDS
    paths: list[str] = []
    partial = False
    with translate_os_errors(root, start):
        if not root.joinpath(*start).is_dir():
            root.joinpath(*start).lstat()
            raise ToolFailure(f"NotADirectoryError: {shown(start)} is a file; use read_file")
        for found in files_below(root, start):
            if time.monotonic() > until or ended:
                partial = True
                break
            if matches("/".join(found.parts[len(start) :])):
                paths.append(shown(found.parts))
    lines = paths[:MAX_PATHS]
    if len(paths) > MAX_PATHS:
        lines.append(f"[{len(paths) - MAX_PATHS} more; narrow the pattern]")
    if partial:
        lines.append(f"[partial: stopped after {SECONDS:.0f} s]")
    return ToolOutcome("\n".join(lines) or "no files", f"{len(paths)} file{'' if len(paths) == 1 else 's'}")
