"""Answers of a terminal that come when they are no longer waited for: the prompt does not take them for typing."""

from __future__ import annotations

from prompt_toolkit.filters import Condition, FilterOrBool
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

__all__ = ["ignore_reports"]

_ENDS = ("c", "y", "\\", "\x07")


def ignore_reports(keys: KeyBindings, editing: FilterOrBool) -> None:
    """Let *keys* pass over what begins like the report of a colour, a mode or a kind of terminal."""
    inside = False

    @keys.add("escape", "]", filter=editing, eager=True)
    @keys.add("escape", "[", "?", filter=editing, eager=True)
    def _begin(_: KeyPressEvent) -> None:
        nonlocal inside
        inside = True

    @keys.add(Keys.Any, filter=Condition(lambda: inside), eager=True)
    def _go_on(event: KeyPressEvent) -> None:
        nonlocal inside
        inside = event.data not in _ENDS
