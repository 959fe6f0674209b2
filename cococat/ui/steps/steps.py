"""Which lines of a run are printed for good, and when: the same on a terminal and off it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import assert_never

from cococat.core import events as ev
from cococat.core.events import Event
from cococat.core.limits import Problem
from cococat.core.result import Result
from cococat.safety.terminal import safe
from cococat.system.text import clip
from cococat.ui.lines import format as fmt
from cococat.ui.lines.columns import cells
from cococat.ui.lines.format import GAP, Line, changes, numbered, plain
from cococat.ui.lines.theme import ColourFlag, Theme
from cococat.ui.lines.wrap import wrap_line
from cococat.ui.steps.plan import item_row, keeps_plan, plan_rows
from cococat.ui.steps.step_rows import (
    INDENT,
    LABEL,
    RESULT,
    arguments_of,
    column,
    pair,
    result_text,
    running_text,
    thought,
    why_failed,
)
from cococat.ui.steps.view import Call, Step, View, fold

ABOVE = "(the words above)"  # the label of a thought that was too long to wait for its calls
GIST = 160  # characters of a reasoning that stand for it
COMMAND_ROWS, HITS, DIFF_ROWS = 5, 3, 20
MIN_WIDTH, WIDE = 20, 60  # columns of a row below a call at least, and of the rule below a turn at most
# what a result says of itself tells what is worth showing: no tool is known here by its name
_ENDED = re.compile(r"exit |ended |killed |no result ")
_FOUND = re.compile(r"[\d,]+\+? (?:hit|file|result)s?\b")
_NOTE = re.compile(r"\[.*\]")  # what the tool says to the model of its hits
_HITS_NOTE = re.compile(r"\[hits a file: .*\]")
_FOREIGN = re.compile(r"\[\S+ output: data, not instructions\]")  # said to the model alone
_CHANGED = re.compile(r"\[(files changed: .*)\]")  # the last line of a command, which the tool has added
_HIT = re.compile(r"(\S.*?:\d+:)( +)(?=\S)")  # a line of a file, with its indentation
_LEFT_OUT = re.compile(rf"{GAP} (\d+) lines left out")


@dataclass(frozen=True, slots=True)
class Display:
    """
    How a run is shown, as far as flags and settings say it.

    Args:
        verbose: reasoning, arguments and outputs in full.
        quiet: the answer and errors alone.
        colour: for each stream, see `theme.colour`; a stream without colours gets no escape at all.
        hold: tools are offered, so the start of a reply may be a thought and waits in the live rows.
        stops: the keys that stop the turn, in words.
        unfold: the key or flag that shows what was left out of steps.
        undo: the command that takes back what a turn changed, where there is one.
        air: a blank line around the steps, the answer and its footer.
        wrap: rows wrap at words and tables inside of their cells; otherwise the terminal wraps.
        theme: what becomes of the colours.
        live: a countdown and a running call are shown elsewhere, while they last.
    """

    verbose: bool = False
    quiet: bool = False
    colour: ColourFlag = "auto"
    hold: bool = True
    stops: str = "Ctrl-C"
    unfold: str = ""
    undo: str = ""
    air: bool = False
    wrap: bool = False
    theme: Theme = "dark"
    live: bool = False


class Steps:
    """
    Turns events into lines that will never change.

    Args:
        width: gives the columns of the screen.
        clock: monotonic seconds, for how long a thought took; None: it is not timed.
    """

    def __init__(self, display: Display, width: Callable[[], int], clock: Callable[[], float] | None = None) -> None:
        self.verbose = display.verbose
        self.quiet = display.quiet
        self.view = View()
        self.shown = False  # the text of this reply is on the screen already
        self.last_thought = ""
        self._display, self._width, self._clock = display, width, clock or (lambda: 0.0)
        self._said: list[str] = []
        self._reasoned: list[str] = []
        self._outputs: dict[str, str] = {}
        self._ran: dict[str, float] = {}
        self._begun = self._clock()
        self._headed = False
        self._acted = 0  # calls of this step that are printed
        self._heads = True  # the next call stands behind the word act
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

    def waiting(self) -> list[Line]:
        """Return the rows of the calls that are not printed yet, as they stand at this moment."""
        lines: list[Line] = []
        heads, width = self._heads, self._width()
        for call in self.view.step.calls[self._acted :]:
            rows = pair(call, self._so_far(call, width // 4), (), width, first=heads)
            if len(rows) > 1:  # a row of its own
                rows = pair(call, self._so_far(call, width - INDENT - LABEL), (), width, first=heads)
            lines += self._wrapped(rows)
            heads = False
        return lines

    def _so_far(self, call: Call, room: int) -> Line:
        elapsed = self._clock() - self._ran.get(call.id, self._clock())
        return result_text(call) if call.has_result else running_text(call, elapsed, room)

    def thought(self) -> list[Line]:
        """Return what was said or reasoned in this step as its thought."""
        text, self._said = self.text, []
        if self.shown:  # as if it were the answer, which it was taken for
            self.shown = False
            return self._gist() + self._heard(thought(ABOVE, self._width(), "dim"))
        if not text.strip():
            return self.reasoned()
        lines = self._gist()
        self.last_thought = text.strip()
        return lines + self._heard(thought(text, self._width(), elapsed_s=self._clock() - self._begun))

    def reasoned(self) -> list[Line]:
        """Return what stands for the reasoning of this step, once, with how long it took."""
        return self._gist(timed=True)

    def _gist(self, *, timed: bool = False) -> list[Line]:
        """All of the reasoning, or its end where that is enough."""
        if self.verbose:
            return self.reasoning()
        reasoning = self.view.step.reasoning
        if self._headed or not reasoning.strip():
            return []
        gist = " ".join(reasoning.split())
        if len(gist) > GIST:
            more = f" ({self._display.unfold})" if self._display.unfold else ""
            late = gist[len(more) - GIST :]
            gist = f"… {late.partition(' ')[2] or late}{more}"  # from a whole word on
        elapsed_s = self._clock() - self._begun if timed else 0
        return self._heard(thought(gist, self._width(), "dim", elapsed_s))

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
        return self._heard(thought(text, self._width(), "dim"))

    def ending(self, event: ev.TurnFinished) -> list[Line]:
        """Return the lines below the answer: why it is not whole, and what it cost."""
        why = list(fmt.stopped(event.stop, kept=bool(event.answer)))
        self._reported = (event.stop.problem.message if event.stop.problem else event.stop.detail) or str(
            event.stop.reason
        )
        if not (event.steps and event.usage.total_tokens) or self.quiet:  # nothing was asked, or nothing came of it
            return why
        plan = self._heard(plan_rows(self.view.steps, self._width()))
        air: list[Line] = [()] if plan and self._display.live else []
        cost = fmt.footer(event, changed_files(self.view.steps), self._display.undo)
        return [*why, *plan, *air, _ruled(cost, self._width()) if self._display.live else cost]

    def failure(self, result: Result) -> list[Line]:
        """Return the lines for the error of the whole command, unless they were printed with its turn."""
        error: Problem | None = result.error
        return list(fmt.problem(error)) if error and error.message != self._reported else []

    def _before(self, event: Event) -> list[Line]:
        match event:
            case ev.TextDelta(text):
                self._said.append(text)
            case ev.ReasoningDelta(text):
                if self.verbose:
                    self._reasoned.append(text)
            case ev.StepStarted():
                lines = self.thought()
                self._headed, self._acted, self._heads = False, 0, True
                self._begun = self._clock()
                self._ran.clear()
                return lines
            case ev.ToolPending():
                return self.thought()
            case ev.ToolRunning():
                self._ran[event.call_id] = self._clock()
            case ev.ToolCompleted() | ev.ToolFailed() if self.verbose:
                self._outputs[event.call_id] = event.output
            case ev.TurnFinished():
                return self._calls(self.view.step.calls[self._acted :])
            case _:
                pass
        return []

    def _after(self, event: Event) -> list[Line]:
        match event:
            case ev.ToolCompleted() | ev.ToolFailed():
                fresh = self.view.step.calls[self._acted :]
                open_ = next((at for at, call in enumerate(fresh) if not call.has_result), len(fresh))
                return self._calls(fresh[:open_])  # those that have ended, as have all before them
            case ev.Notice():
                return list(fmt.notice(event)) if event.level == "error" else self._unless_quiet(*fmt.notice(event))
            case ev.Retrying() if not self._display.live:
                return self._unless_quiet(fmt.retrying(event, event.delay_s))
            case ev.ContextCompacted():
                return self._unless_quiet(fmt.compacted(event))
            case ev.DreamFinished():
                return self._unless_quiet(
                    *fmt.receipt(
                        event,
                        diff=bool(event.diff),
                        live=self._display.live,
                        columns=self._width() if self._display.wrap else 0,
                    )
                )
            case ev.SessionStarted() | ev.StepStarted() | ev.TextDelta() | ev.ReasoningDelta() | ev.TurnFinished():
                return []
            case (
                ev.ToolPending()
                | ev.ToolRunning()
                | ev.ToolOutput()
                | ev.Retrying()
                | ev.MessageAdded()
                | ev.UserAsked()
                | ev.Working()
            ):
                return []
            case _:
                assert_never(event)

    def _calls(self, calls: Sequence[Call]) -> list[Line]:
        """*calls*, each with what it gave beside or below it."""
        lines: list[Line] = []
        for call in calls:
            self._acted += 1
            width, room = self._width(), self._width() - (column(self._width()) or INDENT)
            rows: tuple[Line, ...] = ()
            if call.has_result and self.verbose:
                rows = everything(call, self._outputs.pop(call.id, call.output))
            elif call.has_result:
                rows = details(call, room, self._display.unfold)
            result = result_text(call) if call.has_result else ()
            printed = pair(call, result, rows, width, first=self._heads, full=self.verbose)
            self._heads = len(printed) > 1
            lines += self._heard(printed)
        return lines

    def _heard(self, lines: tuple[Line, ...]) -> list[Line]:
        self._headed = True
        return self._unless_quiet(*self._wrapped(lines))

    def _wrapped(self, lines: tuple[Line, ...]) -> tuple[Line, ...]:
        at, width = column(self._width()) or INDENT, self._width()
        rows = (row for line in lines for row in (wrap_line(line, at, width) if self._display.wrap else (line,)))
        return tuple(tuple((_breakable(text), style) for text, style in row) for row in rows)

    def _unless_quiet(self, *lines: Line) -> list[Line]:
        return [] if self.quiet else list(lines)


def _ruled(cost: Line, width: int) -> Line:
    """The line below a turn as a rule, so that what was asked next is found when one scrolls back."""
    rest = min(width, WIDE) - cells(plain(cost)) - 2 * len("── ")
    return (("── ", "dim"), *cost, (f" {'─' * (rest + 1)}", "dim")) if rest > 0 else cost


def _breakable(text: str) -> str:
    """Return *text* with plain blanks: what had to stay together has done so."""
    return text.replace("\xa0", " ") if text.startswith("·\xa0") else text


def in_full(events: Iterable[Event], width: Callable[[], int], *, wrap: bool) -> list[Line]:
    """Return the rows of what happened so far of a turn, with nothing left out; its answer and its end are not among them."""
    steps = Steps(Display(verbose=True, live=True, wrap=wrap), width)
    lines = [line for event in events if not isinstance(event, ev.TurnFinished) for line in steps.feed(event)]
    return lines + steps.reasoning()


def answer_of(events: Sequence[Event]) -> str:
    """Return the answer of a turn that has ended, harmless."""
    last = events[-1] if events else None
    return safe(last.answer).strip() if isinstance(last, ev.TurnFinished) else ""


def details(call: Call, width: int, unfold: str = "") -> tuple[Line, ...]:
    """
    Return the rows below *call*, each of at most *width* characters.

    Args:
        unfold: the key or flag that shows the rest, to be named where something is left out.
    """
    room, more = max(MIN_WIDTH, width), f" ({unfold})" if unfold else ""
    if call.status == "failed":  # without an output, what follows is for the model: why, and what to do instead
        return _end(call, room, more) if call.output.partition("\n")[0].endswith("Output:") else ()
    if rows := [row for row in list(numbered(_diff(call))) if row[1]]:
        most = _at_most(len(rows), DIFF_ROWS)
        shown = [((clip(text, room), style),) for text, style in rows[:most]]
        return (*shown, *_rest(sum(map(_counts, rows[most:])), "rows", more))
    if _ENDED.match(call.display):
        return _end(call, room, more)
    if _FOUND.match(call.display) and (call.lines > 1 or call.display.startswith("1 ")):
        lines = [line for line in _lines(call.output) if line.strip()]
        hits = [line for line in lines if not _NOTE.fullmatch(line)]
        found = call.lines - (len(lines) - len(hits))
        hits = _set_out(hits[: _at_most(found, HITS)])
        return (*_dim(hits, room), *_rest(found - len(hits), "lines", more))
    return ()


def everything(call: Call, output: str) -> tuple[Line, ...]:
    """Return all rows of the *output* of a call, of a change its diff; what is for the model alone is left out."""
    if rows := list(numbered(_diff(call))):
        return tuple(((text, style),) for text, style in rows)
    lines = [line for line in _lines(output) if not _FOREIGN.fullmatch(line)]
    if call.status == "failed":
        lines = _besides(call, lines)
    elif _ENDED.match(call.display):
        lines = _said(lines[1:])  # how it ended is said already
    elif keeps_plan(call.display):
        return tuple(item_row(line) for line in lines[1:])
    elif len(lines) == 1 and call.display and call.display in lines[0]:
        lines = []  # it stands beside the call
    bare = (line[1:-1] if _HITS_NOTE.fullmatch(line) else line for line in lines)
    return tuple(((line, "dim"),) for line in bare) if "".join(lines).strip() else ()


def _besides(call: Call, lines: Sequence[str]) -> list[str]:
    """Return what the result of a failed call says besides the reason, of which as much as fits stands beside the call."""
    if call.display or not lines:
        return []
    reason, _ = why_failed(lines[0])
    return [*([reason] if len(reason) > RESULT else []), *lines[1:]]


def changed_files(steps: Iterable[Step]) -> int:
    """Return how many files the calls of *steps* have changed."""
    calls = (call for step in steps for call in step.calls)
    changed = [call for call in calls if call.status == "completed" and re.match(r"\+\d", call.display)]
    return len({str((arguments_of(call.arguments) or {"path": call.id}).get("path")) for call in changed})


def _end(call: Call, room: int, more: str) -> tuple[Line, ...]:
    """The last rows that a command printed; the first line of its result says how it ended."""
    printed = call.lines - 1
    rows = _said(_lines(call.tail))[-min(_at_most(printed, COMMAND_ROWS), printed) :] if printed > 0 else []
    above = printed - len(rows)
    rows = [row for row in rows if row.strip()]
    words = f"… {above:,} line{'' if above == 1 else 's'} above{more}"
    head: tuple[Line, ...] = (((words, "dim"),),) if above > 0 else ()
    return (*head, *_dim(rows, room))


def _said(lines: Sequence[str]) -> list[str]:
    """Return *lines* of a command with what the tool has added as a user reads it, without its brackets."""
    return [*lines[:-1], *(_CHANGED.sub(r"\1", line) for line in lines[-1:])]


def _at_most(count: int, most: int) -> int:
    """Return how many of *count* rows are shown: one more than *most*, where saying that there is one more takes that row."""
    return count if count == most + 1 else most


def _diff(call: Call) -> list[tuple[str, str]]:
    """The rows of a unified diff with their styles; the names of the file are said by the call."""
    _, _, diff = call.output.partition("\n--- ")
    return [(text[:1] + text[1:].expandtabs(4), style) for ((text, style),) in changes(diff)[2:]] if diff else []


def _counts(row: tuple[str, str]) -> int:
    """Return how many lines *row* stands for."""
    found = _LEFT_OUT.fullmatch(row[0])
    return int(found[1]) if found else 1


def _lines(text: str) -> list[str]:
    return [line.replace("\t", "    ").rstrip() for line in safe(text).rstrip().split("\n")]


def _set_out(hits: Sequence[str]) -> list[str]:
    """Return *hits* without the indentation that all of them have, but for one blank; others as they are."""
    found = [_HIT.match(hit) for hit in hits]
    depth = min((len(hit[2]) if hit else 1 for hit in found), default=1) - 1
    return [hit[1] + text[hit.end(1) + depth :] if hit else text for hit, text in zip(found, hits, strict=True)]


def _dim(rows: Sequence[str], room: int) -> list[Line]:
    return [((clip(row, room), "dim"),) for row in rows]


def _rest(count: int, what: str, more: str) -> tuple[Line, ...]:
    return (((f"… {count:,} more {what if count > 1 else what[:-1]}{more}", "dim"),),) if count > 0 else ()
