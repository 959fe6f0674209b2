"""The memory folder: private, checked, its files opened without following a link; and its locks.

Public: prepare, read_bytes, append_bytes, locked, Busy.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cococat.errors import StorageError
from cococat.store.atomic import append_line, private_dir

LOCK_WAIT_S = 10.0  # seconds; what happens under the lock takes milliseconds
_FLAGS = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


class Busy(Exception):
    """Somebody else holds the lock."""


def prepare(folder: Path) -> None:
    """
    Make the memory folder if it is missing and check that nobody else can write there.

    Raises: StorageError: it cannot be made, is a link or no folder, or is open to others.
    """
    try:
        private_dir(folder)
        _check_folder(folder, folder.lstat())
    except OSError as error:
        raise StorageError(f"cannot use the memory folder {folder}: {error.strerror}", "cococat doctor") from error


def read_bytes(folder: Path, name: str, *, most: int = 0, tail: int = 0) -> bytes | None:
    """
    Read one file of the memory folder.

    Args:
        most: bytes the file may hold; 0 = any number.
        tail: read only that many bytes from the end; 0 = all.
    Returns: None when the file or the folder is missing.
    Raises: StorageError: a link, no regular file, somebody else's, too big, or not readable.
    """
    try:
        descriptor = _open(folder, name, os.O_RDONLY)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if 0 < most < size:
            hint = "make it smaller with `cococat memory edit`"
            raise StorageError(f"{folder / name} holds {size:,} bytes, at most {most:,} are read", hint)
        if 0 < tail < size:
            file.seek(size - tail)
        try:
            return file.read()
        except OSError as error:
            raise StorageError(f"cannot read {folder / name}: {error.strerror}", "cococat doctor") from error


def append_bytes(folder: Path, name: str, data: bytes) -> None:
    """
    Append *data* to one file of the memory folder, which is made 0600 if it is missing, and sync it.

    Raises: StorageError: see `read_bytes`, or the disk is full.
    """
    descriptor = _open(folder, name, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    try:
        append_line(descriptor, _after_torn_line(descriptor) + data, sync=True)
    except OSError as error:
        raise StorageError(f"cannot write {folder / name}: {error.strerror}", "free some disk space") from error
    finally:
        os.close(descriptor)


@contextmanager
def locked(folder: Path, name: str = "memory.lock", wait_s: float = LOCK_WAIT_S) -> Iterator[None]:
    """
    Hold one lock of the memory folder; the system drops it when the process dies.

    Args:
        name: `memory.lock` for changes, held for milliseconds; `dream.lock` for a whole dream.
        wait_s: seconds to wait for it; 0 = not at all.
    Raises: Busy: somebody else still holds it.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415 - 40 ms that only writers should pay

    prepare(folder)
    lock = FileLock(folder / name, timeout=wait_s, mode=0o600, poll_interval=0.01, fallback_to_soft=False)
    try:
        lock.acquire()
    except Timeout as error:
        raise Busy(f"{name} is held by another process") from error
    except OSError as error:
        raise StorageError(f"cannot lock {folder / name}: {error.strerror}", "cococat doctor") from error
    try:
        yield
    finally:
        lock.release()


def _open(folder: Path, name: str, flags: int) -> int:
    """Open a regular file of ours with one name, in a folder that only we can write."""
    path = folder / name
    try:
        descriptor = _open_in(folder, name, flags | _FLAGS)
        try:
            _check_file(path, os.fstat(descriptor))
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor
    except FileNotFoundError:
        raise
    except OSError as error:
        why = "it is a link" if error.errno in (errno.ELOOP, errno.EMLINK) else error.strerror
        why = "it is a folder" if error.errno == errno.EISDIR else why
        raise StorageError(f"cannot use {path}: {why}", f"look at it: ls -l '{path}'") from error


def _open_in(folder: Path, name: str, flags: int) -> int:
    if os.open not in os.supports_dir_fd:
        _check_folder(folder, folder.lstat())
        return os.open(folder / name, flags, 0o600)
    parent = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        _check_folder(folder, os.fstat(parent))
        return os.open(name, flags, 0o600, dir_fd=parent)
    finally:
        os.close(parent)


def _check_folder(folder: Path, found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise StorageError(f"the memory folder {folder} is a link", "put a real folder there, or set COCOCAT_HOME")
    if not stat.S_ISDIR(found.st_mode):
        raise StorageError(f"the memory folder {folder} is no folder", "move it away, or set COCOCAT_HOME")
    if not hasattr(os, "geteuid"):
        return
    if found.st_uid != os.geteuid():
        raise StorageError(f"the memory folder {folder} belongs to another user", "set COCOCAT_HOME")
    if found.st_mode & _OTHERS_MAY_WRITE:
        raise StorageError(f"others may write to the memory folder {folder}", f"chmod 700 '{folder}'")


def _check_file(path: Path, found: os.stat_result) -> None:
    look = f"look at it: ls -l '{path}'"
    if not stat.S_ISREG(found.st_mode):
        raise StorageError(f"{path} is no regular file", look)
    if found.st_nlink != 1:
        raise StorageError(f"{path} has {found.st_nlink} names (hard links), want 1", look)
    if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
        raise StorageError(f"{path} belongs to another user", look)


def _after_torn_line(descriptor: int) -> bytes:
    """Give the line end that a write cut short left out, so that the next line stands alone."""
    size = os.lseek(descriptor, 0, os.SEEK_END)
    if not size:
        return b""
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return b"" if os.read(descriptor, 1) == b"\n" else b"\n"
