"""What a screen of the chat says.

Public: ready, says_somewhere.
"""

from __future__ import annotations


def ready(text: str) -> bool:
    """The prompt waits for a line: a row holds nothing but `>`."""
    return any(row.rstrip() == ">" for row in text.splitlines())


def says_somewhere(text: str, words: str) -> bool:
    """The screen says *words*, wherever its lines happen to break: a path above them may be of any length."""
    return "".join(words.split()) in "".join(text.split())
