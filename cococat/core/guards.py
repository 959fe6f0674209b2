"""Guards against runs that go in circles: pure functions over everything the run has done."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TypeAlias

from cococat.core.messages import ToolCall

__all__ = ["Key", "call_key", "repeated_text", "repetitions", "same_observations"]

Key: TypeAlias = tuple[str, str]
MAX_CYCLE = 4


def call_key(call: ToolCall) -> Key:
    """Return a call's name and canonical arguments: key order and white space make no difference."""
    try:
        arguments = json.dumps(json.loads(call.arguments), sort_keys=True, ensure_ascii=False)
    except (ValueError, RecursionError):
        arguments = " ".join(call.arguments.split())
    return call.name, arguments


def repetitions(keys: Sequence[Key]) -> int:
    """
    Count how often the newest cycle of calls stands at the end of *keys*, back to back.

    Args:
        keys: calls of the run, oldest first, the one about to be made last.
    Returns: the most of all cycle lengths 1..4; 1 when nothing repeats, 0 when *keys* is empty.
        A cycle counts only when it is complete.
    Source: ACCEPTANCE, resolution "Doom loop".
    """
    return max((_times(list(keys), length) for length in range(1, MAX_CYCLE + 1)), default=0)


def _times(keys: list[Key], length: int) -> int:
    """How often the last *length* calls stand at the end of *keys*, back to back."""
    cycle, end, times = keys[-length:], len(keys), 0
    while end >= length and keys[end - length : end] == cycle:
        end -= length
        times += 1
    return times


def same_observations(rounds: Sequence[Sequence[str]]) -> int:
    """
    Count how many of the last *rounds* of results say the same.

    Args:
        rounds: the outputs of each round of calls, oldest first; case and white space are ignored.
    Returns: 1 when the last two differ, 0 when there was no round.
    """
    told = [tuple(" ".join(output.split()).casefold() for output in outputs) for outputs in rounds]
    return next((back for back, outputs in enumerate(reversed(told)) if outputs != told[-1]), len(told))


LINES_REPEATED = 10
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_TABLE = re.compile(r"^\s*\|")


def repeated_text(text: str) -> bool:
    """Return whether *text* ends with the same line, or pair or triple of lines, ten times; code and tables never count."""
    lines: list[str] = []
    fenced = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        elif line.strip() and not fenced and not _TABLE.match(line):
            lines.append(" ".join(line.split()))
    if fenced:
        return False
    return any(_ends_alike(lines, length) for length in (1, 2, 3)) or _stutters(lines[-1] if lines else "")


def _ends_alike(lines: list[str], length: int) -> bool:
    """The last *length* lines stand there ten times in a row."""
    tail = lines[-length * LINES_REPEATED :]
    return len(tail) == length * LINES_REPEATED and tail == tail[:length] * LINES_REPEATED


def _stutters(line: str) -> bool:
    """A passage of 8 to 200 characters ends *line* ten times over; a ruler of dashes is none."""
    end = line[-200 * LINES_REPEATED :]
    for length in range(8, len(end) // LINES_REPEATED + 1):
        unit = end[-length:]
        if len(set(unit)) > 3 and end.endswith(unit * LINES_REPEATED):  # noqa: PLR2004 - fewer letters draw a line
            return True
    return False
