"""What is printed for good, and the few rows below it that are not: lines of ours, the answer, the live rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TextIO

from rich.cells import get_character_cell_size
from rich.text import Text

from cococat.ui.lines.format import Line
from cococat.ui.lines.inline import join
from cococat.ui.lines.theme import STYLES, ansi, marks
from cococat.ui.screen.input_row import InputRow
from cococat.ui.screen.region import Region, ScreenRow, end_of, rows_of
from cococat.ui.steps.plain import Log

CALM_S = 3.0  # seconds after a change of the screen's size in which another one is likely
AIRY = 16  # rows of a screen on which the input row stands apart
_BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"


class Canvas:
    """
    Everything that a live screen writes goes through here, so that it always knows where the cursor is.

    Args:
        out: takes the answer; *log* takes lines of ours.
        region: the live rows; None where nothing can be redrawn.
        width: gives the columns of the screen.
    """

    def __init__(
        self, out: TextIO, log: Log, region: Region | None, width: Callable[[], int], env: Mapping[str, str]
    ) -> None:
        self._out, self.log, self.region, self.width = out, log, region, width
        self._waiting: list[Line] = []  # printed with the next frame
        self.blank = False  # what was printed last is an empty line
        self._marks = marks(env)
        self.frames = False  # the terminal shows what stands between two marks at once
        self.links = False  # it is one that answers, and so one that takes a hyperlink for what it is
        self._framed, self._begun = False, False
        self._line: list[Text] = []  # an unfinished line of the answer
        self._sized, self._calm = (
            (0, 0),
            0.0,
        )  # the screen that was drawn on last, and when the cursor may stand in its row
        self._line_end = (0, 0)  # the columns of the screen, and the one that it ends in

    @property
    def open(self) -> bool:
        """A line of the answer has been begun."""
        return bool(self._line)

    @property
    def column(self) -> int:
        """Where the line that has been begun ends on the screen as it is now."""
        width = self.width()
        if self._line_end[0] != width:
            self._line_end = (width, end_of(self._line, width, 0))
        return self._line_end[1]

    def print(self, lines: Sequence[Line]) -> bool:
        """Let lines of ours be printed by the next `flush`, at once where nothing is drawn; return whether there were any."""
        if not lines:
            return False
        self._waiting += lines
        self.blank = not lines[-1]
        if not self.region:
            self.flush()
        return True

    def flush(self) -> None:
        """Print the lines of ours that wait, behind the end of whatever was begun."""
        lines, self._waiting = self._waiting, []
        if not lines:
            return
        self.end_line()
        self.erase()
        self._begin()
        self.log.print(lines)
        self.blank = not lines[-1]

    def commit(self, texts: Sequence[Text]) -> None:
        """Print lines of the answer, or parts of one."""
        if not texts:
            return
        self.flush()
        self.erase()
        self._begin()
        self._out.write("".join(ansi(text, theme=self.log.theme, links=self.links) + text.end for text in texts))
        self._out.flush()
        self._note(texts)
        self.blank = bool(texts[-1].end) and not texts[-1].plain

    def end_line(self) -> None:
        """End the line of the answer that was begun, if there is one."""
        if self._line:
            self.commit([Text(end="\n")])

    def erase(self) -> None:
        """Take the live rows away."""
        if self.region and self.region.shown:
            self._begin()
            self.region.erase()

    def leave(self) -> None:
        """Take the live rows away: somebody else, or nobody, writes next."""
        self.erase()
        if self.region:
            self.region.leave()

    def draw(self, texts: Sequence[Text], below: InputRow | None = None, now: float = 0) -> None:
        """
        Show *texts* as the live rows, and *below* them the row that holds the cursor.

        Args:
            now: monotonic seconds; while the size of the screen changes the cursor is drawn in that row, as it rests elsewhere.
        """
        if not self.region:
            return
        column, width = self.column, self.width()
        if self._line and column == width:  # behind a full row stands no place that could be found again
            self.erase()
            return
        self.region.begin_at(column)
        used = [column, *([0] * len(texts))]
        rows = [row for text, taken in zip(texts, used, strict=False) for row in rows_of(text, width, taken)]
        if below:
            air = self.region.rows >= AIRY and (rows or not self.blank)
            rows += (*((Text(),) if air else ()), *below.rows)
        if self._sized != (size := (width, self.region.rows)):
            self._sized, self._calm = size, now + CALM_S * (self._sized != (0, 0))
        parked = below and (self._line or not below.begun or now < self._calm)
        if below and parked:
            rows[-1 - below.up] = _with_cursor(rows[-1 - below.up], below.column)
        painted = [
            ScreenRow(ansi(row, theme=self.log.theme, links=self.links).translate(self._marks), row.cell_len)
            for row in rows
        ]
        cursor = (below.up, below.column) if below and not parked else None
        if self.region.differs(painted, cursor):
            self._begin()
            self.region.draw(painted, cursor)

    @contextmanager
    def frame(self) -> Iterator[None]:
        """Have what is written meanwhile shown at once, where the terminal can."""
        outer, self._framed = self._framed, True
        try:
            yield
        finally:
            self._framed = outer
            if self._begun and not outer:
                self._begun = False
                self._stream(_END)

    def _note(self, texts: Sequence[Text]) -> None:
        """Note where *texts* have left the cursor."""
        column = self.column
        for text in texts:
            self._line.append(text)
            column = end_of((text,), self.width(), column)
            if text.end:
                self._line.clear()
                column = 0
        self._line_end = (self.width(), column)
        if self.region:
            self.region.begin_at(column)

    def _begin(self) -> None:
        if self.frames and self._framed and not self._begun:
            self._begun = True
            self._stream(_BEGIN)

    def _stream(self, mark: str) -> None:
        if self.region:
            self.region.write(mark)


def _with_cursor(row: Text, column: int) -> Text:
    """Return *row* with a cursor drawn in *column*, where the real one does not stand."""
    cells, at = 0, 0
    while cells < column and at < len(row.plain):
        cells, at = cells + get_character_cell_size(row.plain[at]), at + 1
    row = row.copy()
    row.pad_right(max(0, column + 1 - row.cell_len))
    before, here, after = row.divide([at, at + 1])
    drawn = Text(end="")
    for part in (before, Text(here.plain, STYLES["cursor"]), after):
        join(drawn, part)
    return drawn
