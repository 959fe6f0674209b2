"""What a call found, in a few rows below its observation: the end of a command, the lines of a change, the first hits."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cococat.safety.terminal import safe
from cococat.system.text import clip
from cococat.ui.format import Line, changes
from cococat.ui.view import Call

__all__ = ["details"]

COMMAND_ROWS, HITS, DIFF_ROWS = 5, 3, 20
MIN_WIDTH = 20
# what a result says of itself tells what is worth showing: no tool is known here by its name
_ENDED = re.compile(r"exit |ended |killed |no result ")
_FOUND = re.compile(r"[\d,]+\+? (?:hit|file|result)s?\b")


def details(call: Call, width: int) -> tuple[Line, ...]:
    """Return the rows below the observation of *call*, each of at most *width* characters."""
    room = max(MIN_WIDTH, width)
    if call.status == "failed":  # without an output, what follows is for the model: why, and what to do instead
        return _end(call, room) if call.output.partition("\n")[0].endswith("Output:") else ()
    if rows := _diff(call):
        shown = [((clip(safe(text, "exact"), room), style),) for ((text, style),) in rows[:DIFF_ROWS]]
        return (*shown, *_rest(len(rows) - DIFF_ROWS, "rows"))
    if _ENDED.match(call.display):
        return _end(call, room)
    if _FOUND.match(call.display) and call.lines > 1:
        hits = [line for line in _lines(call.output) if line.strip()][:HITS]
        return (*_dim(hits, room), *_rest(call.lines - len(hits), "lines"))
    return ()


def _end(call: Call, room: int) -> tuple[Line, ...]:
    """The last rows that a command printed; the first line of its result says how it ended."""
    printed = call.lines - 1
    rows = _lines(call.tail)[-min(COMMAND_ROWS, printed) :] if printed > 0 else []
    above = printed - len(rows)
    head: tuple[Line, ...] = (((f"… {above:,} line{'' if above == 1 else 's'} above", "dim"),),) if above > 0 else ()
    return (*head, *_dim(rows, room))


def _diff(call: Call) -> list[Line]:
    """The rows of a unified diff; the names of the file are said by the call."""
    _, _, diff = call.output.partition("\n--- ")
    return [line for line in changes(diff) if line][2:] if diff else []


def _lines(text: str) -> list[str]:
    return [line.replace("\t", "    ").rstrip() for line in safe(text).rstrip().split("\n")]


def _dim(rows: Sequence[str], room: int) -> list[Line]:
    return [((clip(row, room), "dim"),) for row in rows]


def _rest(count: int, what: str) -> tuple[Line, ...]:
    return (((f"… {count:,} more {what if count > 1 else what[:-1]}", "dim"),),) if count > 0 else ()
