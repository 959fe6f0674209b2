"""Markdown as it streams: a finished line is final, only the open line or table is still live.

Source lines stay lines and nothing is padded; code is never wrapped. Prose is wrapped at words if that
is asked for, so that what is copied is the same Markdown: an item goes on below itself, a quote behind
its mark. Otherwise the terminal wraps, and what is copied is what the model wrote. The text is cut into lines, and long lines into pieces, by rules
that look at nothing but the source: what was streamed equals what is rendered at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from typing import NamedTuple, Protocol

from rich.text import Text

from cococat.ui.lines.inline import inline, join
from cococat.ui.lines.table import Table, cells_of, is_ruler, wrapped
from cococat.ui.lines.theme import STYLES

PIECE = 600  # characters after which an open line is cut
COLOURED = 50_000  # characters of a text after which code keeps one colour
RENDERED = 150_000  # characters of a text after which it is shown as it is

_BREAK = re.compile(r"[\s\u3001\u3002\uff0c\uff1a\uff1b\uff01\uff1f]")
RULE = 40  # columns of a horizontal rule
_LEVELS = ("title", "heading", "subheading")  # of headings

# possessive: a line that was written to make them backtrack cannot
FENCE = re.compile(r"(\s*+)(`{3,}+|~{3,}+)[ \t]*+([^`\s]*+)([^`]*+)\Z")
_HEADING = re.compile(r" {0,3}(#{1,6}+)(?:[ \t]++|\Z)")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*+\1){2,}+[ \t]*+\Z")
QUOTE = re.compile(r"(?: {0,3}> ?)+")
ITEM = re.compile(r"([ \t]*)([-*+]|\d{1,9}[.)])([ \t]+|\Z)")
_CODE = re.compile(r" {4}|\t")
MAX_CHARS = 300  # characters of a line that is coloured; some lexers are slow on long ones
_COLOURS = (  # the first that a token's type begins with
    ("Token.Keyword.Constant", "number"),
    ("Token.Keyword", "keyword"),
    ("Token.Operator.Word", "keyword"),
    ("Token.Literal.String", "string"),
    ("Token.Literal.Number", "number"),
    ("Token.Comment", "comment"),
    ("Token.Name.Function", "name"),
    ("Token.Name.Class", "name"),
    ("Token.Name.Decorator", "name"),
    ("Token.Name.Tag", "name"),
    ("Token.Generic.Inserted", "added"),
    ("Token.Generic.Deleted", "removed"),
    ("Token.Generic.Subheading", "hunk"),
)


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
        self._state = LineState(bars=wrap)
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


@dataclass(frozen=True, slots=True)
class Fence:
    """What a block of code began with: its marks, the language behind them, and whether it stands in a quotation."""

    marker: str
    language: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class LineState:
    """
    What the lines so far mean for the next one.

    Args:
        bars: code stands between bars; else between its fences, as it was written.
    """

    bars: bool = False
    fence: Fence | None = None
    listed: bool = False  # a list is open, so indented lines belong to its items
    blank: bool = True  # the line before was empty


More = Callable[[str], Text]  # renders the next piece of a line that was cut


class Rendered(NamedTuple):
    """
    A line, or the first piece of one.

    Args:
        more: how its other pieces look.
        hang: what stands before its words where they go on in another row; None: it is not wrapped.
    """

    text: Text
    state: LineState
    more: More
    hang: str | None = ""


def render_line(line: str, state: LineState, width: int) -> Rendered:
    """Render one line, or the first piece of one: its text, what it means, how its other pieces look."""
    after = replace(state, blank=False)
    if state.fence:
        return _in_fence(line, state, state.fence, width)
    if fence := FENCE.match(line):
        return _fenced(line, after, fence, width)
    if heading := _HEADING.match(line):
        style = _LEVELS[min(len(heading[1]), len(_LEVELS)) - 1]
        return Rendered(inline(_heading(line[heading.end() :]), style), replace(after, listed=False), _like(style))
    if _RULE.match(line):
        return Rendered(_styled("─" * min(width, RULE), "dim"), replace(after, listed=False), _like(""), None)
    if quote := QUOTE.match(line):
        return _quoted(line, quote[0], after, width)
    if item := ITEM.match(line):
        return _item(line, item, after, width)
    if _CODE.match(line) and state.blank and not state.listed:
        return Rendered(_styled(line, "code"), replace(after, blank=True), verbatim("code"), None)
    listed = state.listed and (not state.blank or line[:1].isspace())
    return Rendered(inline(line), replace(after, listed=listed), _like(""), " " * (len(line) - len(line.lstrip(" "))))


def _in_fence(line: str, state: LineState, fence: Fence, width: int) -> Rendered:
    prefix = ""
    if fence.quoted:
        quote = QUOTE.match(line)
        if quote is None:
            return render_line(line, replace(state, fence=None), width)
        prefix = quote[0]
    rest = line[len(prefix) :]
    text = _styled(prefix, "dim")
    if (end := FENCE.match(rest)) and end[2].startswith(fence.marker) and not (end[3] + end[4]).strip():
        closed = replace(state, fence=None, blank=False)
        return Rendered(
            text.append(_bar("", width) if state.bars else rest, STYLES["dim"]), closed, verbatim("dim"), None
        )
    return Rendered(text.append_text(highlighted(rest, fence.language)), state, verbatim(""), None)


def _fenced(line: str, after: LineState, fence: re.Match[str], width: int, *, before: str = "") -> Rendered:
    opened = Fence(fence[2], fence[3], bool(QUOTE.match(before)))
    shown = f"{before}{fence[1]}{_bar(fence[3], width)}" if after.bars else line
    return Rendered(_styled(shown, "dim"), replace(after, fence=opened), verbatim("dim"), None)


def _bar(language: str, width: int) -> str:
    """What stands above code, with its language, and below it."""
    head = f"── {language} " if language else ""
    return head.ljust(min(width, RULE), "─")


def _quoted(line: str, prefix: str, after: LineState, width: int) -> Rendered:
    rest = line[len(prefix) :]
    if fence := FENCE.match(rest):
        return _fenced(line, after, fence, width, before=prefix)
    return Rendered(_prefixed(prefix, "dim", inline(rest, "quote")), after, _like("quote"), prefix)


def _item(line: str, item: re.Match[str], after: LineState, width: int) -> Rendered:
    rest = line[item.end() :]
    listed = replace(after, listed=True)
    if fence := FENCE.match(rest):
        return _fenced(line, listed, fence, width, before=item[0])
    return Rendered(_prefixed(item[0], "marker", inline(rest)), listed, _like(""), " " * len(item[0]))


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


def _like(style: str) -> More:
    return lambda piece: inline(piece, style)


def verbatim(style: str) -> More:
    """Return what renders pieces as they are."""
    return lambda piece: _styled(piece, style)


def highlighted(line: str, language: str) -> Text:
    """Return *line* of *language* in colours; as it is when the language is unknown."""
    lexer = _lexer(language.lower()) if language and len(line) <= MAX_CHARS else None
    text = Text(end="")
    if lexer is None:
        return text.append(line)
    for _, kind, value in lexer.get_tokens_unprocessed(line + "\n"):
        text.append(value.rstrip("\n"), STYLES[_colour(str(kind))] or None)
    return text if text.plain == line else Text(line, end="")


class _Lexer(Protocol):
    """What is used of a lexer of pygments, which has no types of its own."""

    def get_tokens_unprocessed(self, text: str) -> Iterable[tuple[int, object, str]]: ...


@lru_cache(maxsize=16)
def _lexer(language: str) -> _Lexer | None:
    # imported here: 20 ms that only code should cost
    try:
        lexer: _Lexer = import_module("pygments.lexers").get_lexer_by_name(language)
    except import_module("pygments.util").ClassNotFound:
        return None
    return lexer


@lru_cache(maxsize=256)
def _colour(kind: str) -> str:
    return next((style for prefix, style in _COLOURS if kind.startswith(prefix)), "")
