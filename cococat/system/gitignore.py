"""Walking the files below a folder as git does: links never followed, `.gitignore` respected, `.git` left out.

Where no .gitignore says anything, folders that tools fill are left out as well, as most projects would have it.

Only the standard library at import, as the search worker is a process of its own.
"""

from __future__ import annotations

import os
import re
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

from cococat.system.below import Folder, folder_below, open_in
from cococat.system.wildmatch import expression, is_literal

_Parts: TypeAlias = tuple[str, ...]
_FILE = ".gitignore"
_SKIPPED = frozenset({".git", ".hg", ".svn"})
_MADE = ("__pycache__", "node_modules", ".venv", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox")
_MAX_BYTES = 1 << 20  # of one .gitignore


class FoundFile(NamedTuple):
    """A file below the root; its *folder*, if there is one, is open while it is looked at."""

    parts: _Parts
    folder: Folder | None


class _Pattern(NamedTuple):
    """One line of a .gitignore; names are compared as their bytes, one character each."""

    ignores: bool
    folders_only: bool
    by_name: bool
    matches: Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Ignored:
    """
    What the .gitignore files of a repository say about the files below one folder.

    Args:
        above: the way from the repository's top to the root that paths are told from.
        layers: how far below the top each .gitignore lies, and its patterns, the last line first; the deepest last.
    """

    above: _Parts
    layers: tuple[tuple[int, tuple[_Pattern, ...]], ...] = ()

    def __call__(self, parts: _Parts, *, folder: bool) -> bool:
        """Return whether the path at *parts* is left out; the deepest .gitignore that says anything decides."""
        whole = [_bytes(part) for part in (*self.above, *parts)]
        for depth, patterns in reversed(self.layers):
            path = "/".join(whole[depth:])
            for pattern in patterns:
                if (folder or not pattern.folders_only) and pattern.matches(whole[-1] if pattern.by_name else path):
                    return pattern.ignores
        return False

    def within(self, parts: _Parts, folder: Folder, name: str = _FILE) -> Ignored:
        """Add what a file in *folder* says about what lies below *parts*, the way from the top."""
        patterns = _patterns(folder, name)
        return replace(self, layers=(*self.layers, (len(parts), patterns))) if patterns else self


def ignored_at(root: Path, parts: _Parts = ()) -> Ignored:
    """
    Read the .gitignore files that count for the folder at *parts*: its own, and all above in the same repository.

    Args:
        root: absolute; where no repository is around it, nothing above it counts.
    Returns: their patterns; where there is none, what tools make is left out all the same.
    """
    top = next((folder for folder in (root, *root.parents) if os.path.lexists(folder / ".git")), root)
    found = Ignored(root.relative_to(top).parts)
    whole = (*found.above, *parts)
    with suppress(OSError), folder_below(top, (".git", "info")) as folder:
        found = found.within((), folder, "exclude")
    for depth in range(len(whole) + 1):
        with suppress(OSError), folder_below(top, whole[:depth]) as folder:
            found = found.within(whole[:depth], folder)
    return found if found.layers else replace(found, layers=((0, tuple(_made())),))


def files_below(
    root: Path, start: _Parts = (), *, near_first: bool = False, hidden: bool = True, most: int = sys.maxsize
) -> Iterator[FoundFile]:
    """
    Yield the files below a folder: those in it by name, then those in each folder of it.

    Args:
        root: absolute; what is found is told from it.
        start: components of the folder to begin with, link-free.
        near_first: no file of a deeper folder before those of all that are less deep.
        hidden: names that begin with a dot count, too.
        most: entries to look at, so that a big tree costs no more than a small one.
    """
    waiting = deque([(start, ignored_at(root, start))])
    while waiting and most > 0:
        here, rules = waiting.popleft() if near_first else waiting.pop()
        with suppress(OSError), folder_below(root, here) as folder:
            entries = sorted(folder.entries(), key=lambda entry: entry.name)
            if here != start and any(entry.name == _FILE for entry in entries):
                rules = rules.within((*rules.above, *here), folder)
            folders = []
            for entry in entries[:most]:
                path, is_folder = (*here, entry.name), entry.is_dir(follow_symlinks=False)
                if (not hidden and entry.name.startswith(".")) or (is_folder and entry.name in _SKIPPED):
                    continue
                if rules(path, folder=is_folder):
                    continue
                if is_folder:
                    folders.append((path, rules))
                else:
                    yield FoundFile(path, folder)
            most -= len(entries)
            waiting.extend(folders if near_first else reversed(folders))


def _patterns(folder: Folder, name: str) -> tuple[_Pattern, ...]:
    """Read a .gitignore, the last line first; a link is none, and neither is what cannot be read."""
    try:
        with open_in(folder, name) as file:
            data = file.read(_MAX_BYTES + 1)
    except (OSError, ValueError):
        return ()
    if len(data) > _MAX_BYTES:
        data = data[: data.rfind(b"\n") + 1]
    lines = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1").split("\n")
    return tuple(pattern for line in reversed(lines) if (pattern := _pattern(line)))


def _pattern(line: str) -> _Pattern | None:
    """Read one line as git does; None for a comment or an empty one."""
    if not line or line.startswith("#"):
        return None
    text = _without_blanks(line.removesuffix("\r").partition("\0")[0])
    negated = text.startswith("!")
    text = text[negated:]
    folders_only = text.endswith("/")
    text = text[: len(text) - folders_only]
    by_name = "/" not in text
    text = text.removeprefix("/")
    if not text:
        return None
    return _Pattern(not negated, folders_only, by_name, _matcher(text, by_name=by_name))


def _made() -> Iterator[_Pattern]:
    """Yield a pattern for each folder that tools fill with what nobody has written."""
    return (_Pattern(True, True, True, name.__eq__) for name in _MADE)  # noqa: FBT003 - the fields are named above


def _without_blanks(text: str) -> str:
    """Drop the blanks at the end, but not one that a backslash stands before."""
    bare = text.rstrip(" ")
    escaped = (len(bare) - len(bare.rstrip("\\"))) % 2
    return text[: len(bare) + escaped]


def _matcher(text: str, *, by_name: bool) -> Callable[[str], object]:
    """Return the cheapest way to compare with *text*: most lines are a name, or an ending."""
    if is_literal(text):
        return text.__eq__
    if by_name and text.startswith("*") and is_literal(text[1:]):
        return lambda name: name.endswith(text[1:])
    return re.compile(expression(text), re.DOTALL).fullmatch


def _bytes(name: str) -> str:
    """Write the bytes of a name as one character each, as patterns are read."""
    return name if name.isascii() else os.fsencode(name).decode("latin-1")
