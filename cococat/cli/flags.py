"""Flags and commands as data: how they look, how they are read, and the setting or option that a flag becomes.

Help, completion, the commands that Typer makes and the plain reading below all come from here. What is not plain, wrong
words above all, is left to Typer, which explains it; importing it costs a quarter of the way to a prompt. Whatever reads
words raises UsageError where they make no sense.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from operator import not_
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

from cococat.cli.commands import COMMANDS
from cococat.config import Folders, Options, Settings, find_folders, load
from cococat.config.values import RESERVED, masked_value, suggestion
from cococat.errors import UsageError

Job: TypeAlias = Callable[[], int]
Typed: TypeAlias = str | list[str] | bool
MAX_DIGITS = 9
MODEL, TALK, TOOLS, LIMITS, OUTPUT = "Model", "Conversation", "Tools", "Limits", "Output"  # groups of the help


@dataclass(frozen=True, slots=True)
class Flag:
    """
    One flag, with what it comes to.

    Args:
        takes: what stands behind it, as help shows it; nothing for a switch. Completion offers what `a|b` lists.
        group: its heading in the help; those without one stand last.
        key: the setting that it becomes.
        option: the field of `Options` that it becomes, which has to be one of `takes` where that lists some.
        read: makes that value of the words.
        ask_alone: why `chat` has no such flag.
    """

    name: str
    takes: str
    help: str
    group: str = ""
    short: str = ""
    default: str = ""
    many: bool = False
    hidden: bool = False
    key: str = ""
    option: str = ""
    read: Callable[[Any], object] | None = None
    ask_alone: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """As it is typed, the long one first."""
        return (self.name, self.short) if self.short else (self.name,)


def path_of(text: str | None) -> Path | None:
    """The file that --config names."""
    if text == "":
        raise UsageError("--config: names no file", "--config FILE")
    return Path(text) if text is not None else None


def _fields_of(words: Sequence[str]) -> dict[str, object]:
    """Read -o: numbers, true, false, null and JSON as what they are, anything else as text."""
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


def session_id(word: str, flag: str = "ID") -> str:
    """Read a session's id or the beginning of one; nothing else may become part of a path."""
    if re.fullmatch(r"[0-9A-HJKMNP-TV-Z]{1,26}", word.upper()):
        return word.upper()
    shape = "1 to 26 digits and letters without I, L, O and U"
    raise UsageError(f"{flag}: wanted {shape}, got {ascii(word)[:40]}", "`cococat sessions list` shows the ids")


def _folder_of(text: str) -> Path:
    """Read --root."""
    if not text or not Path(text).is_dir():
        raise UsageError(f"--root: {ascii(text)[1:-1]!r} is no folder", "name a folder that exists")
    return Path(text)


def text_of(word: str) -> str:
    """*word* as UTF-8, whatever the locale made of it; for text, not for paths."""
    return os.fsencode(word).decode("utf-8", "replace")


def _one_of(word: str, flag: str, known: Sequence[str]) -> str:
    """Read one of the words that *flag* knows."""
    if word in known:
        return word
    near = suggestion(word, known)
    hint = f"did you mean {near}?" if near else f"e.g. {flag} {known[0]}"
    raise UsageError(f"{flag}: wanted one of {', '.join(known)}, got {masked_value(word)}", hint)


def number_of(text: str, wanted: str, hint: str) -> int:
    """Read a whole number from 1 on, such as that of a turn."""
    if text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS and int(text) > 0:
        return int(text)
    raise UsageError(f"{wanted}, got {ascii(text)[:40]}", hint)


