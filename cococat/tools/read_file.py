"""The tool that reads a file page by page."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, BinaryIO, TypeAlias

from cococat.core.tools import Tool, ToolFailure, ToolOutcome, tool
from cococat.permissions.paths import Parts
from cococat.safety.secrets import Masked
from cococat.system.text_file import decode_file
from cococat.tools.access import MAX_EDIT, Seen, locate, open_regular, shown, translate_os_errors
from cococat.tools.kept_outputs import Outputs
from cococat.tools.masks import folded
from cococat.tools.notebook import as_cells
from cococat.tools.page import Page, numbered, page_of
from cococat.tools.workers import run_in_daemon

__all__ = ["read_tool"]

_Lines: TypeAlias = tuple[int, int | None, int]  # from, to, and the character of the first to begin with
Mask: TypeAlias = Callable[[str], Masked]
UNREADABLE = " (not UTF-8: \ufffd stands for what cannot be read, edit_file changes passages of plain ASCII)"
MAX_HASHED = 64 << 20  # bytes of a binary file that are hashed


def read_tool(
    root: Path, seen: Seen, page_chars: int, outputs: Outputs | None = None, mask: Mask | None = None
) -> Tool:
    """
    Make the tool that reads a file page by page.

    Args:
        seen: remembers what was read, for the tools that write.
        page_chars: characters of one page.
        outputs: what is read by a name instead of a path.
        mask: hides secrets before each line gets its number, while they can be recognised; None numbers no lines.
    """

    @tool("reads", about="path")
    async def read_file(
        path: Annotated[str, "relative to the folder, or output:N"],
        start_line: Annotated[int, "1-based"] = 1,
        end_line: Annotated[int | None, "inclusive"] = None,
        start_char: int = 1,
    ) -> ToolOutcome:
        """Read a text file or lines of it."""
        lines = (start_line, end_line, start_char)
        if outputs and (text := outputs.growing(path)) is not None:
            return _shown_page(path, _page_of_kept(text.encode(), path, lines, page_chars), mask)
        kept = outputs.find(path) if outputs else None
        if kept:
            return await run_in_daemon(lambda: _shown_page(path, _read_kept(*kept, path, lines, page_chars), mask))
        read = await run_in_daemon(lambda: _read(root, path, lines, seen, page_chars))
        return _shown_page(*read, mask) if isinstance(read, tuple) else read

    return read_file


def _read(root: Path, path: str, lines: _Lines, seen: Seen, page_chars: int) -> tuple[str, Page] | ToolOutcome:
    first, last, char = _checked(lines)
    parts = locate(root, path)
    view = _as_read if parts[-1:] and parts[-1].endswith(".ipynb") else folded
    with (
        translate_os_errors(root, parts),
        open_regular(root, parts) as (fd, status),
        os.fdopen(os.dup(fd), "rb") as file,
    ):
        small = status.st_size <= MAX_EDIT
        whole = file.read(MAX_EDIT + 1) if small else b""
        if small:  # of a binary one as well: what may not be written says so itself
            seen["/".join(parts)] = hashlib.sha256(whole).hexdigest()
        page = page_of(whole if small else file, first, last, page_chars, char=char, view=view)
        if page is None:
            return _binary(parts, whole if small else _digest(fd, status.st_size), status.st_size)
    read = decode_file(whole)
    return f"{shown(parts)}{UNREADABLE if small and not (read and read.exact) else ''}", page


def _as_read(text: str) -> str:
    """Return what a notebook says, or the text itself where it is none."""
    return as_cells(text) or folded(text)


def _read_kept(base: Path, parts: Parts, name: str, lines: _Lines, page_chars: int) -> Page:
    """Read an output that was kept; there is nothing to edit, so nothing counts as seen."""
    with translate_os_errors(base, parts), open_regular(base, parts) as (fd, _), os.fdopen(os.dup(fd), "rb") as file:
        return _page_of_kept(file, name, lines, page_chars)


def _page_of_kept(source: bytes | BinaryIO, name: str, lines: _Lines, page_chars: int) -> Page:
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


def _shown_page(name: str, page: Page, mask: Mask | None) -> ToolOutcome:
    text = numbered(page.masked(mask), page.first) if mask and page.total else page.text.replace("\r", "\n")
    return ToolOutcome(f"{_head(name, page)}\n{text}", _lines(page.last - page.first + 1 if page.total else 0))


def _lines(count: int) -> str:
    return f"{count} line{'' if count == 1 else 's'}"


def _head(name: str, page: Page) -> str:
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


def _digest(fd: int, size: int) -> str:
    """The sha256 of a large file, empty when it is larger than is worth hashing."""
    if size > MAX_HASHED:
        return ""
    os.lseek(fd, 0, os.SEEK_SET)
    digest = hashlib.sha256()
    while chunk := os.read(fd, 1 << 20):
        digest.update(chunk)
    return digest.hexdigest()


def _binary(parts: Parts, data: bytes | str, size: int) -> ToolOutcome:
    digest = hashlib.sha256(data).hexdigest() if isinstance(data, bytes) else data
    return ToolOutcome(f"{shown(parts)}: binary, {size} bytes" + (f", sha256 {digest}" if digest else ""), "binary")
