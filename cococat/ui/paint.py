"""Lines of a run as Rich texts: what a terminal shows is made here and nowhere else.

A step reads the same live, replayed and exported:

    step 2 · think    The config names a port; check what listens on it.
             act      grep_search(pattern="port")   read_file(path="app.toml")
             observe  grep_search 3 hits · 0.02 s   read_file 41 lines · 0.00 s
"""

from __future__ import annotations

from rich.text import Text

from cococat.ui.format import Line, act, observe, printed, thought
from cococat.ui.theme import STYLES
from cococat.ui.view import Step

__all__ = ["paint", "paint_step"]


def paint(line: Line) -> Text:
    """Make a text of *line*; nothing in it is read as markup, and it is never wrapped or padded."""
    text = Text(no_wrap=True, overflow="ignore", end="")
    for words, style in line:
        text.append(words, STYLES[style] or None)
    return text


def paint_step(step: Step, width: int, *, verbose: bool = False) -> tuple[Text, ...]:
    """
    Draw a whole step.

    Args:
        width: columns of the screen; below 50 nothing is aligned.
        verbose: the reasoning in full and the output of each call, too.
    """
    lines: list[Line] = []
    if verbose and step.reasoning.strip():
        lines += thought(step, step.reasoning, width, "dim")
    if step.calls and step.text.strip():
        lines += thought(step, step.text, width, first=not lines)
    if step.calls:
        lines += act(step, width, first=not lines)
        lines += observe(step, width) if step.settled else ()
        lines += [line for call in step.calls for line in printed(call)] if verbose else ()
    return tuple(paint(line) for line in lines)