_RESUME, _PATHS = partial(session_id, flag="--resume"), lambda words: tuple(map(Path, words))
_TABLE = (  # the flags of `ask` and `chat`; other commands take some of them, see `shared`
    Flag("--mode", "single|react", "One round of tools, or as many as it takes.", TOOLS, key="mode"),
    Flag("--model", "NAME", "Which model answers.", MODEL, "-m", key="model.name"),
    Flag("--base-url", "URL", "Any OpenAI-compatible endpoint.", MODEL, key="model.base_url"),
    Flag("--profile", "NAME", "Use [profiles.NAME] of the config.", MODEL, "-P", key="profile"),
    Flag("--system", "TEXT", "Add TEXT to the system prompt.", TALK, "-s", option="system", read=text_of),
    Flag("--file", "PATH", "Attach a file; repeatable.", TALK, "-f", many=True, option="files", read=_PATHS),
    Flag("--continue", "", "Go on with the last session of this folder.", TALK, "-c", option="continue_"),
    Flag("--resume", "ID", "Go on with that session.", TALK, "-r", option="resume", read=_RESUME),
    Flag("--fork", "", "Go on in a copy; needs -c or -r.", TALK, option="fork"),
    Flag("--root", "DIR", "The folder that tools may see.", TOOLS, option="root", read=_folder_of),
    Flag("--permission", "plan|ask-first|edits|auto", "What tools may do unasked.", TOOLS, key="permissions.mode"),
    Flag(
        "--allow",
        "RULE",
        'Never ask about this, e.g. "run_shell(git status)"; repeatable.',
        TOOLS,
        many=True,
        key="permissions.allow",
        read=tuple,
    ),
    Flag(
        "--option",
        "KEY=VALUE",
        "Send this with each request, as it is; repeatable.",
        MODEL,
        "-o",
        many=True,
        key="model.options",
        read=_fields_of,
    ),
    Flag("--sandbox", "", "Run commands in a box, or not at all.", TOOLS, key="sandbox.mode", read=lambda _: "require"),
    Flag("--no-sandbox", "", "Run commands as you would.", TOOLS, key="sandbox.mode", read=lambda _: "off"),
    Flag(
        "--trust",
        "",
        "Use AGENTS.md and skills of this folder once, though nobody agreed to them.",
        TOOLS,
        option="trust",
    ),
    Flag("--no-tools", "", "Offer the model no tools.", TOOLS, option="tools", read=not_),
    Flag("--no-dream", "", "Do not compact the memory afterwards.", TALK, option="dream", read=not_),
    Flag("--no-session", "", "Keep no record, and remember nothing.", TALK, option="session", read=not_),
    Flag(
        "--no-stdin",
        "",
        "Take no input from a pipe or a file.",
        TALK,
        option="stdin",
        read=not_,
        ask_alone="a chat needs a terminal; `cococat ask` answers without one",
    ),
    Flag("--max-steps", "N", "Requests of one turn that may call tools.", LIMITS, key="agent.max_steps"),
    Flag("--max-tokens", "N", "Tokens of the whole run.", LIMITS, key="agent.max_total_tokens"),
    Flag("--max-seconds", "S", "Seconds of the whole run.", LIMITS, key="agent.max_seconds"),
    Flag("--min-tool-calls", "N", "Calls that must succeed before the answer.", TOOLS, key="agent.min_tool_calls"),
    Flag(
        "--output-format", "text|json|stream-json", "What stdout holds.", OUTPUT, default="text", option="output_format"
    ),
    Flag(
        "--extract",
        "",
        "Print the first fenced block of the answer alone.",
        OUTPUT,
        "-x",
        option="extract",
        ask_alone="a chat shows whole answers; `cococat ask -x` prints the block alone",
    ),
    Flag(
        "--schema",
        "FILE|JSON|FIELDS",
        'Answer with JSON of this schema alone, e.g. "name, age int".',
        OUTPUT,
        option="schema",
        read=text_of,
        ask_alone="a chat answers in words; `cococat ask --schema` answers in JSON",
    ),
    Flag(
        "--template",
        "NAME",
        "Ask with a prompt or a skill of yours; PROMPT goes into it.",
        TALK,
        "-t",
        option="template",
        read=text_of,
        ask_alone="a chat has it as /NAME",
    ),
    Flag("--color", "auto|always|never", "When to use colour.", OUTPUT, default="auto", option="color"),
    Flag("--quiet", "", "Show the answer and errors alone.", OUTPUT, "-q", option="quiet"),
    Flag("--verbose", "", "Show more of each step.", OUTPUT, "-v", option="verbose"),
    Flag("--config", "FILE", "Use this config file."),
)
FLAGS: Mapping[str, Flag] = MappingProxyType({flag.name: flag for flag in _TABLE})


@dataclass(frozen=True, slots=True)
class Invocation:
    """What a command line says: the *command*'s own name, its words, and what stands behind each flag's long name."""

    command: str
    words: tuple[str, ...]
    flags: Mapping[str, Typed]

    def has(self, flag: str) -> bool:
        """Return whether *flag* was given, or has a default."""
        return flag in self.flags

    def text(self, flag: str) -> str | None:
        """Return what was typed behind *flag*, or its default."""
        said = self.flags.get(flag)
        return said if isinstance(said, str) else None


@dataclass(frozen=True, slots=True)
class Command:
    """
    One command, or one below another.

    Args:
        call: makes its job; not there where only those *below* do something.
        takes: what help calls each of its words, of which the first *least* have to be there.
        many: all that there are go to the one in `takes`.
    """

    help: str
    call: Callable[[Invocation], Job] | None = None
    flags: Sequence[Flag] = ()
    takes: Sequence[str] = ()
    least: int = 0
    many: bool = False
    examples: Sequence[str] = ()
    below: Mapping[str, Command] = field(default_factory=dict)


