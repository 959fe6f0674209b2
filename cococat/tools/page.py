"""One page of a text file, cut by lines and by characters; memory stays bounded whatever the file is."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from cococat.safety.secrets import Masked
from cococat.system.text_file import encoding_of, is_binary

__all__ = ["Page", "numbered", "page_of"]

CHUNK = 1 << 20
SCANNED = 64 << 20  # bytes that are looked at to count lines


@dataclass(frozen=True, slots=True)
class Page:
    """
    Some lines of a file.

    Args:
        first, last: line numbers from 1; last < first for an empty page.
        total: lines of the file; *counted* is False when there may be more.
        cut: characters of a single long line that did not fit.
        full: it ends where it does because no more characters had room.
    """

    text: str
    first: int
    last: int
    total: int
    counted: bool = True
    cut: int = 0
    full: bool = False


def page_of(source: bytes | BinaryIO, first: int, last: int | None, limit: int) -> Page | None:
    """
    Cut lines *first* to *last* out of a file, as many as fit.

    Args:
        source: the whole content, or an open file that is read in pieces.
        limit: characters of the page, each line's number and tab included; > 0.
    Returns: None for what is no text.
    """
    chunks = _as_utf8(iter([source]) if isinstance(source, bytes) else _chunks(source))
    start = next(chunks, b"")
    if is_binary(start.decode("latin-1")):
        return None
    window = _Window(first, limit * 4 + 8)
    for chunk in _chained(start, chunks):
        window.feed(chunk)
    if b"\0" in window.taken:
        return None
    return _page(window, first, last, limit)


def numbered(masked: Masked, first: int) -> str:
    """Return a text with the number of each line before it; a mark may stand for more than one line."""
    lines: list[str] = []
    place, number, marks = 0, first, list(masked.marks)
    for line in masked.text.split("\n"):
        shown = line.replace("\r", "\n")
        lines.append(f"{number}\t{shown}")
        place += len(line) + 1
        number += 1
        while marks and marks[0].start < place:
            number += marks.pop(0).secret.count("\n")
    return "\n".join(lines)


class _Window:
    """Counts lines, and keeps the bytes from one line on until there are enough."""

    def __init__(self, first: int, max_taken: int) -> None:
        self.first = first
        self.max_taken = max_taken
        self.taken = bytearray()
        self.missed = 0  # bytes after those that were kept
        self.newlines = 0
        self.size = 0
        self.ends_with_newline = True

    def feed(self, chunk: bytes) -> None:
        self.size += len(chunk)
        self.ends_with_newline = chunk.endswith(b"\n") if chunk else self.ends_with_newline
        place = 0
        while self.newlines + 1 < self.first:
            found = chunk.find(b"\n", place)
            if found < 0:
                return
            self.newlines += 1
            place = found + 1
        kept = chunk[place : place + self.max_taken - len(self.taken)]
        self.taken += kept
        self.missed += len(chunk) - place - len(kept)
        self.newlines += chunk.count(b"\n", place)
        self.first = 0  # from here on everything belongs to the window

    @property
    def total(self) -> int:
        """Lines of everything that was fed."""
        return self.newlines + (0 if self.ends_with_newline else 1)


def _page(window: _Window, first: int, last: int | None, limit: int) -> Page:
    counted = window.size < SCANNED
    text = window.taken.decode("utf-8", "replace")
    lines = text.replace("\r\n", "\n").split("\n")
    complete = lines[:-1] if window.missed or text.endswith("\n") else lines
    if last is not None:
        complete = complete[: last - first + 1]
    if not complete or len(complete[0]) > limit:
        line = complete[0] if complete else lines[0]
        cut = len(line) - limit + (window.missed if not complete else 0)
        return Page(line[:limit], first, first if line else first - 1, window.total, counted, max(0, cut))
    kept: list[str] = []
    room = limit
    for line in complete:
        room -= len(f"{first + len(kept)}\t{line}\n")
        if room < -1 and kept:
            break
        kept.append(line)
    full = len(kept) < len(complete) or (last is None and bool(window.missed))
    return Page("\n".join(kept), first, first + len(kept) - 1, window.total, counted, full=full)


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    read = 0
    while read < SCANNED and (chunk := file.read(CHUNK)):
        read += len(chunk)
        yield chunk


def _chained(start: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield start
    yield from rest


def _as_utf8(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Turn UTF-16 and UTF-32 with a mark into UTF-8; anything else stays as it is."""
    start = next(chunks, b"")
    mark, encoding = encoding_of(start)
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for chunk in _chained(start[len(mark) :], chunks):
        yield chunk if encoding == "utf-8" else decoder.decode(chunk).encode()
