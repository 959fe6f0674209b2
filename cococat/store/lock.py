"""Who may write a log: one process at a time, and the system takes the right back when it dies.

Only the lock decides. The note beside it, with process and host, is for the message to the second one.
"""

from __future__ import annotations

import errno
import json
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from cococat.errors import UsageError
from cococat.system.private import open_private

try:
    import fcntl
except ImportError:  # Windows locks a file beside the log instead
    fcntl = None  # type: ignore[assignment]

_TAKEN = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)
_MAX_NOTE = 1024  # bytes


class Owned(UsageError):
    """Another process writes this log."""


def own(descriptor: int, path: Path) -> Callable[[], None]:
    """
    Take the log at *path*, open as *descriptor*; give the function that lets it go.

    Raises:
        Owned: another process has it; names it.
        OSError: it cannot be locked, or was replaced meanwhile.
    """
    release = _lock(descriptor, path)
    there = path.stat()
    if not os.path.samestat(os.fstat(descriptor), there):
        release()
        raise OSError(errno.ESTALE, "the file was replaced", str(path))
    note = path.with_suffix(".owner")
    with suppress(OSError), os.fdopen(open_private(note, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "w") as stream:
        json.dump({"pid": os.getpid(), "host": socket.gethostname()}, stream)

    def let_go() -> None:
        with suppress(OSError):
            note.unlink()
        release()

    return let_go


def holder(path: Path) -> str:
    """
    Return which process writes the log at *path*; empty when none does.

    Raises: OSError: it cannot be opened.
    """
    if not path.with_suffix(".owner").exists():
        return ""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        _lock(descriptor, path)()  # a note alone says nothing: its process may have been killed
    except Owned as error:
        return error.message.partition(" is open in ")[2]
    finally:
        os.close(descriptor)
    return ""


def _lock(descriptor: int, path: Path) -> Callable[[], None]:
    if fcntl is None:
        return _lock_beside(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _TAKEN:
            raise _owned(path) from None
        raise
    return lambda: fcntl.flock(descriptor, fcntl.LOCK_UN)


def _lock_beside(path: Path) -> Callable[[], None]:
    from filelock import FileLock, Timeout

    lock = FileLock(path.with_suffix(".lock"), timeout=0, fallback_to_soft=False)
    try:
        lock.acquire()
    except Timeout:
        raise _owned(path) from None
    return lock.release


def _owned(path: Path) -> Owned:
    who = "another cococat"
    with suppress(OSError, ValueError, KeyError, TypeError):
        with path.with_suffix(".owner").open("rb") as stream:
            said = json.loads(stream.read(_MAX_NOTE))
        who = f"another cococat (process {int(said['pid'])} on {str(said['host'])[:64]!a})"
    hint = f"close it there, or go on with a copy: cococat chat --resume {path.stem} --fork"
    return Owned(f"session {path.stem} is open in {who}", hint)
