"""The words of a run as styled lines, before anything is drawn: the terminal and the pipe share them."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from cococat.core.events import ContextCompacted, DreamFinished, Notice, Retrying, TurnFinished
from cococat.core.limits import Problem, Stop, StopReason
from cococat.core.messages import Picture
from cococat.safety.terminal import safe
from cococat.system.text import clip
from cococat.ui.lines.columns import cells, cut, one_line

Line: TypeAlias = tuple[tuple[str, str], ...]  # pieces of (text, name of a style)
GAP = "   ⋮"  # between two places of a file
_TRUNCATED = re.compile(r"\[truncated (\d+) lines\]")  # in the middle of a long diff
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
THOUSAND = 1000
MAX_FACTS = 20  # of one dream that are shown; `dream diff` shows all
MAX_FACT = 60  # columns that a fact may push the words beside it to the right
MAX_QUOTE = 80  # columns


def plain(line: Line) -> str:
    """Return *line* without its styles."""
    return "".join(text for text, _ in line)


def picture_line(picture: Picture) -> str:
    """Return what stands for a picture on the screen."""
    size = f"{-(-picture.size // THOUSAND):,} kB"
    before = picture.before and f", was {safe(picture.before, 'exact')}"
    return f"[image {safe(picture.name, 'exact')} · {picture.pixels} · {size}{before}]"


def said(text: str, mark: str = "") -> list[Line]:
    """Return lines that are no part of a run; *mark*, a prompt's, stands before what a user has entered."""
    marks = (((mark, "prompt"),), ((" " * len(mark), ""),)) if mark else ((), ())
    lines = safe(text).split("\n")
    return [(*marks[at > 0], (line, "label" if mark else "")) if line else () for at, line in enumerate(lines)]


def seconds(value: float) -> str:
    """Write a span of time: 0.02 s, 3.2 s, 12 s, 2 min 5 s."""
    if value < 10:  # noqa: PLR2004 - two digits that say something
        return f"{value:.1f} s" if value >= 1 else f"{value:.2f} s"
    return f"{value:.0f} s" if value < 60 else f"{int(value) // 60} min {int(value) % 60} s"  # noqa: PLR2004 - a minute


def tokens(count: int) -> str:
    """Write a number of tokens in three digits: 950, 4.5k, 120k, 1.2M."""
    for sign, size in (("M", THOUSAND**2), ("k", THOUSAND)):
        if count >= size:
            return f"{count / size:.1f}{sign}" if count < 100 * size else f"{count / size:.0f}{sign}"
    return str(count)


def first_line(text: str) -> str:
    """Return the first line of foreign *text*, harmless."""
    return safe(text).strip().partition("\n")[0].replace("\t", " ").rstrip()


def footer(end: TurnFinished, files: int = 0, undo: str = "") -> Line:
    """
    What the turn cost, and did.

    Args:
        files: that it changed.
        undo: the command that takes that back, where there is one.
    """
    steps = f"{end.steps} step{'' if end.steps == 1 else 's'}"
    about = "about " if end.usage.estimated else ""
    notes = f", {end.notes} for notes" if end.notes else ""
    more = f" · {end.requests} requests{notes}" if end.requests > end.steps else ""
    changed = f" · {files} file{'' if files == 1 else 's'}{undo and f' · {undo}'}" if files else ""
    return (
        (f"{steps}{more} · {about}{tokens(end.usage.total_tokens)} tokens · {seconds(end.seconds)}{changed}", "dim"),
    )


def stopped(stop: Stop, *, kept: bool = True) -> tuple[Line, ...]:
    """Why there is no whole answer; nothing when there is one, or a question in its place that is printed as one."""
    if stop.reason in (StopReason.ANSWERED, StopReason.QUESTION) and stop.problem is None:
        return ()
    if stop.reason is StopReason.CANCELLED and stop.problem is None:
        rest = "; what there is of the answer is kept" if kept else ""
        return (((f"cococat: stopped{rest}", "warning"),),)
    return problem(stop.problem or Problem(str(stop.reason), stop.detail or str(stop.reason)))


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
    words = f"attempt {event.attempt} failed ({first_line(event.reason)}); again in {max(0.0, left_s):.0f} s"
    return ((words, "warning"),)


