"""What a command prints: kept within bounds, shown while it comes."""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Iterator

from cococat.core.tools import Report

KEPT_CHARS = 4000  # of the head and of the tail of the output, each
SHOWN_CHARS = 64_000  # of the output that is shown while it comes
MAX_LINE = 64_000  # characters of a line that are waited for: they may yet be written over
_CONTROL = re.compile("[\x07\x08\x0b\x0c\r\x1b\x90\x98\x9b\x9d-\x9f]")
_TO_START, _BLANK, _TO_END = re.compile(r"\x1b\[[01]?G"), re.compile(r"\x1b\[2K"), re.compile(r"\x1b\[0?K")
_SEQUENCE = re.compile(  # OSC and its like with what they hold; CSI; the short ones; and what shows nothing by itself
    "(?:\x1b[\\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x18\x1a\x1b\x9c\n]*(?:\x07|\x1b\\\\|\x9c)?"
    "|(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?|[\x07\x0b\x0c]"
)
# they stand for what erases to the end of the line, and all of it: nothing that is decoded
_ERASES, _WIPES = "\udc00", "\udc01"


class Output:
    """
    The head and the tail of an output of any length, as a terminal would show it; memory stays bounded.

    Args:
        max_held: characters from the beginning that are held besides.
    """

    def __init__(self, report: Report, max_held: int) -> None:
        self._report = report
        self._max_held = max_held
        self._first: list[str] = []
        self._line = ""  # the last one, as far as it came
        self._chars = 0
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._head = ""
        self._tail: deque[str] = deque()
        self._tail_chars = 0
        self._missing = 0
        self._shown = 0
        self._ended = False

    @property
    def chars(self) -> int:
        """How long all of it is."""
        return self._chars + len(_printed(self._line))

    def add(self, chunk: bytes) -> None:
        """Take in what came."""
        if self._ended:
            return
        text = self._decode(chunk)
        self._show(text)
        whole, end, self._line = (self._line + text).rpartition("\n")
        if len(self._line) > MAX_LINE:
            self._line = _printed(self._line)
        if len(self._line) > MAX_LINE:
            whole, end, self._line = whole + end, self._line, ""
        self._take(_printed(whole + end))

    def _take(self, text: str) -> None:
        """Take in what nothing will write over."""
        if held := text[: max(0, self._max_held - self._chars)]:
            self._first.append(held)
        self._chars += len(text)
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
        room, last = KEPT_CHARS - len(self._head), _printed(self._line)
        head, tail = self._head + last[:room], "".join(self._tail) + last[room:]
        over = max(0, len(tail) - KEPT_CHARS)
        missing = self._missing + over
        return head + (f"[truncated {missing} chars]" if missing else "") + tail[over:]

    def keep_all(self, ended: list[bool]) -> Iterator[str]:
        """Everything, as far as it was held, then what is missing and the tail; *ended* stops it."""
        held = 0
        for text in self._first:
            if ended:
                raise InterruptedError
            held += len(text)
            yield text
        last = _printed(self._line)
        if rest := self._chars - held:
            tail = "".join(self._tail)[-rest:][-KEPT_CHARS:]
            yield (f"\n[truncated {rest - len(tail)} chars]\n" if rest > len(tail) else "") + tail
        yield last


def _printed(text: str) -> str:
    r"""Return what a terminal would show of *text*: a line begun again by `\r` is written over, no sequence is seen."""
    if not _CONTROL.search(text):
        return text
    text = _TO_END.sub(_ERASES, _BLANK.sub(_WIPES, _TO_START.sub("\r", text)))
    return "\n".join(map(_row, _SEQUENCE.sub("", text).split("\n")))


def _row(line: str) -> str:
    row = ""
    for part in line.split("\r"):
        erased = _ERASES in part or _WIPES in part
        seen = part.rpartition(_WIPES)[2].replace(_ERASES, "")
        if "\b" in seen:
            seen = _rubbed_out(seen)
        row = seen + ("" if erased else row[len(seen) :])
    return row


def _rubbed_out(text: str) -> str:
    """Return *text* where each backspace has taken away the character before it."""
    left: list[str] = []
    for char in text:
        if char != "\b":
            left.append(char)
        elif left:
            left.pop()
    return "".join(left)
