"""Changing a file that was read before: whole and at once, or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from cococat.core.tools import ToolFailure
from cococat.permissions.paths import Parts
from cococat.system.atomic import FileDraft, drafted, overwrite
from cococat.system.below import Folder, folder_below, is_root
from cococat.tools.access import MAX_EDIT, Seen, display_path, open_regular
from cococat.tools.preimages import Preimages


def current(root: Path, parts: Parts, seen: Seen) -> tuple[bytes, int, ToolFailure | None]:
    """
    Return the bytes and mode of a file, and why it may not be changed as a whole: it was not read before, or not since.

    Raises: ToolFailure: no part of it may be changed. FileNotFoundError: there is no such file.
    """
    name = display_path(parts)
    with open_regular(root, parts) as (file, status):
        if why := _untouchable(status, root):
            raise ToolFailure(f"ProtectedError: {name} {why}; it is not changed: tell the user")
        data = file.read(MAX_EDIT + 1)
    known, unread = seen.get("/".join(parts)), None
    if known is None:
        unread = ToolFailure(f"NotReadError: {name} has not been read yet; call read_file first")
    elif hashlib.sha256(data).hexdigest() != known:
        unread = ToolFailure(f"ChangedError: {name} changed since read; call read_file again")
    return data, stat.S_IMODE(status.st_mode) & 0o777, unread


def _untouchable(status: os.stat_result, root: Path) -> str:
    if status.st_size > MAX_EDIT:
        return f"is larger than {MAX_EDIT >> 20} MiB"
    if status.st_nlink > 1:
        return "has more than one name (hard links)"
    if status.st_mode & (stat.S_ISUID | stat.S_ISGID):
        return "is setuid or setgid"
    if hasattr(os, "geteuid") and status.st_uid not in (os.geteuid(), root.stat().st_uid if is_root() else None):
        return "belongs to another user"
    return ""


def put(
    root: Path,
    parts: Parts,
    data: bytes,
    seen: Seen,
    keep: Preimages | None,
    *,
    replaces: bytes | None,
    mode: int,
    held: bool = False,
) -> None:
    """
    Put *data* in place by writing beside the file and renaming; a crash leaves the old or the new file.

    A file that can be written in a folder that cannot, as containers mount it, is overwritten once its bytes are kept.

    Args:
        replaces: the bytes that the file must still have; None when there must be no file.
        mode: permission bits.
        held: what is replaced need not be kept.
    Raises: ToolFailure: the file is not as *replaces* says, or what it holds cannot be kept.
    """
    if not parts:
        raise ToolFailure("IsADirectoryError: . is a folder; name a file in it")
    with folder_below(root, parts[:-1], create=replaces is None) as folder:
        target = Path(folder.name(parts[-1]))
        kept = keep.keeping(parts, replaces, data, mode) if keep else contextlib.nullcontext()
        if replaces is not None and (keep or held) and _is_read_only(folder):
            with kept, _unchanged(root, parts, replaces):
                overwrite(target, data, folder=folder.fd)
        else:
            with drafted(target, data, mode=mode, exact=replaces is not None, folder=folder.fd) as draft, kept:
                if replaces is None:
                    _link(draft, parts)
                else:
                    _replace(root, draft, parts, replaces)
    seen["/".join(parts)] = hashlib.sha256(data).hexdigest()


def _is_read_only(folder: Folder) -> bool:
    """Return whether nothing can be made in *folder*; a file in it may be of another disk."""
    return hasattr(os, "statvfs") and bool(
        os.statvfs(folder.path if folder.fd is None else folder.fd).f_flag & os.ST_RDONLY
    )


def _link(draft: FileDraft, parts: Parts) -> None:
    """Give a new file its name, unless something took it meanwhile."""
    try:
        draft.link()
    except FileExistsError as error:
        raise ToolFailure(f"ChangedError: {display_path(parts)} appeared meanwhile; call read_file first") from error


def _replace(root: Path, draft: FileDraft, parts: Parts, replaces: bytes) -> None:
    """Put the new version in place of the old one, unless that changed since it was read."""
    with _unchanged(root, parts, replaces) as fd:
        _copy_attributes(fd, draft)
    if draft.owned:
        draft.replace()
    else:  # a group that is not ours to give: the file keeps it, as it stays the same file
        draft.overwrite()


@contextlib.contextmanager
def _unchanged(root: Path, parts: Parts, replaces: bytes) -> Iterator[int]:
    """Open a file that still holds what it held when it was read."""
    with open_regular(root, parts) as (file, status):
        if file.read(MAX_EDIT + 1) != replaces or _untouchable(status, root):
            raise ToolFailure(f"ChangedError: {display_path(parts)} changed since read; call read_file again")
        yield file.fileno()


def _copy_attributes(fd: int, draft: FileDraft) -> None:
    """Copy extended attributes, access lists among them, as far as the system lets us."""
    if not hasattr(os, "listxattr"):
        return
    with contextlib.suppress(OSError):
        new = os.open(draft.path, os.O_RDONLY, dir_fd=draft.folder)
        try:
            for name in os.listxattr(fd):
                os.setxattr(new, name, os.getxattr(fd, name))
        finally:
            os.close(new)
