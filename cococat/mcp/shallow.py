"""JSON that is nested too deep for its readers, cut by its brackets: one deep schema must not lose the list it stands in."""

from __future__ import annotations

import re

__all__ = ["shallow"]

MAX_LEVELS = 190  # of a message; pydantic reads 200
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|[][{}]', re.DOTALL)


def shallow(message: bytes) -> bytes:
    """Return *message* with nothing in what lies deeper than MAX_LEVELS levels."""
    if message.count(b"{") + message.count(b"[") <= MAX_LEVELS:
        return message
    depth, start, kept = 0, 0, []
    for token in _TOKEN.finditer(message):
        if token[0] in b"{[":
            depth += 1
            if depth == MAX_LEVELS + 1:
                kept.append(message[start : token.end()])
        elif token[0] in b"]}":
            if depth == MAX_LEVELS + 1:
                start = token.start()
            depth -= 1
    return b"".join((*kept, message[start:]))
