"""Slash commands: what a typed line asks for, which command a name means, what may complete it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

EXIT_WORDS = ("exit", "quit", ":q")
ALIKE = 0.6  # as for flags and settings: share of a name that must agree before it is worth suggesting
SUGGESTIONS = 3
_NAME = re.compile(r"/([A-Za-z][A-Za-z0-9_-]*|\?)?(?:\s+(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What may complete a command's first word, and what is said of it."""

    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """
    One slash command.

    Args:
        name: without the slash, lower case.
        usage: what follows the name, for the help: "[undo]".
        help: one line.
        run: gets the text behind the name, stripped; what it gives back is the caller's matter.
        values: what may complete its first word, asked each time.
        coming: says whether there will be more of them in a moment.
        shows: it only shows something, so it is answered at once while a turn runs.
        leads: to what has air of its own, a turn or the end.
    """

    name: str
    usage: str
    help: str
    run: Callable[[str], object]
    values: Callable[[], Iterable[Suggestion]] = tuple
    coming: Callable[[], bool] = bool
    shows: bool = False
    leads: bool = False


@dataclass(frozen=True, slots=True)
class Slash:
    """A line that names a slash command, known or not."""

    name: str
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Shell:
    """A line that the user wants the shell to run."""

    command: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """No command, or more than one, goes by this name; the likeliest come first."""

    name: str
    suggestions: tuple[str, ...]

    @property
    def message(self) -> str:
        """The sentence for the user."""
        if not self.suggestions:
            return f"no command /{self.name}: /help lists them"
        return f"no command /{self.name}: did you mean {' or '.join(f'/{name}' for name in self.suggestions)}?"


def parse(line: str) -> Slash | Shell | None:
    """
    Return what *line* asks for; None: it is meant for the model.

    A path such as `/etc/hosts` is no command: a name holds letters, digits, `-` and `_` alone.
    """
    text = line.strip()
    if text.lower() in EXIT_WORDS:
        return Slash("exit")
    if text.startswith("!"):
        return Shell(text[1:].strip())
    found = _NAME.fullmatch(text)
    if not found:
        return None
    name, argument = found.groups(default="")
    return Slash({"": "help", "?": "help"}.get(name, name.lower()), argument.strip())


def is_name(name: str) -> bool:
    """Return whether *name* can be typed behind a slash as it is."""
    return parse(f"/{name}") == Slash(name)


def find(commands: Sequence[SlashCommand], name: str) -> SlashCommand | Unknown:
    """Return the command called *name*, or the only one whose name starts so."""
    wanted = name.removeprefix("/").lower()
    for command in commands:
        if command.name == wanted:
            return command
    starting = [command for command in commands if command.name.startswith(wanted)]
    if len(starting) == 1:
        return starting[0]
    if starting:
        return Unknown(wanted, tuple(command.name for command in starting))
    from difflib import get_close_matches

    near = get_close_matches(wanted, [command.name for command in commands], SUGGESTIONS, ALIKE)
    # letters change places most often
    return Unknown(wanted, tuple(sorted(near, key=lambda name: sorted(name) != sorted(wanted))))


def matching(commands: Sequence[SlashCommand], typed: str) -> tuple[SlashCommand, ...]:
    """Return the commands that *typed* may become: by prefix, then by its letters in their order."""
    wanted = typed.removeprefix("/").lower()
    letters = re.compile(".*".join(map(re.escape, wanted)))
    starting = [command for command in commands if command.name.startswith(wanted)]
    others = [command for command in commands if command not in starting and letters.search(command.name)]
    return (*starting, *others)


def fitting(values: Iterable[Suggestion], typed: str) -> tuple[Suggestion, ...]:
    """Return the values that *typed* may become: those that begin so, then those of which it is said."""
    wanted = typed.casefold()
    every = tuple(values)
    starting = [value for value in every if value.text.casefold().startswith(wanted)]
    return (*starting, *(value for value in every if value not in starting and wanted in value.note.casefold()))
