"""HTML to text, as a process of its own: pages are hostile and parsers are slow on hostile pages.

Reads the address of a page from the first line of stdin and then its HTML, in UTF-8; writes Markdown (with the
extra `web`) or plain text with Markdown's links to stdout.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

# ruff: noqa: SIM905 - long lists of words read better as a text

_SILENT = frozenset({"script", "style", "noscript", "template", "svg", "head", "nav", "iframe", "form"})
_BLOCKS = frozenset(
    "p div section article main aside header footer ul ol li table caption thead tbody tfoot tr h1 h2 h3 h4 h5 h6 pre "
    "blockquote br hr dl dt dd figure figcaption title address details summary fieldset legend optgroup dialog".split()
)
_APART = frozenset("option button select textarea label input progress meter".split())
_CELLS = frozenset({"td", "th"})
_STYLES = frozenset("a b i em strong u mark font s del ins abbr wbr".split())  # a number may go on in them
_LINES = frozenset({"li", "tr", "dt", "dd"})  # blocks that stand in lines one below the other
_SCHEMES = frozenset({"", "http", "https", "mailto", "tel"})
_EXPONENT = re.compile(r"[\d+\u2212-]|\w\b")
MAX_LINK = 500  # characters of the text of a link; a longer one is a part of the page
MAX_ADDRESSES = 1 << 20  # characters of all addresses of a page


def main() -> int:
    """Convert what stdin holds."""
    url, _, html = sys.stdin.buffer.read().decode("utf-8", "replace").partition("\n")
    try:
        from html_to_markdown import ConversionOptions, convert

        converted = convert(html, ConversionOptions(base_url=url, sup_symbol="^", sub_symbol="_"))
        text = (
            converted if isinstance(converted, str) else str(getattr(converted, "content", None) or text_of(html, url))
        )
    except ImportError:
        text = text_of(html, url)
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    return 0


class _Text(HTMLParser):  # the standard library's parser is used by inheriting from it
    """Keeps the visible text, where blocks begin and where links lead; what stands apart never runs together."""

    def __init__(self, url: str) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._url = url
        self._last = "\n"  # the last character of the pieces
        self._room = MAX_ADDRESSES
        self._silent: list[str] = []
        self._verbatim = 0
        self._in_row = False
        self._link: tuple[int, str] | None = None  # where its text begins, and its address
        self._tags: list[str] = []  # since the last text, those that end with their slash

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "base" and (href := given.get("href")):
            self._url = _joined(self._url, href)
        if tag in _SILENT:
            self._silent.append(tag)
        if tag == "a":
            self._end_link()
            self._link = (len(self.pieces), given.get("href") or "")
        if tag == "img" and (alt := given.get("alt")):
            self.handle_data(alt)
        if tag in _CELLS and self._in_row:
            self._put(" | ")
        if tag in _BLOCKS and not (tag in _LINES and self._last == "\n"):
            self._put("\n")
        if tag == "li":
            self._put("- ")
        if tag in _APART:
            self._put(" ")
        self._in_row = tag in _CELLS or (self._in_row and tag != "tr")
        self._verbatim += tag == "pre"
        self._tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._silent:
            del self._silent[self._silent.index(tag) :]
        if tag == "a":
            self._end_link()
        if tag in _BLOCKS:
            self._put("\n")
        if tag in _APART:
            self._put(" ")
        self._verbatim -= tag == "pre" and self._verbatim > 0
        self._tags.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        if self._silent:
            return
        text = data if self._verbatim else re.sub(r"\s+", " ", data)
        self._put(self._border(text))
        self._put(text)
        self._tags.clear()

    def _put(self, text: str) -> None:
        if text and not (text == " " and self._last in " \n"):
            self.pieces.append(text)
            self._last = text[-1]

    def _border(self, text: str) -> str:
        """Return what has to stand before *text* so that it and what is before it mean what they did."""
        last = self._last
        tags, digits = self._tags, last.isdigit() and text[:1].isdigit()
        if tags[-1:] == ["sup"] and last.isalnum() and _EXPONENT.match(text):
            return "^"
        if tags[-1:] == ["sub"] and digits:
            return "_"
        names = [tag.removeprefix("/") for tag in tags]
        went_on = set(names) <= _STYLES and not (tags and tags[0].startswith("/") and not tags[-1].startswith("/"))
        return " " if digits and not went_on else ""

    def _end_link(self) -> None:
        if self._link is None:
            return
        (at, href), self._link = self._link, None
        text = "".join(self.pieces[at:])
        words, leads = " ".join(text.split()), href.strip()
        address = "" if leads.startswith("#") else _joined(self._url, leads)
        if not (0 < len(words) <= MAX_LINK and 0 < len(address) <= self._room):
            return
        self._room -= len(address)
        target = f"<{address}>" if re.search(r"[\s()]", address) else address
        shown = f"<{address}>" if words == address else f"[{words}]({target})"
        before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        self.pieces[at:] = []
        self._put(before + shown + after)


def _joined(base: str, address: str) -> str:
    """Return where *address* leads from *base*; nowhere when it is no address that could be fetched or written to."""
    try:
        whole = urljoin(base, address) if address else ""
        return whole if urlsplit(whole).scheme in _SCHEMES else ""
    except ValueError:
        return ""


def text_of(html: str, url: str = "") -> str:
    """Return the visible text of the page at *url*, one block a line, with the addresses that it leads to."""
    parser = _Text(url)
    parser.feed(html)
    parser.close()
    lines = (line.rstrip() for line in "".join(parser.pieces).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line for line in lines if line != "-")).strip()


if __name__ == "__main__":
    sys.exit(main())
