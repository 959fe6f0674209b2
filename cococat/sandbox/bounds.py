"""What a boxed command may read and write, and which files below the root it may neither see nor change."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Bounds", "Survey", "bounds", "survey"]

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix", "/snap", "/System", "/Library")
SYSTEM_STATE = ("/var/lib/dpkg", "/sys/devices/system/cpu", "/sys/fs/cgroup")
ETC_SECRET = frozenset(("shadow", "gshadow", "shadow-", "gshadow-", "ssh", "sudoers", "sudoers.d", "krb5.keytab"))
TOOL_CHAINS = (  # of the home folder: what programs are found in, or cannot run without
    *(".pyenv", ".nvm", ".nodenv", ".rbenv", ".asdf", ".sdkman", ".deno", ".bun", ".volta", ".rustup", ".gitconfig"),
    *(
        ".cargo/bin",
        ".cargo/registry",
        ".cargo/env",
        ".local/bin",
        ".local/lib",
        ".local/share/uv",
        ".local/share/mise",
    ),
    *(".local/share/virtualenvs", ".local/pipx", ".cache/pip", ".cache/uv", ".npm/_cacache", ".m2/repository"),
    *(".gradle/wrapper", ".config/git/ignore", "go/pkg", "go/bin"),
)
MAX_ENTRIES = 50_000  # of a folder that is looked through before and after a command
MAX_BYTES = 256 << 10  # of a file that can be put back
GIT = ("HEAD", "config", "objects", "refs")  # what makes any folder a repository
RUN_BY_GIT = ("config", "hooks", "info")


@dataclass(frozen=True, slots=True)
class Survey:
    """
    The files below a root that a command must not see, and those that make programs run.

    Args:
        secret: paths that usually hold keys.
        delicate: each file and folder that makes another program run, with what is in it; None: too large, or no file.
        git: what there is of the settings, hooks and the like of each repository: they stay as they are.
    """

    secret: tuple[str, ...] = ()
    delicate: Mapping[str, bytes | None] = field(default_factory=dict)
    git: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bounds:
    """
    What one command may touch.

    Args:
        private: the folder that it sees as its temporary one.
        read: what it may read and run beside the root.
        write: what it may write beside the root.
        hidden: what it cannot see of all that.
        fixed: what stays as it is below the root.
        network: whether it may reach beyond a loopback of its own.
    """

    root: str
    home: str
    private: str
    read: tuple[str, ...]
    write: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    network: bool = False


def survey(
    root: Path, secret: Callable[[Sequence[str]], bool], delicate: Callable[[Sequence[str]], bool]
) -> Survey | None:
    """
    Look through *root*; None for a folder too large for that.

    Args:
        secret: whether a file of this name usually holds keys.
        delicate: whether a file of this name makes programs run.
    """
    hidden, git, found, looked = list[str](), list[str](), dict[str, bytes | None](), 0
    for folder, folders, files in os.walk(root):
        looked += len(folders) + len(files)
        if looked > MAX_ENTRIES:
            return None
        if os.path.basename(folder) == ".git" or {*GIT} <= {*folders, *files}:
            own = [os.path.join(folder, name) for name in RUN_BY_GIT if name in {*folders, *files}]
            found.update((path, content) for top in own for path, content in _all_of(top) if _may_run(path))
            git += own
            folders.clear()
            continue
        hidden += [os.path.join(folder, name) for name in (*folders, *files) if secret((name,))]
        named = {name for name in (*folders, *files) if name != ".git" and delicate((name,))}
        for name in sorted(named):
            found.update(_all_of(os.path.join(folder, name)))
        folders[:] = [name for name in folders if name not in named]
    return Survey(tuple(hidden), found, tuple(git))


def _may_run(path: str) -> bool:
    """Whether git runs a file of a repository, or what it names: not the samples that it puts there, nor what it ignores."""
    return not os.path.isdir(path) and not path.endswith((".sample", "/info/exclude"))


def _all_of(path: str) -> Iterator[tuple[str, bytes | None]]:
    """*path* and everything below it, with what the files hold."""
    yield path, _content(path)
    if not os.path.islink(path):
        for folder, folders, files in os.walk(path):
            for name in (*folders, *files):
                yield os.path.join(folder, name), _content(os.path.join(folder, name))


def _content(path: str) -> bytes | None:
    """What a small regular file holds; a link is where it leads."""
    if os.path.islink(path):
        return os.fsencode(os.readlink(path))
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
        os.close(handle)
        return None
    with os.fdopen(handle, "rb") as file:
        return file.read(MAX_BYTES)


def bounds(
    root: Path,
    seen: Survey,
    own: Sequence[Path],
    private: Path,
    *,
    network: bool = False,
    more: tuple[Sequence[str], Sequence[str]] = ((), ()),
) -> Bounds:
    """
    Return the bounds of a command in *root*.

    Args:
        own: the folders of cococat itself.
        more: what the settings let it read, and write.
    """
    home = os.path.realpath(Path.home())
    chains = [os.path.join(home, name) for name in TOOL_CHAINS]
    here = [os.path.realpath(path) for path in (sys.prefix, sys.base_prefix)]
    read = [path for path in (*SYSTEM, *SYSTEM_STATE, *_etc(), *chains, *here, *more[0]) if os.path.exists(path)]
    write = tuple(path for path in more[1] if os.path.exists(path))
    shown = (str(root), *read, *write)
    hidden = [real for path in own if (real := os.path.realpath(path)) and _is_below(real, shown)]
    tops = [path for path in seen.delicate if os.path.dirname(path) not in seen.delicate and not os.path.islink(path)]
    tops = [path for path in tops if not path.startswith(tuple(f"{own}/" for own in seen.git)) and path not in seen.git]
    git = [str(root / ".git")] if (root / ".git").is_dir() and not (root / ".git").is_symlink() else []
    fixed = [path for path in (*git, *seen.git, *tops) if not os.path.islink(path)]
    return Bounds(
        str(root), home, str(private), tuple(read), write, (*seen.secret, *hidden), tuple(fixed), network=network
    )


def _etc() -> list[str]:
    """The settings of the system but for those that hold secrets."""
    try:
        return [f"/etc/{name}" for name in os.listdir("/etc") if name not in ETC_SECRET]
    except OSError:
        return []


def _is_below(path: str, places: Sequence[str]) -> bool:
    return any(path == place or path.startswith(f"{place.rstrip('/')}/") for place in places)
