"""What a command changed: two quick looks at the folder, before and after."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from cococat.system.gitignore import files_below
from cococat.tools.access import shown

__all__ = ["Look", "changed_files", "look"]

SECONDS = 0.15
MAX_FILES = 3000
MAX_NAMED = 10

Look: TypeAlias = Mapping[str, tuple[int, int]]  # path below the root -> time of the last change, size


def look(root: Path) -> Look | None:
    """Note every file that git would look at; None for a folder too large for a quick look."""
    until, found = time.monotonic() + SECONDS, dict[str, tuple[int, int]]()
    try:
        for file in files_below(root, ()):
            if len(found) >= MAX_FILES or time.monotonic() > until:
                return None
            status = root.joinpath(*file.parts).lstat()
            found[shown(file.parts)] = (status.st_mtime_ns, status.st_size)
    except OSError:
        return None
    return found


def changed_files(before: Look | None, after: Look | None) -> str:
    """Return one line that names what is new, changed or gone; empty for nothing, and where a look is missing."""
    if before is None or after is None:
        return ""
    new = [f"{path} (new)" for path in after if path not in before]
    changed = [path for path in after if path in before and before[path] != after[path]]
    gone = [f"{path} (gone)" for path in before if path not in after]
    every = sorted([*new, *changed, *gone])
    more = f" and {len(every) - MAX_NAMED} more" if len(every) > MAX_NAMED else ""
    return f"[files changed: {', '.join(every[:MAX_NAMED])}{more}]" if every else ""
