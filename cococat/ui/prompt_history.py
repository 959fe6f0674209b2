"""What was entered at the prompt, kept in a file of the user's own."""

from __future__ import annotations

import os
from pathlib import Path

from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from cococat.system.private import private_dir

__all__ = ["open_history"]

HISTORY_BYTES = 4 * 1024 * 1024  # a larger file loses its older half


def open_history(path: Path) -> tuple[History, str]:
    """Return the history in *path*, private to the user; or one in memory, and why."""
    try:
        private_dir(path.parent)
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)  # it may be a link of the user's
        with os.fdopen(descriptor, "rb+") as file:
            if hasattr(os, "fchmod"):
                os.fchmod(descriptor, 0o600)
            if os.fstat(descriptor).st_size > HISTORY_BYTES:
                file.seek(-HISTORY_BYTES // 2, os.SEEK_END)
                kept = file.read().partition(b"\n\n")[2]  # entries are parted by empty lines
                file.truncate(0)
                file.write(kept)
    except OSError as error:
        return InMemoryHistory(), f"what you enter is not kept: {path}: {error.strerror or error}"
    return FileHistory(path), ""
