"""What the model is told: text files, no code but the one that reads them.

Public: prompt.
"""

from __future__ import annotations

from importlib.resources import files


def prompt(name: str) -> str:
    """Give the text of prompt *name* (`single`, `react`, `closing`, `decision`, `dream`)."""
    return (files(__name__) / f"{name}.md").read_text("utf-8").strip()
