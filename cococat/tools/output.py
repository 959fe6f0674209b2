"""What a command prints: kept within bounds, shown while it comes."""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Iterator

from cococat.core.tools import Report

__all__ = ["KEPT_CHARS", "Output"]

KEPT_CHARS = 4000  # of the head and of the tail of the output, each
SHOWN_CHARS = 64_000  # of the output that is shown while it comes


class Output:
    """
    The head and the tail of an output of any length; memory stays bounded.

    Args:
        max_held: bytes from the beginning that are held besides.
    """

    def __init__(self, report: Report, max_held: int) -> None:
        self._report = report
        self._max_held = max_held
        self._first: list[bytes] = []
        self._size = 0
        self.chars = 0
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._head = ""
        self._tail: deque[str] = deque()
        self._tail_chars = 0
        self._missing = 0
        self._shown = 0
        self._ended = False

    def add(self, chunk: bytes) -> None:
        """Take in what came."""
        if self._ended:
            return
        text = self._decode(chunk)
        self.chars += len(text)
        if held := chunk[: max(0, self._max_held - self._size)]:
            self._first.append(held)
        self._size += len(chunk)
        self._show(text)
        room = KEPT_CHARS - len(self._head)
        self._head += text[:room]
        if rest := text[room:]:
            self._tail.append(rest)
            self._tail_chars += len(rest)
        while self._tail and self._tail_chars - len(self._tail[0]) >= KEPT_CHARS:
            dropped = len(self._tail.popleft())
            self._tail_chars -= dropped
            self._missing += dropped

    def end(self) -> None:
        """Take nothing in any more."""
        self._ended = True

    def _show(self, text: str) -> None:
        if self._shown < SHOWN_CHARS and text:
            self._report(text[: SHOWN_CHARS - self._shown])
            if self._shown + len(text) >= SHOWN_CHARS:
                self._report("\n[more output is not shown while it comes]\n")
        self._shown += len(text)

    def text(self) -> str:
        """Everything that was kept."""
        tail = "".join(self._tail)
        over = max(0, len(tail) - KEPT_CHARS)
        missing = self._missing + over
        return self._head + (f"[truncated {missing} chars]" if missing else "") + tail[over:]

    def keep_all(self, ended: list[bool]) -> Iterator[str]:
        """Everything, as far as it was held, then what is missing and the tail; *ended* stops it."""
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        held = 0
        for chunk in self._first:
            if ended:
                raise InterruptedError
            text = decode(chunk)
            held += len(text)
            yield text
        if rest := self.chars - held:
            tail = "".join(self._tail)[-rest:][-KEPT_CHARS:]
            yield (f"\n[truncated {rest - len(tail)} chars]\n" if rest > len(tail) else "") + tail
