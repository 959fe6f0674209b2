"""Paths below the root: where they really lead, which patterns name them, which are never routine."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import TypeAlias

Parts: TypeAlias = tuple[str, ...]
MAX_BELOW = 3  # components from `objects` or `refs` on: deeper files make no folder a repository

_SECRET_FOLDERS = {".ssh", ".aws", ".gnupg", ".azure", ".kube", ".docker", "gcloud"}
_SECRET_NAMES = {
    *(".env", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".git-credentials", ".htpasswd", ".dockercfg"),
    *("credentials", "credentials.json", "secrets.json", "secrets.toml", "secrets.yaml", "secrets.yml"),
    *("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"),
}
_SECRET_ENDINGS = (".pem", ".key", ".p12", ".pfx", ".keystore", ".jks", ".kdbx", ".ppk")
_SAMPLES = (".example", ".sample", ".template", ".dist")


def _split(patterns: str) -> tuple[frozenset[str], Sequence[Sequence[str]]]:
    """Part plain names, which are looked up, from what is compared."""
    plain = frozenset(pattern for pattern in patterns.split() if not re.search(r"[/*]", pattern))
    return plain, [pattern.split("/") for pattern in patterns.split() if pattern not in plain]


_TRIGGERS = _split(  # names, or paths of several below any folder, that make a program run, or redirect or instruct one
    ".git git~1 .hg .svn .husky .gitconfig .gitmodules .pre-commit-config.yaml lefthook.y*ml "
    ".vscode .idea .zed .devcontainer *.code-workspace .dir-locals.el .vimrc .exrc .nvimrc "
    ".cococat cococat.toml memory.md agents.md claude.md gemini.md .mcp.json "
    ".agents .claude .codex .cursor .gemini .cursorrules .windsurfrules "
    ".envrc mise.toml .mise.toml .tool-versions .ripgreprc .gdbinit .lldbinit .pdbrc .rprofile "
    ".yarnrc.yml .pnpmfile.cjs .cargo/config .cargo/config.toml .mvn "
    ".github/workflows .github/actions .gitlab-ci.yml .circleci .forgejo/workflows .gitea/workflows "
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .inputrc "
    ".zshrc .zprofile .zshenv .zlogin .zlogout .cshrc .tcshrc .kshrc .xprofile .xsessionrc "
    ".config/fish .config/git .config/systemd .config/autostart library/launchagents .local/bin"
)
_INSTALLED = _split(  # what an installation makes of itself; a package manager may, a single edit is something else
    "bin/activate* scripts/activate* site-packages/*.pth sitecustomize.py usercustomize.py node_modules/.bin"
)
_OF_REPOSITORIES = frozenset(  # what makes any folder a repository of git's, and what it runs or obeys there
    ("head", "objects", "refs", "commondir", "config", "config.worktree", "hooks", "info")
)


def inside(root: Path, text: str) -> Parts | None:
    """
    Return the components of *text* below *root*, links resolved; None when it leads out.

    Args:
        root: an absolute path that is itself resolved.
        text: relative to the root, or absolute.
    """
    if "\0" in text:
        return None
    try:  # half a surrogate pair names no file, and is a ValueError here like a path that leads out
        real = os.path.realpath(os.path.join(root, text))  # noqa: PTH118 - survives what Path.resolve raises on
        return Path(real).relative_to(root).parts
    except ValueError:
        return None


def compile_pattern(pattern: str) -> re.Pattern[str]:
    r"""
    Make the expression that a `/`-joined relative path must match in full.

    `*` and `?` stay within a component, a component `**` stands for any number of them, and `\x`
    is the character x itself. A leading `./` and a trailing `/` mean nothing; `.` is the root.

    Raises: ValueError: the pattern is empty, absolute, or climbs with `..`.
    """
    if pattern in (".", "./"):
        return re.compile("")
    parts = [part for part in pattern.split("/") if part != "."]
    if pattern.startswith("/") or ".." in parts:
        raise ValueError(f"{pattern!r} must name paths below the root, without a leading `/` or `..`")
    if parts and not parts[-1]:
        parts.pop()
    if not parts:
        raise ValueError("an empty path pattern matches nothing")
    expression = ""
    for place, part in enumerate(parts):
        last = place == len(parts) - 1
        if part == "**":
            expression += ".*" if last else "(?:[^/]+/)*"
        else:
            expression += _component(part) + ("" if last else "/")
    return re.compile(expression, re.DOTALL)


def _component(part: str) -> str:
    """Turn one component of a pattern into an expression."""
    wild = {"*": "[^/]*", "?": "[^/]"}
    return "".join(
        re.escape(token[1]) if token.startswith("\\") and len(token) > 1 else wild.get(token, re.escape(token))
        for token in re.findall(r"\\.|.", part, re.DOTALL)
    )


def literal_pattern(parts: Sequence[str]) -> str:
    """Write the pattern that names exactly one path; `.` for the root."""
    return "/".join(re.sub(r"([*?\\])", r"\\\1", part) for part in parts) or "."


def secret(parts: Sequence[str]) -> bool:
    """Return whether a path below the root usually holds keys or passwords."""
    return any(_is_secret(_folded(part)) for part in parts)


def triggers(parts: Sequence[str]) -> bool:
    """Return whether a change to this path can make other programs run, or redirect or instruct this one."""
    return _matches(parts, *_TRIGGERS)


def protected(parts: Sequence[str]) -> bool:
    """Return whether that is so, or the path is a part of what package managers install."""
    return triggers(parts) or _matches(parts, *_INSTALLED)


def completes_repository(root: Path, parts: Sequence[str]) -> bool:
    """Return whether a file at *parts* is a part of a folder that git takes for a repository then, and obeys."""
    from cococat.system.git_state import makes_repository

    for depth, part in enumerate(parts):
        if _folded(part) in _OF_REPOSITORIES and len(parts) - depth <= MAX_BELOW:
            folder = root.joinpath(*parts[:depth])
            there = {_folded(path.name) for path in folder.iterdir()} if folder.is_dir() else set()
            if makes_repository({*there, _folded(part)}):
                return True
    return False


def new_hidden(root: Path, parts: Sequence[str]) -> str:
    """Return the first hidden name of the path that is not there yet; empty where there is none."""
    hidden = (depth for depth, part in enumerate(parts, 1) if part.startswith("."))
    return next((parts[depth - 1] for depth in hidden if not os.path.lexists(root.joinpath(*parts[:depth]))), "")


def _matches(parts: Sequence[str], names: frozenset[str], paths: Sequence[Sequence[str]]) -> bool:
    folded = [_folded(part) for part in parts]
    if not names.isdisjoint(folded):
        return True
    spans = ((folded[at : at + len(path)], path) for path in paths for at in range(len(folded) - len(path) + 1))
    return any(all(map(fnmatchcase, span, path)) for span, path in spans)


def sensitive_word(word: str) -> bool:
    """Return whether a word of a command names a secret or protected path, also behind `--option=`."""
    return any(
        secret(parts) or protected(parts)
        for text in {word, word.rpartition("=")[2], word.lstrip("@"), word.rpartition(":")[2]}
        if (parts := PurePosixPath(text).parts)
    )


def _is_secret(name: str) -> bool:
    if name.endswith(_SAMPLES):
        return False
    known = name in _SECRET_NAMES or name in _SECRET_FOLDERS
    return known or name.startswith(".env.") or name.endswith(_SECRET_ENDINGS)


def _folded(name: str) -> str:
    """Write a name as the most forgiving file system sees it: no case, no invisible characters."""
    if not name.isascii():
        name = "".join(char for char in unicodedata.normalize("NFKC", name) if unicodedata.category(char) != "Cf")
    return name.rstrip(" .").casefold()
