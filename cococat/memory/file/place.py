"""The memory folder: private, checked, its files opened without following a link; its locks, and its files of JSON lines."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from cococat.errors import StorageError
from cococat.system.atomic import append_line, sweep, sync_folder, write_atomic
from cococat.system.private import open_private, private_dir
from cococat.system.text import json_object

LOCK = "memory.lock"
_SWAPS = 20  # times that a file may be put in place anew while it is opened
LOCK_WAIT_S = 10.0  # seconds; what happens under the lock takes milliseconds
_FULL = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
_CLOSED = (errno.EACCES, errno.EPERM, errno.EROFS)
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
MAX_BYTES = 16 << 20  # bytes of a line; more than the window of any model takes


class Busy(Exception):
    """Somebody else holds the lock."""


def prepare(folder: Path) -> None:
    """
    Make the memory folder if it is missing and check that nobody else can write there.

    Raises: StorageError: it cannot be made, is a link or no folder, or is open to others.
    """
    try:
        if not os.path.lexists(folder):
            private_dir(folder)
        _check_folder(folder, folder.lstat())
    except OSError as error:
        raise StorageError(
            f"cannot use the memory folder {folder}: {error.strerror}", hint_for(error, folder)
        ) from error


@contextmanager
def reading(folder: Path, name: str) -> Iterator[BinaryIO | None]:
    """
    Open one file of the memory folder; None when the file or the folder is missing.

    Raises: StorageError: a link, no regular file, somebody else's, or not readable.
    """
    try:
        descriptor = _open(folder, name, os.O_RDONLY)
    except FileNotFoundError:
        yield None
        return
    with os.fdopen(descriptor, "rb") as file:
        try:
            yield file
        except OSError as error:
            raise StorageError(f"cannot read {folder / name}: {error.strerror}", hint_for(error, folder)) from error


def size(folder: Path, name: str) -> int:
    """
    Return how many bytes one file of the memory folder holds; 0 when it is missing.

    Raises: StorageError: see `reading`.
    """
    with reading(folder, name) as file:
        return os.fstat(file.fileno()).st_size if file else 0


def read_bytes(folder: Path, name: str, *, most: int = 0, smaller: str = "") -> bytes | None:
    """
    Read one file of the memory folder.

    Args:
        most: bytes the file may hold; 0 = any number.
        smaller: the command that makes it smaller; by default, to move it away.
    Returns: None when the file or the folder is missing.
    Raises: StorageError: a link, no regular file, somebody else's, too big, or not readable.
    """
    with reading(folder, name) as file:
        if file is None:
            return None
        if 0 < most < (held := os.fstat(file.fileno()).st_size):
            hint = smaller or f"move it away, what it tells is rebuilt: mv '{folder / name}' '{folder / name}.old'"
            raise StorageError(f"{folder / name} holds {held:,} bytes, at most {most:,} are read", hint)
        return file.read()


def write_bytes(folder: Path, name: str, data: bytes, last_look: Callable[[], None] | None = None) -> None:
    """
    Put *data* in place of one file of the memory folder, in one step; see `write_atomic`.

    Raises: StorageError: the folder is no place of ours. OSError: the disk is full or failed.
    """
    with _folder(folder) as descriptor:
        write_atomic(folder / name, data, folder=descriptor, last_look=last_look)


def remove(folder: Path, name: str) -> None:
    """
    Remove one file of the memory folder, if it is there; a link goes, and what it leads to stays.

    Raises: StorageError: the folder is no place of ours. OSError: the disk failed.
    """
    with _folder(folder) as descriptor:
        try:
            os.unlink(folder / name if descriptor is None else name, dir_fd=descriptor)
        except FileNotFoundError:
            return
        sync_folder(folder if descriptor is None else descriptor)


def append_bytes(folder: Path, name: str, data: bytes) -> None:
    """
    Append *data* to one file of the memory folder, which is made 0600 if it is missing, and sync it.

    Raises: StorageError: see `read_bytes`, or the disk is full.
    """
    descriptor = _open(folder, name, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    try:
        append_line(descriptor, _after_torn_line(descriptor) + data, sync=True)
    except OSError as error:
        raise StorageError(f"cannot write {folder / name}: {error.strerror}", hint_for(error, folder)) from error
    finally:
        os.close(descriptor)


def hint_for(error: OSError, folder: Path) -> str:
    """Return what a user can do about *error*, which came from a file in *folder*."""
    if error.errno in _FULL:
        return f"free some disk space: df -h '{folder}'"
    if error.errno in _CLOSED:
        return f"make it yours to write: chmod -R u+rwX '{folder}'"
    return f"look at it: ls -la '{folder}'"


@contextmanager
def locked(folder: Path, name: str = LOCK, wait_s: float = LOCK_WAIT_S) -> Iterator[None]:
    """
    Hold one lock of the memory folder; the system drops it when the process dies.

    Whoever may change the folder first removes what killed writers left there.

    Args:
        name: `memory.lock` for changes, held for milliseconds; `dream.lock` for a whole dream.
        wait_s: seconds to wait for it; 0 = not at all.
    Raises: Busy: somebody else still holds it.
    """
    from filelock import FileLock, Timeout

    prepare(folder)
    with suppress(FileNotFoundError):
        _check_file(folder / name, (folder / name).lstat())
    lock = FileLock(folder / name, timeout=wait_s, mode=0o600, poll_interval=0.01, fallback_to_soft=False)
    try:
        lock.acquire()
    except Timeout as error:
        raise Busy(f"{name} is held by another process") from error
    except OSError as error:
        raise StorageError(f"cannot lock {folder / name}: {_why(error)}", hint_for(error, folder)) from error
    try:
        if name == LOCK:
            sweep(folder, alone=True)
        yield
    finally:
        lock.release()


@contextmanager
def changing(folder: Path, failed: str = "the memory was not changed") -> Iterator[None]:
    """
    Hold the lock for changes.

    Args:
        failed: what did not happen where somebody else holds it.
    Raises: StorageError: somebody else still holds it, or the disk refuses what is done under it.
    """
    try:
        with locked(folder):
            yield
    except Busy as error:
        raise StorageError(f"{failed}: {error}", "close the other cococat") from error
    except OSError as error:
        raise StorageError(f"cannot write to {folder}: {_why(error)}", hint_for(error, folder)) from error


def _open(folder: Path, name: str, flags: int) -> int:
    """Open a regular file of ours with one name, in a folder that only we can write."""
    path = folder / name
    try:
        with _folder(folder) as descriptor:
            for _ in range(_SWAPS):
                if (opened := _open_here(path, flags | getattr(os, "O_NONBLOCK", 0), descriptor)) is not None:
                    return opened
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StorageError(f"cannot use {path}: {_why(error)}", f"look at it: ls -l '{path}'") from error
    raise StorageError(f"{path} is another file each time", f"look at what changes it: ls -l '{path}'")


def _open_here(path: Path, flags: int, folder: int | None) -> int | None:
    """
    Open *path* in *folder*; None where another file stands there by now.

    How many names a file has is asked of the place it was opened at: a second name that goes between opening and asking
    would leave the file of somebody else with one.
    """
    place = path if folder is None else path.name
    opened = open_private(place, flags, folder=folder)
    try:
        found = os.stat(place, dir_fd=folder, follow_symlinks=False)
        if same := os.path.samestat(found, os.fstat(opened)):
            _check_file(path, found)
    except FileNotFoundError:
        same = False
    except BaseException:
        os.close(opened)
        raise
    if same:
        return opened
    os.close(opened)
    return None


def _why(error: OSError) -> str:
    if error.errno in (errno.ELOOP, errno.EMLINK):
        return "it is a link"
    return "it is a folder" if error.errno == errno.EISDIR else error.strerror or type(error).__name__


@contextmanager
def _folder(folder: Path) -> Iterator[int | None]:
    """Open *folder* itself, not what a link leads to; None where the system opens no folders."""
    if os.open not in os.supports_dir_fd:
        _check_folder(folder, folder.lstat())
        yield None
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except NotADirectoryError:
        _check_folder(folder, folder.lstat())
        raise
    try:
        _check_folder(folder, os.fstat(descriptor))
        yield descriptor
    finally:
        os.close(descriptor)


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
    """Return the line end that a write cut short left out, so that the next line stands alone."""
    size = os.lseek(descriptor, 0, os.SEEK_END)
    if not size:
        return b""
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return b"" if os.read(descriptor, 1) == b"\n" else b"\n"


def each_line(folder: Path, name: str, *, tail: int = 0) -> Generator[bytes]:
    """
    Read a file of JSON lines, one line at a time; blank ones are left out, a missing file has none.

    Args:
        tail: look only at the lines in the last *tail* bytes; 0 = all.
    Raises: StorageError: the file is not one of ours, or not readable.
    """
    with reading(folder, name) as file:
        if file is None:
            return
        if 0 < tail < os.fstat(file.fileno()).st_size:
            file.seek(-tail - 1, os.SEEK_END)
            _line(file)  # it began before the tail
        while line := _line(file):
            if not line.isspace():
                yield line


def each_row(folder: Path, name: str, *, tail: int = 0) -> Iterator[dict[str, object]]:
    """
    Read a file of JSON lines, one object at a time; a line that makes no sense is left out.

    Args:
        tail: see `each_line`.
    Raises: StorageError: the file is not one of ours, or not readable.
    """
    return (row for line in each_line(folder, name, tail=tail) if (row := json_object(line)) is not None)


def time_of(row: Mapping[str, object]) -> datetime | None:
    """Return when *row* was written; None where it says no time."""
    ts = row.get("ts")
    try:
        return datetime.fromisoformat(ts) if isinstance(ts, str) else None
    except ValueError:
        return None


def append_lines(folder: Path, name: str, rows: Sequence[Mapping[str, object]]) -> None:
    """
    Append one line for each of *rows*, in one write, synced.

    Raises: StorageError: the folder or the file cannot be written, or a row is too long to be read again.
    """
    # ASCII only: U+2028, control characters and half surrogates cannot split or break a line
    lines = [json.dumps(row, ensure_ascii=True, separators=(",", ":")) + "\n" for row in rows]
    if any(len(line) > MAX_BYTES for line in lines):
        raise StorageError(f"a line for {folder / name} is longer than {MAX_BYTES:,} bytes", "keep that text in a file")
    if lines:
        append_bytes(folder, name, "".join(lines).encode("ascii"))


def _line(file: BinaryIO) -> bytes:
    """Read one line; of one that is longer than any of ours give only the beginning, which makes no sense."""
    line = rest = file.readline(MAX_BYTES)
    while rest and not rest.endswith(b"\n"):
        rest = file.readline(MAX_BYTES)
    return line
