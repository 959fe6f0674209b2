"""Help as a page for the screen at hand: no word is broken, and on a terminal Rich tells headings, names and examples apart.

Texts stand in a column or below what they are about.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator

MAX_WIDTH = 78  # cells; longer rows are hard to read
BELOW = 6  # how far in a text stands that has no room beside its flag
TYPED = ("Examples:", "First steps:")  # headings of what is typed as it stands
_WORD = re.compile(r"(?:\"[^\"]*\"|'[^']*'|[^\s\"'])+")  # of a shell, with what is quoted in it
DEFAULT = "[default:"  # one word with what follows it


def help_for_stdout(page: str) -> str:
    """Return *page* laid out for the screen, and styled where that shows colours; elsewhere nothing is imported for it."""
    page = _laid_out(page, shutil.get_terminal_size().columns)
    if not sys.stdout.isatty():
        return page
    from cococat.ui.lines.theme import colour

    return _styled(page) if colour("auto", sys.stdout, os.environ) else page


def _laid_out(page: str, columns: int) -> str:
    """Return *page*, whose rows may be of any length, for a screen of so many *columns*; as it is where it fits."""
    width = min(columns, MAX_WIDTH)
    if all(len(row) <= max(columns, MAX_WIDTH) for row in page.split("\n")) and columns > MAX_WIDTH:
        return page
    blocks = ("\n".join(_block(block.split("\n"), width)) for block in page.rstrip("\n").split("\n\n"))
    return "\n\n".join(blocks) + "\n" * (len(page) - len(page.rstrip("\n")))


def _block(rows: list[str], width: int) -> Iterator[str]:
    """Lay out the *rows* between two empty ones: a usage, a paragraph, a heading with its entries, or examples."""
    typed = next((at for at, row in enumerate(rows) if row.strip() in TYPED), len(rows))
    head, below = rows[:typed], rows[1:typed]
    if head and below and all(row.startswith("  ") for row in below) and not head[0].startswith(" "):
        yield head[0]
        yield from _entries(below, width)
    elif head:
        lead = len(head[0]) - len(head[0].lstrip())
        behind = len("Usage: ") if head[0].startswith("Usage:") else lead
        yield from _wrapped(" " * lead, behind, " ".join(head), width)
    for row in rows[typed:]:
        yield from _typed(row, width)


def _typed(row: str, width: int) -> Iterator[str]:
    """Break a command as a shell lets it be broken: before a word, behind a backslash."""
    lead = len(row) - len(row.lstrip())
    begun = " " * lead
    for word in _WORD.findall(row.strip()) if len(row) > width else [row.strip()]:
        if begun.strip() and len(begun) + len(word) + len(" \\") >= width:
            yield f"{begun} \\"
            begun = " " * (lead + 2)
        begun += f" {word}" if begun.strip() else word
    yield begun


def _entries(rows: list[str], width: int) -> Iterator[str]:
    """Lay out names with their texts; below each other where the column of the texts leaves half of the screen empty."""
    entries = list(_read(rows))
    column = max((start for _, start, _ in entries), default=0)
    for name, _, text in entries:
        if column * 2 > width:
            yield f"  {name}"
            yield from _wrapped(" " * BELOW, BELOW, text, width) if text else ()
        elif len(name) + 4 > column:
            yield f"  {name}"
            yield from _wrapped(" " * column, column, text, width) if text else ()
        else:
            yield from _wrapped(f"  {name}".ljust(column), column, text, width)


def _read(rows: list[str]) -> Iterator[tuple[str, int, str]]:
    """Yield each entry of *rows*: its name, the column in which its text begins, the text."""
    name, start, text = "", 0, ""
    for row in rows:
        if row[2:3] == " ":  # the text goes on
            start, text = start or len(row) - len(row.lstrip()), f"{text} {row.strip()}"
            continue
        if name:
            yield name, start, text.strip()
        name, gap, text = row[2:].partition("  ")
        start = len(row) - len(text.lstrip()) if gap else 0
    yield name, start, text.strip()


def _wrapped(first: str, column: int, text: str, width: int) -> Iterator[str]:
    """Yield rows of *text* behind *first*, the others indented by *column*; a word that is too long stands alone."""
    row, empty = first, True
    for word in text.replace(f"{DEFAULT} ", f"{DEFAULT}\0").split():
        if not empty and len(row) + 1 + len(word) > width:
            yield row
            row, empty = " " * column, True
        row = f"{row}{'' if empty else ' '}{word.replace(chr(0), ' ')}"
        empty = False
    yield row


def _styled(page: str) -> str:
    """Return *page* with escape sequences; its weights and its green are seen on dark and on light ground."""
    from rich.text import Text

    from cococat.ui.lines.theme import STYLES, ansi

    text, heading = Text(), ""
    rows = page.split("\n")
    for row, below in zip(rows, [*rows[1:], ""], strict=True):
        if not row.startswith(" ") or row.strip() in TYPED:
            heading = row.strip() if below.startswith("  ") and not row.startswith("Usage:") else ""
        for piece, style in _pieces(row, heading):
            text.append(piece, STYLES[style])
        text.append("\n")
    return ansi(text[:-1])


def _pieces(row: str, heading: str) -> tuple[tuple[str, str], ...]:
    """Split a row that stands below *heading* into pieces, each with the name of its style."""
    if row.strip() and row.strip() == heading:
        return ((row.removesuffix(heading), ""), (heading, "title"))
    if row.startswith("Usage:"):
        return (("Usage:", "label"), (row.removeprefix("Usage:"), ""))
    if heading in TYPED:
        return ((row, "string"),)
    if heading and row.startswith("  ") and row[2:3].strip():
        name, gap, rest = row[2:].partition("  ")
        return (("  " + name, "label"), (gap + rest, ""))
    return ((row, ""),)
