"""Colours and streams: a few named styles that read well on light and dark backgrounds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, TextIO, TypeAlias

if TYPE_CHECKING:
    from rich.text import Text

ColourFlag: TypeAlias = Literal["auto", "always", "never"]
Theme: TypeAlias = Literal["dark", "light", "plain"]

# only the terminal's own 16 colours, none of them white, black or bright: the user's theme decides
STYLES: Mapping[str, str] = {
    "": "",
    "label": "bold",
    "dim": "dim",
    "tool": "cyan",
    "prompt": "bold cyan",
    "done": "green",
    "error": "red",
    "warning": "yellow",
    "heading": "bold",
    "subheading": "bold italic",
    "title": "bold underline",
    "strong": "bold",
    "em": "italic",
    "strike": "strike",
    "code": "cyan",
    "link": "underline",
    "marker": "bold",
    "quote": "italic",
    "keyword": "magenta",
    "string": "green",
    "comment": "dim italic",
    "number": "cyan",
    "name": "blue",
    "added": "green",
    "removed": "red",
    "hunk": "cyan",
    "cursor": "reverse",
}
FALLBACK_SIZE = (80, 24)
_REFLOW = (
    "TMUX",
    "VTE_VERSION",
    "KITTY_WINDOW_ID",
    "WEZTERM_PANE",
    "ALACRITTY_WINDOW_ID",
    "KONSOLE_VERSION",
)  # set by them
# words of a style that a theme puts in the place of others: yellow and cyan fade on white, plain has no colours
_WORDS: Mapping[Theme, Mapping[str, str]] = {
    "dark": {},
    "light": {"yellow": "magenta", "cyan": "blue"},
    "plain": dict.fromkeys(("red", "green", "yellow", "blue", "magenta", "cyan"), ""),
}
# our own marks where the terminal's characters are not Unicode's
_ASCII = str.maketrans({
    "·": "-", "…": "...", "→": "->", "│": "|", "─": "-", "┼": "+", "⋮": ":", "␊": "\\n", "␉": "\\t", "⟨": "<", "⟩": ">",
    "↑": "^", "↓": "v", "█": "#", "░": ".", "✓": "[x]", "✗": "[!]", "▸": "[>]", "☐": "[ ]",
})  # fmt: skip


def colour(flag: ColourFlag, stream: TextIO, env: Mapping[str, str]) -> bool:
    """Return whether *stream* gets escape sequences: the flag decides, then the environment, then the stream."""
    if flag != "auto":
        return flag == "always"
    if env.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    if env.get("NO_COLOR") or env.get("TERM", "dumb") == "dumb":
        return False
    return is_terminal(stream)


def theme_of(setting: str, background: Theme | None = None) -> Theme:
    """Return the theme that *setting* means on a terminal whose background, where it is known, is *background*."""
    themes: Mapping[str, Theme] = {"dark": "dark", "light": "light", "plain": "plain"}
    return themes.get(setting) or background or "dark"


def marks(env: Mapping[str, str]) -> Mapping[int, str]:
    """Return what to translate lines of ours with: nothing, or marks of ASCII where the locale is not UTF-8."""
    locale = (env.get("LC_ALL") or env.get("LC_CTYPE") or env.get("LANG") or "utf-8").lower()
    return {} if "utf-8" in locale or "utf8" in locale else _ASCII


def is_terminal(stream: TextIO) -> bool:
    """Return whether *stream* is a terminal; a closed or missing one is not."""
    try:
        return stream.isatty()
    except (AttributeError, ValueError, OSError):
        return False


def write_now(stream: TextIO, text: str) -> None:
    """Write *text* so that it is seen at once."""
    stream.write(text)
    stream.flush()


def reflows(env: Mapping[str, str]) -> bool:
    """Return whether the terminal is known to break its rows anew when it is made narrower; what stands between may not."""
    return not env.get("STY") and any(env.get(name) for name in _REFLOW)


def size_of(stream: TextIO) -> tuple[int, int]:
    """Columns and rows of the terminal behind *stream*; 80 x 24 when it does not say."""
    try:
        size = os.get_terminal_size(stream.fileno())
    except (AttributeError, ValueError, OSError):
        return FALLBACK_SIZE
    return size.columns or FALLBACK_SIZE[0], size.lines or FALLBACK_SIZE[1]


def ansi(text: Text, *, coloured: bool = True, theme: Theme = "dark", links: bool = False) -> str:
    """
    Write *text* with escape sequences; its spans must follow one another, as `append` makes them.

    Args:
        links: the terminal knows hyperlinks (OSC 8).
    """
    words = _WORDS[theme]
    plain, base = text.plain, str(text.style)
    if not coloured or not (text.spans or base):
        return plain
    from rich.color import ColorSystem
    from rich.style import Style

    def write(start: int, end: int, style: str) -> str:
        style = style if links else style.partition("link ")[0]
        style = " ".join(words.get(word, word) for word in style.split()) if words else style
        return Style.parse(style).render(plain[start:end], color_system=ColorSystem.STANDARD)

    pieces: list[str] = []
    done = 0
    for span in text.spans:
        pieces += write(done, span.start, base), write(span.start, span.end, f"{base} {span.style}".strip())
        done = span.end
    return "".join((*pieces, write(done, len(plain), base)))
