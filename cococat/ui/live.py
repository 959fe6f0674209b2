"""The screen on a terminal: what is finished is printed once, the rest lives in a few rows below it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TextIO

from rich.text import Text

from cococat.core.events import Event, ReasoningDelta, Retrying, StepStarted, TextDelta, TurnFinished
from cococat.core.result import Result
from cococat.ui.canvas import Canvas
from cococat.ui.display import Display
from cococat.ui.format import Line, said
from cococat.ui.hang import hang, lead
from cococat.ui.input_row import InputRow
from cococat.ui.pacing import Pacing
from cococat.ui.plain import Answer, Log
from cococat.ui.region import Region
from cococat.ui.shown_answer import ShownAnswer
from cococat.ui.sink import Sides
from cococat.ui.status import Times, live_rows, said_rows
from cococat.ui.steps import Detail, Steps, answer_of, in_full
from cococat.ui.theme import Theme, is_terminal, reflows, size_of
from cococat.ui.theme import colour as coloured

__all__ = ["LiveScreen"]

THOUGHT_S = 0.2  # seconds between two looks of reasoning, of which every row may change


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
        self._clock, self._display = clock, display
        colour, quiet = display.colour, display.quiet
        rendered = is_terminal(out) and coloured(colour, out, env)
        with_steps = is_terminal(err) and coloured(colour, err, env) and not quiet
        stream = err if with_steps else out if rendered else None
        self._size = size or (lambda: size_of(stream or err))
        self._wraps = with_steps and display.wrap
        detail = Detail(display.verbose, quiet, with_steps, display.unfold, display.undo, self._wraps)
        self._steps = Steps(detail, self._width, clock)
        self._turn: list[Event] = []  # the one that runs, or the last one
        log = Log(err, coloured=coloured(colour, err, env), env=env)
        region = Region(stream, self._size, reflows=reflows(env)) if stream else None
        self._canvas = Canvas(out, log, region, self._width, env)
        self.theme = display.theme
        self._answer = ShownAnswer(
            self._canvas, self._steps, display, None if rendered else Answer(out, hold=display.hold), self._print
        )
        self._words: list[str] = []  # deltas since the last frame
        self._thoughts: list[str] = []
        self._active = self._begun = False  # a turn runs; it has no step yet
        self._paused = False
        self._heard = self._began = self._thought = clock()
        self._due = 0.0  # when a retry will be sent
        self._pacing = Pacing(clock, self._frame)
        self._input: Callable[[int], InputRow] | None = None
        self.stops = f"{display.stops} stops"  # what the keys do while it runs; may be changed at any time

    @property
    def verbose(self) -> bool:
        """Reasoning and outputs are shown in full; may be changed at any time."""
        return self._steps.verbose

    @verbose.setter
    def verbose(self, value: bool) -> None:
        self._steps.verbose = value

    @property
    def theme(self) -> Theme:
        """What becomes of the colours; may be changed at any time."""
        return self._canvas.theme

    @theme.setter
    def theme(self, value: Theme) -> None:
        self._canvas.theme = value

    def show_frames(self, *, can: bool) -> None:
        """Note whether the terminal shows what stands between two marks at once (mode 2026)."""
        self._canvas.frames = can

    def emit(self, event: Event) -> None:
        """
        Take in *event*; while a turn runs it is only noted here, and drawn a few times a second.

        Raises: OSError: a stream is gone.
        """
        self._pacing.check()
        if isinstance(event, TextDelta):
            self._words.append(event.text)
        elif isinstance(event, ReasoningDelta):
            self._thoughts.append(event.text)
        else:
            with self._canvas.frame():
                self._take(event)
        self._heard = self._clock()
        if self._active:
            self._pacing.wish()

    def begin(self, input_row: Callable[[int], InputRow] | None = None) -> None:
        """
        Show that a turn begins, before its first event.

        Args:
            input_row: gives the rows at the foot of the screen, for so many columns; they may hold the cursor.
        """
        self._input = input_row
        self._start()
        self._begun = True
        self._frame()

    def redraw(self) -> None:
        """Draw soon: what `begin` was given shows something else."""
        self._pacing.wish()

    def tick(self) -> None:
        """Keep seconds and countdowns going; call it about ten times a second."""
        if self._active and self._pacing.is_due():
            self._frame()

    def finish(self, result: Result) -> None:
        """Print the error of the command, when there is one that was not printed yet."""
        self._settle()
        self._print(self._steps.failure(result))
        self._canvas.flush()

    def close(self) -> None:
        """Take the live rows away and leave nothing unwritten."""
        self._active = False
        self._input = None
        self._pacing.stop()
        self._canvas.flush()
        self._canvas.leave()
        self._answer.flush()

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Leave the terminal to somebody else, a question to the user, say."""
        self._settle()
        self._canvas.end_line()
        self._canvas.leave()
        paused, self._paused = self._paused, True
        try:
            yield
        finally:
            self._paused = paused
            self._canvas.blank = False
            self._heard = self._clock()

    @contextmanager
    def apart(self, sides: Sides = "both", /) -> Iterator[None]:
        """The same, with a blank line above what is written meanwhile, or on both *sides*."""
        self._settle()
        self._air()
        try:
            with self.suspended():
                yield
        finally:
            if sides == "both":
                self._air()
                self._canvas.flush()

    def say(self, text: str, mark: str = "") -> None:
        """Print lines of ours between or above what the run prints, with a prompt's *mark* what a user has entered."""
        with self._canvas.frame():
            self._settle()
            self._print(said(text, mark))
            self._canvas.flush()

    def unfold(self) -> None:
        """Show steps in full from now on, the last turn's once more; or in short again."""
        self.verbose = not self.verbose
        lines = in_full(self._turn, self._width, wrap=self._wraps) if self.verbose else []
        if lines:
            with self.suspended():
                self._print([(("the last turn in full:", "dim"),), (), *lines])
                self._answer.again(answer_of(self._turn))
                self._canvas.flush()

    def _take(self, event: Event) -> None:
        """Anything but a delta: what was said before comes first."""
        self._fold_deltas()
        match event:
            case StepStarted(number):
                if number == 1 and not self._begun:
                    self._start()
                self._begun, self._began = False, self._clock()
            case Retrying():
                self._due = self._clock() + event.delay_s
            case _:
                pass
        self._turn.append(event)
        before = self._steps.text
        lines = self._steps.feed(event)
        if before and not self._steps.text:  # it was a thought
            self._answer.was_thought()
        if isinstance(event, TurnFinished):
            self._end_turn(event, lines)
            return
        self._print(lines)
        if not self._active:  # nothing draws it later
            self._canvas.flush()

    def _start(self) -> None:
        """A turn begins."""
        self._active, self._began = True, self._clock()
        self._heard = self._began
        self._answer.begin()
        self._turn.clear()
        self._canvas.blank = False  # the prompt is above
        self._air()

    def _fold_deltas(self, *, thoughts: bool = True) -> None:
        """Take in the deltas of a frame as if they were one; *thoughts* may wait for a later frame."""
        if self._thoughts and (thoughts or self._words):
            self._thought = self._clock()
            self._note(ReasoningDelta("".join(self._thoughts)))
            self._thoughts.clear()
        if raw := "".join(self._words):
            self._words.clear()
            self._note(TextDelta(raw))
            self._answer.feed(raw)

    def _note(self, delta: TextDelta | ReasoningDelta) -> None:
        self._steps.feed(delta)
        self._turn.append(delta)

    def _frame(self) -> None:
        with self._canvas.frame():
            self._settle(thoughts=self._clock() - self._thought >= THOUGHT_S)
            self._draw()

    def _settle(self, *, thoughts: bool = True) -> None:
        """Print what is final."""
        self._fold_deltas(thoughts=thoughts)
        self._canvas.flush()
        self._answer.settle()

    def _air(self) -> None:
        """A blank line, where there are any and none is."""
        if self._display.air and self._canvas.region and not self._canvas.blank:
            self._canvas.print([()])

    def _end_turn(self, event: TurnFinished, lines: list[Line]) -> None:
        """The turn is over: print the answer, whatever part of it is not on the screen."""
        self._active = False
        self._print(lines)
        self._answer.end(event.answer)
        if ending := self._steps.ending(event):
            self._air()
            self._print(ending)
        self._air()
        self._input = None
        self._pacing.stop()
        self._canvas.flush()
        self._canvas.leave()

    def _print(self, lines: list[Line]) -> None:
        width = self._width()
        rows = [row for line in lines for row in hang(line, lead(line), width)] if self._wraps else lines
        self._answer.printed = self._canvas.print(rows) or self._answer.printed

    def _draw(self) -> None:
        self._pacing.drawn()
        if self._active and not self._paused:
            now, row = self._clock(), self._input(self._width()) if self._input else None
            self._canvas.draw(self._live(now), row, now)

    def _live(self, now: float) -> list[Text]:
        steps, width = self._steps, self._width()
        if (reply := self._answer.live()) is None:
            reply = said_rows(steps.view.step, width) if self._display.hold else []
        times = Times(now - self._began, now - self._heard, self._due - now)
        return reply if steps.quiet else live_rows(steps, reply, times, self.stops, width)

    def _width(self) -> int:
        return max(1, self._size()[0])
