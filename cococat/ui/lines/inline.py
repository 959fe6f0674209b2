"""Inline Markdown as Rich texts: emphasis, code, links with their real address."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rich.text import Text

from cococat.safety.terminal import safe
from cococat.ui.lines.theme import STYLES

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_SPECIAL = re.compile(r"[\\`*_\[<&~]")
_ADDRESS = re.compile(r"https?://[!-~]+?(?=[.,;:!?*'\")\]}>]*(?:[^!-~]|$))")  # without what closes the sentence
DENSEST = 200  # marks in one piece of text; the parser needs quadratic time, and more are no prose
BRACKETS = 40  # opening brackets in one piece of text, the dearest of the marks
_PAIRS = {"strong": "strong", "em": "em", "s": "strike"}


def inline(source: str, style: str = "") -> Text:
    """
    Render one line, or a piece of one; an address is a hyperlink to what it shows, and nothing else is one.

    A file is none: a click on what a model named may run it.

    Args:
        source: harmless text without line feeds.
        style: name of the style of the whole line.
    """
    text = Text(style=STYLES[style], end="")
    if not 0 < len(_SPECIAL.findall(source)) <= DENSEST or source.count("[") > BRACKETS:
        _link(text, source, "")
        return text
    children = _parser().parseInline(source)[0].children or []
    _append(text, children)
    return text


def join(text: Text, more: Text) -> None:
    """Append *more* to *text* as pieces that follow one another, each with the style of its line."""
    base, done = str(more.style), 0
    for span in more.spans:
        text.append(more.plain[done : span.start], base or None)
        text.append(more.plain[span.start : span.end], f"{base} {span.style}".strip())
        done = span.end
    text.append(more.plain[done:], base or None)


def _append(text: Text, tokens: list[Token]) -> None:
    open_: list[str] = []
    links: list[tuple[str, int]] = []
    for token in tokens:
        match token.type:
            case "link_open":
                links.append((str(token.attrs.get("href", "")), len(text.plain)))
                open_.append("link")
            case "link_close":
                open_.pop()
                _address(text, *links.pop())
            case "code_inline":
                _say(text, token.content, [*open_, "code"])
            case "image":
                start = len(text.plain)
                _say(text, token.content, open_)
                _address(text, str(token.attrs.get("src", "")), start)
            case "text_special" if token.info == "escape" and token.content in "()[]":
                _say(text, token.markup, open_)  # \( and \[ are formulas far more often than escapes
            case _ if token.tag in _PAIRS and token.nesting:
                open_ = [*open_, _PAIRS[token.tag]] if token.nesting > 0 else open_[:-1]
            case _:
                _say(text, token.content, open_)


def _say(text: Text, words: str, styles: list[str]) -> None:
    # an entity such as &#x202e; becomes its character only here
    _link(text, safe(words).replace("\n", " "), " ".join(STYLES[name] for name in styles))


def _link(text: Text, words: str, style: str) -> None:
    done = 0
    for found in _ADDRESS.finditer(words) if "://" in words else ():
        text.append(words[done : found.start()], style or None)
        text.append(found[0], f"{style} link {found[0]}".lstrip())
        done = found.end()
    text.append(words[done:], style or None)


def _address(text: Text, url: str, start: int) -> None:
    if text.plain[start:] not in (url, url.removeprefix("mailto:")):
        _link(text, f" ({safe(url)})", STYLES["dim"])


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("strikethrough").disable("text_join")
