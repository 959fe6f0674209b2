"""The time of a replay, and the keys that move it on."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator

from cococat.ui.modes import by_key

__all__ = ["Keys", "Pace"]

MAX_S = 2.0  # seconds of a pause that are worth waiting for
AT_ONCE = 64  # events between two looks at signals and keys, where nothing is waited for
READ_BYTES = 4096
FOLD = b"\x0f"  # Ctrl-O
ESCAPES = (b"\x1b", b"\x04")  # Esc alone, Ctrl-D


class Pace:
    """The clock of a replay: *at* is the recorded time, in seconds since 1970."""

    def __init__(self, speed: float) -> None:
        self.at = 0.0
        self._speed = speed
        self._due = time.monotonic()
        self._passed = 0

    async def until(self, ts: float) -> None:
        """Wait as long as the run did before *ts*, but never long."""
        pause = min(max(ts - self.at, 0), MAX_S) if self.at else 0
        self.at = ts
        if self._speed:
            now = time.monotonic()
            self._due = max(self._due + pause / self._speed, now)
            await asyncio.sleep(self._due - now)
            return
        self._passed += 1
        if self._passed % AT_ONCE == 0:
            await asyncio.sleep(0)

    def restart(self) -> None:
        """Take this moment for the recorded one."""
        self._due = time.monotonic()


class Keys:
    """The keys of a replay: go on by a step, go on without stopping, fold what is shown, leave."""

    def __init__(self, leave: Callable[[], object], fold: Callable[[], object], *, stepping: bool) -> None:
        self.stepping = stepping
        self.left = False
        self._leave, self._fold = leave, fold
        self._pressed = asyncio.Event()

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Take the keys of the terminal, also after Ctrl-Z and `fg`, where the shell has set modes of its own."""
        loop = asyncio.get_running_loop()
        with by_key(0), contextlib.ExitStack() as again:
            loop.add_reader(0, self._readable)
            loop.add_signal_handler(signal.SIGCONT, lambda: again.enter_context(by_key(0)))
            try:
                yield
            finally:
                loop.remove_signal_handler(signal.SIGCONT)
                loop.remove_reader(0)

    async def go_on(self) -> None:
        """Wait for a key."""
        self._pressed.clear()
        await self._pressed.wait()

    def _readable(self) -> None:
        try:
            data = os.read(0, READ_BYTES)
        except OSError:  # hung up
            data = b""
        if not data or data in ESCAPES or b"q" in data.lower():
            asyncio.get_running_loop().remove_reader(0)
            self.left = True
            self._leave()
        elif data == FOLD:
            self._fold()
        elif data.lower() == b"c":
            self.stepping = False
            self._pressed.set()
        elif not data.strip(b" \r\n"):
            self._pressed.set()
