"""The tool that reads a file page by page."""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, BinaryIO, TypeAlias

from cococat.core.messages import Picture
from cococat.core.tools import Tool, ToolFailure, ToolOutcome, tool
from cococat.permissions.paths import Parts
from cococat.safety.secrets import Mark, Masked
from cococat.system.text_file import MAX_FOREIGN, PictureError, decode_file, encoding_of, is_binary
from cococat.tools.access import MAX_EDIT, Seen, display_path, locate, open_regular, translate_os_errors
from cococat.tools.kept_outputs import Outputs
from cococat.tools.masks import Mask, folded
from cococat.tools.notebook import as_cells
from cococat.tools.workers import run_in_daemon

_Lines: TypeAlias = tuple[int, int | None, int]  # from, to, and the character of the first to begin with
UNREADABLE = " (not UTF-8: \ufffd stands for what cannot be read, edit_file changes passages of plain ASCII)"
SEEN = "read_file(image)"  # the rule by which a model may see pictures that nobody attached
See: TypeAlias = Callable[[bytes, str], Picture | None]
HEAD = 1 << 18  # bytes in which a picture says what it is
MAX_HASHED = 64 << 20  # bytes of a binary file that are hashed
CHUNK = 1 << 20
AROUND = 4000  # characters of a long line around a part of it in which a secret is recognised
SCANNED = 64 << 20  # bytes that are looked at to count lines


def read_tool(
    root: Path,
    seen: Seen,
    page_chars: int,
    outputs: Outputs | None = None,
    mask: Mask | None = None,
    *,
    see: See | None = None,
) -> Tool:
    """
    Make the tool that reads a file page by page.

    Args:
        seen: remembers what was read, for the tools that write.
        page_chars: characters of one page.
        outputs: what is read by a name instead of a path.
        mask: hides secrets before each line gets its number, while they can be recognised; None numbers no lines.
        see: makes of the bytes of a file a picture that the model is shown; None: it gets its kind and size alone.
    """

    @tool("reads", about="path")
    async def read_file(
        path: Annotated[str, "in the folder, or output:N"],
        start_line: Annotated[int, "default 1"] = 1,
        end_line: Annotated[int | None, "inclusive; default a page"] = None,
        start_char: Annotated[int, "of that line; default 1"] = 1,
    ) -> ToolOutcome:
        """Read a text file or lines of it."""
        lines = (start_line, end_line, start_char)
        if outputs and (text := outputs.growing(path)) is not None:
            return _shown_page(path, _page_of_kept(text.encode(), path, lines, page_chars), mask)
        kept = outputs.find(path) if outputs else None
        if kept:
            return await run_in_daemon(lambda: _shown_page(path, _read_kept(*kept, path, lines, page_chars), mask))
        read = await run_in_daemon(lambda: _read(root, path, lines, seen, page_chars, see=see))
        return _shown_page(*read, mask) if isinstance(read, tuple) else read

    return read_file


def _read(
    root: Path, path: str, lines: _Lines, seen: Seen, page_chars: int, *, see: See | None
) -> tuple[str, FilePage] | ToolOutcome:
    first, last, char = _checked(lines)
    parts = locate(root, path)
    view = _as_read if parts[-1:] and parts[-1].endswith(".ipynb") else folded
    with translate_os_errors(root, parts), open_regular(root, parts) as (file, status):
        small = status.st_size <= MAX_EDIT
        whole = file.read(MAX_EDIT + 1) if small else b""
        if small:  # of a binary one as well: what may not be written says so itself
            seen["/".join(parts)] = hashlib.sha256(whole).hexdigest()
        page = page_of(whole if small else file, first, last, page_chars, char=char, view=view)
        if page is None:
            return _binary(parts, file, status.st_size, see)
    read = decode_file(whole)
    return f"{display_path(parts)}{UNREADABLE if small and not (read and read.exact) else ''}", page


def _as_read(text: str) -> str:
    """Return what a notebook says, or the text itself where it is none."""
    return as_cells(text) or folded(text)


def _read_kept(base: Path, parts: Parts, name: str, lines: _Lines, page_chars: int) -> FilePage:
    """Read an output that was kept; there is nothing to edit, so nothing counts as seen."""
    with translate_os_errors(base, parts), open_regular(base, parts) as (file, _):
        return _page_of_kept(file, name, lines, page_chars)


def _page_of_kept(source: bytes | BinaryIO, name: str, lines: _Lines, page_chars: int) -> FilePage:
    first, last, char = _checked(lines)
    page = page_of(source, first, last, page_chars, char=char)
    if page is None:
        raise ToolFailure(f"FileTypeError: {name} is damaged; call the tool again that gave it")
    return page


