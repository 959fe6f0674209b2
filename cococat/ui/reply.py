"""A reply as it streams: what of it is final, and what may still change."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text

from cococat.safety.terminal import SafeStream
from cococat.ui.columns import is_measured
from cococat.ui.inline import join
from cococat.ui.markdown import Markdown
from cococat.ui.region import end_of

__all__ = ["Reply"]

LONG_LINE = 4000  # characters of one line that may wait in the live rows
CELLS = 2  # columns that one character may take


class Reply:
    """
    The rendering of one reply after the other.

    Args:
        width: gives the columns of the screen.
        wrap: prose at words, and tables inside of their cells.
    """

    def __init__(self, width: Callable[[], int], *, wrap: bool = False) -> None:
        self._width, self._wrap = width, wrap
        self.forget()

    def forget(self) -> None:
        """Begin anew, with the next reply."""
        self._ready: list[Text] = []  # finished lines that were not printed
        self._markdown, self._safe = Markdown(self._width, wrap=self._wrap), SafeStream()

    @property
    def lines(self) -> int:
        """How many finished lines wait."""
        return len(self._ready)

    def feed(self, raw: str) -> None:
        """Take in the next piece."""
        self._ready += self._markdown.feed(self._safe.feed(raw))

    def final(self, column: int) -> list[Text]:
        """
        Take what can be printed for good.

        Args:
            column: where the line that was printed last ends, if it has no end yet.
        """
        end = len(self._ready)
        while end and not self._ready[end - 1].end:
            end -= 1
        done, self._ready = self._ready[:end], self._ready[end:]
        long = sum(len(piece.plain) for piece in self._ready) > LONG_LINE
        if long and self._width() > CELLS and all(is_measured(piece.plain) for piece in self._ready):
            done += self._part_of_line(column if not done else 0)
        return done

    def rest(self) -> list[Text]:
        """Take everything; the reply ends here."""
        texts = [*self._ready, *self._markdown.feed(self._safe.flush()), *self._markdown.close()]
        self._ready = []
        return texts

    def live(self) -> list[Text]:
        """Return what is not final yet, as it looks now."""
        texts: list[Text] = []
        for text in self._ready:
            _go_on(texts, text)
        tail = self._markdown.tail()
        if tail:
            _go_on(texts, tail[0])
        return [*texts, *tail[1:]]

    def _part_of_line(self, column: int) -> list[Text]:
        """Return what can be printed of a line that goes on."""
        line = Text(end="")
        for piece in self._ready:
            join(line, piece)
        self._ready = []
        if end_of([line], self._width(), column) < self._width():
            return [line]
        # behind a full row the cursor stands between two rows, a place that cannot be found again
        head, last = line.divide([len(line.plain) - 1])
        head.end = last.end = ""
        self._ready = [last]
        return [head] if head.plain else []


def _go_on(texts: list[Text], text: Text) -> None:
    """Put *text* behind the last of *texts* if that has no end, else below it."""
    if not texts or texts[-1].end:
        texts.append(text)
        return
    row = Text(end=text.end)
    join(row, texts[-1])
    join(row, text)
    texts[-1] = row
