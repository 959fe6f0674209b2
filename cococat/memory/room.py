"""Whether a text has room in what it may take of a prompt."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["at_most"]


def at_most(text: str, limit: float, count: Callable[[str], int]) -> bool:
    """
    Return whether *text* holds at most *limit* tokens.

    No token is less than a byte, so what is short enough is not counted: a vocabulary takes 0.3 s to load.

    Args:
        count: tokens of a text.
    """
    return len(text.encode("utf-8", "replace")) <= limit or count(text) <= limit
