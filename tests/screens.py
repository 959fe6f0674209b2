"""What a screen of the chat says.

Public: ready.
"""

from __future__ import annotations


def ready(text: str) -> bool:
    """The prompt waits for a line: a row holds nothing but `>`."""
    return any(row.rstrip() == ">" for row in text.splitlines())
