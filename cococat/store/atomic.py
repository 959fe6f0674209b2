"""Files that are either old or new, never half, and readable by their owner alone."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

__all__ = ["append_line", "private_dir", "sweep", "sync_folder", "write_atomic"]

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_RANDOM = 12  # hexadecimal digits in the name of a temporary file
_END = ".tmp"
_LEFT_OVER_S = 3600.0  # seconds; a temporary file lives for milliseconds, but clocks are set
_NO_FOLDER_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EACCES)


def write_atomic(
    path: Path,
    data: bytes,
    *,
    mode: int = 0o600,
    folder: int | None = None,
    last_look: Callable[[], None] | None = None,
) -> None:
    """
    Put *data* in place of whatever *path* holds, in one step that survives a crash.

    Args:
        folder: descriptor of the path's folder; then the name alone counts, whatever the path leads to by now.
        last_look: called right before the replacement; what it raises prevents it.
    Raises: OSError: no temporary file is left behind; the old content is, unless only the last sync failed.
    """
    name = f".{path.name[:40]}.{os.urandom(_RANDOM // 2).hex()}{_END}"
    temporary = path.parent / name
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _BINARY, mode)
    source, target = (temporary, path) if folder is None else (Path(name), Path(path.name))
    try:
        try:
            if folder is not None and not os.path.samestat(os.fstat(descriptor), os.lstat(name, dir_fd=folder)):
                raise OSError(errno.ENOTDIR, "the folder was swapped for another one")
            if hasattr(os, "fchmod"):
                os.fchmod(descriptor, mode)  # whatever the umask says
            append_line(descriptor, data, sync=True)
        finally:
            os.close(descriptor)
        if last_look:
            last_look()
        os.replace(source, target, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    sync_folder(path.parent if folder is None else folder)
    if folder is None:
        sweep(path.parent)


def sweep(folder: Path, *, alone: bool = False) -> None:
    """
    Remove the temporary files that killed writers left in *folder*; what cannot be removed stays.

    Args:
        alone: a lock makes sure that nobody else is writing there; else only files of another hour are taken for
            left over.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not _is_temporary(entry.name):
                continue
            with suppress(OSError):
                if alone or abs(time.time() - entry.stat(follow_symlinks=False).st_mtime) > _LEFT_OVER_S:
                    Path(entry.path).unlink()


def _is_temporary(name: str) -> bool:
    stem, dot, random = name.removesuffix(_END).rpartition(".")
    hexadecimal = len(random) == _RANDOM and set(random) <= set("0123456789abcdef")
    return name.endswith(_END) and stem.startswith(".") and bool(dot) and hexadecimal


def private_dir(path: Path) -> Path:
    """
    Make *path* and its missing parents, open to their owner alone; a folder that exists stays as it is.

    Raises: OSError: one of them cannot be made, or is no folder.
    """
    if not path.is_dir():
        if path.parent != path:
            private_dir(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)
    return path


def append_line(fd: int, data: bytes, *, sync: bool = False) -> None:
    """
    Write all of *data* to *fd*, however often the system takes only a part of it.

    Raises: OSError: some of *data* may be in the file.
    """
    rest = memoryview(data)
    while rest:
        written = os.write(fd, rest)
        if not written:
            raise OSError(errno.EIO, "the system wrote nothing")
        rest = rest[written:]
    if sync:
        os.fsync(fd)


def sync_folder(folder: Path | int) -> None:
    """
    Make the names in *folder*, a path or a descriptor, survive a power cut, where the system can.

    Raises: OSError: the disk failed.
    """
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY) if isinstance(folder, Path) else folder
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise
    finally:
        if isinstance(folder, Path):
            os.close(descriptor)
