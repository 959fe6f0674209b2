"""Text in the columns of a terminal: how wide it is, and as much of it as fits."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from cococat.safety.terminal import Context, safe

# joiners, selectors, flags, tones: terminals do not agree on how wide what is made of them is
_JOINED = re.compile("[\u200d\ufe00-\ufe0f\U0001f1e6-\U0001f1ff\U0001f3fb-\U0001f3ff]")


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


def is_measured(text: str) -> bool:
    """Return whether every terminal takes as many columns for *text*: only then its end can be found again."""
    if text.isascii():
        return True
    return not _JOINED.search(text) and not any(unicodedata.category(char).startswith("M") for char in text)


def one_line(text: str, context: Context = "prose") -> str:
    """Return foreign *text* as one harmless line."""
    return " ".join(safe(text, context).split())


@lru_cache(maxsize=4096)  # of the few that a conversation is written in
def _width(char: str) -> int:
    if unicodedata.combining(char) or char in "\u200d\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
