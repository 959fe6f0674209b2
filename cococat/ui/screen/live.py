"""The screen on a terminal: what is finished is printed once, the rest lives in a few rows below it."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TextIO

from rich.text import Text

from cococat.core.events import Event, ReasoningDelta, Retrying, StepStarted, TextDelta, TurnFinished, Working
from cococat.core.result import Result
from cococat.safety.terminal import safe
from cococat.ui.lines.format import Line, plain, retrying, said
from cococat.ui.lines.paint import paint
from cococat.ui.lines.theme import Theme, is_terminal, reflows, size_of
from cococat.ui.lines.theme import colour as coloured
from cococat.ui.lines.wrap import lead, wrap_line, wrap_points
from cococat.ui.screen.canvas import Canvas
from cococat.ui.screen.input_row import InputRow
from cococat.ui.screen.region import Region
from cococat.ui.screen.shown_answer import ShownAnswer
from cococat.ui.steps.plain import AnswerStream, Log
from cococat.ui.steps.plan import live_plan
from cococat.ui.steps.sink import Sides
from cococat.ui.steps.step_rows import INDENT, LABEL, column, thought
from cococat.ui.steps.steps import Display, Steps, answer_of, in_full
from cococat.ui.steps.view import Step, View

THOUGHT_S = 0.2  # seconds between two looks of reasoning, of which every row may change
FRAME_S = 1 / 12  # seconds between two drawings
STALL_S = 60.0  # seconds without data before the screen says so
TAIL_ROWS = 3
STRIDE = 400  # characters by which the beginning of a long text moves on: rows stay the same in between


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
        self._steps = Steps(replace(display, live=with_steps, wrap=self._wraps), self._width, clock)
        self._turn: list[Event] = []  # the one that runs, or the last one
        log = Log(err, coloured=coloured(colour, err, env), env=env)
        region = Region(stream, self._size, reflows=reflows(env)) if stream else None
        self._canvas = Canvas(out, log, region, self._width, env)
        self.theme = display.theme
        self._answer = ShownAnswer(
            self._canvas, self._steps, display, None if rendered else AnswerStream(out, hold=display.hold), self._print
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
        """Reasoning and outputs are shown in full."""
        return self._steps.verbose

    @property
    def theme(self) -> Theme:
        """What becomes of the colours; may be changed at any time."""
        return self._canvas.log.theme

    @theme.setter
    def theme(self, value: Theme) -> None:
        self._canvas.log.theme = value

    def use_terminal(self, *, frames: bool, links: bool) -> None:
        """Note whether the terminal shows what stands between two marks at once (mode 2026), and knows hyperlinks (OSC 8)."""
        self._canvas.frames, self._canvas.links = frames, links

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
        self._steps.verbose = not self.verbose
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
            case Working():
                self._began = self._clock()
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
            self._pacing.drawn()
            if self._active and not self._paused:
                now, row = self._clock(), self._input(self._width()) if self._input else None
                self._canvas.draw(self._live(now), row, now)

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
        rows = [row for line in lines for row in wrap_line(line, lead(line), width)] if self._wraps else lines
        self._answer.printed = self._canvas.print(rows) or self._answer.printed

    def _live(self, now: float) -> list[Text]:
        steps, width = self._steps, self._width()
        if (reply := self._answer.live()) is None:
            reply = said_rows(steps.view.step, width) if self._display.hold else []
        times = Times(now - self._began, now - self._heard, self._due - now)
        return reply if steps.quiet else live_rows(steps, reply, times, self.stops, width)

    def _width(self) -> int:
        return max(1, self._size()[0])


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


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds: since the step began, since something was heard, until a retry is sent."""

    waited: float
    silent: float
    due: float


def live_rows(steps: Steps, reply: Sequence[Text], times: Times, stops: str, width: int) -> list[Text]:
    """Return what may still change: reasoning, the open end of the *reply*, calls, one line of status."""
    step = steps.view.step
    alone = step.thinks and not step.text.strip() and not step.calls
    rows = _last_rows(step.reasoning, step.reasoning_chars, column(width) or LABEL, width) if alone else []
    lines = thought("\n".join(rows), width, "dim") if rows else ()
    words = _status(steps.view, times, stops)
    style = "warning" if steps.view.retrying else "dim"
    below = wrap_line(((f"{' ' * INDENT}{words}", style),), INDENT, width) if words else ()
    foot = [paint(line) for line in (*steps.waiting(), *live_plan(steps.view.steps, width), *below)]
    return [*(paint(line) for line in lines), *reply, *foot]


def said_rows(step: Step, width: int) -> list[Text]:
    """Return the end of a reply that goes to a pipe, as long as it may be a thought."""
    said = _last_rows(step.text, step.text_chars, 0, width) if step.text and not step.calls else []
    return [paint(((row, "dim"),)) for row in said]


def _status(view: View, times: Times, stops: str) -> str:
    """Return the line below the live rows; empty while a reply streams."""
    if view.retrying:
        return plain(retrying(view.retrying, times.due))
    if view.running:
        return stops
    match view.working:
        case Working("notes", messages):
            doing = f"making notes of {messages} older message{'' if messages == 1 else 's'}"
        case Working("call"):
            doing = "writing a call"
        case _ if view.step.text.strip() and not view.step.thinks:
            return f"no data for {times.silent:.0f} s · {stops}" if times.silent >= STALL_S else ""
        case Working("prompt") if not view.step.thinks:
            doing = "reading the prompt"
        case _:
            doing = "thinking"
    return f"{doing} · {times.waited:.0f} s · {stops}"


def _last_rows(text: str, chars: int, indent: int, width: int) -> list[str]:
    """
    Return the last rows of foreign *text*, wrapped at words.

    Args:
        text: the end of what was said.
        chars: of all that was said.
        indent: cells that are taken at the start of each row.
    """
    kept = text[-(chars - len(text)) % STRIDE :] if chars > len(text) else text
    room = max(1, width - indent)
    lines = safe(kept).strip().replace("\t", "    ").split("\n")[-TAIL_ROWS:]
    rows = [line[start:end] for line in lines for start, end in wrap_points(line, 0, room)]
    return rows[-TAIL_ROWS:]
