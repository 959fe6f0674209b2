"""Texts that people type: told.txt holds secrets, between braces, and harmless.txt what only looks like them."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).resolve().parent


def sections(name: str) -> dict[str, list[str]]:
    """Return the texts of a file below their headings: "# heading", then texts with " | " between them."""
    found: dict[str, list[str]] = {}
    for line in (HERE / name).read_text("utf-8").splitlines()[1:]:
        if line.startswith("# "):
            heading = found.setdefault(line[2:], [])
        elif line:
            heading += line.split(" | ")
    return found
