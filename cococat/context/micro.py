"""Micro-compaction: one long text becomes its head and its tail.

Public: shorten.
"""

from __future__ import annotations


def shorten(text: str, limit: int = 2000) -> str:
    """
    Keep the head and the tail of *text*, and say in between how much is missing.

    Args:
        limit: characters that are kept, the marker not counted; >= 0.
    Returns: *text* itself when it is no longer than *limit*.
    Source: ACCEPTANCE A20.
    """
    missing = len(text) - limit
    if missing <= 0:
        return text
    head = limit - limit // 2
    return f"{text[:head]}[truncated {missing} chars]{text[head + missing :]}"
