"""How much of a tool's output is shown, and the line at its head that says where all of it is."""

from __future__ import annotations

import re

__all__ = ["MIN_CHARS", "fresh_chars", "pointed", "pointer"]

MIN_CHARS = 2000  # of a fresh output, however small the window is
CHARS_A_TOKEN = 4
FRESH_PART = 0.1  # of the window
_POINTER = re.compile(r"(?:\[[^\n]*\]\n)?\[all [\d,]+ lines?: [^\n]*\"(output:\d+)\"\]\n")


def fresh_chars(most: int, window: int) -> int:
    """
    Return how many characters of a fresh output are shown.

    Args:
        most: the user's setting.
        window: tokens that the model can take.
    Source: docs/acceptance.md, A20.
    """
    return min(most, max(MIN_CHARS, int(FRESH_PART * CHARS_A_TOKEN * window)))


def pointer(name: str, lines: int) -> str:
    """Say in one line how the rest of a shortened output is read."""
    return f'[all {lines:,} line{"" if lines == 1 else "s"}: read_file or grep_search with path="{name}"]'


def pointed(text: str) -> str:
    """Return the name that the pointer at the head of an observation tells; empty when there is none."""
    match = _POINTER.match(text)
    return match[1] if match else ""
