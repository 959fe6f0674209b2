"""The words of a run as styled lines, before anything is drawn: the terminal and the pipe share them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from cococat.core.events import ContextCompacted, DreamFinished, Notice, Retrying, TurnFinished
from cococat.core.limits import Problem, Stop, StopReason
from cococat.safety.terminal import safe
from cococat.system.text import clip
from cococat.ui.view import Call, Step

__all__ = [
    "Line",
    "act",
    "changes",
    "column",
    "compacted",
    "footer",
    "notice",
    "observe",
    "plain",
    "printed",
    "problem",
    "receipt",
    "retrying",
    "running",
    "stopped",
    "thought",
]

Line: TypeAlias = tuple[tuple[str, str], ...]  # pieces of (text, name of a style)

LABEL = 9  # columns of "observe" and its gap
NARROW = 50  # columns below which nothing is aligned
VALUE = 40  # characters of one argument that are shown
CALL = 120  # characters of one call that are shown
RESULT = 160  # characters of one result that are shown
PRINTED = 20  # lines of output that --verbose shows
_KINDS = {  # types of errors that the loop gives its refusals, as a user would say them
    "PermissionDenied": "denied", "UnknownTool": "no such tool", "InvalidArguments": "wrong arguments",
    "TooEarly": "too early", "Repeated": "repeated", "ToolFailure": "",
}  # fmt: skip


def plain(line: Line) -> str:
    """Return *line* without its styles."""
    return "".join(text for text, _ in line)


def thought(step: Step, text: str, width: int, style: str = "", *, first: bool = True) -> tuple[Line, ...]:
    """What the model said before its calls, beside the step's number."""
    words = safe(text).strip().split("\n")
    label = _label(step.number, "think", width, first=first)
    indent = " " * len(plain(label)) if width >= NARROW else ""
    lines = (((indent, ""), (word.rstrip(), style)) if word.strip() else () for word in words[1:])
    return ((*label, (words[0].rstrip(), style)), *lines)


def column(step: Step, width: int) -> int:
    """Return where the words of a step begin, behind its label."""
    return len(plain(_label(step.number, "observe", width, first=False))) if width >= NARROW else 0


def act(step: Step, width: int, *, first: bool) -> tuple[Line, ...]:
    """The calls of a step, on one line when they fit."""
    return _row(step.number, "act", [call_text(call.name, call.arguments) for call in step.calls], width, first=first)


def observe(step: Step, width: int, below: Callable[[Call, int], tuple[Line, ...]] | None = None) -> tuple[Line, ...]:
    """
    What the calls of a step gave, on one line when they fit and there is nothing below them.

    Args:
        below: gives the rows below the result of a call, for so many columns.
    """
    items = [result_text(call) for call in step.calls]
    indented = column(step, width)
    rows = [below(call, width - indented) if below else () for call in step.calls]
    if not any(rows):
        return _row(step.number, "observe", items, width, first=False)
    indent = (" " * indented, "")
    heads = (_label(step.number, "observe", width, first=False), *(((indent,),) * len(items)))
    return tuple(
        line
        for head, item, under in zip(heads, items, rows, strict=False)
        for line in ((*head, *item), *((indent, *row) for row in under))
    )


def _row(number: int, label: str, items: Sequence[Line], width: int, *, first: bool) -> tuple[Line, ...]:
    head = _label(number, label, width, first=first)
    indent = " " * len(plain(head)) if width >= NARROW else ""
    wide = len(plain(head)) + sum(len(plain(item)) for item in items) + 3 * (len(items) - 1)
    if wide <= width:
        gaps: list[tuple[str, str]] = []
        for item in items:
            gaps += [("   ", "")] if gaps else []
            gaps += item
        return ((*head, *gaps),)
    return tuple((*(((indent, ""),) if index else head), *item) for index, item in enumerate(items))


def _label(number: int, label: str, width: int, *, first: bool) -> Line:
    head = f"step {number} · "
    if width < NARROW:
        return ((head if first else "", "dim"), (f"{label} ", "label"))
    return ((head if first else " " * len(head), "dim"), (label.ljust(LABEL), "label"))


def call_text(name: str, arguments: str) -> Line:
    """Write a call as `name(key="value")`, shortened."""
    return ((_name(name), "tool"), (f"({clip(_one_line(_arguments(arguments)), CALL)})", ""))


def _name(name: str) -> str:
    """Return the name of a tool as the model wrote it, which may be anything."""
    return clip(_one_line(name), VALUE)


def _one_line(text: str) -> str:
    """Return *text* with its line ends visible: a line of its own could be taken for one of ours."""
    return safe(text, "exact").replace("\n", "␊").replace("\t", "␉")


def _arguments(raw: str) -> str:
    try:
        given = json.loads(raw or "{}")
    except (ValueError, RecursionError):
        return " ".join(raw.split())
    if not isinstance(given, dict):
        return raw
    return ", ".join(f"{key}={_value(value)}" for key, value in given.items())


