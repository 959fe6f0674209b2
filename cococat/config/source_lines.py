"""Which line of a TOML text each key stands on; tomllib does not tell."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["key_lines", "repeated"]

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
    for path, number, _ in _entries(text):
        lines.setdefault(path, number)
    return lines


def repeated(text: str, number: int) -> tuple[str, int] | None:
    """What stands on line *number* for a second time, as a user would call it, and the line of the first; else None."""
    first: dict[str, int] = {}
    for path, line, called in _entries(text):
        if line == number and path in first:
            return called, first[path]
        first.setdefault(path, line)
    return None


def _entries(text: str) -> Iterator[tuple[str, int, str]]:
    """Each table and key of *text*: its dotted path, its line, and how a user would call it."""
    table, inside = "", ""
    for number, line in enumerate(text.split("\n"), 1):
        if inside:
            inside = "" if inside in line else inside
        elif header := HEADER.match(line):
            table = _plain(header[1])
            yield table, number, f"[{table}]"
        elif entry := ENTRY.match(line):
            path = ".".join(filter(None, (table, _plain(entry[1]))))
            yield path, number, path
            inside = next((opener for opener in OPENERS if entry[2].count(opener) % 2), "")


def _plain(dotted: str) -> str:
    return ".".join(part.strip("\"'") for part in PARTS.findall(dotted))
