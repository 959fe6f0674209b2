"""Files below the root, and the one way in which tools open them.

Every path is resolved, compared with the root by components, and then opened component by
component without following links, so that a swap in between leads nowhere.
"""

from __future__ import annotations

import contextlib
import os
import stat
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, TypeAlias

from cococat.core.tools import ToolFailure
from cococat.permissions.paths import Parts, inside
from cococat.system.below import BY_FD, folder_below

Seen: TypeAlias = dict[str, str]  # path below the root -> sha256 of what the model has read
MAX_EDIT = 5 << 20  # bytes of a file that is hashed, and so may be edited
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def locate(root: Path, text: str) -> Parts:
    """
    Return the components of *text* below *root*, which is resolved.

    Raises: ToolFailure: it leads out of the root.
    """
    parts = inside(root, text)
    if parts is None:
        raise ToolFailure(f"OutsideError: {text!r} is outside the folder; name a path below it")
    if (found := _as_on_disk(root, parts)) != parts:
        return locate(root, "/".join(found))  # it may be a link
    if _is_device(root.joinpath(*parts)):
        raise ToolFailure(f"FileTypeError: {text!r} is no ordinary file; name another")
    return parts


def display_path(parts: Parts) -> str:
    """Write a path as it is shown: relative to the root, control characters escaped."""
    text = "/".join(parts) or "."
    return text if text.isprintable() else text.encode("unicode_escape", "backslashreplace").decode("ascii")


@contextlib.contextmanager
def open_regular(root: Path, parts: Parts) -> Iterator[tuple[BinaryIO, os.stat_result]]:
    """
    Open a regular file for reading; it is closed at the end.

    Raises: ToolFailure: it is a folder, a pipe, a device. OSError: it is missing or may not be read.
    """
    if not parts:
        raise ToolFailure("IsADirectoryError: . is a folder; use list_dir")
    with folder_below(root, parts[:-1]) as folder:
        fd = os.open(folder.name(parts[-1]), _READ | _NO_FOLLOW, dir_fd=folder.fd)
        status = os.fstat(fd)
        if stat.S_ISDIR(status.st_mode):
            os.close(fd)
            raise ToolFailure(f"IsADirectoryError: {display_path(parts)} is a folder; use list_dir")
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(status.st_mode):
            raise ToolFailure(f"FileTypeError: {display_path(parts)} is not a regular file; name another")
        if not BY_FD and locate(root, "/".join(parts)) != parts:
            raise ToolFailure(f"ChangedError: {display_path(parts)} changed while it was opened; call it again")
        yield file, status


@contextlib.contextmanager
def translate_os_errors(root: Path, parts: Parts) -> Iterator[None]:
    """Turn what the system says into words for the model; a missing file names its near names."""
    try:
        yield
    except FileNotFoundError as error:
        raise ToolFailure(f"FileNotFoundError: {display_path(parts)} does not exist{_near(root, parts)}") from error
    except OSError as error:
        why = error.strerror or "the system refused it"
        raise ToolFailure(
            f"{type(error).__name__}: {display_path(parts)}: {why}; try another path, or tell the user"
        ) from error


def _as_on_disk(root: Path, parts: Parts) -> Parts:
    """
    Return the path with each name as the disk has it: as it is shown, composed or not, with whatever blanks.

    Only names that nobody types so (a narrow blank, an accent apart) are found by another spelling: a rule that was
    asked about `.env` is never led there by a name that merely looks like it.
    """
    found: Parts = ()
    for part in parts:
        folder, names = root.joinpath(*found), [part]
        if not os.path.lexists(folder / part):
            with contextlib.suppress(OSError):
                every = [path.name for path in folder.iterdir()]
                names = [
                    name for name in every if display_path((name,)) == part or name != _plain(name) == _plain(part)
                ]
        if len(names) != 1:
            return parts
        found = (*found, *names)
    return found


def _plain(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).split())


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
            listed = ", ".join(display_path((*parts[:depth], name)) for name in near)
            return f"; near names: {listed}" if near else "; grep_search finds text, list_dir shows files"
    return ""
