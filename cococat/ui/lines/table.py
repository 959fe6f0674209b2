"""Markdown tables: columns as wide as their first rows need, or as the screen has room for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

from rich.cells import cell_len
from rich.text import Text

from cococat.ui.lines.inline import inline, join
from cococat.ui.lines.theme import STYLES
from cococat.ui.lines.wrap import MIN_ROOM, wrap_points

ROWS = 60  # rows that decide how wide the columns are; later ones are printed as they come
NARROW = 60  # columns of a screen below which the rows of a wide table become records
MIN_CELL = 6  # columns of a cell that is wrapped
HANG = "  "  # before the rows of a record's cell but the first

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
    """
    A table that grows row by row.

    Args:
        wrap: one that is wider than the screen is wrapped inside of its cells, or becomes records.
    """

    def __init__(self, header: str, ruler: str, *, wrap: bool = False) -> None:
        marks = cells_of(ruler)
        self._wrap = wrap
        self._right = [mark.endswith(":") and not mark.startswith(":") for mark in marks]
        self._rows: list[list[Text]] = [[inline(cell, "heading") for cell in cells_of(header)]]
        self._names = self._rows[0]
        self._widths = [max(3, cell.cell_len) for cell in self._rows[0]]
        self._words = [_longest_word(cell) for cell in self._rows[0]]
        self._fixed = False

    def add(self, line: str, width: int) -> list[Text]:
        """Take in a row; return rows that are now final."""
        row = [inline(cell) for cell in cells_of(line)]
        if self._fixed:
            return self._shown(row, self._sizes(width), width)
        self._rows.append(row)
        for index, cell in enumerate(row[: len(self._widths)]):
            self._widths[index] = max(self._widths[index], cell.cell_len)
            self._words[index] = max(self._words[index], _longest_word(cell))
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
        sizes = self._sizes(width)
        if sizes is None:
            return [text for row in self._rows[1:] or self._rows for text in self._record(row, width)][1:]
        head, *rows = self._rows
        below = [text for row in rows for text in self._shown(row, sizes, width)]
        return [*self._shown(head, sizes, width), self._ruler(sizes or self._widths), *below]

    def _sizes(self, width: int) -> list[int] | None:
        """How wide the columns are: empty where rows are left as they are, None where they become records."""
        room = width - 3 * len(self._widths) - (-3 if self._wrap else 1)
        if sum(self._widths) <= room:
            return self._widths
        if not self._wrap:
            return []
        if width < NARROW or room < MIN_CELL * len(self._widths):
            return None
        words = self._words if sum(self._words) <= room else _shared(self._words, room)
        more = _shared([width - word for width, word in zip(self._widths, words, strict=True)], room - sum(words))
        return [word + extra for word, extra in zip(words, more, strict=True)]

    def _shown(self, row: list[Text], sizes: list[int] | None, width: int) -> list[Text]:
        if sizes is None:
            return self._record(row, width)
        if not sizes or all(cell.cell_len <= size for cell, size in zip(row, sizes, strict=False)):
            return [self._text(row, sizes)]
        sizes = [*sizes, *[MIN_CELL] * (len(row) - len(sizes))]
        cells = [broken(cell, size) for cell, size in zip(row, sizes, strict=False)]
        return [self._text([cell or Text() for cell in line], sizes) for line in zip_longest(*cells)]

    def _ruler(self, sizes: Sequence[int]) -> Text:
        """The line below the header."""
        if self._wrap:
            return Text("─┼─".join("─" * size for size in sizes), STYLES["dim"], end="")
        return self._text([Text("-" * size, style=STYLES["dim"]) for size in sizes], sizes)

    def _text(self, row: list[Text], sizes: Sequence[int]) -> Text:
        """One row: between rules, or in bars as the source has them."""
        edge, rule = ("", " │ ") if self._wrap else ("|", " | ")
        text = Text(end="").append(f"{edge} ".lstrip(), STYLES["dim"])
        for index, cell in enumerate(row):
            size = sizes[index] if index < len(sizes) else 0
            pad = " " * max(0, size - cell.cell_len)
            right = index < len(self._right) and self._right[index]
            if index:
                text.append(rule, STYLES["dim"])
            text.append(pad if right else "")
            join(text, cell)
            text.append("" if right else pad)
        text.append(f" {edge}".rstrip(), STYLES["dim"])
        if self._wrap:
            text.rstrip()
        return text

    def _record(self, row: list[Text], width: int) -> list[Text]:
        """A row as lines of its own, each cell behind the name of its column, and a blank line before it."""
        texts: list[Text] = [Text()]
        for name, cell in zip_longest(self._names, row, fillvalue=Text()):
            label, whole = Text(end=""), Text(end="")
            join(label, name)
            label.append(":")
            join(whole, label)
            whole.append(" ")
            join(whole, cell)
            rows = broken(whole, width, HANG)
            if len(rows) > 1 and 0 < rows[0].cell_len - label.cell_len - 1 < MIN_CELL:  # cut off from their own
                below = Text(HANG, end="")
                join(below, cell)
                rows = min([*broken(label, width, HANG), *broken(below, width, HANG)], rows, key=len)
            texts += rows
        return texts


def _shared(widths: Sequence[int], room: int) -> list[int]:
    """Share *room*: a column that needs less than its part keeps what it needs."""
    sizes: dict[int, int] = {}
    for place, index in enumerate(sorted(range(len(widths)), key=widths.__getitem__)):
        part = room // (len(widths) - place)
        sizes[index] = min(widths[index], part)
        room -= sizes[index]
    return [sizes[index] for index in range(len(widths))]


def _longest_word(cell: Text) -> int:
    """Return the columns below which a word of *cell* is broken; scripts without blanks may break anywhere."""
    return max((len(word) for word in cell.plain.split() if cell_len(word) == len(word)), default=1)


def wrapped(text: Text, prefix: str, width: int, used: int = 0, keep: int = 0) -> list[Text]:
    """
    Return the rows of *text*, each of at most *width* cells unless there is hardly room.

    Args:
        prefix: what the rows behind the first begin with.
        used: cells of the first row that are taken.
        keep: characters at the beginning in which no row ends.
    """
    if used + text.cell_len <= width or width - len(prefix) < MIN_ROOM:
        return [text]
    rows: list[Text] = []
    for start, end in wrap_points(text.plain, len(prefix), width, used, keep):
        row = Text(end="\n")
        if rows and prefix:
            row.append(prefix, STYLES["dim"])
        join(row, _slice(text, start, end))
        if row.cell_len > width:
            row.rstrip()
        rows.append(row)
    rows[-1].end = text.end
    return rows


def _slice(text: Text, start: int, end: int) -> Text:
    part = Text(text.plain[start:end], style=text.style, end="")
    for span in text.spans:
        if span.start < end and span.end > start:
            part.stylize(span.style, max(0, span.start - start), min(end, span.end) - start)
    return part


def broken(text: Text, width: int, prefix: str = "") -> list[Text]:
    """Return *text* in rows of at most *width* cells, however narrow, none of which has an end of its own."""
    rows: list[Text] = []
    for start, end in wrap_points(text.plain, len(prefix), width) if text.cell_len > width else [(0, len(text.plain))]:
        row = Text(prefix if rows else "", end="")
        join(row, _slice(text, start, end))
        rows.append(row)
    return rows
