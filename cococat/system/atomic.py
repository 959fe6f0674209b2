"""Files that are either old or new, never half."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from cococat.system.below import is_root

_FLAGS = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"))
_RANDOM = 12  # hexadecimal digits in the name of a temporary file
_END = ".tmp"
_LEFT_OVER_S = 3600.0  # seconds; a temporary file lives for milliseconds, but clocks are set
_NO_FOLDER_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EACCES)


@dataclass(frozen=True, slots=True)
class FileDraft:
    """
    A file that is on the disk as a whole, and not in place yet.

    Args:
        path: of the temporary file.
        target: what it is to be.
        folder: descriptor of the folder that both are relative to; None: the paths say it all.
        owned: it has the owner and the group of what it is to replace.
    """

    path: Path
    target: Path
    folder: int | None
    owned: bool = True

    def replace(self) -> None:
        """Put it in the place of whatever is there; a mounted file, which has no other name, is overwritten."""
        try:
            os.replace(self.path, self.target, src_dir_fd=self.folder, dst_dir_fd=self.folder)
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            self.overwrite()

    def overwrite(self) -> None:
        """
        Write what it holds into the file that is there, which stays the same file.

        A crash in between leaves the old content beside it.
        Raises: OSError: the file has its old content again, as far as the disk takes it.
        """
        with (
            os.fdopen(os.open(self.path, os.O_RDONLY | _FLAGS, dir_fd=self.folder), "rb") as draft,
            _in_place(self.target, self.folder) as (file, old),
            drafted(self.target, old, folder=self.folder) as kept,
        ):
            _refill(file, old, draft.read())
            os.unlink(kept.path, dir_fd=self.folder)
        os.unlink(self.path, dir_fd=self.folder)

    def link(self) -> None:
        """
        Put it in place where nothing is yet.

        Raises: FileExistsError: something is.
        """
        try:
            os.link(self.path, self.target, src_dir_fd=self.folder, dst_dir_fd=self.folder, follow_symlinks=False)
        except FileExistsError:
            raise
        except (OSError, NotImplementedError):  # a disk without hard links, or a system without them by descriptor
            self.replace()
        else:
            os.unlink(self.path, dir_fd=self.folder)


def overwrite(path: Path, data: bytes, *, folder: int | None) -> None:
    """
    Write *data* into the file at *path*, in a folder that takes no other; what it holds has to be kept elsewhere.

    Raises: OSError: as `FileDraft.overwrite`.
    """
    with _in_place(path, folder) as (file, old):
        _refill(file, old, data)


@contextmanager
def _in_place(path: Path, folder: int | None) -> Iterator[tuple[BinaryIO, bytes]]:
    """Give a file to write into, and what it holds."""
    with os.fdopen(os.open(path, os.O_RDWR | _FLAGS, dir_fd=folder), "r+b", 0) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            raise OSError(errno.EBUSY, "it has another name, or is no regular file")
        yield file, file.read()


def _refill(file: BinaryIO, old: bytes, data: bytes) -> None:
    """Write *data* in the place of *old*, which is there again where that fails."""
    try:
        _fill(file, data)
    except OSError:
        with suppress(OSError):
            _fill(file, old)
        raise


def _fill(file: BinaryIO, data: bytes) -> None:
    file.seek(0)
    append_line(file.fileno(), data)
    file.truncate(len(data))
    os.fsync(file.fileno())


@contextmanager
def drafted(
    path: Path, data: bytes | Iterable[bytes], *, mode: int = 0o600, exact: bool = True, folder: int | None = None
) -> Iterator[FileDraft]:
    """
    Write *data* beside *path* and see it on the disk; who is given the draft puts it in place, or raises.

    It gets the owner and group of the file that is there. What root makes anew belongs to the folder's owner.

    Args:
        data: the content, whole or in blocks.
        mode: permission bits.
        exact: the mode counts whatever the umask says.
        folder: descriptor of the path's folder; then the name alone counts, whatever the path leads to by now.
    Raises: OSError: no temporary file is left behind.
    """
    name = f".{path.name[:40]}.{os.urandom(_RANDOM // 2).hex()}{_END}"
    temporary = path.parent / name
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, mode, dir_fd=folder)
    try:
        try:
            owned = _own(descriptor, _owner(path if folder is None else path.name, path.parent, folder))
            if folder is not None and not os.path.samestat(os.fstat(descriptor), os.lstat(name, dir_fd=folder)):
                raise OSError(errno.ENOTDIR, "the folder was swapped for another one")
            if exact and hasattr(os, "fchmod"):
                os.fchmod(descriptor, mode)
            for block in (data,) if isinstance(data, bytes) else data:
                append_line(descriptor, block)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        relative = folder is not None
        yield FileDraft(Path(name) if relative else temporary, Path(path.name) if relative else path, folder, owned)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
    sync_folder(path.parent if folder is None else folder)


def _owner(target: Path | str, parent: Path, folder: int | None) -> os.stat_result | None:
    """Whose the file is to be; None: its writer's."""
    with suppress(OSError):
        status = os.lstat(target, dir_fd=folder)
        if stat.S_ISREG(status.st_mode):
            return status
    if not is_root():
        return None
    return parent.stat() if folder is None else os.fstat(folder)


def _own(descriptor: int, owner: os.stat_result | None) -> bool:
    """Give an open file, or folder, to *owner*; return whether it is theirs."""
    if owner is None or not hasattr(os, "fchown"):
        return True
    own = os.fstat(descriptor)
    if (own.st_uid, own.st_gid) != (owner.st_uid, owner.st_gid):
        try:
            os.fchown(descriptor, owner.st_uid, owner.st_gid)
        except OSError:
            return False
    return True


def write_atomic(
    path: Path,
    data: bytes | Iterable[bytes],
    *,
    mode: int = 0o600,
    folder: int | None = None,
    last_look: Callable[[], None] | None = None,
) -> None:
    """
    Put *data* in place of whatever *path* holds, in one step that survives a crash.

    Args:
        data: the content, whole or in blocks.
        folder: descriptor of the path's folder; then the name alone counts, whatever the path leads to by now.
        last_look: called right before the replacement; what it raises prevents it.
    Raises: OSError: no temporary file is left behind; the old content is, unless only the last sync failed.
    """
    with drafted(path, data, mode=mode, folder=folder) as draft:
        if last_look:
            last_look()
        draft.replace()
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
