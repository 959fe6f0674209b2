"""HTML to text, as a process of its own: pages are hostile and parsers are slow on hostile pages.

Reads UTF-8 HTML from stdin, writes Markdown (with the extra `web`) or plain text to stdout.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser

__all__ = ["main", "text_of"]

# ruff: noqa: SIM905 - long lists of words read better as a text

_SILENT = frozenset({"script", "style", "noscript", "template", "svg", "head", "nav", "iframe", "form"})
_BLOCKS = frozenset(
    "p div section article main aside header footer ul ol li table tr h1 h2 h3 h4 h5 h6 pre blockquote br hr dl dt dd "
    "figure figcaption title".split()
)


def main() -> int:
    """Convert what stdin holds."""
    html = sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        from html_to_markdown import convert

        converted = convert(html)
        text = converted if isinstance(converted, str) else str(getattr(converted, "content", None) or text_of(html))
    except ImportError:
        text = text_of(html)
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    return 0


class _Text(HTMLParser):  # the standard library's parser is used by inheriting from it
    """Keeps the visible text and where blocks begin."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._silent: list[str] = []
        self._verbatim = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - the parser calls it so
        if tag in _SILENT:
            self._silent.append(tag)
        if tag in _BLOCKS:
            self.pieces.append("\n- " if tag == "li" else "\n")
        self._verbatim += tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        if tag in self._silent:
            del self._silent[self._silent.index(tag) :]
        if tag in _BLOCKS:
            self.pieces.append("\n")
        self._verbatim -= tag == "pre" and self._verbatim > 0

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.pieces.append(data if self._verbatim else re.sub(r"\s+", " ", data))


def text_of(html: str) -> str:
    """Return the visible text of a page, one block a line."""
    parser = _Text()
    parser.feed(html)
    parser.close()
    lines = (line.rstrip() for line in "".join(parser.pieces).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line for line in lines if line != "-")).strip()


if __name__ == "__main__":
    sys.exit(main())
