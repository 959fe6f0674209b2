"""Lines of a run as Rich texts: what a terminal shows is made here and nowhere else.

A step reads the same live, replayed and exported:

    step 2 · think    The config names a port; check what listens on it.
             act      grep_search(pattern="port")   read_file(path="app.toml")
             observe  grep_search 3 hits · 0.02 s   read_file 41 lines · 0.00 s
"""

from __future__ import annotations

from rich.text import Text

from cococat.ui.format import Line
from cococat.ui.theme import STYLES

__all__ = ["paint"]


def paint(line: Line) -> Text:
    """Return a text of *line*; nothing in it is read as markup, and it is never wrapped or padded."""
    text = Text(no_wrap=True, overflow="ignore", end="")
    for words, style in line:
        text.append(words, STYLES[style] or None)
    return text
