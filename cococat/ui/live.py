"""The screen on a terminal: what is finished is printed once, the rest lives in a few rows below it."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO

from rich.text import Text

from cococat.core.events import Event, ReasoningDelta, Retrying, StepStarted, TextDelta, ToolRunning, TurnFinished
from cococat.core.result import Result
from cococat.safety.terminal import SafeStream, safe
from cococat.ui import format as fmt
from cococat.ui.format import Line
from cococat.ui.inline import join
from cococat.ui.markdown import Markdown, render
from cococat.ui.paint import paint
from cococat.ui.plain import Answer, Log
from cococat.ui.region import Region, rows_of
from cococat.ui.steps import Steps
from cococat.ui.theme import Flag, ansi, is_terminal, size_of
from cococat.ui.theme import colour as coloured

__all__ = ["Display", "LiveScreen"]

FRAME_S = 1 / 12  # seconds between two drawings
STALL_S = 10.0  # seconds without data before the screen says so
HOLD_CHARS = 600  # a reply that is longer is an answer, whatever follows
HOLD_LINES = 6
LONG_LINE = 4000  # characters of one line that may wait in the live rows
REASONING_ROWS = 3
CELLS = 2  # columns that one character may take


@dataclass(frozen=True, slots=True)
class Display:
    """
    How a run is shown.

    Args:
        verbose: reasoning and outputs in full.
        quiet: the answer and errors alone.
        colour: for each stream, see `theme.colour`; a stream without colours gets no escape at all.
        hold: tools are offered, so the start of a reply may be a thought and waits in the live rows.
        stops: the keys that stop the turn, in words.
    """

    verbose: bool = False
    quiet: bool = False
    colour: Flag = "auto"
    hold: bool = True
    stops: str = "Ctrl-C"


class LiveScreen:
    """
    Shows a run on a terminal: steps on *err*, the answer on *out*, append-only.

    Args:
        clock: monotonic seconds.
        size: gives columns and rows of the screen; None asks the terminal.
    """

    redraws = True

    def __init__(
        self,
        out: TextIO,
        err: TextIO,
        display: Display,
        *,
        clock: Callable[[], float] = time.monotonic,
        env: Mapping[str, str] = os.environ,
        size: Callable[[], tuple[int, int]] | None = None,
    ) -> None:
        self._out, self._clock, self._hold, self._stops = out, clock, display.hold, display.stops
        colour, quiet = display.colour, display.quiet
        self._rendered = is_terminal(out) and coloured(colour, out, env)
        with_steps = is_terminal(err) and coloured(colour, err, env) and not quiet
        stream = err if with_steps else out if self._rendered else None
        self._size = size or (lambda: size_of(stream or err))
        self._region = Region(stream, self._size) if stream else None
        self._steps = Steps(verbose=display.verbose, quiet=quiet, live=with_steps, width=self._width)
        self._log = Log(err, coloured=coloured(colour, err, env))
        self._pipe = None if self._rendered else Answer(out, hold=display.hold)
        self._words: list[str] = []  # deltas since the last frame
        self._thoughts: list[str] = []
        self._safe = SafeStream()
        self._markdown = Markdown(self._width)
        self._ready: list[Text] = []  # finished lines of a reply that may still be a thought
        self._column = 0  # where an unfinished line of the answer ends
        self._answering = False
        self._active = False
        self._paused = False
        self._printed = False
        self._drawn = self._heard = self._began = clock()
        self._due = 0.0  # when a retry will be sent
        self._ran: dict[str, float] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._broken: OSError | None = None

    @property
    def verbose(self) -> bool:
        """Reasoning and outputs are shown in full; may be changed at any time."""
        return self._steps.verbose

    @verbose.setter
    def verbose(self, value: bool) -> None:
        self._steps.verbose = value

    def emit(self, event: Event) -> None:
        """
        Take in *event*; deltas are only noted here, and drawn a few times a second.

        Raises: OSError: a stream is gone.
        """
        if self._broken:
            raise self._broken
        if isinstance(event, TextDelta):
            self._words.append(event.text)
        elif isinstance(event, ReasoningDelta):
            self._thoughts.append(event.text)
        else:
            self._take(event)
            return
        now = self._heard = self._clock()
        if now - self._drawn >= FRAME_S:
            self._frame(now)
        elif self._timer is None:
            self._later()

    def tick(self) -> None:
        """Keep seconds and countdowns going; call it about ten times a second."""
        if self._active:
            self._settle()
            self._draw(self._clock())

    def finish(self, result: Result) -> None:
        """Print the error of the command, when there is one that was not printed yet."""
        self._settle()
        self._print(self._steps.failure(result))

    def close(self) -> None:
        """Take the live rows away and leave nothing unwritten."""
        self._active = False
        if self._timer:
            self._timer.cancel()
            self._timer = None
        self._erase()
        if self._pipe:
            self._pipe.flush()

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Leave the terminal to somebody else, a question to the user, say."""
        self._settle()
        self._print(self._steps.calls())
        self._erase()
        paused, self._paused = self._paused, True
        try:
            yield
        finally:
            self._paused = paused
            self._heard = self._clock()

    def _take(self, event: Event) -> None:
        """Anything but a delta: what was said before comes first."""
        self._fold_deltas()
        match event:
            case StepStarted(number):
                self._active, self._began = True, self._clock()
                self._printed = self._printed and number > 1
            case ToolRunning():
                self._ran[event.call_id] = self._clock()
            case Retrying():
                self._due = self._clock() + event.delay_s
            case _:
                pass
        self._heard = self._clock()
        before = self._steps.text
        lines = self._steps.feed(event)
        if before and not self._steps.text:  # it was a thought
            self._end_reply()
        if isinstance(event, TurnFinished):
            self._end_turn(event, lines)
            return
        self._print(lines)
        if lines or self._heard - self._drawn >= FRAME_S:
            self._drawn = self._heard
            self._draw(self._heard)
        elif self._timer is None:
            self._later()

    def _fold_deltas(self) -> None:
        """Take in the deltas of a frame as if they were one."""
        if self._thoughts:
            self._steps.feed(ReasoningDelta("".join(self._thoughts)))
            self._thoughts.clear()
        if not self._words:
            return
        raw = "".join(self._words)
        self._words.clear()
        self._steps.feed(TextDelta(raw))
        if self._pipe:
            self._pipe.add(raw)
            return
        self._ready += self._markdown.feed(self._safe.feed(raw))
        long = self._steps.view.step.text_chars > HOLD_CHARS or len(self._ready) > HOLD_LINES
        if not self._answering and (long or not self._hold):
            self._begin_answer()

    def _frame(self, now: float) -> None:
        self._drawn = now
        self._settle()
        self._draw(now)

    def _settle(self) -> None:
        """Print what of the answer is final."""
        self._fold_deltas()
        if not self._answering:
            return
        final = len(self._ready)
        while final and not self._ready[final - 1].end:
            final -= 1
        done, self._ready = self._ready[:final], self._ready[final:]
        if sum(len(piece.plain) for piece in self._ready) > LONG_LINE and self._width() > CELLS:
            done += self._part_of_line()
        self._commit(done)

    def _part_of_line(self) -> list[Text]:
        """Return what can be printed of a line that is too long to wait for its end."""
        line = Text(end="")
        for piece in self._ready:
            join(line, piece)
        self._ready = []
        if (self._column + line.cell_len) % self._width():
            return [line]
        # behind a full row the cursor stands between two rows, a place that cannot be found again
        head, last = line.divide([len(line.plain) - 1])
        head.end = last.end = ""
        self._ready = [last]
        return [head]

    def _begin_answer(self) -> None:
        self._answering = self._steps.shown = True
        self._print(self._steps.reasoned())
        if self._printed:
            self._print([()])

    def _end_reply(self) -> None:
        """The reply was a thought: forget its rendering, or end it where it was shown as an answer."""
        if self._answering:
            self._commit([*self._ready, *self._rest()])
            self._printed = True
        elif self._pipe:
            self._pipe.rewind()
        self._forget_reply()

    def _forget_reply(self) -> None:
        self._ready = []
        self._answering = False
        self._markdown, self._safe = Markdown(self._width), SafeStream()

    def _rest(self) -> list[Text]:
        return [*self._markdown.feed(self._safe.flush()), *self._markdown.close()]

    def _end_turn(self, event: TurnFinished, lines: list[Line]) -> None:
        """The turn is over: print the answer, whatever part of it is not on the screen."""
        self._active = False
        self._print(lines)
        if self._pipe:
            self._print(self._steps.answered())
            self._erase()
            self._pipe.end(event.answer)
        else:
            self._end_answer(event.answer)
        self._print(self._steps.ending(event))
        self._forget_reply()
        self._ran.clear()
        self._erase()

    def _end_answer(self, answer: str) -> None:
        said, wanted = safe(self._steps.text).strip(), safe(answer).strip()
        if said and (said.endswith(wanted) or wanted.endswith(said)):
            if not self._answering:
                self._begin_answer()
            self._commit([*self._ready, *self._rest()])
        elif wanted:
            self._print(self._steps.thought())
            self._end_reply()
            if wanted != safe(self._steps.last_thought):
                self._begin_answer()
                self._commit(render(wanted, self._width()))
        self._print(self._steps.answered())

    def _print(self, lines: list[Line]) -> None:
        if not lines:
            return
        self._erase()
        if self._column:
            self._commit([Text(end="\n")])
        self._log.print(lines)
        self._printed = True

    def _commit(self, texts: list[Text]) -> None:
        """Print lines of the answer for good; the terminal wraps them."""
        if not texts:
            return
        self._erase()
        self._out.write("".join(ansi(text) + text.end for text in texts))
        self._out.flush()
        for text in texts:
            self._column = 0 if text.end else self._column + text.cell_len
        if self._region:
            self._region.begin_at(self._column % self._width())

    def _erase(self) -> None:
        if self._region:
            self._region.erase()

    def _draw(self, now: float) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if self._region and self._active and not self._paused:
            self._region.draw([ansi(row) for text in self._live(now) for row in rows_of(text, self._width())])

    def _live(self, now: float) -> list[Text]:
        """What may still change: reasoning, the open end of the reply, running calls, one line of status."""
        step = self._steps.view.step
        texts: list[Text] = []
        if step.reasoning and not step.text and not step.calls and not self._steps.quiet:
            tail = safe(step.reasoning).strip().split("\n")[-REASONING_ROWS:]
            text = "\n".join(line[-3 * self._width() :] for line in tail)
            texts += [paint(line) for line in fmt.thought(step, text, self._width(), "dim")]
        if not self._pipe:
            texts += [*self._ready, *self._markdown.tail()]
        elif self._hold and step.text and not step.calls:
            tail = safe(step.text).strip().split("\n")[-REASONING_ROWS:]
            texts += [paint(((line[-3 * self._width() :], "dim"),)) for line in tail]
        if self._steps.quiet:
            return texts
        running = self._steps.view.running
        texts += [paint(fmt.running(call, now - self._ran.get(call.id, now))) for call in running]
        status = self._status(now)
        return [*texts, paint(((status, "dim"),))] if status else texts

    def _status(self, now: float) -> str:
        view = self._steps.view
        silent = now - self._heard
        if view.retrying:
            return fmt.plain(fmt.retrying(view.retrying, self._due - now))
        if view.running:
            return f"{self._stops} stops"
        if silent >= STALL_S:
            return f"no data for {silent:.0f} s · {self._stops} stops"
        if view.step.text:
            return ""
        return f"thinking… {now - self._began:.0f} s · {self._stops} stops"

    def _width(self) -> int:
        return max(1, self._size()[0])

    def _later(self) -> None:
        """Draw soon, when a loop runs; elsewhere the next event or tick draws."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        self._timer = loop.call_later(FRAME_S, self._on_time)

    def _on_time(self) -> None:
        self._timer = None
        try:
            self._frame(self._clock())
        except OSError as error:
            self._broken = error  # nobody listens here; the next event raises it
