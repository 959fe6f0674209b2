"""How a run is shown, as far as flags and settings say it."""

from __future__ import annotations

from dataclasses import dataclass

from cococat.ui.lines.theme import ColourFlag, Theme

__all__ = ["Display"]


@dataclass(frozen=True, slots=True)
class Display:
    """
    How a run is shown.

    Args:
        verbose: reasoning and outputs in full.
        quiet: the answer and errors alone.
        colour: for each stream, see `theme.colour`; a stream without colours gets no escape at all.
        hold: tools are offered, so the start of a reply may be a thought and waits in the live rows.
        stops: the keys that stop the turn, in words.
        unfold: the key or flag that shows steps in full.
        undo: the command that takes back what a turn changed, where there is one.
        air: a blank line around the steps, the answer and its footer.
        wrap: prose wraps at words and tables inside of their cells; otherwise the terminal wraps.
        theme: what becomes of the colours.
    """

    verbose: bool = False
    quiet: bool = False
    colour: ColourFlag = "auto"
    hold: bool = True
    stops: str = "Ctrl-C"
    unfold: str = ""
    undo: str = ""
    air: bool = False
    wrap: bool = False
    theme: Theme = "dark"
