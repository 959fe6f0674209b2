"""Where a model is: the end of its prompt, which is looked at anew with each turn and seldom changes."""

from __future__ import annotations

import os
import platform
from itertools import islice
from pathlib import Path

from cococat.system.git_state import Unstaged, branch_of, unstaged
from cococat.system.text import clip

MAX_NAMES = 40
MAX_SEEN = 10_000  # names that are looked at
MAX_CHARS = 120  # of the names
MAX_PATH = 120
MAX_NAME = 40


def surroundings(root: Path, today: str, at_first: str) -> str:
    """
    Return the date, the system, the folder, its branch and what lies in it, as they are now.

    Args:
        at_first: what `unstaged_files` said when the session began.
    """
    shell = "cmd" if os.name == "nt" else "bash" if Path("/bin/bash").exists() else "sh"
    machine = f"System: {platform.system()}, {shell}, Python {platform.python_version()}."
    branch = branch_of(root)
    state = f" (git branch {_safe(branch, MAX_PATH)}{at_first})" if branch else ""
    return f"Today is {today}. {machine}\nFolder: {clip(_safe(str(root), MAX_PATH), MAX_PATH)}{state}\n{_names(root)}"


def unstaged_files(root: Path) -> str:
    """
    Return what of the folder's repository is changed and not staged; empty where nothing is, or it is not known.

    It is said once a session, of its beginning: a count that follows each edit would make every turn a new prompt.
    """
    found = unstaged(root) or Unstaged(0, 0)
    counts = [f"{found.changed} file{'s' * (found.changed != 1)} changed but not staged"] * bool(found.changed)
    counts += [f"{found.conflicts} in conflict"] * bool(found.conflicts)
    return f", {' and '.join(counts)} at the start" if counts else ""


def permissions_line(permitted: str, *, can_ask: bool) -> str:
    """Return what runs without asking, and what becomes of everything else."""
    rest = "anything else is the user's to allow" if can_ask else "nobody can be asked, so anything else is refused"
    return f"Without asking run: {permitted or 'no tools'}; {rest}."


def _names(root: Path) -> str:
    """The top-level names, as many as have room; what they say is the folder's, not ours."""
    try:
        with os.scandir(root) as entries:
            seen = list(islice(entries, MAX_SEEN + 1))
        found = sorted(_safe(entry.name) + ("/" if entry.is_dir(follow_symlinks=False) else "") for entry in seen)
    except OSError:
        return "It cannot be listed."
    found = [name for name in found if name != ".git/"]
    if len(seen) > MAX_SEEN:
        return f"It holds more than {MAX_SEEN:,} names."
    shown: list[str] = []
    for name in found[:MAX_NAMES]:
        if sum(map(len, shown)) + 2 * len(shown) + len(name) > MAX_CHARS:
            break
        shown.append(name)
    more = f" and {len(found) - len(shown)} more" if len(found) > len(shown) else ""
    return f"Names in it: {', '.join(shown)}{more}" if found else "It is empty."


def _safe(text: str, most: int = MAX_NAME) -> str:
    return clip("".join(char if char.isprintable() else "?" for char in text), most)
