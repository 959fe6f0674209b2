"""The screen off a terminal: the answer on stdout byte for byte, everything else as lines on stderr."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping
from typing import TextIO

from cococat.core.events import Event, StepStarted, TextDelta, ToolPending, TurnFinished
from cococat.core.result import Result
from cococat.safety.terminal import SafeStream
from cococat.ui.lines import format as fmt
from cococat.ui.lines.format import Line
from cococat.ui.lines.theme import Theme, is_terminal, marks, size_of
from cococat.ui.lines.wrap import lead, wrap_line
from cococat.ui.steps.sink import still, undisturbed
from cococat.ui.steps.steps import Display, Steps

WIDTH = 120  # columns of a log that has no width of its own
MAX_CHARS = 1 << 16  # characters that are never held back


class AnswerStream:
    """
    The answer on its way to *out*: the model's text and one line feed.

    Args:
        hold: text may turn out to be a thought, so it waits until the turn is over. A terminal does
            not wait: a user can tell one from the other; but it gets no control sequence.
        exact: not every text is printed, so a terminal waits as well.
    """

    def __init__(self, out: TextIO, *, hold: bool, exact: bool = False) -> None:
        self._out = BatchedStream(out)
        self._terminal = is_terminal(out)
        self._safe = SafeStream()
        self._hold = exact or (hold and not self._terminal)
        self._sent: list[str] = []

    def add(self, text: str) -> None:
        """Take in the next piece of a reply."""
        if self._hold:
            return
        self._sent.append(text)
        if shown := self._safe.feed(text) if self._terminal else text:
            self._out.write(shown)

    def rewind(self) -> None:
        """On a terminal, end the line of what turned out to be a thought; elsewhere nothing was sent."""
        if self._sent and self._terminal:
            self._out.write(self._safe.flush() + "\n")
            self._sent.clear()

    def end(self, answer: str) -> None:
        """Write what of *answer* was not written before; nothing at all when there is none."""
        sent = "".join(self._sent)
        self._sent.clear()
        if not answer and not sent:
            return
        rest = answer.removeprefix(sent) if answer.startswith(sent) else ""
        if not rest and answer != sent and not sent.endswith(answer):
            rest = f"\n{answer}"
        shown = self._safe.feed(rest) + self._safe.flush() if self._terminal else rest
        self._out.write(shown + "\n")
        self._out.flush()

    def flush(self) -> None:
        """Write what waits for its flush."""
        self._out.flush()


class Log:
    """Lines on stderr, without control sequences unless colours are forced."""

    def __init__(self, err: TextIO, *, coloured: bool = False, env: Mapping[str, str] = os.environ) -> None:
        self.theme: Theme = "dark"
        self._err = err
        self._coloured = coloured
        self._marks = marks(env)

    def print(self, lines: Iterable[Line]) -> None:
        """Print *lines*, each on a line of its own."""
        text = "".join(f"{self._write(line)}\n" for line in lines)
        if text:
            self._err.write(text.translate(self._marks))
            self._err.flush()

    def _write(self, line: Line) -> str:
        if not self._coloured:
            return fmt.plain(line).rstrip()
        from cococat.ui.lines.paint import paint
        from cococat.ui.lines.theme import ansi

        return ansi(paint(line), theme=self.theme)


class Plain:
    """
    The sink for pipes, files, dumb terminals and `--color never`; on a terminal its rows are no wider than that.

    Args:
        verbose: reasoning and outputs in full.
        quiet: the answer and errors alone.
        hold: tools are offered, so a reply's text waits until it is known to be the answer.
        exact: the answer has a form; what of a reply is printed is known at the end.
    """

    redraws, tick, suspended, apart = False, still, undisturbed, undisturbed

    def __init__(
        self,
        out: TextIO,
        err: TextIO,
        *,
        verbose: bool = False,
        quiet: bool = False,
        hold: bool = True,
        exact: bool = False,
    ) -> None:
        self._answer = AnswerStream(out, hold=hold, exact=exact)
        self._width = (lambda: size_of(err)[0]) if is_terminal(err) else None  # where somebody reads
        self._steps = Steps(Display(verbose, quiet, wrap=bool(self._width)), self._width or (lambda: WIDTH))
        self._log = Log(err)
        self._streams = not exact and (is_terminal(out) or not hold)

    def emit(self, event: Event) -> None:
        """Print what *event* adds."""
        if isinstance(event, TextDelta):
            if self._streams and not self._steps.shown:
                self._print(self._steps.reasoned())
            self._steps.shown = self._streams
            self._answer.add(event.text)
        elif isinstance(event, StepStarted | ToolPending):
            self._answer.rewind()
        lines = self._steps.feed(event)
        if lines:
            self._answer.flush()
            self._print(lines)
        if isinstance(event, TurnFinished):
            self._print(self._steps.answered())
            self._answer.end(event.answer)
            self._print(self._steps.ending(event))

    def finish(self, result: Result) -> None:
        """Print the error of the command, when there is one that was not printed yet."""
        self._answer.flush()
        self._print(self._steps.failure(result))

    def close(self) -> None:
        """Leave nothing unwritten."""
        self._answer.flush()

    def _print(self, lines: list[Line]) -> None:
        """Print *lines*, broken at words where they have a screen."""
        if self._width:
            width = self._width()
            lines = [row for line in lines for row in wrap_line(line, lead(line), width)]
        self._log.print(lines)


class BatchedStream:
    """A stream that is flushed when the event loop next has nothing else to do."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._held: list[str] = []
        self._size = 0
        self._planned: asyncio.Handle | None = None
        self._broken: OSError | None = None

    def write(self, text: str) -> None:
        """
        Write *text* soon; at once where no loop runs.

        Raises: OSError: this write, or one before it, failed.
        """
        self._held.append(text)
        self._size += len(text)
        if self._size > MAX_CHARS or (self._planned is None and not self._plan()):
            self.flush()

    def flush(self) -> None:
        """Write what is held, now; raises what a write raised since the last call."""
        if self._planned:
            self._planned.cancel()
            self._planned = None
        if self._broken:
            raise self._broken
        text = "".join(self._held)
        self._held.clear()
        self._size = 0
        if text:
            self._stream.write(text)
            self._stream.flush()

    def _plan(self) -> bool:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return False
        self._planned = loop.call_soon(self._flush_later)
        return True

    def _flush_later(self) -> None:
        self._planned = None
        try:
            self.flush()
        except OSError as error:
            self._broken = error  # nothing listens here; the next write raises it
