"""`/help` and `?`: the commands and the keys of the chat as tables, side by side where the screen is wide enough."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from cococat.ui.columns import cells
from cococat.ui.hang import wrap_rows
from cococat.ui.slash import Command
from cococat.ui.theme import STYLES, Theme, ansi

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["help_page"]

GAP = 2  # columns between two columns of a table
APART = 4  # and between two tables
KEYS = (
    ("Enter", "send; while a turn runs: queue"),
    ("Ctrl-J, Alt-Enter, \\ Enter", "a new line"),
    ("Esc, Ctrl-C", "stop the turn, and keep what it said"),
    ("Ctrl-D, Ctrl-C twice", "leave"),
    ("Up, Ctrl-R", "earlier lines; search in them"),
    ("Tab", "complete a command or an @path"),
    ("Shift-Tab", "the next permission mode"),
    ("Ctrl-O", "the steps of the last turn in full"),
    ("Ctrl-G, Ctrl-X Ctrl-E", "write in your editor"),
    ("@path", "attach a file"),
    ("!command", "run a shell command of yours"),
    ("?", "these keys, on an empty line"),
)


def help_page(commands: Sequence[Command], width: int, theme: Theme) -> str:
    """Return the page for *width* columns; without *commands* it is that of the keys alone."""
    rows = [(f"/{one.name} {one.usage}".rstrip(), one.help) for one in commands]
    tables = [_table(title, table, width) for title, table in (("Commands", rows), ("Keys", KEYS)) if table]
    widths = [max(cells(row.plain) for row in table) for table in tables]
    if len(tables) > 1 and sum(widths) + APART <= width:
        lines = [_beside(left, right, widths[0] + APART) for left, right in zip_longest(*tables)]
    else:
        lines = [line for table in tables for line in (*table, None)][:-1]
    return "".join(f"{ansi(line, coloured=theme != 'plain', theme=theme) if line else ''}\n" for line in lines)


def _table(title: str, rows: Sequence[tuple[str, str]], width: int) -> list[Text]:
    """Two columns; where both do not fit into the screen, the second stands below the first."""
    from rich.text import Text

    names = max(len(name) for name, _ in rows)
    narrow = names + GAP + max(len(text) for _, text in rows) > width
    lines = [Text().append(title, STYLES["title"])]
    for name, text in rows:
        line = Text().append(name, STYLES["tool"])
        if narrow:
            lines += [line, *map(Text, wrap_rows(f"    {text}", 4, width))]
        else:
            lines.append(line.append(f"{' ' * (names + GAP - len(name))}{text}"))
    return lines


def _beside(left: Text | None, right: Text | None, at: int) -> Text | None:
    """*right* at the column *at* behind *left*."""
    if left is None or right is None:
        return left or right
    return left.append(" " * (at - cells(left.plain))).append_text(right)
