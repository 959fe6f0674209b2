"""What the words of flags come to: settings, and values that are not settings."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from cococat.config import Folders, Settings, folders, load
from cococat.config.values import RESERVED
from cococat.errors import UsageError

__all__ = [
    "Job",
    "color_of",
    "fields_of",
    "folder_of",
    "folders_of",
    "output_of",
    "path_of",
    "session_id",
    "settings_of",
    "text_of",
]

Job: TypeAlias = Callable[[], int]
ULID_START = re.compile(r"[0-9A-HJKMNP-TV-Z]{1,26}\Z")


def settings_of(config: str | None, /, **flags: object) -> Settings:
    """
    Load the settings under the flags given; the names of *flags* are keys with `__` for the dot.

    Raises: ConfigError: see `cococat.config.load`.
    """
    dotted = {name.replace("__", "."): value for name, value in flags.items()}
    return load(path_of(config), os.environ, dotted)


def folders_of(config: str | None) -> Folders:
    """
    Return the folders; a config file that makes no sense stops these commands, too.

    Raises: ConfigError: see `cococat.config.load`.
    """
    settings_of(config)
    return folders(os.environ)


def path_of(text: str | None) -> Path | None:
    """The file that --config names."""
    if text == "":
        raise UsageError("--config: names no file", "--config FILE")
    return Path(text) if text is not None else None


def fields_of(words: Sequence[str] | None) -> dict[str, object] | None:
    """
    Read -o: numbers, true, false, null and JSON as what they are, anything else as text.

    Raises: UsageError: one is no KEY=VALUE, or names a field that a run decides.
    """
    if not words:
        return None
    fields: dict[str, object] = {}
    for word in words:
        key, sign, text = word.partition("=")
        if not sign or not key.strip():
            raise UsageError(f"-o: wanted KEY=VALUE, got {ascii(word)[:60]}", "e.g. -o reasoning_effort=low")
        if key in RESERVED:
            raise UsageError(f"-o: {key} is set by cococat itself", f"leave out -o {key}=…")
        try:
            fields[key] = json.loads(text)
        except ValueError:
            fields[key] = text
    return fields


def output_of(word: str) -> Literal["text", "json", "stream-json"]:
    """
    Read --output-format.

    Raises: UsageError: there is no such format.
    """
    match word:
        case "text" | "json" | "stream-json":
            return word
    raise _no_such("--output-format", word, ("text", "json", "stream-json"))


def color_of(word: str) -> Literal["auto", "always", "never"]:
    """
    Read --color.

    Raises: UsageError: there is no such choice.
    """
    match word:
        case "auto" | "always" | "never":
            return word
    raise _no_such("--color", word, ("auto", "always", "never"))


def session_id(word: str, flag: str = "ID") -> str:
    """
    Read a session's id or the beginning of one; nothing else may become part of a path.

    Raises: UsageError: it cannot be one.
    """
    if ULID_START.match(word.upper()):
        return word.upper()
    shape = "1 to 26 digits and letters without I, L, O and U"
    raise UsageError(f"{flag}: wanted {shape}, got {ascii(word)[:40]}", "`cococat sessions list` shows the ids")


def folder_of(text: str | None) -> Path | None:
    """
    Read --root.

    Raises: UsageError: it is no folder.
    """
    if text is None:
        return None
    if not text or not Path(text).is_dir():
        raise UsageError(f"--root: {ascii(text)[1:-1]!r} is no folder", "name a folder that exists")
    return Path(text)


def text_of(word: str) -> str:
    """*word* as UTF-8, whatever the locale made of it; for text, not for paths."""
    return os.fsencode(word).decode("utf-8", "replace")


def _no_such(flag: str, word: str, known: tuple[str, ...]) -> UsageError:
    from cococat.config.values import shown, suggestion

    near = suggestion(word, known)
    hint = f"did you mean {near}?" if near else f"e.g. {flag} {known[0]}"
    return UsageError(f"{flag}: wanted one of {', '.join(known)}, got {shown(word)}", hint)
