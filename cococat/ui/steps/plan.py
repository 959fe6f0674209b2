"""The plan of a turn: it ticks off in the live rows while the turn runs, and stands below the answer once it is over."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cococat.context.plan import items_of
from cococat.safety.terminal import safe
from cococat.system.text import clip
from cococat.ui.lines.format import Line
from cococat.ui.steps.step_rows import INDENT, LABEL, column
from cococat.ui.steps.view import Step

MAX_LIVE = 7  # items that are drawn while the turn runs
_COUNTED = re.compile(r"\d+ of \d+ done")  # what a result that keeps a plan says of itself
_MARKS = {"[x]": ("✓", "dim"), "[>]": ("▸", "strong"), "[ ]": ("☐", "")}


def plan_rows(steps: Sequence[Step], width: int) -> tuple[Line, ...]:
    """Return the plan as it stands, a row an item; none where the turn has none."""
    return _rows(_newest(steps), width)


def live_plan(steps: Sequence[Step], width: int) -> tuple[Line, ...]:
    """Return the part of the plan around what is under way, each item cut to its row."""
    items = _newest(steps)
    open_ = next((place for place, item in enumerate(items) if not item.startswith("[x]")), len(items))
    start = max(0, min(open_ - MAX_LIVE // 2, len(items) - MAX_LIVE))
    room = max(1, width - column(width) - LABEL)
    return _rows([clip(item, room) for item in items[start : start + MAX_LIVE]], width)


def keeps_plan(display: str) -> bool:
    """Return whether a result that says *display* of itself keeps a plan."""
    return bool(_COUNTED.fullmatch(display))


def item_row(item: str) -> Line:
    """Return an item with the mark of its state; any other line as it is."""
    mark, style = _MARKS.get(item[:3], (item[:3], ""))
    return ((f"{mark}{item[3:]}", style),)


def _newest(steps: Sequence[Step]) -> Sequence[str]:
    calls = (call for step in reversed(steps) for call in reversed(step.calls))
    kept = (call for call in calls if call.status == "completed" and keeps_plan(call.display))
    return next(([safe(item, "exact") for item in items_of(call.arguments)] for call in kept), [])


def _rows(items: Sequence[str], width: int) -> tuple[Line, ...]:
    at = column(width)
    if not at:  # the label stands above, so that the marks stand below each other
        head: tuple[Line, ...] = ((("plan", "dim"),),) if items else ()
        return (*head, *((("  ", ""), *item_row(item)) for item in items))
    rows: list[Line] = []
    for item in items:
        label = (" " * at, "") if rows else (" " * INDENT + "plan".ljust(LABEL), "dim")
        rows.append((label, *item_row(item)))
    return tuple(rows)
