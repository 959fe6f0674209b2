"""What was entered at the prompt, kept in a file of the user's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from cococat.system.private import private_dir
from cococat.ui.pastes import Pastes

__all__ = ["open_history"]

HISTORY_CHARS = 64 * 1024  # longer entries are not kept in the file
HISTORY_BYTES = 4 * 1024 * 1024  # a larger file loses its older half


class _Kept(FileHistory):  # prompt_toolkit takes nothing but subclasses
    """Lines with something standing for their long pastes; the file holds the pastes, and no secrets."""

    def __init__(self, path: Path, pastes: Pastes, redact: Callable[[str], str]) -> None:
        self._pastes, self._redact = pastes, redact
        super().__init__(path)

    def load_history_strings(self) -> Iterable[str]:
        """Return the entries of the file, the newest first."""
        return map(self._pastes.unmarked, super().load_history_strings())

    def store_string(self, string: str) -> None:
        """Append an entry to the file."""
        if len(kept := self._pastes.marked(string, self._redact)) <= HISTORY_CHARS:
            super().store_string(kept)


def open_history(path: Path, pastes: Pastes, redact: Callable[[str], str]) -> tuple[History, str]:
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
    return _Kept(path, pastes, redact), ""
