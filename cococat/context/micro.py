"""Micro-compaction: one long text becomes its head and its tail."""

from __future__ import annotations

import re

__all__ = ["pointed", "pointer", "shorten"]

_POINTER = re.compile(r"(?:\[[^\n]*\]\n)?\[all [\d,]+ lines?: [^\n]*\"(output:\d+)\"\]\n")


def shorten(text: str, limit: int = 2000, missing: int = 0) -> str:
    """
    Keep the head and the tail of *text*, and say in between how much is missing.

    Args:
        limit: characters that are kept, the marker not counted; >= 0.
        missing: characters of the whole that *text* lacks already, between its head and its tail.
    Returns: *text* itself when it is no longer than *limit*.
    Source: docs/acceptance.md, A20.
    """
    over = len(text) - limit
    if over <= 0:
        return text
    head = limit - limit // 2
    return f"{text[:head]}[truncated {over + missing} chars]{text[head + over :]}"


def pointer(name: str, lines: int) -> str:
    """Say in one line how the rest of a shortened output is read."""
    return f'[all {lines:,} line{"" if lines == 1 else "s"}: read_file or grep_search with path="{name}"]'


def pointed(text: str) -> str:
    """Return the name that the pointer at the head of an observation tells; empty when there is none."""
    match = _POINTER.match(text)
    return match[1] if match else ""
