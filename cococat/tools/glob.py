"""The tool that finds files by name: bounded in time, never outside the root."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

from cococat.core.tools import Tool, ToolFailure, ToolOutcome, tool
from cococat.permissions.paths import Parts
from cococat.system.below import all_below
from cococat.system.gitignore import files_below
from cococat.system.wildmatch import name_pattern
from cococat.tools.access import display_path, locate, translate_os_errors
from cococat.tools.hits import listed
from cococat.tools.workers import run_in_daemon

SECONDS = 5.0
MAX_PATHS = 200
IGNORED_SECONDS = 1.5  # for a look at what is ignored, where nothing else has such a name
NO_FILES = "no files"


def glob_tool(root: Path) -> Tool:
    """Make the tool that finds files by name."""

    @tool("reads", about="path")
    async def glob(
        pattern: Annotated[str, "* ? ** {a,b}; without / at any depth"],
        path: Annotated[str, "default ., 200 files"] = ".",
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
    with translate_os_errors(root, start):
        if not root.joinpath(*start).is_dir():
            root.joinpath(*start).lstat()
            raise ToolFailure(f"NotADirectoryError: {display_path(start)} is a file; use read_file")
        paths, partial = _matching((found.parts for found in files_below(root, start)), start, matches, until, ended)
    lines = [display_path(path) for path in paths[:MAX_PATHS]]
    if len(paths) > MAX_PATHS:
        lines.append(f"[{len(paths) - MAX_PATHS} more; narrow the pattern]")
    if partial:
        lines.append(f"[partial: stopped after {SECONDS:.0f} s]")
    elif not paths:
        hidden, _ = _matching(all_below(root, start), start, matches, time.monotonic() + IGNORED_SECONDS, ended)
        lines.append(f"{NO_FILES}; ignored ones: {listed(hidden)}" if hidden else NO_FILES)
    return ToolOutcome("\n".join(lines), f"{len(paths)} file{'' if len(paths) == 1 else 's'}")


def _matching(
    files: Iterable[Parts], start: Parts, matches: Callable[[str], object], until: float, ended: list[bool]
) -> tuple[list[Parts], bool]:
    """Return the files whose path below *start* matches, and whether there was no time for all of them."""
    found: list[Parts] = []
    for parts in files:
        if time.monotonic() > until or ended:
            return found, True
        if matches("/".join(parts[len(start) :])):
            found.append(parts)
    return found, False
