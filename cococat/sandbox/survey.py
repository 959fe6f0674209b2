"""The files below a root that a boxed command may neither see nor change, looked for before and after it."""

from __future__ import annotations

import math
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cococat.system.below import folder_below, open_in
from cococat.system.git_state import makes_repository

MAX_BYTES = 256 << 10  # of a file that can be put back
INSTALLED = ("node_modules", ".venv", "venv")  # code that package managers made; its certificates end in .pem, too
RUN_BY_GIT = ("config", "config.worktree", "commondir", "hooks", "info")
_HOOKS = re.compile(r'^\s*hookspath\s*=\s*"?(.+?)"?\s*$', re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SavedFile:
    """What a file holds, or where a link leads (text), and its mode."""

    data: bytes | str
    mode: int = 0


@dataclass(frozen=True, slots=True)
class Survey:
    """
    What was found.

    Args:
        secret: paths that usually hold keys.
        delicate: each file and folder that makes another program run, with what is in it; None: too large, or no file.
        git: what there is of the settings, hooks and the like of each repository: they stay as they are.
        repositories: the folders that git takes for one.
        above: the folders above all that is delicate, with their inodes: behind another one lies another folder.
    """

    secret: tuple[str, ...] = ()
    delicate: Mapping[str, SavedFile | None] = field(default_factory=dict)
    git: tuple[str, ...] = ()
    repositories: frozenset[str] = frozenset()
    above: Mapping[str, int] = field(default_factory=dict)


def survey(
    root: Path,
    secret: Callable[[Sequence[str]], bool],
    delicate: Callable[[Sequence[str]], bool],
    most: float = math.inf,
) -> Survey | None:
    """
    Look through *root*, but for what package managers installed; None for a folder of more than *most* entries.

    Args:
        secret: whether a file of this name usually holds keys.
        delicate: whether a file of this name, or of this name in a folder of that, makes programs run.
    """
    top, looked = str(root), 0
    hidden, git, repositories, found = list[str](), list[str](), set[str](), dict[str, SavedFile | None]()
    for folder, folders, files in os.walk(top):
        names = {*folders, *files}
        looked += len(names)
        if looked > most:
            return None
        if _is_repository(folder, names):
            repositories.add(folder)
            own = [os.path.join(folder, name) for name in RUN_BY_GIT if name in names]
            found.update((path, kept) for each in own for path, kept in _all_of(root, each) if _may_run(path))
            for path in _named_hooks(folder, found):
                found.update(_all_of(root, path))
            git += own
            folders[:] = [name for name in folders if name in ("modules", "worktrees")]  # more repositories
            continue
        secrets = {name for name in names if secret((name,))}
        hidden += [os.path.join(folder, name) for name in sorted(secrets)]
        above = () if folder == top else (os.path.basename(folder),)
        named = {name for name in names if _leads_on(folder, name) or (name != ".git" and delicate((*above, name)))}
        for name in sorted(named):
            found.update(_all_of(root, os.path.join(folder, name)))
        folders[:] = [name for name in folders if name not in {*named, *secrets, *INSTALLED}]
    return Survey(tuple(hidden), found, tuple(git), frozenset(repositories), _above(top, found))


def _is_repository(folder: str, names: set[str]) -> bool:
    """Whether git takes *folder* for a repository, by its name or for what is in it."""
    return os.path.basename(folder) == ".git" or makes_repository({name.lower() for name in names})


def _leads_on(folder: str, name: str) -> bool:
    """Whether this is the `.git` of a repository that lies elsewhere: a file, or a link."""
    return name == ".git" and (os.path.islink(path := os.path.join(folder, name)) or not os.path.isdir(path))


def _named_hooks(folder: str, found: Mapping[str, SavedFile | None]) -> Iterator[str]:
    """The folders in which the settings of a repository say that its hooks lie."""
    kept = found.get(os.path.join(folder, "config"))
    if kept and isinstance(kept.data, bytes):
        named = (line[1] for line in _HOOKS.finditer(kept.data.decode("utf-8", "replace")))
        places = (os.path.normpath(os.path.join(os.path.dirname(folder), name)) for name in named)
        yield from filter(os.path.lexists, places)


def _may_run(path: str) -> bool:
    """Whether git runs a file of a repository, or what it names: not the samples that it puts there, nor what it ignores."""
    return (os.path.islink(path) or not os.path.isdir(path)) and not path.endswith((".sample", "/info/exclude"))


def _all_of(root: Path, path: str) -> Iterator[tuple[str, SavedFile | None]]:
    """*path* and everything below it, with what the files hold; of a link also what it leads to, as far as that is below *root*."""
    for place in dict.fromkeys((path, os.path.realpath(path))):
        if not place.startswith(f"{root}/"):
            continue
        yield place, _kept(root, place)
        if not os.path.islink(place):
            for folder, folders, files in os.walk(place):
                for name in (*folders, *files):
                    yield os.path.join(folder, name), _kept(root, os.path.join(folder, name))


def _kept(root: Path, path: str) -> SavedFile | None:
    """What is in a small regular file, or where a link leads."""
    try:
        if os.path.islink(path):
            return SavedFile(os.readlink(path))
        *above, name = os.path.relpath(path, root).split(os.sep)
        with folder_below(root, above) as folder, open_in(folder, name) as file:
            data, mode = file.read(MAX_BYTES + 1), os.fstat(file.fileno()).st_mode
    except (OSError, ValueError):
        return None
    return SavedFile(data, stat.S_IMODE(mode)) if len(data) <= MAX_BYTES else None


def _above(top: str, found: Mapping[str, object]) -> dict[str, int]:
    """The folders between *top* and what was found."""
    folders = dict[str, int]()
    for path in found:
        while (path := os.path.dirname(path)) not in folders and path.startswith(f"{top}/"):
            folders[path] = os.lstat(path).st_ino
    return folders
