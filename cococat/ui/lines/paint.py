"""Lines of a run as Rich texts: what a terminal shows is made here and nowhere else."""

from __future__ import annotations

from rich.text import Text

from cococat.ui.lines.format import Line
from cococat.ui.lines.theme import STYLES


def paint(line: Line) -> Text:
    """Return a text of *line*; nothing in it is read as markup, and it is never wrapped or padded."""
    text = Text(no_wrap=True, overflow="ignore", end="")
    for words, style in line:
        text.append(words, STYLES[style] or None)
    return text
