"""One line of Markdown: how it looks, what it means for the next one, and how it goes on."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from rich.text import Text

from cococat.ui.code import highlighted
from cococat.ui.inline import inline, join
from cococat.ui.theme import STYLES

__all__ = ["FENCE", "ITEM", "QUOTE", "Rendered", "State", "render_line", "verbatim"]

RULE = 40  # columns of a horizontal rule
_LEVELS = ("title", "heading", "subheading")  # of headings

# possessive: a line that was written to make them backtrack cannot
FENCE = re.compile(r"(\s*+)(`{3,}+|~{3,}+)[ \t]*+([^`\s]*+)([^`]*+)\Z")
_HEADING = re.compile(r" {0,3}(#{1,6}+)(?:[ \t]++|\Z)")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*+\1){2,}+[ \t]*+\Z")
QUOTE = re.compile(r"(?: {0,3}> ?)+")
ITEM = re.compile(r"([ \t]*)([-*+]|\d{1,9}[.)])([ \t]+|\Z)")
_CODE = re.compile(r" {4}|\t")


@dataclass(frozen=True, slots=True)
class Fence:
    marker: str
    language: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class State:
    """What the lines so far mean for the next one."""

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
    state: State
    more: More
    hang: str | None = ""


def render_line(line: str, state: State, width: int) -> Rendered:
    """Render one line, or the first piece of one: its text, what it means, how its other pieces look."""
    after = replace(state, blank=False)
    if state.fence:
        return _in_fence(line, state, state.fence, width)
    if fence := FENCE.match(line):
        return _fenced(line, after, fence)
    if heading := _HEADING.match(line):
        style = _LEVELS[min(len(heading[1]), len(_LEVELS)) - 1]
        return Rendered(inline(_heading(line[heading.end() :]), style), replace(after, listed=False), _like(style))
    if _RULE.match(line):
        return Rendered(_styled("─" * min(width, RULE), "dim"), replace(after, listed=False), _like(""), None)
    if quote := QUOTE.match(line):
        return _quoted(line, quote[0], after)
    if item := ITEM.match(line):
        return _item(line, item, after)
    if _CODE.match(line) and state.blank and not state.listed:
        return Rendered(_styled(line, "code"), replace(after, blank=True), verbatim("code"), None)
    listed = state.listed and (not state.blank or line[:1].isspace())
    return Rendered(inline(line), replace(after, listed=listed), _like(""), " " * (len(line) - len(line.lstrip(" "))))


def _in_fence(line: str, state: State, fence: Fence, width: int) -> Rendered:
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
        return Rendered(text.append(rest, STYLES["dim"]), closed, verbatim("dim"), None)
    return Rendered(text.append_text(highlighted(rest, fence.language)), state, verbatim(""), None)


def _fenced(line: str, after: State, fence: re.Match[str], *, quoted: bool = False) -> Rendered:
    opened = Fence(fence[2], fence[3], quoted)
    return Rendered(_styled(line, "dim"), replace(after, fence=opened), verbatim("dim"), None)


def _quoted(line: str, prefix: str, after: State) -> Rendered:
    rest = line[len(prefix) :]
    if fence := FENCE.match(rest):
        return _fenced(line, after, fence, quoted=True)
    return Rendered(_prefixed(prefix, "dim", inline(rest, "quote")), after, _like("quote"), prefix)


def _item(line: str, item: re.Match[str], after: State) -> Rendered:
    rest = line[item.end() :]
    listed = replace(after, listed=True)
    if fence := FENCE.match(rest):
        return _fenced(line, listed, fence)
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
