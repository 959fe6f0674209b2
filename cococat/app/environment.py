"""Where a model is: a block of its prompt that stays the same for a session, so that prompt caches keep."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from cococat.system.git_state import git_state
from cococat.system.text import clip

__all__ = ["permissions_line", "surroundings"]

MAX_NAMES = 40
MAX_CHARS = 280  # of the names
MAX_PATH = 120
MAX_NAME = 40


def surroundings(root: Path, today: str) -> str:
    """Return the date, the system, the folder, its branch and what lies in it."""
    shell = "cmd" if os.name == "nt" else "bash" if Path("/bin/bash").exists() else "sh"
    machine = f"System: {platform.system()}, {shell}, Python {platform.python_version()}."
    state, branch = git_state(root), ""
    if state:
        count = "" if state.changed is None else f", {state.changed} file{'' if state.changed == 1 else 's'} changed"
        branch = f" (git branch {_safe(state.branch)}{count})"
    return f"Today is {today}. {machine}\nFolder: {clip(_safe(str(root), MAX_PATH), MAX_PATH)}{branch}\n{_names(root)}"


def permissions_line(permitted: str, *, can_ask: bool) -> str:
    """Return what runs without asking, and what becomes of everything else."""
    rest = "the user is asked before anything else" if can_ask else "nobody can be asked, so anything else is refused"
    return f"Without asking run: {permitted or 'no tools'}; {rest}."


def _names(root: Path) -> str:
    """The top-level names, as many as have room; what they say is the folder's, not ours."""
    try:
        with os.scandir(root) as entries:
            found = sorted(_safe(entry.name) + ("/" if entry.is_dir() else "") for entry in entries)
    except OSError:
        return "It cannot be listed."
    found = [name for name in found if name != ".git/"]
    shown: list[str] = []
    for name in found[:MAX_NAMES]:
        if sum(map(len, shown)) + 2 * len(shown) + len(name) > MAX_CHARS:
            break
        shown.append(name)
    more = f" and {len(found) - len(shown)} more" if len(found) > len(shown) else ""
    return f"Names in it: {', '.join(shown)}{more}" if found else "It is empty."


def _safe(text: str, most: int = MAX_NAME) -> str:
    return clip("".join(char if char.isprintable() else "?" for char in text), most)
