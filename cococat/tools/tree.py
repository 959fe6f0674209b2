"""Walking the files below a folder: links never followed, `.gitignore` respected, `.git` left out.

Only the standard library at import, as the search worker is a process of its own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from cococat.permissions.paths import Parts, compile_pattern

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

__all__ = ["Found", "files_below", "name_pattern"]

_SKIPPED = frozenset({".git", ".hg", ".svn"})
MAX_BRACES = 64


class Found(NamedTuple):
    """A file below the root; *folder_fd* is open while it is looked at, None on Windows."""

    parts: Parts
    folder_fd: int | None


_Rules: TypeAlias = "tuple[tuple[int, GitIgnoreSpec], ...]"  # how deep each .gitignore lies, the deepest last


def files_below(root: Path, start: Parts) -> Iterator[Found]:
    """
    Yield the files below a folder in the order of their names.

    Args:
        root: resolved.
        start: components of the folder to begin with, link-free.
    """
    rules: dict[Parts, _Rules] = {}
    above: _Rules = ()
    for depth in range(len(start)):
        above = _with_rules(root, start[:depth], above)
    for folder, names, fd, descend in _walk(root.joinpath(*start)):
        here = (*start, *folder)
        mine = _with_rules(root, here, rules.get(here[:-1], above) if folder else above)
        rules[here] = mine
        kept = [name for name in sorted(descend) if name not in _SKIPPED and not _ignored(mine, (*here, name), "/")]
        descend[:] = kept
        for name in sorted(names):
            if not _ignored(mine, (*here, name), ""):
                yield Found((*here, name), fd)


def name_pattern(pattern: str) -> re.Pattern[str]:
    """
    Make the expression for a glob: `{a,b}` is expanded, a pattern without `/` matches at any depth.

    Raises: ValueError: the pattern leads out of the folder or has too many alternatives.
    """
    plain = pattern.removeprefix("./")
    if not plain:
        raise ValueError("the pattern is empty; write **/* for every file")
    deep = plain if "/" in plain.rstrip("/") else f"**/{plain}"
    return re.compile("|".join(f"(?:{compile_pattern(one).pattern})" for one in _expanded(deep)), re.DOTALL)


def _expanded(pattern: str) -> list[str]:
    """Write out `{a,b}` as patterns of their own."""
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        if len(done) + len(waiting) > MAX_BRACES:
            raise ValueError(f"{pattern!r} has more than {MAX_BRACES} alternatives")
        one = waiting.pop()
        match = re.search(r"\{([^{}]*,[^{}]*)\}", one)
        if match:
            waiting += [one[: match.start()] + choice + one[match.end() :] for choice in match[1].split(",")]
        else:
            done.append(one)
    return done


def _walk(top: Path) -> Iterator[tuple[Parts, list[str], int | None, list[str]]]:
    """Walk with open folders where the system can, so that a swapped link leads nowhere."""
    if hasattr(os, "fwalk"):
        for path, folders, names, fd in os.fwalk(top, follow_symlinks=False):
            links = [name for name in folders if _is_link(name, fd)]
            folders[:] = [name for name in folders if name not in links]
            yield Path(path).relative_to(top).parts, [*names, *links], fd, folders
    else:
        for path, folders, names in os.walk(top, followlinks=False):
            yield Path(path).relative_to(top).parts, names, None, folders


def _is_link(name: str, fd: int) -> bool:
    try:
        os.readlink(name, dir_fd=fd)
    except OSError:
        return False
    return True


def _with_rules(root: Path, folder: Parts, above: _Rules) -> _Rules:
    """Add the .gitignore of one folder."""
    path = root.joinpath(*folder, ".gitignore")
    if path.is_symlink() or not path.is_file():
        return above
    from pathspec import GitIgnoreSpec

    try:
        with path.open("rb") as file:
            spec = GitIgnoreSpec.from_lines(file.read(1 << 20).decode("utf-8", "replace").splitlines())
    except (OSError, ValueError):
        return above
    return (*above, (len(folder), spec))


def _ignored(rules: _Rules, parts: Parts, ending: str) -> bool:
    """The deepest .gitignore that says anything decides."""
    for depth, spec in reversed(rules):
        include = spec.check_file("/".join(parts[depth:]) + ending).include
        if include is not None:
            return include
    return False
