"""The flags of `ask` and `chat`, each written once: what reads them, what Typer declares, help and completion derive from here.

Typer costs a quarter of the way to a prompt, so what is plain is read by the table itself. What is not, wrong words above
all, is left to Typer, which reads it all again and explains it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from operator import not_
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from cococat.cli import read_flags as f
from cococat.config import Options
from cococat.errors import UsageError

__all__ = ["FLAGS", "Flag", "Found", "conversing", "read_plain"]

MODEL, TALK, TOOLS, LIMITS, OUTPUT = "Model", "Conversation", "Tools", "Limits", "Output"  # groups of the help
Found: TypeAlias = Mapping[
    str, "str | list[str] | bool"
]  # by the field's name: the words behind it, or that it is there


def _as_it_is(given: object) -> object:
    return given


class Flag(NamedTuple):
    """
    One flag.

    Args:
        names: as it is typed, the long name first.
        takes: what stands behind it; empty for a switch.
        setting: its key; empty where it is none.
        option: its field of `Options`; empty where it is none.
        read: gives the value of what was typed, or raises UsageError.
        many: it may be given more than once.
        default: its word where it is not given; empty for none.
    """

    names: str
    takes: str
    help: str
    group: str | None
    setting: str = ""
    option: str = ""
    read: Callable[[Any], object] = _as_it_is
    many: bool = False
    default: str = ""

    @property
    def field(self) -> str:
        """Its name as an argument."""
        name = self.names.partition(" ")[0].removeprefix("--").replace("-", "_")
        return "continue_" if name == "continue" else name


FLAGS = (
    Flag("--mode", "single|react", "One round of tools, or as many as it takes.", TOOLS, setting="mode"),
    Flag("--model -m", "NAME", "Which model answers.", MODEL, setting="model.name"),
    Flag("--base-url", "URL", "Any OpenAI-compatible endpoint.", MODEL, setting="model.base_url"),
    Flag("--profile -P", "NAME", "Use [profiles.NAME] of the config.", MODEL, setting="profile"),
    Flag("--system -s", "TEXT", "Add TEXT to the system prompt.", TALK, option="system", read=f.text_of),
    Flag(
        "--file -f",
        "PATH",
        "Attach a file; repeatable.",
        TALK,
        option="files",
        read=lambda words: tuple(map(Path, words)),
        many=True,
    ),
    Flag("--continue -c", "", "Go on with the last session of this folder.", TALK, option="continue_"),
    Flag(
        "--resume -r",
        "ID",
        "Go on with that session.",
        TALK,
        option="resume",
        read=lambda word: f.session_id(word, "--resume"),
    ),
    Flag("--fork", "", "Go on in a copy; needs -c or -r.", TALK, option="fork"),
    Flag("--root", "DIR", "The folder that tools may see.", TOOLS, option="root", read=f.folder_of),
    Flag(
        "--permission",
        "plan|ask-first|edits|auto",
        "What tools may do unasked.",
        TOOLS,
        setting="permissions.mode",
    ),
    Flag(
        "--allow",
        "RULE",
        'Never ask about this, e.g. "run_shell(git status)"; repeatable.',
        TOOLS,
        setting="permissions.allow",
        read=tuple,
        many=True,
    ),
    Flag(
        "--option -o",
        "KEY=VALUE",
        "Send this with each request, as it is; repeatable.",
        MODEL,
        setting="model.options",
        read=f.fields_of,
        many=True,
    ),
    Flag("--trust", "", "Use AGENTS.md of this folder once, though nobody agreed to it.", TOOLS, option="trust"),
    Flag("--no-tools", "", "Offer the model no tools.", TOOLS, option="tools", read=not_),
    Flag("--no-dream", "", "Do not compact the memory afterwards.", TALK, option="dream", read=not_),
    Flag("--no-session", "", "Keep no record, and remember nothing.", TALK, option="session", read=not_),
    Flag("--no-stdin", "", "Take no input from a pipe or a file.", TALK, option="stdin", read=not_),
    Flag("--max-steps", "N", "Requests of one turn that may call tools.", LIMITS, setting="agent.max_steps"),
    Flag("--max-tokens", "N", "Tokens of the whole run.", LIMITS, setting="agent.max_total_tokens"),
    Flag("--max-seconds", "S", "Seconds of the whole run.", LIMITS, setting="agent.max_seconds"),
    Flag("--min-tool-calls", "N", "Calls that must succeed before the answer.", TOOLS, setting="agent.min_tool_calls"),
    Flag(
        "--output-format",
        "text|json|stream-json",
        "What stdout holds.",
        OUTPUT,
        option="output_format",
        read=f.output_of,
        default="text",
    ),
    Flag(
        "--color",
        "auto|always|never",
        "When to use colour.",
        OUTPUT,
        option="color",
        read=f.color_of,
        default="auto",
    ),
    Flag("--quiet -q", "", "Show the answer and errors alone.", OUTPUT, option="quiet"),
    Flag("--verbose -v", "", "Show more of each step.", OUTPUT, option="verbose"),
    Flag("--config", "FILE", "Use this config file.", None),
)
_BY_NAME = {name: flag for flag in FLAGS for name in flag.names.split()}


def read_plain(argv: Sequence[str]) -> tuple[list[str], Found] | None:
    """Return the prompt's words and what the flags of *argv* say; None where Typer has to read them."""
    words: list[str] = []
    found: dict[str, str | list[str] | bool] = {}
    rest = iter(argv)
    for word in rest:
        if word == "--":
            words.extend(rest)
        elif word == "-" or not word.startswith("-"):
            words.append(word)
        elif not _take(word, rest, found):
            return None
    return words, found


