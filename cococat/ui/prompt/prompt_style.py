"""The colours of what prompt_toolkit draws: prompt, toolbar, menu, picker. Imports it, so it is itself imported late."""

from __future__ import annotations

from functools import cache

from prompt_toolkit.styles import Style

from cococat.ui.lines.theme import Theme

# of prompt_toolkit's own colours for the menu none fits a theme; reverse marks a row where there are no colours, too
_PLAIN = {
    "bottom-toolbar": "noreverse",
    "completion-menu": "bg:default default",
    "completion-menu.completion.current": "bg:default default reverse",
    "completion-menu.meta.completion": "bg:default default",
    "completion-menu.meta.completion.current": "bg:default default reverse",
    "scrollbar.background": "bg:default",
    "scrollbar.button": "bg:default reverse",
}
_COLOURED = {
    **_PLAIN,
    "bottom-toolbar.text": "noreverse ansibrightblack",
    "completion-menu.meta.completion": "bg:default ansibrightblack",
    "scrollbar.background": "bg:ansibrightblack",
    "scrollbar.button": "bg:ansicyan",
    "completion-menu.completion": "ansicyan",
    "completion-menu.completion.current": "bg:default ansicyan reverse",
    "prompt": "bold ansicyan",
    "chosen": "bold ansicyan",
    "dim": "ansibrightblack",
}


@cache
def prompt_style(theme: Theme, *, entered: bool = False) -> Style:
    """
    Return the style of *theme*: cyan fades on white, plain has neither colours nor weights.

    Args:
        entered: a line is complete and stays on the screen, bold as every question.
    """
    if theme == "plain":
        return Style.from_dict(_PLAIN)
    words = _COLOURED if theme == "dark" else {name: _COLOURED[name].replace("cyan", "blue") for name in _COLOURED}
    return Style.from_dict({"": "bold", **words} if entered else words)
