"""The flags that commands share, and what they come to: settings and options."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from cococat.config import Folders, Settings, folders, load
from cococat.config.values import RESERVED
from cococat.errors import UsageError

__all__ = [
    "Allow",
    "BaseUrl",
    "Color",
    "Config",
    "Continue",
    "File",
    "Fork",
    "Job",
    "MaxSeconds",
    "MaxSteps",
    "MaxTokens",
    "MinToolCalls",
    "Mode",
    "Model",
    "NoDream",
    "NoSession",
    "NoTools",
    "Option",
    "OutputFormat",
    "Permission",
    "Profile",
    "Quiet",
    "Resume",
    "Root",
    "System",
    "Trust",
    "Verbose",
    "Words",
    "color_of",
    "fields_of",
    "folder_of",
    "folders_of",
    "output_of",
    "session_id",
    "settings_of",
    "text_of",
]

MODEL, TALK, TOOLS, LIMITS, OUTPUT = "Model", "Conversation", "Tools", "Limits", "Output"  # groups of the help
Job: TypeAlias = Callable[[], int]
Words: TypeAlias = Annotated[list[str] | None, typer.Argument(metavar="PROMPT", hidden=True)]
Mode: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--mode", metavar="single|react", help="One round of tools, or as many as it takes.", rich_help_panel=TOOLS
    ),
]
Model: TypeAlias = Annotated[
    str | None, typer.Option("--model", "-m", metavar="NAME", help="Which model answers.", rich_help_panel=MODEL)
]
BaseUrl: TypeAlias = Annotated[
    str | None, typer.Option("--base-url", metavar="URL", help="Any OpenAI-compatible endpoint.", rich_help_panel=MODEL)
]
Profile: TypeAlias = Annotated[
    str | None,
    typer.Option("--profile", "-P", metavar="NAME", help="Use [profiles.NAME] of the config.", rich_help_panel=MODEL),
]
System: TypeAlias = Annotated[
    str | None,
    typer.Option("--system", "-s", metavar="TEXT", help="Add TEXT to the system prompt.", rich_help_panel=TALK),
]
File: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--file", "-f", metavar="PATH", help="Attach a file; repeatable.", rich_help_panel=TALK),
]
Continue: TypeAlias = Annotated[
    bool, typer.Option("--continue", "-c", help="Go on with the last session of this folder.", rich_help_panel=TALK)
]
Resume: TypeAlias = Annotated[
    str | None, typer.Option("--resume", "-r", metavar="ID", help="Go on with that session.", rich_help_panel=TALK)
]
Fork: TypeAlias = Annotated[bool, typer.Option("--fork", help="Go on in a copy; needs -c or -r.", rich_help_panel=TALK)]
Root: TypeAlias = Annotated[
    str | None, typer.Option("--root", metavar="DIR", help="The folder that tools may see.", rich_help_panel=TOOLS)
]
Permission: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--permission", metavar="plan|ask-first|edits|auto", help="What tools may do unasked.", rich_help_panel=TOOLS
    ),
]
Allow: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--allow",
        metavar="RULE",
        help='Never ask about this, e.g. "run_shell(git status)"; repeatable.',
        rich_help_panel=TOOLS,
    ),
]
Option: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="KEY=VALUE",
        help="Send this with each request, as it is; repeatable.",
        rich_help_panel=MODEL,
    ),
]
NoTools: TypeAlias = Annotated[
    bool, typer.Option("--no-tools", help="Offer the model no tools.", rich_help_panel=TOOLS)
]
NoDream: TypeAlias = Annotated[
    bool, typer.Option("--no-dream", help="Do not compact the memory afterwards.", rich_help_panel=TALK)
]
NoSession: TypeAlias = Annotated[
    bool, typer.Option("--no-session", help="Keep no record, and remember nothing.", rich_help_panel=TALK)
]
Trust: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--trust", help="Use AGENTS.md of this folder once, though nobody agreed to it.", rich_help_panel=TOOLS
    ),
]
MaxSteps: TypeAlias = Annotated[
    str | None,
    typer.Option("--max-steps", metavar="N", help="Requests of one turn that may call tools.", rich_help_panel=LIMITS),
]
MaxTokens: TypeAlias = Annotated[
    str | None, typer.Option("--max-tokens", metavar="N", help="Tokens of the whole run.", rich_help_panel=LIMITS)
]
MaxSeconds: TypeAlias = Annotated[
    str | None, typer.Option("--max-seconds", metavar="S", help="Seconds of the whole run.", rich_help_panel=LIMITS)
]
MinToolCalls: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--min-tool-calls", metavar="N", help="Calls that must succeed before the answer.", rich_help_panel=TOOLS
    ),
]
OutputFormat: TypeAlias = Annotated[
    str,
    typer.Option("--output-format", metavar="text|json|stream-json", help="What stdout holds.", rich_help_panel=OUTPUT),
]
Color: TypeAlias = Annotated[
    str, typer.Option("--color", metavar="auto|always|never", help="When to use colour.", rich_help_panel=OUTPUT)
]
Quiet: TypeAlias = Annotated[
    bool, typer.Option("--quiet", "-q", help="Show the answer and errors alone.", rich_help_panel=OUTPUT)
]
Verbose: TypeAlias = Annotated[
    bool, typer.Option("--verbose", "-v", help="Show more of each step.", rich_help_panel=OUTPUT)
]
Config: TypeAlias = Annotated[str | None, typer.Option("--config", metavar="FILE", help="Use this config file.")]

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


def fields_of(words: list[str] | None) -> dict[str, object] | None:
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
