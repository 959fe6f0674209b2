"""Limits on silence: how long a reply may keep us waiting for its next byte."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Literal, TypeAlias, TypeVar

from cococat.core.settings import Timeouts

Limit: TypeAlias = Literal["silence", "idle", "data_idle", "end"]
T = TypeVar("T")


class Silence(Exception):
    """Nothing came for *seconds*: the limit of that name has passed."""

    def __init__(self, limit: Limit, seconds: float) -> None:
        super().__init__(f"{limit}: {seconds:g} s")
        self.limit = limit
        self.seconds = seconds


class Watchdog:
    """
    Watches one request: `wait` for each part of the reply, and say what came.

    Comments of an event stream are bytes, not data: a server that only sends those is alive, and yet
    it is given up on at the data limit; before the reply has begun, all that counts is the limit of silence.
    """

    def __init__(self, timeouts: Timeouts) -> None:
        self._timeouts = timeouts
        self._clock = asyncio.get_running_loop().time
        self._asked = self._clock()
        self._data_at: float | None = None  # of the last data event since the reply began

    def got_data(self) -> None:
        """Note that a data event came, the first that adds to the reply or one behind it."""
        self._data_at = self._clock()

    async def wait(self, part: Awaitable[T], ending_s: float = 0) -> T:
        """
        Wait for *part*, no longer than *ending_s* seconds when that is given.

        Raises: Silence: it did not come in time; *part* was cancelled.
        """
        limit, seconds, left = self._limit(ending_s)
        try:
            async with asyncio.timeout(left) as scope:
                return await part
        except TimeoutError:
            if scope.expired():
                raise Silence(limit, seconds) from None
            raise

    def _limit(self, ending_s: float) -> tuple[Limit, float, float]:
        """The limit that applies now, its length, and what is left of it."""
        limits = self._timeouts
        if ending_s:
            return "end", ending_s, ending_s
        if self._data_at is None:
            return "silence", limits.silence, self._asked + limits.silence - self._clock()
        left = self._data_at + limits.data_idle - self._clock()
        if left < limits.idle:
            return "data_idle", limits.data_idle, left
        return "idle", limits.idle, limits.idle