def _checked(lines: _Lines) -> _Lines:
    first, last, char = lines
    if first < 1 or char < 1 or (last is not None and last < first):
        raise ToolFailure(f"IndexError: there are no lines {first} to {last}; lines count from 1")
    return lines


def _shown_page(name: str, page: FilePage, mask: Mask | None) -> ToolOutcome:
    text = numbered(page.masked(mask), page.first) if mask and page.total else page.text.replace("\r", "\n")
    return ToolOutcome(f"{_head(name, page)}\n{text}", _lines(page.last - page.first + 1 if page.total else 0))


def _lines(count: int) -> str:
    return f"{count} line{'' if count == 1 else 's'}"


def _head(name: str, page: FilePage) -> str:
    """Return what of the file is shown, and how to see the rest."""
    total = f"{page.total}{'' if page.counted else '+'}"
    if not page.total:
        return f"{name}: empty"
    if page.first > page.total:
        raise ToolFailure(f"IndexError: {name} has only {total} lines; start at one of them")
    if page.char > 1 and not page.text:
        raise ToolFailure(f"IndexError: line {page.first} of {name} has no character {page.char}; start before it")
    rest = f"start_line={page.first}, start_char={page.char + len(page.text)}"
    cut = f"; line {page.first} goes on for {page.cut} more characters: {rest}" if page.cut else ""
    if page.first == 1 and page.last >= page.total and page.counted:
        return f"{name}: {_lines(page.total)}{cut}"
    cut += "; the page is full" if page.full else ""
    more = f"; next: start_line={page.last + 1}" if page.last < page.total or not page.counted else ""
    return f"{name}: lines {page.first}-{page.last} of {total}{cut}{more}"


def _binary(parts: Parts, file: BinaryIO, size: int, see: See | None) -> ToolOutcome:
    """Say what a file is that is no text; a picture goes with it where it may be seen."""
    from cococat.system.picture import look_at

    kind, digest, status = "binary", "", "binary"
    file.seek(0)
    if seen := look_at(head := file.read(HEAD)):
        try:
            picture, why = see(head + file.read(MAX_FOREIGN - HEAD), parts[-1]) if see else None, ""
        except PictureError as error:
            picture, why = None, f", {error.reason}"
        kind = f"{seen[0].removeprefix('image/').upper()} picture, {seen[1]} x {seen[2]} pixels"
        if picture:
            return ToolOutcome(f"{display_path(parts)}: {kind}, shown below", "picture", pictures=(picture,))
        kind += f", not shown{why}"
        status = "picture, not shown" if see else f"picture, not shown: --allow '{SEEN}'"
    if size <= MAX_HASHED:
        file.seek(0)
        sha = hashlib.sha256()
        for chunk in iter(lambda: file.read(CHUNK), b""):
            sha.update(chunk)
        digest = f", sha256 {sha.hexdigest()}"
    return ToolOutcome(f"{display_path(parts)}: {kind}, {size} bytes{digest}", status)


@dataclass(frozen=True, slots=True)
class FilePage:
    """
    Some lines of a file.

    Args:
        first, last: line numbers from 1; last < first for an empty page.
        total: lines of the file; *counted* is False when there may be more.
        char: of the first line that it begins with, from 1.
        cut: characters of a single long line that did not fit.
        full: it ends where it does because no more characters had room.
        around: what stands before and after it in the same line, so that a secret is known by the whole of it.
    """

    text: str
    first: int
    last: int
    total: int
    counted: bool = True
    char: int = 1
    cut: int = 0
    full: bool = False
    around: tuple[str, str] = ("", "")

    def masked(self, mask: Callable[[str], Masked]) -> Masked:
        """Return its text without secrets; one that it holds a part of is masked as a whole."""
        before, after = self.around
        return _part(mask(before + self.text + after), len(before), len(before) + len(self.text))


