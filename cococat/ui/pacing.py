"""When a live screen is drawn: a few times a second, however much happens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

__all__ = ["FRAME_S", "Pacing"]

FRAME_S = 1 / 12  # seconds between two drawings


class Pacing:
    """
    Says when to draw, and draws later what must wait.

    Args:
        clock: monotonic seconds.
        frame: draws.
    """

    def __init__(self, clock: Callable[[], float], frame: Callable[[], None]) -> None:
        self._clock, self._frame = clock, frame
        self._drawn = clock()
        self._timer: asyncio.TimerHandle | None = None
        self._broken: OSError | None = None

    def check(self) -> None:
        """Raise what a drawing raised behind an event that had returned."""
        if self._broken:
            raise self._broken

    def is_due(self) -> bool:
        """Return whether enough time has passed since the last drawing."""
        return self._clock() - self._drawn >= FRAME_S

    def drawn(self) -> None:
        """Note a drawing; what waited for one is on the screen."""
        self._drawn = self._clock()
        self.stop()

    def wish(self) -> None:
        """Draw now or soon; where no loop runs, the next event or tick draws."""
        if self.is_due():
            self._frame()
        elif self._timer is None:
            try:
                loop = asyncio.get_running_loop()
            except RuntimeError:
                return
            self._timer = loop.call_later(max(0.0, self._drawn + FRAME_S - self._clock()), self._on_time)

    def stop(self) -> None:
        """Draw nothing later."""
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _on_time(self) -> None:
        self._timer = None
        try:
            self._frame()
        except OSError as error:
            self._broken = error
