"""Signals end a turn, never the process in the middle of a write.

Public: Caught, cancel_on_signals.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from cococat.errors import Interrupted


class Caught:
    """The signal that ended a turn; 0 while there was none."""

    def __init__(self) -> None:
        self.number = 0


@contextmanager
def cancel_on_signals(task: asyncio.Task[object]) -> Iterator[Caught]:
    """
    Cancel *task* on Ctrl-C, TERM and HUP; a second signal finds it cancelled already.

    Raises: Interrupted: the cancel was not dealt with inside, as it is while a turn runs.
    """
    caught = Caught()
    loop = asyncio.get_running_loop()
    numbers = [number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None))]

    def on_signal(number: int) -> None:
        caught.number = caught.number or number
        task.cancel()

    added = []
    for number in numbers:
        try:
            loop.add_signal_handler(number, on_signal, number)
        except (NotImplementedError, RuntimeError):  # Windows has no such loop; KeyboardInterrupt serves there
            continue
        added.append(number)
    try:
        yield caught
    except asyncio.CancelledError:
        if not caught.number:
            raise
        task.uncancel()
        raise Interrupted(caught.number) from None
    finally:
        for number in added:
            loop.remove_signal_handler(number)