def page_of(
    source: bytes | BinaryIO,
    first: int,
    last: int | None,
    limit: int,
    *,
    char: int = 1,
    view: Callable[[str], str] | None = None,
) -> FilePage | None:
    """
    Cut lines *first* to *last* out of a file, as many as fit.

    Args:
        source: the whole content, or an open file that is read in pieces.
        limit: characters of the page, each line's number and tab included; > 0.
        char: of the first line to begin with, from 1.
        view: how a whole content is shown.
    Returns: None for what is no text.
    """
    is_whole = isinstance(source, bytes)
    chunks = _as_text(iter([source]) if isinstance(source, bytes) else _chunks(source))
    start = "".join(chunks) if is_whole else next(chunks, "")
    if is_binary(start):
        return None
    window = _Window(first, max(0, char - 1 - AROUND), limit + AROUND + min(char - 1, AROUND) + 2)
    for chunk in chain([view(start) if view and is_whole else start], chunks):
        window.feed(chunk)
    if "\0" in window.taken:
        return None
    return _page(window, first, last, limit, char)


def _part(masked: Masked, start: int, end: int) -> Masked:
    """Return what *masked* has for a part of the text that it was made of; a mark that stands for some of it is whole."""
    grown, places = 0, [start, end]
    for mark in masked.marks:
        begin = mark.start - grown
        stop = begin + len(mark.secret)
        grown += mark.end - mark.start - len(mark.secret)
        for side, place in enumerate((start, end)):
            if begin < place:
                places[side] = place + grown if place >= stop else (mark.start, mark.end)[side]
    first, last = places
    marks = (
        Mark(mark.start - first, mark.end - first, mark.secret) for mark in masked.marks if first <= mark.start < last
    )
    return Masked(masked.text[first:last], tuple(marks))


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
    """Counts lines, and keeps the text from one place on until there is enough."""

    def __init__(self, first: int, skipped: int, max_taken: int) -> None:
        self.first = first
        self.skipped = skipped  # characters of that line which are passed over
        self.max_taken = max_taken
        self.taken = ""
        self.missed = 0  # characters after those that were kept, *of_line* those of the first line
        self.of_line = 0
        self.on_line = True
        self.newlines = 0
        self.size = 0
        self.ends_with_newline = True

    def feed(self, chunk: str) -> None:
        self.size += len(chunk)
        self.ends_with_newline = chunk.endswith("\n") if chunk else self.ends_with_newline
        place = 0
        while self.newlines + 1 < self.first:
            found = chunk.find("\n", place)
            if found < 0:
                return
            self.newlines += 1
            place = found + 1
        self.first = 0  # from here on everything belongs to the window
        if self.skipped:
            end = chunk.find("\n", place, place + self.skipped)
            passed = (end if end >= 0 else min(place + self.skipped, len(chunk))) - place
            self.skipped = 0 if end >= 0 else self.skipped - passed
            place += passed
        kept = chunk[place : place + self.max_taken - len(self.taken)]
        self.taken += kept
        rest = place + len(kept)
        self.missed += len(chunk) - rest
        if self.on_line and "\n" not in kept:
            end = chunk.find("\n", rest)
            self.of_line += (end if end >= 0 else len(chunk)) - rest
        self.on_line = self.on_line and "\n" not in chunk[place:]
        self.newlines += chunk.count("\n", place)

    @property
    def total(self) -> int:
        """Lines of everything that was fed."""
        return self.newlines + (0 if self.ends_with_newline else 1)


def _page(window: _Window, first: int, last: int | None, limit: int, char: int) -> FilePage:
    counted = window.size < SCANNED
    text = window.taken
    lines = text.replace("\r\n", "\n").split("\n")
    complete = lines[:-1] if window.missed or text.endswith("\n") else lines
    if last is not None:
        complete = complete[: last - first + 1]
    if char > 1 or not complete or len(complete[0]) > limit:
        line, start = lines[0], min(char - 1, AROUND)
        shown = line[start : start + limit]
        cut = len(line) - start - len(shown) + window.of_line
        around = (line[:start], line[start + limit :])
        return FilePage(shown, first, first if line else first - 1, window.total, counted, char, cut, around=around)
    kept: list[str] = []
    room = limit
    for line in complete:
        room -= len(f"{first + len(kept)}\t{line}\n")
        if room < -1 and kept:
            break
        kept.append(line)
    full = len(kept) < len(complete) or (last is None and bool(window.missed))
    return FilePage("\n".join(kept), first, first + len(kept) - 1, window.total, counted, full=full)


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    read = 0
    while read < SCANNED and (chunk := file.read(CHUNK)):
        read += len(chunk)
        yield chunk


def _as_text(chunks: Iterator[bytes]) -> Iterator[str]:
    """Decode a file as its mark says; what cannot be read is U+FFFD."""
    start = next(chunks, b"")
    mark, encoding = encoding_of(start)
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    yield decoder.decode(start[len(mark) :])
    yield from map(decoder.decode, chunks)
    yield decoder.decode(b"", final=True)
