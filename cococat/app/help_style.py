"""Help on a terminal: the same page, letter for letter, with headings, names and examples told apart by Rich."""

from __future__ import annotations

import os
import sys

__all__ = ["for_stdout", "styled"]

_TYPED = ("Examples:", "First steps:")  # headings of what is typed as it stands


def for_stdout(page: str) -> str:
    """Return *page* as stdout gets it: styled on a terminal that shows colours; elsewhere nothing is imported for it."""
    if not sys.stdout.isatty():
        return page
    from cococat.ui.lines.theme import colour

    return styled(page) if colour("auto", sys.stdout, os.environ) else page


def styled(page: str) -> str:
    """Return *page* with escape sequences; its weights and its green are seen on dark and on light ground."""
    from rich.text import Text

    from cococat.ui.lines.theme import STYLES, ansi

    text, heading = Text(), ""
    rows = page.split("\n")
    for row, below in zip(rows, [*rows[1:], ""], strict=True):
        if not row.startswith(" ") or row.strip() in _TYPED:
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
    if heading in _TYPED:
        return ((row, "string"),)
    if heading and row.startswith("  ") and row[2:3].strip():
        name, gap, rest = row[2:].partition("  ")
        return (("  " + name, "label"), (gap + rest, ""))
    return ((row, ""),)
