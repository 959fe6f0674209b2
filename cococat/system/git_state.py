"""The branch of a repository and which of its files are changed and not staged, read without git.

A `git status` would run what the repository's own configuration names: filters, a file system monitor. What is
not known as git knows it is not said. Nothing is read through a link, from a pipe, or without a bound.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
import struct
import time
from collections.abc import Collection, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from cococat.system.below import Folder, folder_below, read_below

MAX_POINTER = 1 << 12  # bytes of HEAD, of a `.git` file and the like
MAX_CONFIG = 1 << 16
MAX_INDEX = 4 << 20  # about 40,000 files
MAX_CONTENT = 1 << 20  # of a file whose content decides
SECONDS = 0.2
_CONFLICT, _ASSUMED = 0x3000, 0x8000  # flags of an entry
_ELSEWHERE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_CEILING_DIRECTORIES")
_NO_NAME = re.compile(r"[\s~^:?*\[\\]|\.\.|@\{|\.$")  # what no branch is called
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SECTION = re.compile(r'\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\]|\\.)*)")?\]')
_SETTING = re.compile(r"([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=[ \t]*(.*))?")


class Unstaged(NamedTuple):
    """Files that differ from what is staged, and those in conflict; none of them is counted twice."""

    changed: int
    conflicts: int


class _Repository(NamedTuple):
    """
    What git reads.

    Args:
        top: the folder with the files.
        git: that of HEAD and the index.
        common: that of the configuration; another one in a linked worktree.
    """

    top: Path
    git: Path
    common: Path


class _Unknown(Exception):
    """Git may know; this module does not."""


def branch_of(folder: Path) -> str | None:
    """Return the branch that is checked out where *folder* is, or `detached at …`; None where that is not known."""
    with contextlib.suppress(OSError, ValueError, _Unknown):
        head = _text(_repository(folder).git, "HEAD")
        if _COMMIT.fullmatch(head):
            return f"detached at {head[:12]}"
        if head.startswith("ref: refs/heads/") and _is_branch(name := head.removeprefix("ref: refs/heads/")):
            return name
    return None


def unstaged(folder: Path) -> Unstaged | None:
    """Return what differs in the repository that *folder* is in; None where that is not known, or not soon."""
    with contextlib.suppress(OSError, ValueError, struct.error, _Unknown):
        return _compared(_repository(folder))
    return None


def _repository(folder: Path) -> _Repository:
    """
    Find the repository that git would use in *folder*.

    Raises: OSError, ValueError, _Unknown: there is none, or one that git may see otherwise.
    """
    if any(name in os.environ for name in _ELSEWHERE):
        raise _Unknown
    for top in (folder, *folder.parents):
        git = top / ".git"
        kind = git.lstat().st_mode if os.path.lexists(git) else 0
        if stat.S_ISREG(kind):
            return _linked(top, _text(top, ".git"))
        if stat.S_ISDIR(kind) and is_repository(git) and not os.path.lexists(git / "commondir"):
            settings = _settings(git)
            if settings.get("core.bare", "false") != "false" or "core.worktree" in settings:
                raise _Unknown
            return _Repository(top, git, git)
        if stat.S_ISLNK(kind) or is_repository(top):  # a bare one
            break
    raise _Unknown


def _linked(top: Path, pointer: str) -> _Repository:
    """
    Follow a `.git` file, where what it names says itself that it belongs to this folder.

    Raises: OSError, ValueError, _Unknown: it does not.
    """
    git = Path(os.path.realpath(top / pointer.removeprefix("gitdir:").strip()))
    if os.path.lexists(git / "gitdir"):  # a linked worktree
        if Path(os.path.realpath(git / _text(git, "gitdir"))) != Path(os.path.realpath(top / ".git")):
            raise _Unknown
        return _Repository(top, git, Path(os.path.realpath(git / _text(git, "commondir"))))
    back = _settings(git).get("core.worktree")  # a submodule
    if not back or Path(os.path.realpath(git / back)) != Path(os.path.realpath(top)):
        raise _Unknown
    return _Repository(top, git, git)


def _is_branch(name: str) -> bool:
    parts = name.split("/")
    kept = all(part and part[0] != "." and not part.endswith(".lock") for part in parts)
    return kept and name.isprintable() and not _NO_NAME.search(name)


def _text(folder: Path, name: str) -> str:
    return read_below(folder, (name,), MAX_POINTER).decode("utf-8").strip()


def makes_repository(names: Collection[str]) -> bool:
    """Return whether git takes a folder that holds *names* (in small letters) for a repository, and obeys what is in it."""
    return "head" in names and ("commondir" in names or ("objects" in names and "refs" in names))


def is_repository(folder: Path) -> bool:
    """Return whether git takes *folder* for a repository, whatever its name."""
    return makes_repository(
        [n.lower() for n in ("HEAD", "objects", "refs", "commondir") if os.path.lexists(folder / n)]
    )


def git_settings(text: str) -> list[tuple[str, str]]:
    """
    Read the settings of a repository: `section.key` or `section.name.key` in small letters, with what it is set to.

    It knows what git itself writes; of any other line the name is empty. Git reads more: a line that ends in a backslash
    goes on in a value and not in a comment, a form feed ends none.
    """
    section, found = "", list[tuple[str, str]]()
    for line in text.split("\n"):
        words = line.strip(" \t\r")
        if words.endswith("\\"):
            found.append(("", words))
        elif heading := _SECTION.fullmatch(words):
            section = ".".join(filter(None, heading.groups()))
        elif setting := _SETTING.fullmatch(words):
            found.append((f"{section}.{setting[1]}".casefold(), (setting[2] or "").strip('"')))
        elif words and words[0] not in "#;":
            found.append(("", words))
    return found


def _settings(git: Path) -> dict[str, str]:
    """
    Read the repository's configuration.

    Raises: OSError, ValueError, _Unknown: git may read it otherwise.
    """
    there = [name for name in ("config", "config.worktree") if os.path.lexists(git / name)]
    text = "\n".join(read_below(git, (name,), MAX_CONFIG).decode("utf-8", "replace") for name in there)
    found = dict(git_settings(text))
    if "" in found:
        raise _Unknown
    return found


class _Entry(NamedTuple):
    """What the index says of a file, as it was when it was staged; *changed* and *modified* as `lstat` gives them."""

    parts: Sequence[str]
    changed: int
    modified: int
    inode: int
    mode: int
    size: int
    digest: bytes
    flags: int


class _Index(NamedTuple):
    """What is staged; *written* in nanoseconds since 1970, *kind* is the repository's hash."""

    entries: Sequence[_Entry] = ()
    written: int = 0
    kind: str = "sha1"


