"""The few rows at the bottom of a terminal that may be drawn again.

Everything above them is final: it is printed once and belongs to the terminal's own scrollback.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TextIO, TypeAlias

from rich.cells import get_character_cell_size
from rich.text import Text

from cococat.ui.screen.last_block import ALL_BELOW

_NO_WRAP, _WRAP = "\x1b[?7l", "\x1b[?7h"  # so that a wrong guess of a width cannot add a row
_SAVE, _BACK = "\x1b7", "\x1b8"
_HIDE, _SHOW = "\x1b[?25l", "\x1b[?25h"
_DOWN = "\x1bD"  # one row, in the same column; the screen scrolls where there is none
_TO_END = "\x1b[K"
_BELOW = "\x1b[J"
Cursor: TypeAlias = "tuple[int, int] | None"  # rows above the last one, column
# tmux saves a screen in its history that is cleared from its upper left corner


class ScreenRow(NamedTuple):
    """A row as it is written, and the cells that it takes."""

    text: str
    cells: int


_NOTHING = ScreenRow("", 0)


class Region:
    """
    Rows that are redrawn in place, only where they changed.

    Between two drawings the cursor rests, unseen, where the first row begins. A terminal that is made narrower or
    wider breaks its rows anew and may tell so later than the next drawing: its cursor is all that still shows what is
    final. Where the cursor has to be seen in a row, the way back is as many rows as were drawn.

    Args:
        size: gives columns and rows of the screen.
        reflows: the terminal is known to break its rows anew, so that the way back can be reckoned.
    """

    def __init__(self, stream: TextIO, size: Callable[[], tuple[int, int]], *, reflows: bool = False) -> None:
        self._stream = stream
        self._size, self._reflows = size, reflows
        self._drawn_for = (0, 0)
        self._rows: list[ScreenRow] = []
        self._cursor: Cursor = None
        self._column = 0
        self._hidden = False

    @property
    def rows(self) -> int:
        """Rows of the screen."""
        return self._size()[1]

    @property
    def shown(self) -> Sequence[ScreenRow]:
        """The rows that stand on the screen."""
        return self._rows

    def write(self, sequence: str) -> None:
        """Write what moves nothing."""
        self._stream.write(sequence)
        self._stream.flush()

    def begin_at(self, column: int) -> None:
        """Note where the text above ends: behind *column* of a line that goes on, or 0 for a new line."""
        self._column = column

    def differs(self, rows: Sequence[ScreenRow], cursor: Cursor = None) -> bool:
        """Return whether `draw` would write anything."""
        return self._fitting(rows) != self._rows or cursor != self._cursor or self._size() != self._drawn_for

    def draw(self, rows: Sequence[ScreenRow], cursor: Cursor = None) -> None:
        """
        Show *rows*, each at most as wide as the screen; the last ones when there are too many.

        Args:
            cursor: rows above the last one, and the column, where the cursor is to be seen; None: nowhere.
        """
        shown = self._fitting(rows)
        if not shown:
            self.erase()
            return
        text = self._to_first_row()
        if self._size() != self._drawn_for:
            text += self._cleared()
        if len(shown) > max(1, len(self._rows)):
            text += _DOWN * (len(shown) - 1) + f"\x1b[{len(shown) - 1}A"
        text += _NO_WRAP + _SAVE + _rewritten(self._rows, shown) + _BACK + _WRAP + self._placed(len(shown), cursor)
        self.write(text)
        self._rows, self._cursor, self._drawn_for = shown, cursor, self._size()

    def erase(self) -> None:
        """Take the rows away; the cursor stands where they began."""
        if self._rows:
            self.write(self._to_first_row() + self._cleared())

    def leave(self) -> None:
        """Take the rows away, and let the cursor be seen."""
        self.erase()
        if self._hidden:
            self._hidden = False
            self.write(_SHOW)

    def _fitting(self, rows: Sequence[ScreenRow]) -> list[ScreenRow]:
        return list(rows[_hidden(len(rows), max(1, self._size()[1] - 1)) :])

    def _to_first_row(self) -> str:
        if not self._cursor or not self._rows:
            return ""
        up, self._cursor = self._rows_above(*self._cursor), None
        return (f"\x1b[{up}A" if up else "") + "\r" + (f"\x1b[{self._column}C" if self._column else "")

    def _rows_above(self, below: int, column: int) -> int:
        """Return how many rows the cursor stands below the first one."""
        above, width = self._rows[: len(self._rows) - 1 - below], self._size()[0]
        if not self._reflows or width >= self._drawn_for[0]:
            return len(above)
        return sum(max(1, -(-row.cells // width)) for row in above) + column // width

    def _cleared(self) -> str:
        """Empty what is below the place where the rows begin, however many they are by now."""
        shown, self._rows = self._rows, []
        if not shown:
            return ""
        return _BELOW if self._column else ALL_BELOW

    def _placed(self, rows: int, cursor: Cursor) -> str:
        """Move from the first row to where the cursor belongs."""
        hidden, self._hidden = self._hidden, cursor is None
        seen = "" if hidden is self._hidden else _HIDE if self._hidden else _SHOW
        if cursor is None:
            return seen
        down, column = rows - 1 - cursor[0], cursor[1]
        return (f"\x1b[{down}B" if down else "") + "\r" + (f"\x1b[{column}C" if column else "") + seen


def _rewritten(old: Sequence[ScreenRow], new: Sequence[ScreenRow]) -> str:
    """Write the rows that changed, from the first one on; nothing is cleared that is written over."""
    text, at = "", 0
    for index in range(max(len(old), len(new))):
        before = old[index] if index < len(old) else None
        row = new[index] if index < len(new) else _NOTHING
        if before == row:
            continue
        text += (f"\x1b[{index - at}B" if index > at else "") + ("\r" if index else "")
        text += row.text if before else _TO_END + row.text
        text += _TO_END if before and row.cells < before.cells else ""
        at = index
    return text


def _hidden(rows: int, room: int) -> int:
    """Rows left out at the top, in jumps of half a screen: between two jumps only the last row changes."""
    jump = max(1, room // 2)
    return max(0, -(-(rows - room) // jump) * jump)


def rows_of(text: Text, width: int, used: int = 0) -> list[Text]:
    """Cut *text* where the terminal would wrap it: at the last column, whatever stands there; *used* cells of the first row are taken."""
    if "\t" in text.plain:
        text = text.copy()
        text.expand_tabs(8)
    if not text.plain.isascii():
        return list(text.divide(_cuts(text.plain, width, used)))
    first = width - used
    return list(text.divide(range(first, len(text.plain), width))) if len(text.plain) > first else [text]


def end_of(line: Iterable[Text], width: int, column: int = 0) -> int:
    """Return the column behind *line*, which begins in *column*; *width* itself behind a full row."""
    for text in line:
        *others, last = rows_of(text, width, column)
        column = (0 if others else column) + last.cell_len
    return column


def _cuts(plain: str, width: int, used: int) -> list[int]:
    cuts, column = [], used
    for index, char in enumerate(plain):
        cells = get_character_cell_size(char)
        if column + cells > width and column:
            cuts.append(index)
            column = 0
        column += cells
    return cuts
