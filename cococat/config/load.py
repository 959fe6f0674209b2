"""Reading the config file."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from cococat.config.folders import find_folders
from cococat.config.keys import KEPT, read_kept, with_kept
from cococat.config.resolve import resolve
from cococat.config.settings import Settings
from cococat.config.values import printable
from cococat.errors import ConfigError

MAX_BYTES = 1 << 20  # bytes
PART = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)"""
DOTTED = rf"{PART}(?:\s*\.\s*{PART})*"
HEADER = re.compile(rf"\s*\[\[?\s*({DOTTED})\s*\]\]?\s*(?:#.*)?\Z")
ENTRY = re.compile(rf"\s*({DOTTED})\s*=(.*)\Z", re.DOTALL)
PARTS = re.compile(PART)
OPENERS = ('"""', "'''")


@dataclass(frozen=True, slots=True)
class Document:
    """A config file as read; *places* gives "path:line" of each dotted key."""

    path: Path
    text: str
    data: Mapping[str, object]
    places: Mapping[str, str] = field(default_factory=dict)


def load(
    path: Path | None,
    env: Mapping[str, str],
    flags: Mapping[str, object],
    names: Mapping[str, str] = MappingProxyType({}),
) -> Settings:
    """
    Read the config file, the user's own unless *path* names another, and make the settings.

    Args:
        flags, names: see `resolve`.
    Raises: ConfigError: the file named by *path* is missing, or something in file, *env* or *flags* is wrong.
    """
    own = find_folders(env).config_file
    document = read(path or own, missing_ok=path is None)
    settings = resolve(document.data, env, flags, document.places, names)
    file = own.with_name(KEPT)
    kept = read_kept(file)
    keys = with_kept(settings.keys, kept, file) if kept else settings.keys
    return replace(settings, file=document.path if document.text else None, keys=keys)


def read(path: Path, *, missing_ok: bool) -> Document:
    """
    Read and parse *path*; a missing file is empty when *missing_ok*.

    Raises: ConfigError: it cannot be read, is too large, not UTF-8 or not TOML.
    """
    try:
        text = _text(path)
    except (FileNotFoundError, NotADirectoryError):
        if missing_ok:
            return Document(path, "", {})
        raise ConfigError(f"{path}: there is no such file", f"cococat config init --config {path}") from None
    return parsed(path, text)


def parsed(path: Path, text: str) -> Document:
    """
    Parse *text* as the contents of *path*.

    Raises: ConfigError: it is not TOML.
    """
    from tomllib import TOMLDecodeError, loads

    try:
        data = loads(text)
    except TOMLDecodeError as error:
        what, line = _trouble(str(error), text)
        if twice := repeated(text, line):
            raise ConfigError(
                f"{path}:{line}: {twice[0]} is there twice", f"keep line {twice[1]} or line {line}"
            ) from error
        raise ConfigError(f"{path}:{line}: {what}", "fix the line; strings need quotes in TOML") from error
    except RecursionError as error:
        raise ConfigError(f"{path}: nested too deeply", "write it as in config.example.toml") from error
    return Document(path, text, data, {key: f"{path}:{line}" for key, line in key_lines(text).items()})


def _text(path: Path) -> str:
    """
    Read *path* as text with plain line ends.

    Raises:
        FileNotFoundError, NotADirectoryError: there is no such file.
        ConfigError: anything else that is wrong with it.
    """
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise ConfigError(f"{path}: is a folder, not a config file", "name a file, e.g. --config FILE")
        if not stat.S_ISREG(mode) and str(path) != os.devnull:  # a pipe or a device could give bytes for ever
            raise ConfigError(f"{path}: is not a regular file", "name a file, e.g. --config FILE")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "the name makes no sense"
        raise ConfigError(
            f"{printable(str(path))}: cannot be read: {why}", f"chmod u+r {path}, or --config FILE"
        ) from error
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{path}: is larger than 1 MiB", "that is no config file; name another with --config FILE")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}:{line}: is not UTF-8 text", "save the file as UTF-8") from error


def _trouble(message: str, text: str) -> tuple[str, int]:
    """What tomllib says, and the line it says it of."""
    what, _, where = message.partition(" (at ")
    found = re.search(r"line (\d+)", where)
    return what[:1].lower() + what[1:], int(found[1]) if found else text.count("\n") + 1


def key_lines(text: str) -> dict[str, int]:
    """
    Find the line, counted from 1, of each table and key of valid TOML *text*, by dotted path.

    Keys inside inline tables have no entry: the key that holds the table does.
    """
    lines: dict[str, int] = {}
    for path, number, _ in _entries(text):
        lines.setdefault(path, number)
    return lines


def repeated(text: str, number: int) -> tuple[str, int] | None:
    """What stands on line *number* for a second time, as a user would call it, and the line of the first; else None."""
    first: dict[str, int] = {}
    for path, line, called in _entries(text):
        if line == number and path in first:
            return called, first[path]
        first.setdefault(path, line)
    return None


def _entries(text: str) -> Iterator[tuple[str, int, str]]:
    """Each table and key of *text*: its dotted path, its line, and how a user would call it."""
    table, inside = "", ""
    for number, line in enumerate(text.split("\n"), 1):
        if inside:
            inside = "" if inside in line else inside
        elif header := HEADER.match(line):
            table = _plain(header[1])
            yield table, number, f"[{table}]"
        elif entry := ENTRY.match(line):
            path = ".".join(filter(None, (table, _plain(entry[1]))))
            yield path, number, path
            inside = next((opener for opener in OPENERS if entry[2].count(opener) % 2), "")


def _plain(dotted: str) -> str:
    return ".".join(part.strip("\"'") for part in PARTS.findall(dotted))
