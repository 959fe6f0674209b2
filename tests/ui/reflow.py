"""A screen that breaks its rows anew when it is made narrower or wider, as tmux, VTE and kitty do; pyte cuts them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pyte
from pyte import modes


class ReflowScreen(pyte.HistoryScreen):
    """Knows which rows the terminal itself has broken; the cursor stays at the character that it stands on."""

    def draw(self, data: str) -> None:
        room = self.columns - self.cursor.x
        fits = data.isascii() and len(data) <= room
        for char in (data,) if fits and room else data:
            if self.cursor.x == self.columns and modes.DECAWM in self.mode:
                self.buffer[self.cursor.y].goes_on = True
            super().draw(char)

    def erase_in_display(self, how: int = 0, *args: Any, **kwargs: Any) -> None:
        super().erase_in_display(how, *args, **kwargs)
        for y in range(self.cursor.y, self.lines):
            self.buffer[y].goes_on = False

    def erase_in_line(self, how: int = 0, private: bool = False) -> None:
        super().erase_in_line(how, private)
        self.buffer[self.cursor.y].goes_on = False

    def reflow(self, columns: int) -> None:
        """Make the screen so many columns wide."""
        rows = [*self.history.top, *(self.buffer[y] for y in range(self.lines))]
        at, here = len(self.history.top) + self.cursor.y, (0, 0)
        lines: list[list[Any]] = [[]]
        for number, row in enumerate(rows):
            end = (
                self.columns
                if getattr(row, "goes_on", False)
                else max((x + 1 for x in row if row[x].data != " "), default=0)
            )
            if number == at:
                here = (len(lines) - 1, len(lines[-1]) + self.cursor.x)
            lines[-1] += [row[x] for x in range(end)]
            if not getattr(row, "goes_on", False):
                lines.append([])
        self._show(lines[:-1] if not lines[-1] else lines, here, columns)

    def _show(self, lines: list[list[Any]], here: tuple[int, int], columns: int) -> None:
        fresh: list[Any] = []
        cursor = (0, 0)
        for number, line in enumerate(lines):
            starts = _starts(line, columns)
            for start, end in pairwise([*starts, max(len(line), starts[-1])]):
                if number == here[0] and start <= here[1] and (here[1] < end or start == starts[-1]):
                    cursor = (len(fresh), min(here[1] - start, columns))
                row = self.buffer.default_factory()
                row.update(dict(enumerate(line[start:end])))
                row.goes_on = start != starts[-1]
                fresh.append(row)
        above = max(0, len(fresh) - self.lines)
        self.history.top.clear()
        self.history.top.extend(fresh[:above])
        self.buffer.clear()
        self.buffer.update(dict(enumerate(fresh[above:])))
        self.columns = columns
        self.cursor.y, self.cursor.x = (cursor[0] - above, cursor[1]) if cursor[0] >= above else (0, 0)


def _starts(line: list[Any], columns: int) -> list[int]:
    """Where the rows of a line begin; no wide character, whose second cell is empty, is torn apart."""
    starts, used = [0], 0
    for at, cell in enumerate(line):
        size = 2 if at + 1 < len(line) and not line[at + 1].data else 1 if cell.data else 0
        if used + size > columns:
            starts.append(at)
            used = 0
        used += size
    return starts
