"""Files that are either old or new, never half, and readable by their owner alone.

Public: write_atomic, private_dir, append_line, sync_folder.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_NO_FOLDER_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EACCES)


def write_atomic(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """
    Put *data* in place of whatever *path* holds, in one step that survives a crash.

    Raises: OSError: the old content is untouched and no temporary file is left behind.
    """
    temporary = path.parent / f".{path.name[:40]}.{os.urandom(6).hex()}.tmp"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _BINARY, mode)
    try:
        try:
            if hasattr(os, "fchmod"):
                os.fchmod(descriptor, mode)  # whatever the umask says
            append_line(descriptor, data, sync=True)
        finally:
            os.close(descriptor)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


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


def sync_folder(folder: Path) -> None:
    """
    Make the names in *folder* survive a power cut, where the system can.

    Raises: OSError: the disk failed.
    """
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise
    finally:
        os.close(descriptor)
