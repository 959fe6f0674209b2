"""Output for machines: one JSON object, or one a line."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import TextIO

from cococat.core.events import Event, TurnFinished
from cococat.core.public import as_public
from cococat.core.result import Result
from cococat.ui.lines.theme import write_now
from cococat.ui.steps.plain import WIDTH, BatchedStream, Log
from cococat.ui.steps.sink import still, undisturbed
from cococat.ui.steps.steps import Display, Steps


class Json:
    """One `result` object on *out* at the end; the steps as plain lines on *err*."""

    redraws, tick, suspended, apart = False, still, undisturbed, undisturbed

    def __init__(self, out: TextIO, err: TextIO, *, verbose: bool = False, quiet: bool = False) -> None:
        self._out = out
        self._steps = Steps(Display(verbose, quiet), lambda: WIDTH)
        self._log = Log(err)

    def emit(self, event: Event) -> None:
        """Print the lines that *event* adds; the answer waits for the result."""
        self._log.print(self._steps.feed(event))
        if isinstance(event, TurnFinished):
            self._log.print(self._steps.answered())
            self._log.print(self._steps.ending(event))

    def finish(self, result: Result) -> None:
        """Write the one object."""
        self._log.print(self._steps.failure(result))
        write_now(self._out, _line(result.as_json()))

    def close(self) -> None:
        """Nothing is held back here."""
        self._out.flush()


class JsonLines:
    """
    Every public event as a line of JSON with the time it was sent, the result last.

    Args:
        now: seconds since 1970, UTC.
    """

    redraws, tick, suspended, apart = False, still, undisturbed, undisturbed

    def __init__(self, out: TextIO, *, now: Callable[[], float] = time.time) -> None:
        self._out = BatchedStream(out)
        self._now = now

    def emit(self, event: Event) -> None:
        """Write *event*, unless it is for the recorder alone."""
        public = as_public(event)
        if public is not None:
            self._write(public)

    def finish(self, result: Result) -> None:
        """Write the result as the last line."""
        self._write(result.as_json())
        self._out.flush()

    def close(self) -> None:
        """Leave nothing unwritten."""
        self._out.flush()

    def _write(self, shown: dict[str, object]) -> None:
        self._out.write(_line({"type": shown["type"], "ts": round(self._now(), 3), **shown}))


def _line(shown: dict[str, object]) -> str:
    """One line; pure ASCII, so that no locale, terminal or lone surrogate can spoil it."""
    return json.dumps(shown) + "\n"
