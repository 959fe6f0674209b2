"""How help looks: the flags of a command in groups, aligned, in the order in which they are declared."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import typer

from cococat.app.help_style import for_stdout
from cococat.cli.help_layout import laid_out

if TYPE_CHECKING:
    from typer._click.core import Command, Context
    from typer._click.formatting import HelpFormatter

__all__ = ["Grouped", "GroupedBelow"]

ASK_ALONE = frozenset({"no_stdin"})  # flags
WIDE = 26  # columns; a longer flag has its text on the next line
REST = "Options"  # of flags that name no group
WHOLE = 10_000  # characters of a sentence about a command: all of it


class Grouped(typer.core.TyperCommand):  # Typer takes nothing but subclasses
    """A command whose help shows each flag below its `rich_help_panel`."""

    def __init__(self, name: str | None, **given: Any) -> None:
        super().__init__(name, **given)
        if name == "chat":  # it shares a function with `ask`
            self.params = [one for one in self.params if one.name not in ASK_ALONE]

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the groups into *formatter*."""
        _write_groups(self, ctx, formatter)

    def format_epilog(self, ctx: Context, formatter: HelpFormatter) -> None:  # noqa: ARG002 - the signature is Click's
        """Write the examples into *formatter*, with a heading like the others."""
        _write_examples(self, formatter)

    def get_help(self, ctx: Context) -> str:
        """Return the page for the screen at hand, with colours where it is shown on a terminal."""
        return _page(super().get_help(ctx))


class GroupedBelow(typer.core.TyperGroup):  # as above
    """The same of a command that has others below it."""

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the groups and the commands into *formatter*."""
        _write_groups(self, ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write a whole sentence of each command into *formatter*, however narrow it is."""
        below = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.get_short_help_str(WHOLE)) for name, one in below if one])

    def format_epilog(self, ctx: Context, formatter: HelpFormatter) -> None:  # noqa: ARG002 - the signature is Click's
        """Write the examples into *formatter*, with a heading like the others."""
        _write_examples(self, formatter)

    def get_help(self, ctx: Context) -> str:
        """Return the page for the screen at hand, with colours where it is shown on a terminal."""
        return _page(super().get_help(ctx))


def _write_groups(command: Command, ctx: Context, formatter: HelpFormatter) -> None:
    groups: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(ctx):
        if record := parameter.get_help_record(ctx):
            groups.setdefault(getattr(parameter, "rich_help_panel", None) or REST, []).append(record)
    groups[REST] = groups.pop(REST)  # --help is in it, and it stands last
    width = min(WIDE, max(len(name) for rows in groups.values() for name, _ in rows))
    for title, rows in groups.items():
        with formatter.section(title):
            formatter.write_dl([(name.ljust(width), text) for name, text in rows], col_max=WIDE)


def _write_examples(command: Command, formatter: HelpFormatter) -> None:
    if command.epilog:
        formatter.write(f"\n{command.epilog}\n")


def _page(text: str) -> str:
    return for_stdout(laid_out(text, shutil.get_terminal_size().columns))