def shared(*names: str) -> tuple[Flag, ...]:
    """Return flags of `ask` and `chat` that another command takes, too."""
    return tuple(FLAGS[f"--{name}"] for name in names)


def command_of(name: str) -> Command:
    """Return the command that `COMMANDS` says the place of."""
    module, _, value = COMMANDS[name].partition(".")
    command: Command = getattr(import_module(f"cococat.cli.{module}"), value)
    return command


def calls(
    place: str, *read: Callable[[Invocation], object], **named: Callable[[Invocation], object]
) -> Callable[[Invocation], Job]:
    """
    Return what makes the job of a command: a call with what *read* and *named* make of the command line.

    Args:
        place: of the function below `cococat.app`, such as "dream.log.show"; imported when that is asked for.
    """
    module, _, name = place.rpartition(".")

    def job(given: Invocation) -> Job:
        function = getattr(import_module(f"cococat.app.{module}"), name)
        keywords = {keyword: each(given) for keyword, each in named.items()}
        return partial(function, *(each(given) for each in read), **keywords)

    return job


def read_plain(words: Sequence[str]) -> Job | None:
    """
    Read a command line by the table; None where Typer has to read it.

    Raises: UsageError: a flag makes no sense. ConfigError: a setting is wrong.
    """
    if words[0] not in COMMANDS:
        return None
    name, *behind = words
    command = command_of(name)
    if behind and behind[0] in command.below:
        name, *behind = behind
        command = command.below[name]
    known: dict[str, Flag] = {}
    found: list[str] = []
    values: dict[str, Typed] = {}
    for flag in command.flags:
        known[flag.name] = known[flag.short] = flag
        if flag.default:
            values[flag.name] = flag.default
    rest = iter(behind)
    for word in rest:
        if word == "--":
            found.extend(rest)
        elif word == "-" or not word.startswith("-"):
            found.append(word)
        elif not _take(word, rest, known, values):
            return None
    fits = command.least <= len(found) and (command.many or len(found) <= len(command.takes))
    return command.call(Invocation(name, tuple(found), values)) if command.call and fits else None


def _take(word: str, rest: Iterator[str], known: Mapping[str, Flag], values: dict[str, Typed]) -> bool:
    """Add a flag, with the word behind it where it takes one, to *values*; False where it is not plain."""
    name, sign, value = word.partition("=") if word.startswith("--") else (word, "", "")
    flag = known.get(name)
    if flag is None or (sign and not flag.takes):
        return False
    if not flag.takes:
        values[flag.name] = True
        return True
    if not sign:
        value = next(rest, "-")
        if value.startswith("-"):  # a flag without its value, or a value that looks like one
            return False
    before = values.get(flag.name)
    values[flag.name] = [*(before if isinstance(before, list) else ()), value] if flag.many else value
    return True


def options_of(given: Invocation) -> Options:
    """
    Return what the flags say that is no setting.

    Raises: UsageError: one makes no sense.
    """
    options = {}
    for flag in FLAGS.values():
        if flag.option and flag.name in given.flags:
            options[flag.option] = _value(flag, given)
    return Options(**options)


def settings_of(given: Invocation) -> Settings:
    """
    Load the settings under the flags given.

    Raises: UsageError: a flag makes no sense. ConfigError: see `cococat.config.load`.
    """
    settings, names = {}, {}
    for flag in FLAGS.values():
        if flag.key and flag.name in given.flags:
            settings[flag.key], names[flag.key] = _value(flag, given), flag.name
    return load(path_of(given.text("--config")), os.environ, settings, names)


def _value(flag: Flag, given: Invocation) -> Any:
    typed = given.flags[flag.name]
    if flag.read:
        return flag.read(typed)
    return _one_of(str(typed), flag.name, flag.takes.split("|")) if flag.option and "|" in flag.takes else typed


def folders_of(given: Invocation) -> Folders:
    """
    Return the folders; a config file that makes no sense stops these commands, too.

    Raises: ConfigError: see `cococat.config.load`.
    """
    load(path_of(given.text("--config")), os.environ, {})
    return find_folders(os.environ)


def count_of(given: Invocation, flag: str) -> int | None:
    """Read a whole number from 0 on; None where it was not given."""
    text = given.text(flag)
    if text is None or re.fullmatch(r"[0-9]{1,9}", text):
        return None if text is None else int(text)
    raise UsageError(f"{flag}: wanted a whole number, 0 for no limit, got {ascii(text)[:40]}", f"e.g. {flag} 20")


def refuse_both(given: Invocation, one: str, other: str) -> None:
    """
    Refuse two flags that contradict each other.

    Raises: UsageError: both are there.
    """
    if one in given.flags and other in given.flags:
        raise UsageError(f"{one} and {other} contradict each other", "give one of them")
