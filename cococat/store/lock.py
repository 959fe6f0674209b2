"""One writer at a time for a folder of ours.

Public: folder_lock.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cococat.errors import StorageError
from cococat.store.atomic import private_dir


@contextmanager
def folder_lock(folder: Path, timeout_s: float = 0) -> Iterator[None]:
    """
    Hold *folder* against every other process; the system lets go when this one dies.

    Args:
        folder: made when it is missing; the lock is the file `.lock` in it, and nothing that is written there matters.
        timeout_s: seconds to wait for another owner, blocking the thread; 0 tries once.
    Raises: StorageError: another process has it, or the folder cannot be locked.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415 - 45 ms that only a writer should cost

    try:
        private_dir(folder)
        lock = FileLock(folder / ".lock", timeout=timeout_s, mode=0o600, fallback_to_soft=False)
        lock.acquire()
    except Timeout:
        message = f"{folder} is in use by another cococat (waited {timeout_s:g} s)"
        raise StorageError(message, "wait until it is done, then try again") from None
    except OSError as error:
        message = f"{folder} cannot be locked: {error.strerror or error}"
        raise StorageError(message, f"check that the folder can be written: ls -ld '{folder}'") from error
    try:
        yield
    finally:
        lock.release()
