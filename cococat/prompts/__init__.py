"""What the model is told: text files, no code but the one that reads them."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent  # importlib.resources would cost 6 ms on the way to a request


def prompt(name: str) -> str:
    """Return the text of prompt *name*: that of the file of the same name."""
    return (HERE / f"{name}.md").read_text("utf-8").strip()
