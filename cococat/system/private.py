"""Folders and files that are open to their owner alone, from the first moment."""

from __future__ import annotations

import os
from pathlib import Path

_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


def private_dir(path: Path) -> Path:
    """
    Make *path* and its missing parents, open to their owner alone; a folder that exists stays as it is.

    Raises: OSError: one of them cannot be made, or is no folder.
    """
    if not path.is_dir():
        if path.parent != path:
            private_dir(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)
    return path


def open_private(path: str | Path, flags: int, *, folder: int | None = None) -> int:
    """
    Open a file, never through a link; one that is made by it is 0600.

    Args:
        flags: as for `os.open`.
        folder: descriptor of the folder that a relative *path* counts from.
    Returns: the descriptor.
    """
    return os.open(path, flags | _FLAGS | _NO_FOLLOW, 0o600, dir_fd=folder)
