"""Which lines of a run are printed for good, and when: the same on a terminal and off it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cococat.core.events import (
    ContextCompacted,
    DreamFinished,
    Event,
    Notice,
    ReasoningDelta,
    Retrying,
    StepStarted,
    TextDelta,
    ToolCompleted,
    ToolFailed,
    ToolOutput,
    ToolPending,
    ToolRunning,
    TurnFinished,
)
from cococat.core.limits import Problem
from cococat.core.result import Result
from cococat.ui import format as fmt
from cococat.ui.details import details
from cococat.ui.format import Line
from cococat.ui.hang import hang
from cococat.ui.view import View, fold

__all__ = ["Steps"]

ABOVE = "(the words above)"  # the label of a thought that was too long to wait for its calls
GIST = 160  # characters of a reasoning that stand for it


class Steps:
    """
    Turns events into lines that will never change.

    Args:
        verbose: reasoning and outputs in full.
        quiet: nothing but errors.
        live: a countdown and a running call are shown elsewhere, while they last.
        width: gives the columns of the screen.
    """

    def __init__(self, *, verbose: bool, quiet: bool, live: bool, width: Callable[[], int]) -> None:
        self.verbose = verbose
        self.quiet = quiet
        self.view = View()
        self.shown = False  # the text of this reply is on the screen already
        self.last_thought = ""
        self._live = live
        self._width = width
        self._said: list[str] = []
        self._reasoned: list[str] = []
        self._headed = False
        self._acted = 0
        self._observed = 0
        self._reported = ""

    @property
    def text(self) -> str:
        """The text of this step that was not yet printed as a thought."""
        return "".join(self._said)

    def feed(self, event: Event) -> list[Line]:
        """Take in *event*; return the lines to print now."""
        before = self._before(event)
        self.view = fold(self.view, event)
        return [*before, *self._after(event)]

    def calls(self) -> list[Line]:
        """Return the line of calls that is still to be printed: before a question about one of them, say."""
        step = self.view.step
        fresh = replace(step, calls=step.calls[self._acted :])
        if not fresh.calls:
            return []
        self._acted = len(step.calls)
        return self._heard(fmt.act(fresh, self._width(), first=not self._headed))

    def thought(self) -> list[Line]:
        """Return what was said or reasoned in this step as its thought."""
        text, self._said = self.text, []
        if self.shown:  # as if it were the answer, which it was taken for
            self.shown = False
            lines = self.reasoning()
            return lines + self._heard(fmt.thought(self.view.step, ABOVE, self._width(), "dim", first=not self._headed))
        if not text.strip():
            return self.reasoned()
        lines = self.reasoning()
        self.last_thought = text.strip()
        return lines + self._heard(fmt.thought(self.view.step, text, self._width(), first=not self._headed))

    def reasoned(self) -> list[Line]:
        """Return what stands for the reasoning of this step, once: all of it, or its gist where that is enough."""
        if self.verbose:
            return self.reasoning()
        reasoning = self.view.step.reasoning
        if self._headed or not reasoning.strip():
            return []
        gist = " ".join(reasoning.split())
        gist = gist if len(gist) <= GIST else f"… {gist[-GIST:]}"
        return self._heard(fmt.thought(self.view.step, gist, self._width(), "dim"))

    def answered(self) -> list[Line]:
        """The text of this step was the answer; return its reasoning, unless that stands above it already."""
        self._said.clear()
        self.shown = False
        return self.reasoned()

    def reasoning(self) -> list[Line]:
        """Return the reasoning in full, once."""
        text, self._reasoned = "".join(self._reasoned), []
        if not text.strip():
            return []
        return self._heard(fmt.thought(self.view.step, text, self._width(), "dim"))

    def ending(self, event: TurnFinished) -> list[Line]:
        """Return the lines below the answer: why it is not whole, and what it cost."""
        why = list(fmt.stopped(event.stop))
        self._reported = (event.stop.problem.message if event.stop.problem else event.stop.detail) or str(
            event.stop.reason
        )
        return [*why, fmt.footer(event)] if event.steps and not self.quiet else why

    def failure(self, result: Result) -> list[Line]:
        """Return the lines for the error of the whole command, unless they were printed with its turn."""
        error: Problem | None = result.error
        return list(fmt.problem(error)) if error and error.message != self._reported else []

    def _before(self, event: Event) -> list[Line]:
        match event:
            case TextDelta(text):
                self._said.append(text)
            case ReasoningDelta(text):
                if self.verbose:
                    self._reasoned.append(text)
            case StepStarted():
                lines = self.thought()
                self._headed, self._acted, self._observed = False, 0, 0
                return lines
            case ToolPending():
                return self.thought()
            case ToolRunning() | ToolOutput() | ToolCompleted() | ToolFailed() | TurnFinished():
                return self.calls()
            case _:
                pass
        return []

    def _after(self, event: Event) -> list[Line]:
        match event:
            case ToolCompleted() | ToolFailed():
                return self._observations()
            case Notice():
                return list(fmt.notice(event)) if event.level == "error" else self._unless_quiet(*fmt.notice(event))
            case Retrying() if not self._live:
                return self._unless_quiet(fmt.retrying(event, event.delay_s))
            case ContextCompacted():
                return self._unless_quiet(fmt.compacted(event))
            case DreamFinished():
                return self._unless_quiet(*fmt.receipt(event, diff=bool(event.diff)))
            case _:
                return []

    def _observations(self) -> list[Line]:
        """The results of a batch, once all of them are there."""
        step = self.view.step
        if not step.settled:
            return []
        fresh = replace(step, calls=step.calls[self._observed :])
        self._observed = len(step.calls)
        lines = self._heard(fmt.observe(fresh, self._width(), None if self.verbose else details))
        return lines + self._unless_quiet(*(line for call in fresh.calls for line in fmt.printed(call) if self.verbose))

    def _heard(self, lines: tuple[Line, ...]) -> list[Line]:
        self._headed = True
        if self._live:  # in a pipe a line stays a line
            column, width = fmt.column(self.view.step, self._width()), self._width()
            lines = tuple(row for line in lines for row in hang(line, column, width))
        return self._unless_quiet(*lines)

    def _unless_quiet(self, *lines: Line) -> list[Line]:
        return [] if self.quiet else list(lines)
