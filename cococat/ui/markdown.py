"""Markdown as it streams: a finished line is final, only the open line or table is still live.

Source lines stay lines: prose is not wrapped (the terminal does that), code, lists and quotes are
not indented or padded, so what is copied from the screen is what the model wrote. Rich's own
renderer pads and wraps all of them. The text is cut into lines, and long lines into pieces, by rules
that look at nothing but the source: what was streamed equals what is rendered at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from rich.text import Text

from cococat.ui.code import highlighted
from cococat.ui.inline import inline, join
from cococat.ui.table import Table, cells_of, is_ruler
from cococat.ui.theme import STYLES

__all__ = ["Markdown", "render"]

PIECE = 600  # characters after which an open line is cut
COLOURED = 50_000  # characters of a text after which code keeps one colour
RENDERED = 150_000  # characters of a text after which it is shown as it is
RULE = 40  # columns of a horizontal rule

# possessive: a line that was written to make them backtrack cannot
_FENCE = re.compile(r"(\s*+)(`{3,}+|~{3,}+)[ \t]*+([^`\s]*+)([^`]*+)\Z")
_HEADING = re.compile(r" {0,3}(#{1,6}+)(?:[ \t]++|\Z)")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*+\1){2,}+[ \t]*+\Z")
_QUOTE = re.compile(r"(?: {0,3}> ?)+")
_ITEM = re.compile(r"([ \t]*)([-*+]|\d{1,9}[.)])([ \t]+|\Z)")
_CODE = re.compile(r" {4}|\t")
_BREAK = re.compile(r"[\s\u3001\u3002\uff0c\uff1a\uff1b\uff01\uff1f]")


@dataclass(frozen=True, slots=True)
class _Fence:
    marker: str
    language: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class _State:
    """What the lines so far mean for the next one."""

    fence: _Fence | None = None
    listed: bool = False  # a list is open, so indented lines belong to its items
    blank: bool = True  # the line before was empty


_More = Callable[[str], Text]  # renders the next piece of a line that was cut


class Markdown:
    """
    A Markdown text that arrives in chunks.

    Args:
        width: gives the columns of the screen; only tables and rules ask.
    """

    def __init__(self, width: Callable[[], int]) -> None:
        self._width = width
        self._state = _State()
        self._open = ""
        self._more: _More | None = None
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
        texts = self._table.texts(self._width()) if self._table else []
        texts += [_line(self._header, self._state, self._width())[0]] if self._header else []
        if not self._open:
            return texts
        if self._more:
            return [*texts, self._more(self._open)]
        return [*texts, _line(self._open, self._state, self._width())[0]]

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
            self._put(self._more(line), out, "\n")
            self._more = None
            return
        if self._state.fence is None and self._tabular(line, out):
            return
        if not line.strip() and self._state.fence is None:
            self._gap = self._begun
            self._state = replace(self._state, blank=True)
            return
        text, self._state, _ = _line(line, self._state, self._width())
        self._put(text, out, "\n")

    def _cut(self, line: str, out: list[Text]) -> str:
        """Return out pieces of *line* until the rest is short; where to cut depends on the source alone."""
        while len(line) >= PIECE:
            verbatim = self._state.fence is not None
            end = PIECE if verbatim else _cut_at(line[:PIECE])
            piece, line = line[:end], line[end:]
            self._seen += len(piece)
            if self._seen > RENDERED:
                self._release(out)
                self._more = _verbatim("")
            if self._more:
                self._put(self._more(piece), out, "")
                continue
            self._release(out)
            text, self._state, self._more = _line(piece, self._state, self._width())
            self._put(text, out, "")
        return line

    def _put(self, text: Text, out: list[Text], end: str) -> None:
        if self._gap:
            out.append(Text())
            self._gap = False
        text.end = end
        self._begun = True
        out.append(text)

    def _tabular(self, line: str, out: list[Text]) -> bool:
        """Take *line* when it belongs to a table, or may be the first line of one."""
        if self._table and "|" in line:
            for text in self._table.add(line, self._width()):
                self._put(text, out, "\n")
            return True
        if self._header and is_ruler(line) and len(cells_of(line)) == len(cells_of(self._header)):
            self._table = Table(self._header, line)
            self._header = ""
            return True
        self._release(out)
        if "|" in line and not _QUOTE.match(line) and not _FENCE.match(line) and not _ITEM.match(line):
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
            text, self._state, _ = _line(self._header, self._state, self._width())
            self._header = ""
            self._put(text, out, "\n")


def render(source: str, width: int) -> list[Text]:
    """Render a whole text, which must be harmless."""
    markdown = Markdown(lambda: width)
    return [*markdown.feed(source), *markdown.close()]


def _line(line: str, state: _State, width: int) -> tuple[Text, _State, _More]:
    """Render one line, or the first piece of one: its text, what it means, how its other pieces look."""
    after = replace(state, blank=False)
    if state.fence:
        return _in_fence(line, state, state.fence, width)
    if fence := _FENCE.match(line):
        return _fenced(line, after, fence)
    if heading := _HEADING.match(line):
        style = "title" if len(heading[1]) == 1 else "heading"
        return inline(_heading(line[heading.end() :]), style), replace(after, listed=False), _like(style)
    if _RULE.match(line):
        return _styled("─" * min(width, RULE), "dim"), replace(after, listed=False), _like("")
    if quote := _QUOTE.match(line):
        return _quoted(line, quote[0], after)
    if item := _ITEM.match(line):
        return _item(line, item, after)
    if _CODE.match(line) and state.blank and not state.listed:
        return _styled(line, "code"), replace(after, blank=True), _verbatim("code")
    listed = state.listed and (not state.blank or line[:1].isspace())
    return inline(line), replace(after, listed=listed), _like("")


def _in_fence(line: str, state: _State, fence: _Fence, width: int) -> tuple[Text, _State, _More]:
    prefix = ""
    if fence.quoted:
        quote = _QUOTE.match(line)
        if quote is None:
            return _line(line, replace(state, fence=None), width)
        prefix = quote[0]
    rest = line[len(prefix) :]
    text = _styled(prefix, "dim")
    if (end := _FENCE.match(rest)) and end[2].startswith(fence.marker) and not (end[3] + end[4]).strip():
        return text.append(rest, STYLES["dim"]), replace(state, fence=None, blank=False), _verbatim("dim")
    return text.append_text(highlighted(rest, fence.language)), state, _verbatim("")


def _fenced(line: str, after: _State, fence: re.Match[str], *, quoted: bool = False) -> tuple[Text, _State, _More]:
    opened = _Fence(fence[2], fence[3], quoted)
    return _styled(line, "dim"), replace(after, fence=opened), _verbatim("dim")


def _quoted(line: str, prefix: str, after: _State) -> tuple[Text, _State, _More]:
    rest = line[len(prefix) :]
    if fence := _FENCE.match(rest):
        return _fenced(line, after, fence, quoted=True)
    return _prefixed(prefix, "dim", inline(rest, "quote")), after, _like("quote")


def _item(line: str, item: re.Match[str], after: _State) -> tuple[Text, _State, _More]:
    rest = line[item.end() :]
    listed = replace(after, listed=True)
    if fence := _FENCE.match(rest):
        return _fenced(line, listed, fence)
    return _prefixed(item[0], "marker", inline(rest)), listed, _like("")


def _heading(words: str) -> str:
    """Return a heading's words without the marks that may close it."""
    words = words.rstrip()
    bare = words.rstrip("#")
    return bare.rstrip() if not bare or bare[-1].isspace() else words


def _prefixed(prefix: str, style: str, rest: Text) -> Text:
    text = _styled(prefix, style)
    join(text, rest)
    return text


def _styled(words: str, style: str) -> Text:
    return Text(end="").append(words, STYLES[style] or None)


def _like(style: str) -> _More:
    return lambda piece: inline(piece, style)


def _verbatim(style: str) -> _More:
    return lambda piece: _styled(piece, style)


def _cut_at(piece: str) -> int:
    """Where to cut *piece*: behind its last gap that stands in no emphasis, code or link."""
    gaps = [match.end() for match in _BREAK.finditer(piece)]
    for end in reversed(gaps):
        head = piece[:end]
        even = not any(head.count(mark) % 2 for mark in ("`", "*", "**", "~~"))
        if even and head.count("[") == head.count("]") and head.count("(") == head.count(")"):
            return end
    return gaps[-1] if gaps else PIECE
