"""Writes that come together leave together: one write and one flush for what one read brought."""

from __future__ import annotations

import asyncio
from typing import TextIO

__all__ = ["Batch"]

MAX_CHARS = 1 << 16  # characters that are never held back


class Batch:
    """A stream that is flushed when the event loop next has nothing else to do."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._held: list[str] = []
        self._size = 0
        self._planned: asyncio.Handle | None = None
        self._broken: OSError | None = None

    def write(self, text: str) -> None:
        """
        Write *text* soon; at once where no loop runs.

        Raises: OSError: this write, or one before it, failed.
        """
        self._held.append(text)
        self._size += len(text)
        if self._size > MAX_CHARS or (self._planned is None and not self._plan()):
            self.flush()

    def flush(self) -> None:
        """Write what is held, now; raises what a write raised since the last call."""
        if self._planned:
            self._planned.cancel()
            self._planned = None
        if self._broken:
            raise self._broken
        text = "".join(self._held)
        self._held.clear()
        self._size = 0
        if text:
            self._stream.write(text)
            self._stream.flush()

    def _plan(self) -> bool:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return False
        self._planned = loop.call_soon(self._flush_later)
        return True

    def _flush_later(self) -> None:
        self._planned = None
        try:
            self.flush()
        except OSError as error:
            self._broken = error  # nothing listens here; the next write raises it
