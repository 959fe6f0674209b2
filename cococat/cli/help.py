"""How help looks: the flags of a command in groups, aligned, in the order in which they are declared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from typer._click.core import Context
    from typer._click.formatting import HelpFormatter

__all__ = ["Grouped"]

WIDE = 26  # columns; a longer flag has its text on the next line
REST = "Options"  # of flags that name no group


class Grouped(typer.core.TyperCommand):  # Typer takes nothing but subclasses
    """A command whose help shows each flag below its `rich_help_panel`."""

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the groups into *formatter*."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            if record := parameter.get_help_record(ctx):
                groups.setdefault(getattr(parameter, "rich_help_panel", None) or REST, []).append(record)
        width = min(WIDE, max(len(name) for rows in groups.values() for name, _ in rows))
        for title, rows in groups.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), text) for name, text in rows], col_max=WIDE)
