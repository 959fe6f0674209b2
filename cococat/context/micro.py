"""The line at the head of a shortened output that says where all of it is."""

from __future__ import annotations

import re

__all__ = ["pointed", "pointer"]

_POINTER = re.compile(r"(?:\[[^\n]*\]\n)?\[all [\d,]+ lines?: [^\n]*\"(output:\d+)\"\]\n")


def pointer(name: str, lines: int) -> str:
    """Say in one line how the rest of a shortened output is read."""
    return f'[all {lines:,} line{"" if lines == 1 else "s"}: read_file or grep_search with path="{name}"]'


def pointed(text: str) -> str:
    """Return the name that the pointer at the head of an observation tells; empty when there is none."""
    match = _POINTER.match(text)
    return match[1] if match else ""
