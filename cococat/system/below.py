"""Folders below a root, opened component by component, so that a link that is put in between leads nowhere."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from cococat.system.private import open_private

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_READ = sum(getattr(os, name, 0) for name in ("O_RDONLY", "O_NONBLOCK", "O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"))
BY_FD = os.open in os.supports_dir_fd and bool(_NO_FOLLOW)  # the system can open a name in an open folder


def is_root() -> bool:
    """Return whether this process may write anybody's files; what it makes it then gives to the folder's owner."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


@dataclass(frozen=True, slots=True)
class Folder:
    """An open folder: names in it are used with *fd*; without one (Windows) they carry its path."""

    fd: int | None
    path: Path

    def name(self, name: str) -> str:
        """Return *name* in the form that goes with `dir_fd=fd`."""
        return name if self.fd is not None else str(self.path / name)

    def entries(self) -> list[os.DirEntry[str]]:
        """What is in it, as long as it is open."""
        with os.scandir(self.path if self.fd is None else self.fd) as found:
            return list(found)

    def remove(self, name: str) -> None:
        """Remove a file in it."""
        os.unlink(self.name(name), dir_fd=self.fd)


@contextlib.contextmanager
def folder_below(root: Path, parts: Sequence[str], *, create: bool = False) -> Iterator[Folder]:
    """Open the folder at *parts*, link-free all the way; *create* makes what is missing."""
    path = root.joinpath(*parts)
    if not BY_FD:
        if create:
            path.mkdir(parents=True, exist_ok=True)
        yield Folder(None, path)
        return
    fd = os.open(root, _FOLDER)
    try:
        for part in parts:
            made = False
            if create:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, dir_fd=fd)
                    made = is_root()
            child = os.open(part, _FOLDER | _NO_FOLLOW, dir_fd=fd)
            if made:
                owner = os.fstat(fd)
                with contextlib.suppress(OSError):
                    os.fchown(child, owner.st_uid, owner.st_gid)
            os.close(fd)
            fd = child
        yield Folder(fd, path)
    finally:
        os.close(fd)


def all_below(root: Path, start: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield every file below a folder, ignored ones as well; only what version control keeps for itself is left out."""
    for folder, folders, files in os.walk(root.joinpath(*start)):
        folders[:] = sorted(set(folders) - {".git", ".hg", ".svn"})
        here = Path(folder).relative_to(root).parts
        yield from ((*here, name) for name in sorted(files))


@contextlib.contextmanager
def open_in(folder: Folder, name: str) -> Iterator[BinaryIO]:
    """
    Open a regular file in an open folder, which is no link; nothing else is opened, as that may do something or wait.

    Raises: OSError: it cannot be read. ValueError: it is no such file.
    """
    at = folder.name(name)
    if not stat.S_ISREG(os.stat(at, dir_fd=folder.fd, follow_symlinks=False).st_mode):
        raise ValueError(f"{folder.path / name} is no regular file")
    with os.fdopen(os.open(at, _READ, dir_fd=folder.fd), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError(f"{folder.path / name} is another file now")
        yield file


@contextlib.contextmanager
def new_in(folder: Folder, name: str) -> Iterator[BinaryIO]:
    """
    Make a file in an open folder, open to its owner alone; a half one does not stay.

    Raises: OSError: something is there, or it cannot be written.
    """
    made = open_private(folder.name(name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, folder=folder.fd)
    try:
        with os.fdopen(made, "wb") as file:
            yield file
    except BaseException:
        with contextlib.suppress(OSError):
            folder.remove(name)
        raise


def read_below(root: Path, parts: Sequence[str], most: int) -> bytes:
    """
    Read the regular file at *parts*, link-free all the way, of *most* bytes; a pipe is not waited for.

    Raises: OSError: it cannot be read. ValueError: it is no such file, or a larger one.
    """
    with folder_below(root, parts[:-1]) as folder, open_in(folder, parts[-1]) as file:
        if len(data := file.read(most + 1)) > most:
            raise ValueError(f"{root.joinpath(*parts)} has more than {most} bytes")
    return data
