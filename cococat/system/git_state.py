"""The branch of a repository and how many of its files are changed, read without git.

A `git status` would run what the repository's own configuration names: filters, a file system monitor.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import struct
import time
from pathlib import Path
from typing import NamedTuple

__all__ = ["GitState", "git_state"]

MAX_INDEX = 4 << 20  # bytes, about 40,000 files
MAX_FILE = 1 << 20  # of a file whose content decides; a larger one is changed when its times say so
SECONDS = 0.2
_ENTRY = struct.Struct(">10I20sH")
_EXTENDED = 0x4000  # a flag: two more bytes of flags follow


class GitState(NamedTuple):
    """What is checked out; *changed* is None where that would take too long to find out."""

    branch: str
    changed: int | None


def git_state(folder: Path) -> GitState | None:
    """Return the state of the repository that *folder* is in; None when it is in none."""
    with contextlib.suppress(OSError, ValueError):
        for top in (folder, *folder.parents):
            git = top / ".git"
            if git.is_file():
                git = top / git.read_text("utf-8").removeprefix("gitdir:").strip()
            if git.is_dir():
                head = (git / "HEAD").read_text("utf-8").strip()
                branch = head.removeprefix("ref: refs/heads/") if head.startswith("ref:") else head[:12]
                return GitState(branch, _changed(top, git / "index"))
    return None


def _changed(top: Path, index: Path) -> int | None:
    """Count the files of the index that are gone or hold something else; None for one too large or too new to read."""
    if index.stat().st_size > MAX_INDEX:
        return None
    data = index.read_bytes()
    signature, version, entries = struct.unpack_from(">4sII", data)
    if signature != b"DIRC" or version not in (2, 3):
        return None
    until, place, changed = time.monotonic() + SECONDS, 12, 0
    for _ in range(entries):
        if time.monotonic() > until:
            return None
        _, _, modified, nanoseconds, _, _, mode, _, _, size, sha, flags = _ENTRY.unpack_from(data, place)
        start = place + _ENTRY.size + (2 if flags & _EXTENDED else 0)
        end = data.index(b"\0", start)
        place += (end - place + 8) & ~7
        entry = _Entry(stat.S_ISREG(mode), modified * 1_000_000_000 + nanoseconds, size, sha)
        changed += _differs(top / os.fsdecode(data[start:end]), entry)
    return changed


class _Entry(NamedTuple):
    """What the index says of a file."""

    regular: bool
    mtime_ns: int
    size: int
    sha: bytes


def _differs(path: Path, entry: _Entry) -> bool:
    """Return whether a file is not the one of an index entry: by its times and size, then by its content."""
    if not entry.regular:  # a link or a submodule
        return False
    try:
        status = path.lstat()
        if (status.st_size, status.st_mtime_ns) == (entry.size, entry.mtime_ns):
            return False
        if not stat.S_ISREG(status.st_mode) or status.st_size != entry.size or entry.size > MAX_FILE:
            return True
        content = path.read_bytes()
    except OSError:
        return True
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).digest()
    return blob != entry.sha
