"""What Typer reads and shows: a command line that is not plain, what is wrong with it, and each command's help."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cococat.app.help import help_for_stdout
from cococat.cli.commands import COMMANDS
from cococat.cli.flags import FLAGS, Command, Invocation, Job, command_of
from cococat.config import find_folders
from cococat.config.values import suggestion
from cococat.errors import UsageError

if TYPE_CHECKING:
    from typer._click.core import Context
    from typer._click.formatting import HelpFormatter

LOOK = {"help_option_names": ["-h", "--help"], "terminal_width": 10_000}  # Typer breaks no row: `laid_out` does
WIDE = 26  # columns; a longer flag has its text on the next line
REST = "Options"  # of flags that name no group
WHOLE = 10_000  # characters of a sentence about a command: all of it


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
        command = command_of(name)
        if command.below:
            group = typer.Typer(invoke_without_command=command.call is not None, help=command.help)
            group.callback()(_typed(name, command))
            for below, one in command.below.items():
                _add(group, below, one)
            application.add_typer(group, name=name, cls=GroupedBelow, epilog=_examples(command))
        else:
            _add(application, name, command)
    application.callback()(_nothing)  # a lone command would lose its name
    return application


def _add(group: typer.Typer, name: str, command: Command) -> None:
    group.command(name, cls=Grouped, help=command.help, epilog=_examples(command))(_typed(name, command))


def _examples(command: Command) -> str:
    """What stands at the end of a command's help."""
    return "\n".join(("Examples:", *(f"  {line}" for line in command.examples))) if command.examples else ""


def _typed(name: str, command: Command) -> Callable[..., Job | None]:
    """Return what Typer takes for the function of a command: one parameter for each word and flag of the table."""

    def call(context: typer.Context, **typed: Any) -> Job | None:
        if context.invoked_subcommand or not command.call:
            return None
        words: list[str] = []
        for at in range(len(command.takes)):
            word = typed[f"word{at}"]
            words += [word] if isinstance(word, str) else word or ()
        flags = {flag.name: typed[f"flag{at}"] for at, flag in enumerate(command.flags)}
        given = {flag: value for flag, value in flags.items() if value not in (None, False, [], ())}
        return command.call(Invocation(name, tuple(words), given))

    call.__signature__ = inspect.Signature([*_parameters(command)])  # type: ignore[attr-defined]  # `inspect` reads it
    return call


def _parameters(command: Command) -> Iterator[inspect.Parameter]:
    def parameter(name: str, kind: object, default: object = inspect.Parameter.empty) -> inspect.Parameter:
        return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)

    yield parameter("context", typer.Context)
    for at, metavar in enumerate(command.takes):
        word: Any = Annotated[list[str] if command.many else str, typer.Argument(metavar=metavar, hidden=True)]
        yield parameter(f"word{at}", word) if at < command.least else parameter(f"word{at}", word, None)
    for at, flag in enumerate(command.flags):
        shown = {"metavar": flag.takes or None, "help": flag.help, "rich_help_panel": flag.group or None}
        option = typer.Option(*flag.names, hidden=flag.hidden, **shown)  # type: ignore[arg-type]  # of one's own names
        kind: Any = Annotated[list[str] if flag.many else str if flag.takes else bool, option]
        yield parameter(f"flag{at}", kind, (flag.default or None) if flag.takes else False)


def _nothing() -> None:
    """Do nothing before a command."""


def _explained(error: typer.TyperException, argv: Sequence[str]) -> UsageError:
    """Typer's error in our form: one line of what is wrong, one of what to do."""
    words = " ".join(error.format_message().split())
    place = getattr(getattr(error, "ctx", None), "command_path", "cococat")
    see = f"`{place} --help`"
    if words.startswith("Option") and (flag := getattr(error, "option_name", "")) in ("-r", "--resume"):
        from cococat.app.sessions.browse import how_to_resume

        return UsageError(f"{flag} names no session to go on with", how_to_resume(find_folders(os.environ)))
    what, _, guess = words.partition(" Did you mean ")
    what = what[:1].lower() + what[1:].rstrip(".")
    if words.startswith("No such option"):
        flag = "".join(char if char.isprintable() else "?" for char in getattr(error, "option_name", ""))[:40]
        return _no_such_flag(flag, getattr(error, "possibilities", None), see, argv)
    if words.startswith("No such command") and place == "cococat":
        near = f"did you mean {guess.rstrip('?')}? " if guess else ""
        return UsageError(what, f"{near}to ask the model: cococat ask WORDS; {see} lists the commands")
    return UsageError(what, f"did you mean {guess} {see} lists all" if guess else f"{see} tells what it takes")


def _no_such_flag(flag: str, near: Sequence[str] | None, see: str, argv: Sequence[str]) -> UsageError:
    message = f"no such flag: {flag}"
    if argv[:1] == ["chat"] and flag in FLAGS:
        return UsageError(message, FLAGS[flag].ask_alone)
    if near:
        return UsageError(message, f"did you mean {suggestion(flag, near) or near[0]}? {see} lists all")
    if argv and argv[0].startswith("-"):
        return UsageError(message, f"flags stand behind the command: cococat chat {flag}")
    return UsageError(message, f"{see} lists the flags; words that begin with a dash stand behind `--`")


def _write_groups(command: Any, ctx: Context, formatter: HelpFormatter) -> None:
    """Write the flags below their headings, aligned, in the order of the table."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(ctx):
        if record := parameter.get_help_record(ctx):
            groups.setdefault(getattr(parameter, "rich_help_panel", None) or REST, []).append(record)
    groups[REST] = groups.pop(REST)  # --help is in it, and it stands last
    width = min(WIDE, max(len(name) for rows in groups.values() for name, _ in rows))
    for title, rows in groups.items():
        with formatter.section(title):
            formatter.write_dl([(name.ljust(width), text) for name, text in rows], col_max=WIDE)


def _write_examples(command: Any, ctx: Context, formatter: HelpFormatter) -> None:
    """Write the examples, with a heading like the others."""
    if command.epilog:
        formatter.write(f"\n{command.epilog}\n")


def _page(command: Any, ctx: Context) -> str:
    """Return the page for the screen at hand, with colours where it is shown on a terminal."""
    formatter = ctx.make_formatter()
    command.format_help(ctx, formatter)
    return help_for_stdout(formatter.getvalue().rstrip("\n"))


class Grouped(typer.core.TyperCommand):  # Typer takes nothing but subclasses
    """A command whose help shows each flag below its group."""

    format_options, format_epilog, get_help = _write_groups, _write_examples, _page


class GroupedBelow(typer.core.TyperGroup):  # as above
    """The same of a command that has others below it."""

    format_epilog, get_help = _write_examples, _page

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the groups and the commands into *formatter*."""
        _write_groups(self, ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write a whole sentence of each command into *formatter*, however narrow it is."""
        below = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.get_short_help_str(WHOLE)) for name, one in below if one])
