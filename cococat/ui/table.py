"""Markdown tables: columns as wide as their first rows need, rows as the model wrote them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.text import Text

from cococat.ui.inline import inline, join
from cococat.ui.theme import STYLES

__all__ = ["Table", "cells_of", "is_ruler"]

ROWS = 60  # rows that decide how wide the columns are; later ones are printed as they come

_MARK = re.compile(r":?-++:?\Z")
_BAR = re.compile(r"(?<!\\)\|")


def is_ruler(line: str) -> bool:
    """Return whether *line* is the line of dashes below a table's header."""
    cells = cells_of(line)
    return bool(cells) and all(_MARK.match(cell) for cell in cells)


def cells_of(line: str) -> list[str]:
    """Return the cells of a row; an escaped bar is no border."""
    cells = _BAR.split(line.strip())
    if cells and not cells[0].strip():
        cells = cells[1:]
    if cells and not cells[-1].strip():
        cells = cells[:-1]
    return [cell.strip().replace("\\|", "|") for cell in cells]


class Table:
    """A table that grows row by row."""

    def __init__(self, header: str, ruler: str) -> None:
        marks = cells_of(ruler)
        self._right = [mark.endswith(":") and not mark.startswith(":") for mark in marks]
        self._rows: list[list[Text]] = [[inline(cell, "heading") for cell in cells_of(header)]]
        self._widths = [max(3, cell.cell_len) for cell in self._rows[0]]
        self._fixed = False

    def add(self, line: str, width: int) -> list[Text]:
        """Take in a row; return rows that are now final."""
        row = [inline(cell) for cell in cells_of(line)]
        if self._fixed:
            return [self._text(row, width)]
        self._rows.append(row)
        for index, cell in enumerate(row[: len(self._widths)]):
            self._widths[index] = max(self._widths[index], cell.cell_len)
        if len(self._rows) < ROWS:
            return []
        texts = self.texts(width)
        self._fixed = True
        self._rows.clear()
        return texts

    def texts(self, width: int) -> list[Text]:
        """Return the rows that were not given before, the header and its line first."""
        if self._fixed:
            return []
        dashes = [Text("-" * size, style=STYLES["dim"]) for size in self._widths]
        rows: Sequence[list[Text]] = [self._rows[0], dashes, *self._rows[1:]]
        return [self._text(row, width) for row in rows]

    def _text(self, row: list[Text], width: int) -> Text:
        aligned = sum(self._widths) + 3 * len(self._widths) + 1 <= width
        text = Text(end="").append("|", STYLES["dim"])
        for index, cell in enumerate(row):
            size = self._widths[index] if aligned and index < len(self._widths) else 0
            pad = " " * max(0, size - cell.cell_len)
            right = index < len(self._right) and self._right[index]
            text.append(f" {pad}" if right else " ")
            join(text, cell)
            text.append(" " if right else f"{pad} ")
            text.append("|", STYLES["dim"])
        return text
