"""One append-only log and the right to write it, which ends with the process.

A log never raises because a disk failed: the lines stay in memory, `problem` says why, and the next
line that must last writes them all. What is on the disk is the truth; nothing in it is rewritten.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from cococat.core.limits import Problem
from cococat.store.lock import Owned, own
from cococat.store.record import Reading, Record, encode, read_log
from cococat.system.atomic import append_line, sync_folder, write_atomic
from cococat.system.private import open_private, private_dir

_FLAGS = os.O_RDWR | os.O_APPEND
_CHUNK = 1 << 20  # bytes
_FIXES = {
    errno.ENOSPC: "free some space; it is tried again with the next message",
    errno.EDQUOT: "free some space; it is tried again with the next message",
    errno.EACCES: "check who may write there: ls -ld '{folder}'",
    errno.EPERM: "check who may write there: ls -ld '{folder}'",
    errno.EROFS: "set COCOCAT_HOME to a folder that can be written",
}


class LogFile:
    """
    A log that this process owns.

    Args:
        new: the file is made, and must not exist; otherwise it exists, and `read` and `go_on` come first.
    Raises: UsageError: another process owns it.
    """

    def __init__(self, path: Path, *, new: bool) -> None:
        self.path = path
        self.problem: Problem | None = None
        self.torn: Path | None = None  # where the torn tail was put, when there was one
        self._new = new
        self._fd: int | None = None
        self._release: Callable[[], None] = lambda: None
        self._seq = 0
        self._lasting = 0  # bytes that are known to be on the disk
        self._seen = 0  # bytes the file held when it was read
        self._kept: list[bytes] = []  # lines behind those
        self._beside: dict[str, bytes] = {}  # files that lines name and that are not known to be on the disk
        self._ready = False  # the file ends with the last line of `_kept`: appending is safe
        self._closed = False
        try:
            self._attach()
        except OSError as error:
            self.problem = _problem(path, error.strerror or str(error), error.errno)

    def read(self, take: Callable[[Record], None]) -> Reading:
        """
        Return every good line of an existing log to *take*.

        Raises: OSError: the log cannot be read.
        """
        reading = read_log(self.path, take)
        self._seq, self._lasting, self._seen = reading.seq, reading.end, reading.size
        return reading

    def go_on(self) -> None:
        """Make the log that was read ready for more lines, behind its last good one."""
        if self.problem is None:
            self._try(self._fix)

    def append(self, bodies: Iterable[tuple[float, Mapping[str, object]]], *, lasting: bool) -> None:
        """Add a line for each time and object; *lasting* ones are on the disk when this returns without a problem."""
        lines = []
        for ts, body in bodies:
            self._seq += 1
            lines.append(encode(self._seq, ts, body))
        ready, self._ready = self._ready, False
        self._kept += lines
        if ready:
            self._try(lambda: self._write(b"".join(lines), lasting=lasting))
        elif lasting:
            self._try(self._catch_up)

    def keep_beside(self, name: str, data: bytes) -> None:
        """Keep *data* in a file beside the log, which is on the disk before the next lasting line is."""
        self._beside[name] = data

    def close(self) -> None:
        """Write what is still kept, and let the next process have the log."""
        if self._kept:
            self._try((lambda: self._write(b"", lasting=True)) if self._ready else self._catch_up)
        self._end()

    def discard(self) -> None:
        """End a log that never held anything worth keeping."""
        self._kept.clear()
        if self._fd is not None:
            with suppress(OSError):
                self.remove()
        self._end()

    def remove(self) -> None:
        """
        Delete the log with everything beside it.

        Raises: OSError: it is still there.
        """
        if self._fd is None:
            raise OSError(errno.EACCES, self.problem.message if self.problem else "the log is not open", str(self.path))
        if os.name == "nt":
            self._detach()  # an open file has to stay there
        for file in self.files.iterdir() if self.files.is_dir() else ():
            file.unlink()
        if self.files.is_dir():
            self.files.rmdir()
        self.path.unlink(missing_ok=True)
        self.torn_path.unlink(missing_ok=True)
        self._kept.clear()
        self._end()

    @property
    def torn_path(self) -> Path:
        """Where fragments of half-written lines are kept."""
        return self.path.with_name(self.path.name + ".torn")

    @property
    def files(self) -> Path:
        """Where the files are that are kept beside it."""
        return self.path.with_suffix(".files")

    def _try(self, step: Callable[[], None]) -> None:
        """Do *step*; a failure of the disk becomes the problem, success ends it."""
        self._ready = False  # until it is done, also when a signal's exception ends it
        try:
            step()
        except OSError as error:
            self.problem = _problem(self.path, error.strerror or str(error), error.errno)
        except Owned as error:
            self.problem = _problem(self.path, error.message)
        else:
            self._ready = True
            self.problem = None

    def _attach(self) -> None:
        """Open and lock the file."""
        if self._closed:
            raise OSError(errno.EBADF, "the log is closed", str(self.path))
        if self._new:
            private_dir(self.path.parent)
        flags = _FLAGS | os.O_CREAT | os.O_EXCL if self._new else _FLAGS
        descriptor = open_private(self.path, flags)
        try:
            release = own(descriptor, self.path)
        except (OSError, Owned):
            os.close(descriptor)
            if self._new:
                self.path.unlink(missing_ok=True)
            raise
        self._fd, self._release = descriptor, release
        if self._new:
            self._new = False
            sync_folder(self.path.parent)
            self._ready = True

    def _end(self) -> None:
        self._ready = False
        self._closed = True
        self._detach()

    def _detach(self) -> None:
        if self._fd is not None:
            self._release()
            os.close(self._fd)
        self._fd = None

    def _catch_up(self) -> None:
        """Bring the file to where it is known to be good, then write everything that is kept."""
        self._fix()
        self._write(b"".join(self._kept), lasting=True)

    def _fix(self) -> None:
        """Cut off what stands behind the last good line, after a copy of it was saved."""
        if self._fd is None:
            self._attach()
            if os.fstat(self._descriptor()).st_size != self._seen:
                self._detach()
                raise OSError(errno.ESTALE, "another process has written to it", str(self.path))
        descriptor = self._descriptor()
        if self._seen > self._lasting:
            self._save_torn(descriptor)
        if os.fstat(descriptor).st_size != self._lasting:
            os.ftruncate(descriptor, self._lasting)
            os.fsync(descriptor)

    def _save_torn(self, descriptor: int) -> None:
        """Copy the bytes that no good line follows to a file of their own."""
        target = open_private(self.torn_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            os.lseek(descriptor, self._lasting, os.SEEK_SET)
            while chunk := os.read(descriptor, _CHUNK):
                append_line(target, chunk)
            os.fsync(target)
        finally:
            os.close(target)
        self.torn = self.torn_path
        self._seen = self._lasting

    def _write(self, data: bytes, *, lasting: bool) -> None:
        descriptor = self._descriptor()
        for name, content in self._beside.items():
            write_atomic(private_dir(self.files) / name, content)
        self._beside.clear()
        append_line(descriptor, data, sync=lasting)
        if not lasting:
            return
        if not os.fstat(descriptor).st_nlink:
            raise OSError(errno.ENOENT, "the file was deleted", str(self.path))
        # after a failed fsync the system may have dropped the bytes: only now are they known to be there
        self._lasting += sum(map(len, self._kept))
        self._kept.clear()

    def _descriptor(self) -> int:
        if self._fd is None:
            raise OSError(errno.EBADF, "the log is closed", str(self.path))
        return self._fd


def _problem(path: Path, why: str, number: int | None = None) -> Problem:
    fix = _FIXES.get(number or 0, "it is tried again with the next message; --no-session does without")
    return Problem("storage", f"this session is not being saved: {why} ({path})", fix.format(folder=path.parent))
