"""Ctrl-C twice: the first stops something, a second one soon after leaves."""

from __future__ import annotations

import time
from collections.abc import Callable

TWICE_S = 2.0  # seconds


class CtrlC:
    """
    When Ctrl-C was pressed last, wherever it was heard: at the prompt, in a turn, in a command.

    Args:
        clock: seconds, monotonic.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = float("-inf")

    def press(self) -> bool:
        """Note one; return whether it is the second of two."""
        before, self._last = self._last, self._clock()
        return self._last - before <= TWICE_S

    def forget(self) -> None:
        """Let the next one be the first again: something was entered in between."""
        self._last = float("-inf")
