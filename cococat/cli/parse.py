"""From words to a call: Typer reads the command line, and nothing runs before it has been read whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import typer

from cococat.cli.commands import COMMANDS
from cococat.cli.flags import Job
from cococat.cli.help import EXAMPLES, Grouped, GroupedBelow
from cococat.config import folders
from cococat.config.values import suggestion
from cococat.errors import UsageError

__all__ = ["application", "parse"]

LOOK = {"help_option_names": ["-h", "--help"], "terminal_width": 10_000}  # Typer breaks no row: `laid_out` does


def parse(argv: Sequence[str]) -> Job | None:
    """
    Read a command line; None when all it wanted was help, which has been printed.

    Raises: UsageError: it makes no sense. ConfigError: a setting is wrong.
    """
    command = typer.main.get_command(application(argv[0] if argv else ""))
    try:
        found: Job | int | None = command.main(list(argv), prog_name="cococat", standalone_mode=False)
    except typer.TyperException as error:
        raise _explained(error, argv) from error
    return None if found is None or isinstance(found, int) else found


def application(wanted: str) -> typer.Typer:
    """Return the command line; of a known command, that one alone: importing and making all of them costs 25 ms."""
    application = typer.Typer(
        add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, context_settings={**LOOK}
    )
    for name in [wanted] if wanted in COMMANDS else COMMANDS:
        place, text, _ = COMMANDS[name]
        if place.endswith(".commands"):
            group: typer.Typer = _found(place)()
            for below in group.registered_commands:
                below.cls, below.epilog = Grouped, _examples(f"{name} {below.name}")
            application.add_typer(group, name=name, cls=GroupedBelow, epilog=_examples(name))
        else:
            application.command(name, cls=Grouped, help=text, epilog=_examples(name))(_found(place))
    application.callback()(_nothing)  # a lone command would lose its name
    return application


def _found(place: str) -> Callable[..., Any]:
    """Return the function at MODULE.NAME of this room."""
    module, _, name = place.partition(".")
    function: Callable[..., Any] = getattr(import_module(f"cococat.cli.{module}"), name)
    return function


def _examples(name: str) -> str | None:
    """What stands at the end of a command's help; None where there are no examples of it."""
    return "\n".join(("Examples:", *(f"  {line}" for line in EXAMPLES[name]))) if name in EXAMPLES else None


def _nothing() -> None:
    """Do nothing before a command."""


def _explained(error: typer.TyperException, argv: Sequence[str]) -> UsageError:
    """Typer's error in our form: one line of what is wrong, one of what to do."""
    words = " ".join(error.format_message().split())
    place = getattr(getattr(error, "ctx", None), "command_path", "cococat")
    see = f"`{place} --help`"
    if words.startswith("Option") and (flag := getattr(error, "option_name", "")) in ("-r", "--resume"):
        from cococat.app.sessions.browse import how_to_resume

        return UsageError(f"{flag} names no session to go on with", how_to_resume(folders(os.environ)))
    what, _, guess = words.partition(" Did you mean ")
    what = what[:1].lower() + what[1:].rstrip(".")
    if words.startswith("No such option"):
        return _no_such_flag(
            _plain(getattr(error, "option_name", "")), getattr(error, "possibilities", None), see, argv
        )
    if words.startswith("No such command") and place == "cococat":
        near = f"did you mean {guess.rstrip('?')}? " if guess else ""
        return UsageError(what, f"{near}to ask the model: cococat ask WORDS; {see} lists the commands")
    return UsageError(what, f"did you mean {guess} {see} lists all" if guess else f"{see} tells what it takes")


def _no_such_flag(flag: str, near: Sequence[str] | None, see: str, argv: Sequence[str]) -> UsageError:
    message = f"no such flag: {flag}"
    if near:
        return UsageError(message, f"did you mean {suggestion(flag, near) or near[0]}? {see} lists all")
    if argv and argv[0].startswith("-"):
        return UsageError(message, f"flags stand behind the command: cococat chat {flag}")
    return UsageError(message, f"{see} lists the flags; words that begin with a dash stand behind `--`")


def _plain(word: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in word)[:40]
