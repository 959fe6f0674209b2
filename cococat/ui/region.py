"""The few rows at the bottom of a terminal that may be drawn again.

Everything above them is final: it is printed once and belongs to the terminal's own scrollback.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TextIO, TypeAlias

from rich.cells import get_character_cell_size
from rich.text import Text

__all__ = ["Region", "Row", "rows_of"]

_NO_WRAP, _WRAP = "\x1b[?7l", "\x1b[?7h"  # so that a wrong guess of a width cannot add a row
_CLEAR, _UP, _TO_END = "\x1b[2K", "\x1b[1A", "\x1b[K"
Cursor: TypeAlias = "tuple[int, int] | None"  # rows above the last one, column


class Row(NamedTuple):
    """A row as it is written, and the cells that it takes."""

    text: str
    cells: int


class Region:
    """
    Rows that are redrawn in place, only where they changed.

    Args:
        size: gives columns and rows of the screen.
    """

    def __init__(self, stream: TextIO, size: Callable[[], tuple[int, int]]) -> None:
        self._stream = stream
        self._size = size
        self._rows: list[Row] = []
        self._cursor: Cursor = None
        self._column = 0

    @property
    def rows(self) -> int:
        """Rows of the screen."""
        return self._size()[1]

    @property
    def shown(self) -> Sequence[Row]:
        """The rows that stand on the screen."""
        return self._rows

    def write(self, sequence: str) -> None:
        """Write what moves nothing."""
        self._stream.write(sequence)
        self._stream.flush()

    def begin_at(self, column: int) -> None:
        """Note where the text above ends: behind *column* of a line that goes on, or 0 for a new line; no row may be shown."""
        self._column = column

    def differs(self, rows: Sequence[Row], cursor: Cursor = None) -> bool:
        """Return whether `draw` would write anything."""
        return self._fitting(rows) != self._rows or cursor != self._cursor

    def draw(self, rows: Sequence[Row], cursor: Cursor = None) -> None:
        """
        Show *rows*, each at most as wide as the screen; the last ones when there are too many.

        Args:
            cursor: rows above the last one, and the column, where the cursor is to stand; None: at the end.
        """
        shown = self._fitting(rows)
        if not shown:
            self.erase()
            return
        old, text = self._rows, self._to_last_row()
        if not old:
            text += ("\r\n" if self._column else "\r") + shown[0].text
            old = shown[:1]
        kept = min(len(old), len(shown))
        text += _cleared(len(old) - kept)
        changed = [at for at in range(kept) if old[at] != shown[at]]
        if changed:
            text += _rewritten(old, shown, changed, kept - 1)
        text += "".join(f"\r\n{row.text}" for row in shown[kept:])
        self.write(_NO_WRAP + text + _WRAP + _placed(cursor))
        self._rows, self._cursor = shown, cursor

    def erase(self) -> None:
        """Take the rows away; the cursor stands where they began."""
        if self._rows:
            above = f"{_UP}\x1b[{self._column}C" if self._column else ""
            self.write(self._to_last_row() + _CLEAR + (_UP + _CLEAR) * (len(self._rows) - 1) + "\r" + above)
            self._rows = []

    def _fitting(self, rows: Sequence[Row]) -> list[Row]:
        return list(rows[_hidden(len(rows), max(1, self._size()[1] - 1)) :])

    def _to_last_row(self) -> str:
        down, self._cursor = self._cursor[0] if self._cursor and self._rows else 0, None
        return f"\x1b[{down}B" if down else ""


def _rewritten(old: Sequence[Row], new: Sequence[Row], changed: Sequence[int], last: int) -> str:
    """Write the rows that changed, from the last one upwards and back down; nothing is cleared that is written over."""
    text, at = "", last
    for index in changed:
        move = index - at
        text += (f"\x1b[{-move}A" if move < 0 else f"\x1b[{move}B" if move else "") + f"\r{new[index].text}"
        text += _TO_END if new[index].cells < old[index].cells else ""
        at = index
    return text + (f"\x1b[{last - at}B" if last > at else "")


def _placed(cursor: Cursor) -> str:
    """Move from the last row to where the cursor belongs."""
    if cursor is None:
        return ""
    up, column = cursor
    return (f"\x1b[{up}A" if up else "") + "\r" + (f"\x1b[{column}C" if column else "")


def _hidden(rows: int, room: int) -> int:
    """Rows left out at the top, in jumps of half a screen: between two jumps only the last row changes."""
    jump = max(1, room // 2)
    return max(0, -(-(rows - room) // jump) * jump)


def _cleared(rows: int) -> str:
    """
    Empty the lowest *rows* and go to the one above them.

    Row by row, as tmux saves a screen in its history that is cleared from its upper left corner.
    """
    return (_CLEAR + _UP) * rows


def rows_of(text: Text, width: int) -> list[Text]:
    """Cut *text* where the terminal would wrap it: at the last column, whatever stands there."""
    if "\t" in text.plain:
        text = text.copy()
        text.expand_tabs(8)
    if not text.plain.isascii():
        return list(text.divide(_cuts(text.plain, width)))
    return list(text.divide(range(width, len(text.plain), width))) if len(text.plain) > width else [text]


def _cuts(plain: str, width: int) -> list[int]:
    cuts, column = [], 0
    for index, char in enumerate(plain):
        cells = get_character_cell_size(char)
        if column + cells > width and column:
            cuts.append(index)
            column = 0
        column += cells
    return cuts
