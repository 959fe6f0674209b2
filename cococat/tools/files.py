"""Files below the root: the one way tools open them, and the tools that list and read.

Every path is resolved, compared with the root by components, and then opened component by
component without following links, so that a swap in between leads nowhere.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from cococat.core.tools import Tool, ToolFailure, ToolOutcome, tool
from cococat.permissions.paths import Parts, inside
from cococat.tools.page import Page, page_of
from cococat.tools.workers import run_in_daemon

if TYPE_CHECKING:  # outputs lie in files
    from cococat.tools.kept_outputs import Outputs

__all__ = [
    "MAX_EDIT",
    "Folder",
    "Seen",
    "folder_below",
    "list_tool",
    "locate",
    "open_regular",
    "private_below",
    "read_tool",
    "shown",
    "translate_os_errors",
]

Seen: TypeAlias = dict[str, str]  # path below the root -> sha256 of what the model has read
MAX_EDIT = 5 << 20  # bytes of a file that is hashed, and so may be edited
MAX_NAMES = 200
_HASHED = 64 << 20  # bytes of a binary file that are hashed
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_BY_FD = os.open in os.supports_dir_fd and bool(_NO_FOLLOW)


@dataclass(frozen=True, slots=True)
class Folder:
    """An open folder: names in it are used with *fd*; without one (Windows) they carry its path."""

    fd: int | None
    path: Path

    def name(self, name: str) -> str:
        """Return *name* in the form that goes with `dir_fd=fd`."""
        return name if self.fd is not None else str(self.path / name)


def locate(root: Path, text: str) -> Parts:
    """
    Return the components of *text* below *root*, which is resolved.

    Raises: ToolFailure: it leads out of the root.
    """
    parts = inside(root, text)
    if parts is None:
        raise ToolFailure(f"{text!r} is outside the folder; name a path below it")
    if _is_device(root.joinpath(*parts)):
        raise ToolFailure(f"{text!r} is no ordinary file")
    return parts


def shown(parts: Parts) -> str:
    """Write a path as it is shown: relative to the root, control characters escaped."""
    text = "/".join(parts) or "."
    return text if text.isprintable() else text.encode("unicode_escape", "backslashreplace").decode("ascii")


@contextlib.contextmanager
def folder_below(root: Path, parts: Parts, *, create: bool = False) -> Iterator[Folder]:
    """Open the folder at *parts*, link-free all the way; *create* makes what is missing."""
    path = root.joinpath(*parts)
    if not _BY_FD:
        if create:
            path.mkdir(parents=True, exist_ok=True)
        yield Folder(None, path)
        return
    fd = os.open(root, _FOLDER)
    try:
        for part in parts:
            if create:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, dir_fd=fd)
            child = os.open(part, _FOLDER | _NO_FOLLOW, dir_fd=fd)
            os.close(fd)
            fd = child
        yield Folder(fd, path)
    finally:
        os.close(fd)


def private_below(base: Path, parts: Parts) -> None:
    """Make the folder at *parts* and its missing parents, open to their owner alone."""
    place = base.joinpath(*parts)
    if not place.is_dir():
        for missing in (*reversed(place.parents), place):
            missing.mkdir(mode=0o700, exist_ok=True)


@contextlib.contextmanager
def open_regular(root: Path, parts: Parts) -> Iterator[tuple[int, os.stat_result]]:
    """
    Open a regular file for reading; the descriptor is closed at the end.

    Raises: ToolFailure: it is a folder, a pipe, a device. OSError: it is missing or may not be read.
    """
    if not parts:
        raise ToolFailure(". is a folder; use list_dir")
    with folder_below(root, parts[:-1]) as folder:
        fd = os.open(folder.name(parts[-1]), _READ | _NO_FOLLOW, dir_fd=folder.fd)
    try:
        status = os.fstat(fd)
        if stat.S_ISDIR(status.st_mode):
            raise ToolFailure(f"{shown(parts)} is a folder; use list_dir")
        if not stat.S_ISREG(status.st_mode):
            raise ToolFailure(f"{shown(parts)} is not a regular file")
        if not _BY_FD and locate(root, "/".join(parts)) != parts:
            raise ToolFailure(f"{shown(parts)} changed while it was opened")
        yield fd, status
    finally:
        os.close(fd)


@contextlib.contextmanager
def translate_os_errors(root: Path, parts: Parts) -> Iterator[None]:
    """Turn what the system says into words for the model; a missing file names its near names."""
    try:
        yield
    except FileNotFoundError as error:
        raise ToolFailure(f"{shown(parts)} does not exist{_near(root, parts)}") from error
    except OSError as error:
        raise ToolFailure(f"{shown(parts)}: {error.strerror or type(error).__name__}") from error


def list_tool(root: Path) -> Tool:
    """Make the tool that lists a folder."""

    @tool("reads")
    async def list_dir(path: str = ".") -> ToolOutcome:
        """List a folder."""
        return await run_in_daemon(lambda: _list(root, path))

    return list_dir


def read_tool(root: Path, seen: Seen, page_chars: int, outputs: Outputs | None = None) -> Tool:
    """
    Make the tool that reads a file page by page.

    Args:
        seen: remembers what was read, for the tools that write.
        page_chars: characters of one page.
        outputs: what is read by a name instead of a path.
    """

    @tool("reads")
    async def read_file(path: str, start_line: int = 1, end_line: int | None = None) -> ToolOutcome:
        """Read a text file, or some lines of it."""
        kept, lines = outputs.find(path) if outputs else None, (start_line, end_line)
        if kept:
            return await run_in_daemon(lambda: _read_kept(*kept, path, lines, page_chars))
        return await run_in_daemon(lambda: _read(root, path, lines, seen, page_chars))

    return read_file


def _list(root: Path, path: str) -> ToolOutcome:
    parts = locate(root, path)
    with translate_os_errors(root, parts), folder_below(root, parts) as folder:
        entries = sorted(os.scandir(folder.path if folder.fd is None else folder.fd), key=lambda entry: entry.name)
        lines = [_line(entry) for entry in entries[:MAX_NAMES]]
    if len(entries) > MAX_NAMES:
        lines.append(f"[{len(entries) - MAX_NAMES} more; use glob]")
    return ToolOutcome("\n".join(lines) or "(empty)", f"{len(entries)} {'entry' if len(entries) == 1 else 'entries'}")


def _line(entry: os.DirEntry[str]) -> str:
    name = shown((entry.name,))
    if entry.is_symlink():
        return f"{name} (link)"
    if entry.is_dir(follow_symlinks=False):
        return f"{name}/"
    try:
        return f"{name}  {entry.stat(follow_symlinks=False).st_size}"
    except OSError:
        return name


def _read(root: Path, path: str, lines: tuple[int, int | None], seen: Seen, page_chars: int) -> ToolOutcome:
    first, last = _checked(lines)
    parts = locate(root, path)
    with (
        translate_os_errors(root, parts),
        open_regular(root, parts) as (fd, status),
        os.fdopen(os.dup(fd), "rb") as file,
    ):
        small = status.st_size <= MAX_EDIT
        whole = file.read(MAX_EDIT + 1) if small else b""
        page = page_of(whole if small else file, first, last, page_chars)
        if page is None:
            return _binary(parts, whole if small else _digest(fd, status.st_size), status.st_size)
    if small:
        seen["/".join(parts)] = hashlib.sha256(whole).hexdigest()
    return _shown_page(shown(parts), page)


def _read_kept(base: Path, parts: Parts, name: str, lines: tuple[int, int | None], page_chars: int) -> ToolOutcome:
    """Read an output that was kept; there is nothing to edit, so nothing counts as seen."""
    first, last = _checked(lines)
    with translate_os_errors(base, parts), open_regular(base, parts) as (fd, _), os.fdopen(os.dup(fd), "rb") as file:
        page = page_of(file, first, last, page_chars)
    if page is None:
        raise ToolFailure(f"{name} is damaged")
    return _shown_page(name, page)


def _checked(lines: tuple[int, int | None]) -> tuple[int, int | None]:
    first, last = lines
    if first < 1 or (last is not None and last < first):
        raise ToolFailure(f"there are no lines {first} to {last}; lines count from 1")
    return lines


def _shown_page(name: str, page: Page) -> ToolOutcome:
    return ToolOutcome(f"{_head(name, page)}\n{page.text}", _lines(page.last - page.first + 1 if page.total else 0))


def _lines(count: int) -> str:
    return f"{count} line{'' if count == 1 else 's'}"


def _head(name: str, page: Page) -> str:
    """Return what of the file is shown, and how to see the rest."""
    total = f"{page.total}{'' if page.counted else '+'}"
    if not page.total:
        return f"{name}: empty"
    if page.first > page.total:
        raise ToolFailure(f"{name} has only {total} lines")
    cut = f"; line {page.first} goes on for {page.cut} more characters" if page.cut else ""
    if page.first == 1 and page.last >= page.total and page.counted:
        return f"{name}: {_lines(page.total)}{cut}"
    more = f"; next: start_line={page.last + 1}" if page.last < page.total or not page.counted else ""
    return f"{name}: lines {page.first}-{page.last} of {total}{cut}{more}"


def _digest(fd: int, size: int) -> str:
    """The sha256 of a large file, empty when it is larger than is worth hashing."""
    if size > _HASHED:
        return ""
    os.lseek(fd, 0, os.SEEK_SET)
    digest = hashlib.sha256()
    while chunk := os.read(fd, 1 << 20):
        digest.update(chunk)
    return digest.hexdigest()


def _binary(parts: Parts, data: bytes | str, size: int) -> ToolOutcome:
    digest = hashlib.sha256(data).hexdigest() if isinstance(data, bytes) else data
    return ToolOutcome(f"{shown(parts)}: binary, {size} bytes" + (f", sha256 {digest}" if digest else ""), "binary")


def _is_device(path: Path) -> bool:
    return path.parts[1:2] in (("dev",), ("proc",), ("sys",)) and os.name == "posix"


def _near(root: Path, parts: Parts) -> str:
    """Names like the missing one, from the deepest folder that exists."""
    import difflib

    for depth, part in enumerate(parts):
        try:
            names = sorted(entry.name for entry in root.joinpath(*parts[:depth]).iterdir())
        except OSError:
            return ""
        if part not in names:
            near = difflib.get_close_matches(part, names[:5000], n=3, cutoff=0.5)
            near = near or [name for name in names[:5000] if name.casefold().startswith(part.casefold()[:3])][:3]
            listed = ", ".join(shown((*parts[:depth], name)) for name in near)
            return f"; near names: {listed}" if near else "; grep_search finds text, list_dir shows files"
    return ""
