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
from cococat.safety.terminal import safe
from cococat.ui.canvas import Canvas
from cococat.ui.display import Display
from cococat.ui.format import Line
from cococat.ui.input_row import InputRow
from cococat.ui.markdown import render
from cococat.ui.pacing import Pacing
from cococat.ui.plain import Answer, Log
from cococat.ui.region import Region
from cococat.ui.reply import Reply
from cococat.ui.status import Times, live_rows, said_rows
from cococat.ui.steps import Detail, Steps, answer_of, in_full
from cococat.ui.theme import Theme, is_terminal, size_of
from cococat.ui.theme import colour as coloured

__all__ = ["LiveScreen"]

HOLD_CHARS = 600  # a reply that is longer is an answer, whatever follows
HOLD_LINES = 6


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
        self._rendered = is_terminal(out) and coloured(colour, out, env)
        with_steps = is_terminal(err) and coloured(colour, err, env) and not quiet
        stream = err if with_steps else out if self._rendered else None
        self._size = size or (lambda: size_of(stream or err))
        detail = Detail(display.verbose, quiet, with_steps, display.unfold, display.undo)
        self._steps = Steps(detail, self._width, clock)
        self._turn: list[Event] = []  # the one that runs, or the last one
        log = Log(err, coloured=coloured(colour, err, env), env=env)
        self._canvas = Canvas(out, log, Region(stream, self._size) if stream else None, self._width, env)
        self.theme = display.theme
        self._pipe = None if self._rendered else Answer(out, hold=display.hold)
        self._words: list[str] = []  # deltas since the last frame
        self._thoughts: list[str] = []
        self._reply = Reply(self._width, wrap=display.wrap)
        self._answering = False
        self._active = self._begun = False  # a turn runs; it has no step yet
        self._paused = False
        self._printed = False
        self._heard = self._began = clock()
        self._due = 0.0  # when a retry will be sent
        self._pacing = Pacing(clock, self._frame)
        self._input: Callable[[int], InputRow] | None = None

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
        Take in *event*; deltas are only noted here, and drawn a few times a second.

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
            return
        self._heard = self._clock()
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

    def close(self) -> None:
        """Take the live rows away and leave nothing unwritten."""
        self._active = False
        self._input = None
        self._pacing.stop()
        self._canvas.erase()
        if self._pipe:
            self._pipe.flush()

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Leave the terminal to somebody else, a question to the user, say."""
        self._settle()
        self._canvas.end_line()
        self._canvas.erase()
        paused, self._paused = self._paused, True
        try:
            yield
        finally:
            self._paused = paused
            self._heard = self._clock()

    def unfold(self) -> None:
        """Show steps in full from now on, the last turn's once more; or in short again."""
        self.verbose = not self.verbose
        lines = in_full(self._turn, self._width) if self.verbose else []
        if lines:
            answer = "" if self._pipe else answer_of(self._turn)
            with self.suspended():
                self._print([(("the last turn in full:", "dim"),), (), *lines])
                self._canvas.commit([Text(), *self._render(answer), Text()] if answer else [])

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
        self._heard = self._clock()
        before = self._steps.text
        lines = self._steps.feed(event)
        if before and not self._steps.text:  # it was a thought
            self._end_reply()
        if isinstance(event, TurnFinished):
            self._end_turn(event, lines)
            return
        self._print(lines)
        if lines:
            self._draw()
        else:
            self._pacing.wish()

    def _start(self) -> None:
        """A turn begins."""
        self._active, self._printed, self._began = True, False, self._clock()
        self._heard = self._began
        self._turn.clear()
        self._air()

    def _fold_deltas(self) -> None:
        """Take in the deltas of a frame as if they were one."""
        if self._thoughts:
            self._note(ReasoningDelta("".join(self._thoughts)))
            self._thoughts.clear()
        if not self._words:
            return
        raw = "".join(self._words)
        self._words.clear()
        self._note(TextDelta(raw))
        if self._pipe:
            self._pipe.add(raw)
            return
        self._reply.feed(raw)
        long = self._steps.view.step.text_chars > HOLD_CHARS or self._reply.lines > HOLD_LINES
        if not self._answering and (long or not self._display.hold):
            self._begin_answer()

    def _note(self, delta: TextDelta | ReasoningDelta) -> None:
        self._steps.feed(delta)
        self._turn.append(delta)

    def _frame(self) -> None:
        with self._canvas.frame():
            self._settle()
            self._draw()

    def _settle(self) -> None:
        """Print what of the answer is final."""
        self._fold_deltas()
        if self._answering:
            self._canvas.commit(self._reply.final(self._canvas.column))

    def _begin_answer(self) -> None:
        self._answering = self._steps.shown = True
        self._print(self._steps.reasoned())
        if self._printed:
            self._print([()])

    def _end_reply(self) -> None:
        """The reply was a thought: forget its rendering, or end it where it was shown as an answer."""
        if self._answering:
            self._canvas.commit(self._reply.rest())
            self._printed = True
        elif self._pipe:
            self._pipe.rewind()
        self._forget_reply()

    def _forget_reply(self) -> None:
        self._answering = False
        self._reply.forget()

    def _air(self) -> None:
        """A blank line, where there are any."""
        if self._display.air and self._canvas.region:
            self._canvas.print([()])

    def _end_turn(self, event: TurnFinished, lines: list[Line]) -> None:
        """The turn is over: print the answer, whatever part of it is not on the screen."""
        self._active = False
        self._print(lines)
        if self._pipe:
            self._print(self._steps.answered())
            self._canvas.erase()
            self._pipe.end(event.answer)
        else:
            self._end_answer(event.answer)
        self._forget_reply()
        if ending := self._steps.ending(event):
            self._air()
            self._print(ending)
        self._air()
        self._input = None
        self._canvas.erase()

    def _end_answer(self, answer: str) -> None:
        said, wanted = safe(self._steps.text).strip(), safe(answer).strip()
        if said and (said.endswith(wanted) or wanted.endswith(said)):
            if not self._answering:
                self._begin_answer()
            self._canvas.commit(self._reply.rest())
        elif wanted:
            self._print(self._steps.thought())
            self._end_reply()
            if wanted != safe(self._steps.last_thought):
                self._begin_answer()
                self._canvas.commit(self._render(wanted))
        self._print(self._steps.answered())

    def _render(self, answer: str) -> list[Text]:
        return render(answer, self._width(), wrap=self._display.wrap)

    def _print(self, lines: list[Line]) -> None:
        self._printed = self._canvas.print(lines) or self._printed

    def _draw(self) -> None:
        self._pacing.drawn()
        if self._active and not self._paused:
            row = self._input(self._width()) if self._input else None
            self._canvas.draw(self._live(self._clock()), row)

    def _live(self, now: float) -> list[Text]:
        steps, width = self._steps, self._width()
        if self._pipe:
            reply = said_rows(steps.view.step, width) if self._display.hold else []
        else:
            reply = self._reply.live()
            reply = [Text(), *reply] if reply and self._printed and not self._answering else reply
        if steps.quiet:
            return reply
        times = Times(now - self._began, now - self._heard, self._due - now)
        return live_rows(steps, reply, times, self._display.stops, width)

    def _width(self) -> int:
        return max(1, self._size()[0])
