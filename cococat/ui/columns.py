"""Text in the columns of a terminal: how wide it is, and as much of it as fits."""

from __future__ import annotations

import unicodedata

from cococat.safety.terminal import Context, safe

__all__ = ["cells", "cut", "cut_start", "one_line"]


def cells(text: str) -> int:
    """Columns that *text* takes; those of East Asia take two a character."""
    return len(text) if text.isascii() else sum(map(_width, text))


def cut(text: str, width: int) -> str:
    """Return as much of *text* as fits into *width* columns, with a mark where it was cut."""
    if cells(text) <= width:
        return text
    used = 1
    for at, char in enumerate(text):
        used += _width(char)
        if used > width:
            return f"{text[:at].rstrip()}…" if width > 0 else ""
    return text


def cut_start(text: str, width: int) -> str:
    """Return as much of the end of *text* as fits into *width* columns, with a mark where it was cut."""
    return cut(text[::-1], width)[::-1]


def one_line(text: str, context: Context = "prose") -> str:
    """Return foreign *text* as one harmless line."""
    return " ".join(safe(text, context).split())


def _width(char: str) -> int:
    if unicodedata.combining(char) or char in "\u200d\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
