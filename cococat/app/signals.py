"""Signals end a turn, never the process in the middle of a write."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from types import FrameType
from typing import TYPE_CHECKING, Any

from cococat.errors import Interrupted
from cococat.ui.screen.ctrl_c import TWICE_S, CtrlC

if TYPE_CHECKING:
    from cococat.ui.screen.modes import Modes

CLEAN_UP_S = TWICE_S  # seconds that a cancelled task is left to clean up
ENDING = tuple(number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)))
STOP = getattr(signal, "SIGTSTP", None)
_Handler = Callable[[int, FrameType | None], Any]


class Caught:
    """The signal that ended a turn; 0 while there was none."""

    def __init__(self, task: asyncio.Task[object]) -> None:
        self.number = 0
        self._task = task
        self._cancelled = float("-inf")

    def cancel(self) -> None:
        """Cancel the task once: another cancel would break off its cleaning up, unless that does not end."""
        now = time.monotonic()
        if now - self._cancelled > CLEAN_UP_S:
            self._cancelled = now
            self._task.cancel()


class Leaving:
    """What signals ask of a command, wherever it is."""

    def __init__(self) -> None:
        self.code = 0  # to leave with: after TERM, HUP, or two Ctrl-C in a row; 0 while it goes on
        self.number = 0  # the last signal that came while there was nothing to cancel
        self.ctrl_c = CtrlC()
        self.modes: Modes = None  # of the terminal as it was found, where a chat keeps it from start to end

    def hear(self, number: int) -> None:
        """Note a signal."""
        if number != signal.SIGINT or self.ctrl_c.press():
            self.code = self.code or 128 + number

    @contextmanager
    def held(self) -> Iterator[None]:
        """Only note the signals, so that none of them ends the process between two steps."""

        def note(number: int, _: FrameType | None) -> None:
            self.number = number
            self.hear(number)

        with handlers(dict.fromkeys(ENDING, note)):
            yield

    @contextmanager
    def breaking(self, interrupt: _Handler = signal.default_int_handler) -> Iterator[None]:
        """
        Let signals break off what blocks, with a KeyboardInterrupt.

        Args:
            interrupt: what Ctrl-C does.
        """

        def end(number: int, _: FrameType | None) -> None:
            self.hear(number)
            raise KeyboardInterrupt

        with handlers({**dict.fromkeys(ENDING, end), signal.SIGINT: interrupt}):
            yield


@contextmanager
def stopping(suspend_terminal: Callable[[], AbstractContextManager[object]]) -> Iterator[None]:
    """Let the shell have the terminal by *suspend_terminal* while Ctrl-Z stops the process, also where no loop runs."""

    def on_stop(number: int, _: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        with suppress(OSError), suspend_terminal():
            signal.raise_signal(number)  # sleeps in here, until somebody continues it
        signal.signal(number, on_stop)

    with handlers({} if STOP is None else {int(STOP): on_stop}):
        yield


@contextmanager
def cancel_on_signals(
    leaving: Leaving | None = None, hidden: Callable[[], AbstractContextManager[object]] = nullcontext
) -> Iterator[Caught]:
    """
    Cancel the task that runs on Ctrl-C, TERM and HUP, and give the terminal back while the process is stopped.

    A signal that was ignored stays ignored (`nohup`). Do not nest it.

    Args:
        leaving: hears every signal.
        hidden: takes away what is drawn on the terminal.
    Raises: Interrupted: the cancel was not dealt with inside, as it is while a turn runs.
    """
    task = asyncio.current_task()
    assert task is not None
    leaving, caught, loop = leaving or Leaving(), Caught(task), asyncio.get_running_loop()

    def on_signal(number: int, _: FrameType | None) -> None:
        caught.number = caught.number or number
        leaving.hear(number)
        loop.call_soon_threadsafe(caught.cancel)

    # not by the loop's own handlers: what comes in the last moment before these are removed is lost
    with _stopping(loop, hidden, leaving.modes or _modes()), handlers(dict.fromkeys(ENDING, on_signal)):
        if leaving.number:  # it came a moment ago
            caught.number = leaving.number
            caught.cancel()
        try:
            yield caught
        except asyncio.CancelledError:
            if not caught.number:
                raise
            task.uncancel()
            raise Interrupted(caught.number) from None


@contextmanager
def _stopping(
    loop: asyncio.AbstractEventLoop, hidden: Callable[[], AbstractContextManager[object]], modes: Modes
) -> Iterator[None]:
    """Leave the terminal in its *modes* while Ctrl-Z stops the process; besides, every signal wakes the loop."""
    if STOP is None or not _heeded({STOP: None}):
        yield
        return
    number = int(STOP)

    def on_stop() -> None:
        from cococat.ui.screen.modes import suspend_terminal

        loop.remove_signal_handler(number)  # now it stops the process again
        with suppress(OSError), hidden(), suspend_terminal(0, modes):
            signal.raise_signal(number)  # sleeps in here, until somebody continues it
        loop.add_signal_handler(number, on_stop)

    before = signal.getsignal(number)
    loop.add_signal_handler(number, on_stop)
    try:
        yield
    finally:
        loop.remove_signal_handler(number)
        signal.signal(number, before)


def _modes() -> Modes:
    """Those of the terminal, where there is one."""
    if not os.isatty(0):
        return None
    from cococat.ui.screen.modes import current_modes

    return current_modes(0)


@contextmanager
def handlers(calls: Mapping[int, _Handler]) -> Iterator[None]:
    """Let *calls* handle the signals for a while, but for those that are ignored."""
    before = _heeded(calls)
    for number in before:
        signal.signal(number, calls[number])
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _heeded(numbers: Mapping[int, object]) -> dict[int, Any]:
    """Who handles those of the signals that are not ignored; none off the main thread, which alone may ask."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    now = {number: signal.getsignal(number) for number in numbers}
    return {number: handler for number, handler in now.items() if handler not in (signal.SIG_IGN, None)}
