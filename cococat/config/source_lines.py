"""Which line of a TOML text each key stands on; tomllib does not tell."""

from __future__ import annotations

import re

__all__ = ["key_lines"]

PART = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)"""
DOTTED = rf"{PART}(?:\s*\.\s*{PART})*"
HEADER = re.compile(rf"\s*\[\[?\s*({DOTTED})\s*\]\]?\s*(?:#.*)?\Z")
ENTRY = re.compile(rf"\s*({DOTTED})\s*=(.*)\Z", re.DOTALL)
PARTS = re.compile(PART)
OPENERS = ('"""', "'''")


def key_lines(text: str) -> dict[str, int]:
    """
    Find the line, counted from 1, of each table and key of valid TOML *text*, by dotted path.

    Keys inside inline tables have no entry: the key that holds the table does.
    """
    lines: dict[str, int] = {}
    table, inside = "", ""
    for number, line in enumerate(text.split("\n"), 1):
        if inside:
            inside = "" if inside in line else inside
        elif header := HEADER.match(line):
            table = _plain(header[1])
            lines.setdefault(table, number)
        elif entry := ENTRY.match(line):
            path = ".".join(filter(None, (table, _plain(entry[1]))))
            lines.setdefault(path, number)
            inside = next((opener for opener in OPENERS if entry[2].count(opener) % 2), "")
    return lines


def _plain(dotted: str) -> str:
    return ".".join(part.strip("\"'") for part in PARTS.findall(dotted))
