"""Markdown as it streams: a finished line is final, only the open line or table is still live.

Source lines stay lines and nothing is padded; code is never wrapped. Prose is wrapped at words if that
is asked for, so that what is copied is the same Markdown: an item goes on below itself, a quote behind
its mark. Otherwise the terminal wraps, and what is copied is what the model wrote. The text is cut into lines, and long lines into pieces, by rules
that look at nothing but the source: what was streamed equals what is rendered at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from rich.text import Text

from cococat.ui.markdown_lines import FENCE, ITEM, QUOTE, More, State, render_line, verbatim
from cococat.ui.table import Table, cells_of, is_ruler
from cococat.ui.wrap import wrapped

__all__ = ["Markdown", "render"]

PIECE = 600  # characters after which an open line is cut
COLOURED = 50_000  # characters of a text after which code keeps one colour
RENDERED = 150_000  # characters of a text after which it is shown as it is

_BREAK = re.compile(r"[\s\u3001\u3002\uff0c\uff1a\uff1b\uff01\uff1f]")


class Markdown:
    """
    A Markdown text that arrives in chunks.

    Args:
        width: gives the columns of the screen.
        wrap: prose at words, and tables inside of their cells.
    """

    def __init__(self, width: Callable[[], int], *, wrap: bool = False) -> None:
        self._width, self._wrap = width, wrap
        self._used = 0  # cells of the row that goes on
        self._hang: str | None = ""  # what stands before its next rows
        self._state = State()
        self._open = ""
        self._more: More | None = None
        self._header = ""
        self._table: Table | None = None
        self._seen = 0  # characters that are final
        self._begun = False
        self._gap = False

    def feed(self, chunk: str) -> list[Text]:
        """
        Take in harmless text and return what is now final.

        Returns: texts in order; a text whose `end` is empty is a piece of a line that goes on.
        """
        out: list[Text] = []
        *lines, self._open = (self._open + chunk).split("\n")
        for index, line in enumerate(lines):
            if self._seen > RENDERED:
                self._rest(lines[index:], out)
                break
            self._line(line, out)
        self._open = self._cut(self._open, out)
        return out

    def tail(self) -> list[Text]:
        """Return what is not final yet as it looks now; bounded."""
        texts = [Text()] if self._gap and (self._table or self._header or self._open) else []
        texts += self._table.texts(self._width()) if self._table else []
        if self._header:
            shown = render_line(self._header, self._state, self._width())
            texts += self._rows(shown.text, shown.hang, 0)
        if not self._open:
            return texts
        if self._more:
            return [*texts, *self._rows(self._more(self._open), self._hang, self._used)]
        shown = render_line(self._open, self._state, self._width())
        return [*texts, *self._rows(shown.text, shown.hang, 0)]

    def close(self) -> list[Text]:
        """Return the rest; the text ends here."""
        out: list[Text] = []
        if self._open or self._more:
            self._line(self._open, out)
            self._open = ""
        self._release(out)
        return out

    def _rest(self, lines: list[str], out: list[Text]) -> None:
        """Put lines into *out* of a text that is too long to be read by a user."""
        self._release(out)
        first = [self._more(lines.pop(0)).plain] if self._more else []
        self._more = None
        self._put(Text("\n".join(first + lines)), out, "\n")

    def _line(self, line: str, out: list[Text]) -> None:
        line = self._cut(line, out)
        self._seen += len(line) + 1
        if self._seen > COLOURED and self._state.fence and self._state.fence.language:
            self._state = replace(self._state, fence=replace(self._state.fence, language=""))
        if self._more:
            self._put(self._more(line), out, "\n", self._hang)
            self._more = None
            return
        if self._state.fence is None and self._tabular(line, out):
            return
        if not line.strip() and self._state.fence is None:
            self._gap = self._begun
            self._state = replace(self._state, blank=True)
            return
        self._put_line(line, out, "\n")

    def _put_line(self, line: str, out: list[Text], end: str) -> More:
        text, self._state, more, self._hang = render_line(line, self._state, self._width())
        self._put(text, out, end, self._hang)
        return more

    def _cut(self, line: str, out: list[Text]) -> str:
        """Return out pieces of *line* until the rest is short; where to cut depends on the source alone."""
        while len(line) >= PIECE:
            end = PIECE if self._state.fence is not None else _cut_at(line[:PIECE])
            piece, line = line[:end], line[end:]
            self._seen += len(piece)
            if self._seen > RENDERED:
                self._release(out)
                self._more, self._hang = verbatim(""), None
            if self._more:
                self._put(self._more(piece), out, "", self._hang)
                continue
            self._release(out)
            self._more = self._put_line(piece, out, "")
        return line

    def _put(self, text: Text, out: list[Text], end: str, hang: str | None = None) -> None:
        if self._gap:
            out.append(Text())
            self._gap = False
        text.end = end
        self._begun = True
        rows = self._rows(text, hang, self._used)
        self._used = 0 if end else rows[-1].cell_len + (self._used if len(rows) == 1 else 0)
        out += rows

    def _rows(self, text: Text, hang: str | None, used: int) -> list[Text]:
        """*text* as it stands on the screen; of what is not prose nothing is known but its end."""
        if not self._wrap or hang is None:
            return [text]
        if text.end:
            text.rstrip()
        return wrapped(text, hang, self._width(), used, 0 if used else len(hang))

    def _tabular(self, line: str, out: list[Text]) -> bool:
        """Take *line* when it belongs to a table, or may be the first line of one."""
        if self._table and "|" in line:
            for text in self._table.add(line, self._width()):
                self._put(text, out, "\n")
            return True
        if self._header and is_ruler(line) and len(cells_of(line)) == len(cells_of(self._header)):
            self._table = Table(self._header, line, wrap=self._wrap)
            self._header = ""
            return True
        self._release(out)
        if "|" in line and not QUOTE.match(line) and not FENCE.match(line) and not ITEM.match(line):
            self._header = line
            return True
        return False

    def _release(self, out: list[Text]) -> None:
        """Put the table into *out*, or the line that turned out not to begin one."""
        if self._table:
            for text in self._table.texts(self._width()):
                self._put(text, out, "\n")
            self._table = None
            self._state = replace(self._state, blank=False)
        if self._header:
            header, self._header = self._header, ""
            self._put_line(header, out, "\n")


def render(source: str, width: int, *, wrap: bool = False) -> list[Text]:
    """Render a whole text, which must be harmless."""
    markdown = Markdown(lambda: width, wrap=wrap)
    return [*markdown.feed(source), *markdown.close()]


def _cut_at(piece: str) -> int:
    """Where to cut *piece*: behind its last gap that stands in no emphasis, code or link."""
    gaps = [match.end() for match in _BREAK.finditer(piece)]
    for end in reversed(gaps):
        head = piece[:end]
        even = not any(head.count(mark) % 2 for mark in ("`", "*", "**", "~~"))
        if even and head.count("[") == head.count("]") and head.count("(") == head.count(")"):
            return end
    return gaps[-1] if gaps else PIECE
