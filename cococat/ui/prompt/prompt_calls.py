"""What a prompt calls while it stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cococat.ui.lines.theme import Theme


@dataclass(frozen=True, slots=True)
class PromptLook:
    """
    What a prompt looks like, and which keys it takes.

    Args:
        theme: gives the colours of this moment; "plain" is without.
        vi: the keys of vi, else those of emacs.
    """

    theme: Callable[[], Theme] = lambda: "dark"
    vi: bool = False


@dataclass(frozen=True, slots=True)
class PromptCalls:
    """
    The callbacks of a prompt.

    Args:
        toolbar: gives one line below the prompt, for what stands in it; asked at each redraw.
        cycle: Shift-Tab; the toolbar is redrawn after it.
        fold: Ctrl-O; may print, the prompt is redrawn below.
        drawn: called once, after the prompt was first drawn.
        due: there is something to do while no user types: `read` returns Idle.
        redact: takes secrets out of what is kept of a line for the arrow keys of a later day.
        leaving: the exit code that a signal asked for before the prompt could hear of it; 0 for none.
    """

    toolbar: Callable[[str], str]
    cycle: Callable[[], None]
    fold: Callable[[], None]
    drawn: Callable[[], None] = lambda: None
    due: Callable[[], bool] = lambda: False
    leaving: Callable[[], int] = lambda: 0
    redact: Callable[[str], str] = lambda text: text