def _value(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= VALUE else f"{text[: VALUE - 2]}…{text[-1]}"


def result_text(call: Call) -> Line:
    """Write what an ended call gave: `name display · seconds`, or the first line of its failure."""
    name = _name(call.name)
    if call.status == "failed":
        reason = _in_words(re.sub(r"^\[TOOL_ERROR\] ", "", _first_line(call.output))) or "failed"
        said = clip(reason, RESULT)
        return ((f"{name} {said} · {seconds(call.seconds)}" if call.seconds else f"{name} {said}", "error"),)
    said = clip(_first_line(call.display) or _gist(call), RESULT)
    failed = said.startswith(("exit ", "ended by signal")) and not re.match(r"exit 0\b", said)
    return (
        (f"{name} ", "tool"),
        (said, "error" if failed else ""),
        (f" · {seconds(call.seconds)}" if call.seconds else "", "dim"),
    )


def _gist(call: Call) -> str:
    """One line for a result that came without its own."""
    if call.lines == 1:
        return clip(_first_line(call.output), VALUE * 2)
    return f"{call.lines} lines" if call.lines else "no output"


def _first_line(text: str) -> str:
    return safe(text).strip().partition("\n")[0].replace("\t", " ").rstrip()


def seconds(value: float) -> str:
    """Write a span of time: 0.02 s, 12.3 s, 2 min 5 s."""
    if value < 10:  # noqa: PLR2004 - two digits that say something
        return f"{value:.2f} s"
    return f"{value:.1f} s" if value < 60 else f"{int(value) // 60} min {int(value) % 60} s"  # noqa: PLR2004 - a minute


def running(call: Call, elapsed_s: float) -> Line:
    """A call that has not ended, with what it printed last."""
    last = safe(call.tail).rstrip().rpartition("\n")[2].strip()
    words = f" {elapsed_s:.0f} s{'  ' + last if last else ''}"
    return (("  ", ""), (safe(call.name, "exact"), "tool"), (words.replace("\t", " "), "dim"))


def printed(call: Call) -> tuple[Line, ...]:
    """The output of a call, for those who asked to see it; at most PRINTED lines."""
    lines = [line.rstrip() for line in safe(call.output).expandtabs(4).rstrip().split("\n")]
    more = call.lines - PRINTED
    shown: list[Line] = [((f"  {line}", "dim"),) for line in lines[:PRINTED]]
    return (*shown, ((f"  … {more} more lines", "dim"),)) if more > 0 else tuple(shown)


def footer(end: TurnFinished) -> Line:
    """What the turn cost."""
    steps = f"{end.steps} step{'' if end.steps == 1 else 's'}"
    about = "about " if end.usage.estimated else ""
    return ((f"{steps} · {about}{end.usage.total_tokens:,} tokens · {seconds(end.seconds)}", "dim"),)


def stopped(stop: Stop) -> tuple[Line, ...]:
    """Why there is no whole answer; nothing when there is one, or a question in its place."""
    if stop.reason in (StopReason.ANSWERED, StopReason.QUESTION):
        return ()
    if stop.reason is StopReason.CANCELLED and stop.problem is None:
        return ((("cococat: stopped; what there is of the answer is kept", "warning"),),)
    return problem(stop.problem or Problem(str(stop.reason), stop.detail or str(stop.reason)))


def _in_words(reason: str) -> str:
    """*reason* without the name of an error type, which is for the model."""
    kind, sign, rest = reason.partition(": ")
    return (f"{_KINDS[kind]}{sign}" if _KINDS[kind] else "") + rest if sign and kind in _KINDS else reason


def problem(error: Problem) -> tuple[Line, ...]:
    """A failure in one to three lines: what and why, then the fix."""
    message = " ".join(safe(error.message, "exact").split())
    first = (("cococat: error: ", "error"), (clip(message, 1000), ""))
    hints = [line.strip() for line in safe(error.hint, "exact").strip().splitlines()]
    hints = [line for line in hints if line][:2]
    return (
        first,
        *((("  hint: " if index == 0 else "        ", "label"), (line, "")) for index, line in enumerate(hints)),
    )


def notice(event: Notice) -> tuple[Line, ...]:
    """A word to the user."""
    style = {"info": "dim", "warning": "warning", "error": "error"}[event.level]
    return tuple(((line, style),) for line in f"cococat: {safe(event.text).strip()}".split("\n"))


def retrying(event: Retrying, left_s: float) -> Line:
    """A request that will be sent again after *left_s* seconds."""
    words = f"attempt {event.attempt} failed ({_first_line(event.reason)}); again in {max(0.0, left_s):.0f} s"
    return ((words, "warning"),)


def compacted(event: ContextCompacted) -> Line:
    """The history was made smaller."""
    sizes = f"{event.before_tokens:,} → {event.after_tokens:,} tokens"
    return ((f"context compacted: {sizes} ({_first_line(event.how)})", "dim"),)


def receipt(event: DreamFinished, *, diff: bool) -> tuple[Line, ...]:
    """What a dream did, and with *diff* the bytes it changed."""
    style = "warning" if event.outcome in ("failed", "gave_up", "held") else "dim"
    lines: list[Line] = [((line, style),) for line in safe(event.receipt).strip().splitlines() or [event.outcome]]
    return (*lines, *changes(event.diff)) if diff else tuple(lines)


def changes(diff: str) -> tuple[Line, ...]:
    """A unified diff, or lines of one."""
    return tuple(((line, _diff_style(line)),) for line in safe(diff, "exact").splitlines())


def _diff_style(line: str) -> str:
    if line.startswith(("+++", "---")):
        return "label"
    return {"+": "added", "-": "removed", "@": "hunk"}.get(line[:1], "")