def compacted(event: ContextCompacted) -> Line:
    """The history was made smaller."""
    sizes = f"{event.before_tokens:,} → {event.after_tokens:,} tokens"
    return ((f"context compacted: {sizes} ({first_line(event.how)})", "dim"),)


def receipt(event: DreamFinished, *, diff: bool, live: bool = False, columns: int = 0) -> tuple[Line, ...]:
    """What a dream did, and with *diff* the bytes it changed; on a *live* terminal its facts with whose words they are."""
    style = "warning" if event.outcome in ("failed", "gave_up", "held") else "dim"
    lines: list[Line] = [((line, style),) for line in safe(event.receipt).strip().splitlines() or [event.outcome]]
    if live and event.facts:
        return (*lines, *facts(event.facts, event.dream, columns))
    return (*lines, *changes(event.diff)) if diff else tuple(lines)


def facts(changed: Sequence[tuple[str, str, str]], dream: int = 0, columns: int = 0) -> tuple[Line, ...]:
    """
    What a dream changed, a row each: the sign, the fact, and beside it the words of the user that it rests on.

    Where one of them has no room for both, the words stand below the facts.

    Of more than fit, what is new comes first; what went lives on in it, or was asked about.

    Args:
        dream: its number, to name what shows the rest.
        columns: of the screen; 0: without end.
    """
    if len(changed) > MAX_FACTS:
        changed = sorted(changed, key=lambda fact: fact[0] != "+")
    rows = [(sign, one_line(fact), cut(one_line(quote), MAX_QUOTE)) for sign, fact, quote in changed[:MAX_FACTS]]
    width = min(MAX_FACT, max((cells(fact) for _, fact, quote in rows if quote), default=0))
    used = max((2 + max(width, cells(fact)) + 6 + cells(quote) for _, fact, quote in rows if quote), default=0)
    lines: list[Line] = []
    for sign, fact, quote in rows:
        said = (f"{sign} {fact}", "added" if sign == "+" else "removed")
        beside = (f'{" " * max(0, width - cells(fact))}    "{quote}"', "dim")
        below = ((f'    "{quote}"', "dim"),)
        lines += [(said,)] if not quote else [(said,), below] if 0 < columns < used else [(said, beside)]
    if len(changed) > MAX_FACTS:
        rest = f": cococat dream diff {dream}" if dream else ""
        lines.append(((f"… {len(changed) - MAX_FACTS:,} more{rest}", "dim"),))
    return tuple(lines)


def changes(diff: str) -> tuple[Line, ...]:
    """A unified diff, or lines of one."""
    return tuple(((line, _diff_style(line)),) for line in safe(diff, "exact").splitlines())


def _diff_style(line: str) -> str:
    if line.startswith(("+++", "---")):
        return "label"
    return {"+": "added", "-": "removed", "@": "hunk"}.get(line[:1], "")


def numbered(rows: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Rows of a diff with the number of each line, as it is there for the reader: the new one where there is one."""
    old = new = old_end = new_end = 0
    begun = False
    for text, style in rows:
        if hunk := _HUNK.match(text):
            old, new = int(hunk[1]), int(hunk[3])
            old_end, new_end = old + int(hunk[2] or 1), new + int(hunk[4] or 1)
            if begun:
                yield GAP, "dim"
            begun = True
            continue
        if missing := _TRUNCATED.fullmatch(text):
            begun = False  # the header that follows needs no mark of its own
            yield f"{GAP} {missing[1]} lines left out", "dim"
            continue
        sign = text[:1]
        if sign not in " +-\\" or (text.startswith("--- ") and old >= old_end and new >= new_end):
            begun = False  # here begins another file
        if not begun or sign == "\\":
            yield text, style
            continue
        yield f"{old if sign == '-' else new:>4} {sign.strip() or ' '} {text[1:]}", style
        old, new = old + (sign != "+"), new + (sign != "-")


def ago(then: float) -> str:
    """How long ago, in the largest unit that fits."""
    seconds = max(0, time.time() - then)
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size:>3.0f} {unit} ago"
    return f"{seconds:>3.0f} s ago"
