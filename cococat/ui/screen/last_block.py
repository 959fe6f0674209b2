"""What was printed last on a terminal, to be taken back while it is known where it begins."""

from __future__ import annotations

import re
from typing import TextIO

from cococat.ui.lines.columns import cells, is_measured
from cococat.ui.lines.theme import size_of, write_now

# tmux saves a screen in its history that is cleared from its upper left corner
ALL_BELOW = "\x1b[K\x1b[C\x1b[J\r"

_STYLE = re.compile(r"\x1b\[[\d;]*m")
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


class LastBlock:
    """
    Text at the end of the screen, which begins in a row of its own.

    Args:
        redraws: False where nothing may be taken back, as on a screen without escape sequences.
    """

    def __init__(self, out: TextIO, *, redraws: bool) -> None:
        self._out, self._redraws = out, redraws
        self._columns = size_of(out)[0]
        self._text, self._foot = "", 0

    def show(self, text: str) -> None:
        """Print *text* in the place of all that stands, or below it where that cannot be taken back."""
        self._put(text, 0)
        self._foot = len(self._text)

    def foot(self, text: str) -> None:
        """Print *text* below what was shown, in the place of what stood there, or below that too."""
        self._put(text, self._foot)

    def note(self, text: str) -> None:
        """Take into account that *text* was printed by somebody else, the terminal's own echo say."""
        self._text += _STYLE.sub("", text)

    def take_back(self, start: int = 0) -> bool:
        """
        Take away what stands behind the first *start* characters, which end a row.

        Returns: False where that cannot be: it is higher than the screen, whose rows may also have been broken anew,
            or terminals do not agree on how wide it is.
        """
        text, (columns, height) = self._text[start:], size_of(self._out)
        rows = sum(max(1, -(-cells(line) // columns)) for line in text.split("\n"))
        known = is_measured(text) and not _CONTROL.search(text)
        if not self._redraws or columns != self._columns or rows > height or not known:
            return False
        if text:
            write_now(self._out, "\r" + (f"\x1b[{rows - 1}A" if rows > 1 else "") + ALL_BELOW)
        self._text = self._text[:start]
        return True

    def _put(self, text: str, start: int) -> None:
        below = "" if self.take_back(start) or self._text[-1:] in ("", "\n") else "\n"
        self.note(below + text)
        write_now(self._out, below + text)