def _take(word: str, rest: Iterator[str], found: dict[str, str | list[str] | bool]) -> bool:
    """Add a flag, with the word behind it where it takes one, to *found*; False where it is not plain."""
    name, sign, value = word.partition("=") if word.startswith("--") else (word, "", "")
    flag = _BY_NAME.get(name)
    if flag is None or (sign and not flag.takes):
        return False
    if not flag.takes:
        found[flag.field] = True
        return True
    if not sign:
        value = next(rest, "-")
        if value.startswith("-"):  # a flag without its value, or a value that looks like one
            return False
    before = found.get(flag.field, [])
    found[flag.field] = [*before, value] if flag.many and isinstance(before, list) else value
    return True


def conversing(name: str, words: Sequence[str], found: Found) -> f.Job:
    """
    Return the call of `ask` or `chat`, whichever *name* it is.

    Raises: UsageError: a flag makes no sense, or contradicts another. ConfigError: a setting is wrong.
    """
    given = [flag for flag in FLAGS if flag.field in found]
    options = Options(**{flag.option: flag.read(found[flag.field]) for flag in given if flag.option})  # type: ignore[arg-type]  # a test holds the table to the fields
    _check(name, options)
    keys = {flag.setting.replace(".", "__"): flag.read(found[flag.field]) for flag in given if flag.setting}
    config = found.get("config")
    settings = f.settings_of(None if config is None else str(config), **keys)
    said = tuple(map(f.text_of, words))
    if name == "chat":
        from cococat.app.chat.repl import chat

        return partial(chat, settings, options, said)
    from cococat.app.ask import ask

    return partial(ask, settings, options, said)


def _check(name: str, options: Options) -> None:
    """
    Refuse flags that contradict each other, or the command *name*.

    Raises: UsageError: one does.
    """
    if name == "chat" and not options.stdin:
        raise UsageError("no such flag: --no-stdin", "a chat needs a terminal; `cococat ask` answers without one")
    if options.continue_ and options.resume:
        raise UsageError("--continue and --resume name two sessions", "give one of them")
    if options.fork and not (options.continue_ or options.resume):
        raise UsageError("--fork has no session to copy", "add --continue, or --resume ID")
    if options.quiet and options.verbose:
        raise UsageError("--quiet and --verbose contradict each other", "give one of them")
