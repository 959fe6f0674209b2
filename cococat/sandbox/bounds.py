"""What a boxed command may read, write and reach."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cococat.sandbox.survey import Survey

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix", "/snap", "/System", "/Library")
SYSTEM_STATE = ("/var/lib/dpkg", "/sys/devices/system/cpu", "/sys/fs/cgroup")
ETC_SECRET = frozenset(("shadow", "gshadow", "shadow-", "gshadow-", "ssh", "sudoers", "sudoers.d", "krb5.keytab"))
TOOL_CHAINS = (  # of the home folder: what programs are found in, or cannot run without
    *(".pyenv", ".nvm", ".nodenv", ".rbenv", ".asdf", ".sdkman", ".deno", ".bun", ".volta", ".rustup", ".gitconfig"),
    *(".cargo/bin", ".cargo/registry", ".cargo/env", ".local/bin", ".local/lib", ".local/share/uv", ".local/pipx"),
    *(".local/share/mise", ".local/share/virtualenvs", ".local/share/pipx", ".cache/pip", ".cache/uv", ".npm/_cacache"),
    *(".m2/repository", ".gradle/wrapper", ".config/git/ignore", "go/pkg", "go/bin"),
)
MAX_MOUNTS = 2_000  # of single files; each takes two words of a command line


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
        beside: a process in a box whose loopback is its own as well, in `namespaces`; 0: none is.
    """

    root: str
    home: str
    private: str
    read: tuple[str, ...]
    write: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    network: bool = False
    beside: int = 0


def bounds(
    root: Path,
    seen: Survey,
    own: Sequence[Path],
    private: Path,
    *,
    network: bool = False,
    read: Sequence[str] = (),
    write: Sequence[str] = (),
) -> Bounds | None:
    """
    Return the bounds of a command in *root*; None where too much of it would have to be held, or it holds the home.

    Args:
        own: the folders of cococat itself.
        read: what the settings let it read beside.
        write: what they let it write beside.
    """
    home, top = os.path.realpath(Path.home()), str(root)
    if is_below(home, [top]) or is_below(top, ["/dev", "/proc", "/sys"]):  # which are made anew
        return None
    chains = [os.path.join(home, name) for name in TOOL_CHAINS]
    here = [os.path.realpath(path) for path in (sys.prefix, sys.base_prefix)]
    found = [place for place in _installed(home, top) if not is_below(place, (*SYSTEM, *chains, top))]
    read = [path for path in (*SYSTEM, *SYSTEM_STATE, *_etc(), *chains, *here, *found, *read) if os.path.exists(path)]
    write = [path for path in write if os.path.exists(path)]
    hidden = [real for path in own if is_below(real := os.path.realpath(path), (top, *read, *write))]
    guarded = {*seen.git, *seen.delicate}
    git = [f"{top}/.git"] if os.path.isdir(f"{top}/.git") and not os.path.islink(f"{top}/.git") else []
    tops = [path for path in sorted(guarded) if not guarded.intersection(map(str, Path(path).parents))]
    fixed = [*git, *(path for path in tops if not os.path.islink(path))]
    if len(seen.secret) + len(fixed) > MAX_MOUNTS:
        return None
    places = (tuple(read), tuple(write), (*seen.secret, *hidden), tuple(fixed))
    return Bounds(top, home, str(private), *places, network=network)


def _installed(home: str, top: str) -> list[str]:
    """The folders that the user's PATH names, and of `PREFIX/bin` with a `PREFIX/lib` beside it all of PREFIX."""
    found = {}
    for folder in map(os.path.realpath, filter(os.path.isabs, os.get_exec_path())):
        prefix = os.path.dirname(folder)
        whole = os.path.isdir(f"{prefix}/lib") and prefix != f"{home}/.local"  # which has the user's data beside them
        found[folder] = prefix if whole and not any(is_below(path, [prefix]) for path in (home, top)) else folder
    return [place for place in found.values() if not any(is_below(path, [place]) for path in (home, top))]


def _etc() -> list[str]:
    """The settings of the system but for those that hold secrets."""
    try:
        return [f"/etc/{name}" for name in os.listdir("/etc") if name not in ETC_SECRET]
    except OSError:
        return []


def is_below(path: str, places: Sequence[str]) -> bool:
    """Whether *path* is one of *places* or below one."""
    return any(path == place or path.startswith(f"{place.rstrip('/')}/") for place in places)