def _compared(repository: _Repository) -> Unstaged:
    """
    Compare the index with the files.

    Raises: OSError, ValueError, struct.error, _Unknown: that cannot be done as git does it.
    """
    index = _index(repository.git) if os.path.lexists(repository.git / "index") else _Index()
    conflicts = {tuple(entry.parts) for entry in index.entries if entry.flags & _CONFLICT}
    compared = [entry for entry in index.entries if not entry.flags & (_CONFLICT | _ASSUMED)]
    until, changed = time.monotonic() + SECONDS, 0
    for parts, group in groupby(compared, key=lambda entry: entry.parts[:-1]):
        entries = list(group)
        with contextlib.ExitStack() as opened:
            try:
                folder = opened.enter_context(folder_below(repository.top, parts))
            except OSError as error:
                if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
                    raise
                changed += len(entries)
                continue
            for entry in entries:
                if time.monotonic() > until:
                    raise _Unknown
                changed += _differs(repository, index, entry, folder)
    return Unstaged(changed, len(conflicts))


def _index(git: Path) -> _Index:
    """
    Read the index of a repository.

    Raises: OSError, ValueError, struct.error, _Unknown: it is torn, too large, or of a kind that is not read here.
    """
    data, written = read_below(git, ("index",), MAX_INDEX), (git / "index").lstat().st_mtime_ns
    for kind, length in (("sha1", 20), ("sha256", 32)):
        if hashlib.new(kind, data[:-length], usedforsecurity=False).digest() == data[-length:]:
            break
    else:
        raise _Unknown
    signature, version, count = struct.unpack_from(">4sII", data)
    if (signature, version) != (b"DIRC", 2):
        raise _Unknown
    place, entries, entry = 12, [], struct.Struct(f">10I{length}sH")
    for _ in range(count):
        *times, _, inode, mode, _, _, size, digest, flags = entry.unpack_from(data, place)
        end = data.index(b"\0", place + entry.size)
        parts = os.fsdecode(data[place + entry.size : end]).split("/")
        if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)) or {"", ".", "..", ".git"} & {*parts}:
            raise _Unknown  # a submodule, a folder of a sparse index, or a path that git refuses
        changed, modified = (times[at] * 1_000_000_000 + times[at + 1] for at in (0, 2))
        entries.append(_Entry(parts, changed, modified, inode, mode, size, digest, flags))
        place += (end - place + 8) & ~7
    while place < len(data) - length:
        if not data[place : place + 1].isupper():  # an extension that one has to know
            raise _Unknown
        place += 8 + struct.unpack_from(">I", data, place + 4)[0]
    return _Index(entries, written, kind)


def _differs(repository: _Repository, index: _Index, entry: _Entry, folder: Folder) -> bool:
    """
    Return whether a file is not what is staged: by its size, else by its content where its times do not decide.

    Raises: OSError, ValueError, _Unknown: filters or settings of git decide.
    """
    name = folder.name(entry.parts[-1])
    try:
        status = os.stat(name, dir_fd=folder.fd, follow_symlinks=False)
    except FileNotFoundError:
        return True
    if stat.S_IFMT(status.st_mode) != stat.S_IFMT(entry.mode):
        if stat.S_ISLNK(entry.mode) and stat.S_ISREG(status.st_mode):  # as where there are no links
            raise _Unknown
        return True
    if status.st_size & 0xFFFFFFFF != entry.size and entry.size:
        return True
    if stat.S_ISREG(entry.mode) and (status.st_mode ^ entry.mode) & stat.S_IXUSR:
        raise _Unknown  # whether that counts is a setting
    times = (status.st_ctime_ns, status.st_mtime_ns, status.st_ino & 0xFFFFFFFF, status.st_size)
    if times == (entry.changed, entry.modified, entry.inode, entry.size) and entry.modified < index.written:
        return False
    if stat.S_ISLNK(entry.mode):
        content = os.fsencode(os.readlink(name, dir_fd=folder.fd))
    elif _filtered(repository, entry.parts):
        raise _Unknown
    else:
        content = read_below(repository.top, entry.parts, MAX_CONTENT)
    blob = hashlib.new(index.kind, b"blob %d\0" % len(content) + content, usedforsecurity=False).digest()
    if blob != entry.digest and b"\r\n" in content:  # what git would make of them is a setting
        raise _Unknown
    return blob != entry.digest


def _filtered(repository: _Repository, parts: Sequence[str]) -> bool:
    """Return whether attributes may change what git sees of a file."""
    own = Path(os.environ.get("XDG_CONFIG_HOME") or Path("~/.config").expanduser()) / "git" / "attributes"
    folders = (repository.top.joinpath(*parts[:depth]) for depth in range(len(parts)))
    found = (own, repository.common / "info" / "attributes", *(folder / ".gitattributes" for folder in folders))
    return any(map(os.path.lexists, found))
