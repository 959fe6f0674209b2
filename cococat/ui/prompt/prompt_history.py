"""What was entered at the prompt, kept in a file of the user's own; and long pastes, which stand in it by name."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from itertools import count
from pathlib import Path

from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from cococat.system.private import private_dir
from cococat.ui.prompt.input import placeholder

__all__ = ["Pastes", "open_history"]

HISTORY_CHARS = 64 * 1024  # longer entries are not kept in the file
HISTORY_BYTES = 4 * 1024 * 1024  # a larger file loses its older half
# around a paste in the file of the history; what is entered never holds either (`cococat.ui.prompt.input.clean`)
_BEGIN, _END = "\x02", "\x03"


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


class Pastes:
    """The long pastes of a chat by what stands for them; what stood once for a paste stands for it to the end."""

    def __init__(self) -> None:
        self._blocks: dict[str, str] = {}

    def shown(self, block: str) -> str:
        """Return what to show for *block*: itself, or what stands for it when it would fill the screen."""
        for number in count(1):
            stands = placeholder(number, block)
            if not stands:
                return block
            if self._blocks.setdefault(stands, block) == block:
                return stands
        raise AssertionError

    def expanded(self, text: str) -> str:
        """Return *text* with the pastes in the place of what stands for them."""
        return self._replaced(text, lambda block: block)

    def within(self, text: str) -> Iterable[str]:
        """Return the pastes that something in *text* stands for."""
        return (block for stands, block in self._blocks.items() if stands in text)

    def marked(self, text: str, redact: Callable[[str], str]) -> str:
        """Return *text* without secrets, each paste whole and between marks; unmarked where it hides a part of one."""
        whole = redact(self.expanded(text))
        marked = self._replaced(redact(text), lambda block: f"{_BEGIN}{redact(block)}{_END}")
        return marked if marked.replace(_BEGIN, "").replace(_END, "") == whole else whole

    def unmarked(self, text: str) -> str:
        """Return *text* of the history with something standing for each of its pastes."""
        return re.sub(f"{_BEGIN}([^{_BEGIN}{_END}]*){_END}", lambda found: self.shown(found[1]), text)

    def _replaced(self, text: str, write: Callable[[str], str]) -> str:
        parts = "|".join(map(re.escape, self._blocks)) or "(?!)"
        return re.sub(parts, lambda found: write(self._blocks[found[0]]), text)
