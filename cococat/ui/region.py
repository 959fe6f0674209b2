"""The few rows at the bottom of a terminal that may be drawn again.

Everything above them is final: it is printed once and belongs to the terminal's own scrollback.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TextIO

from rich.cells import get_character_cell_size
from rich.text import Text

__all__ = ["Region", "rows_of"]

_NO_WRAP, _WRAP = "\x1b[?7l", "\x1b[?7h"  # so that a wrong guess of a width cannot add a row
_CLEAR, _UP = "\x1b[2K", "\x1b[1A"


class Region:
    """
    Rows that are redrawn in place, only where they changed.

    Args:
        size: gives columns and rows of the screen.
    """

    def __init__(self, stream: TextIO, size: Callable[[], tuple[int, int]]) -> None:
        self._stream = stream
        self._size = size
        self._rows: list[str] = []
        self._column = 0

    @property
    def shown(self) -> Sequence[str]:
        """The rows that stand on the screen."""
        return self._rows

    def write(self, sequence: str) -> None:
        """Write what moves nothing."""
        self._stream.write(sequence)
        self._stream.flush()

    def begin_at(self, column: int) -> None:
        """Note where the text above ends: behind *column* of a line that goes on, or 0 for a new line; no row may be shown."""
        self._column = column

    def draw(self, rows: Sequence[str]) -> None:
        """Show *rows*, each at most as wide as the screen; the last ones when there are too many."""
        shown = list(rows[_hidden(len(rows), max(1, self._size()[1] - 1)) :])
        if shown == self._rows:
            return
        if not shown:
            self.erase()
            return
        same = 0
        while same < min(len(shown), len(self._rows)) and shown[same] == self._rows[same]:
            same += 1
        same = min(same, len(shown) - 1)
        below = "\r\n" if self._rows or self._column else "\r"
        start = _cleared(len(self._rows) - same) if same < len(self._rows) else below
        self._stream.write(_NO_WRAP + start + "\r\n".join(shown[same:]) + _WRAP)
        self._stream.flush()
        self._rows = shown

    def erase(self) -> None:
        """Take the rows away; the cursor stands where they began."""
        if self._rows:
            above = f"{_UP}\x1b[{self._column}C" if self._column else ""
            self._stream.write(_cleared(len(self._rows)) + above)
            self._stream.flush()
            self._rows = []


def _hidden(rows: int, room: int) -> int:
    """Rows left out at the top, in jumps of half a screen: between two jumps only the last row changes."""
    jump = max(1, room // 2)
    return max(0, -(-(rows - room) // jump) * jump)


def _cleared(rows: int) -> str:
    """
    Empty the lowest *rows* and go to the first of them.

    Row by row, as tmux saves a screen in its history that is cleared from its upper left corner.
    """
    return _CLEAR + (_UP + _CLEAR) * (rows - 1) + "\r"


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
