"""Guards against runs that go in circles: pure functions over everything the run has done."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TypeAlias

from cococat.core.messages import ToolCall

Key: TypeAlias = tuple[str, str]
Made: TypeAlias = tuple[Key, str]  # a call and its result, normalized; see `foreseen` for one without a result yet
MAX_CYCLE = 4


def call_key(call: ToolCall) -> Key:
    """Return a call's name and canonical arguments: key order and white space make no difference."""
    try:
        arguments = json.dumps(json.loads(call.arguments), sort_keys=True, ensure_ascii=False)
    except (ValueError, RecursionError):
        arguments = " ".join(call.arguments.split())
    return call.name, arguments


def normalized(output: str) -> str:
    """Return a result as it is compared: case and white space make no difference."""
    return " ".join(output.split()).casefold()


def foreseen(made: Mapping[str, Made], key: Key) -> Made:
    """Return what a call about to be made would be if it told what it told the last time; nothing if it is new."""
    return key, next((result for known, result in reversed(list(made.values())) if known == key), "")


def repetitions(keys: Sequence[Key | Made]) -> int:
    """
    Count how often the newest cycle of calls stands at the end of *keys*, back to back.

    Args:
        keys: calls of the run, oldest first, the one about to be made last; with their results, one whose
            result is another each time is no repetition.
    Returns: the most of all cycle lengths 1..4; 1 when nothing repeats, 0 when *keys* is empty.
        A cycle counts only when it is complete.
    Source: docs/acceptance.md, resolution "Doom loop".
    """
    return max((_times(list(keys), length) for length in range(1, MAX_CYCLE + 1)), default=0)


def _times(keys: list[Key | Made], length: int) -> int:
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
    told = [tuple(map(normalized, outputs)) for outputs in rounds]
    return next((back for back, outputs in enumerate(reversed(told)) if outputs != told[-1]), len(told))


ROUNDS_SHRINKING = 4


def shrinking(rounds: Sequence[Sequence[str]]) -> bool:
    """
    Return whether the last four of *rounds* told ever less: each at most half of what the one before it told.

    Source: docs/acceptance.md, D14.
    """
    sizes = [sum(len(normalized(output)) for output in outputs) for outputs in rounds[-ROUNDS_SHRINKING:]]
    return len(sizes) == ROUNDS_SHRINKING and all(2 * later <= earlier for earlier, later in pairwise(sizes))


SHORT = 600  # characters up to which texts are compared letter by letter, longer ones by runs of words
ALIKE = 0.9  # part that two texts share when they are nearly the same
SHINGLE = 3  # words in a run
_WORD = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|\S")  # Chinese, Japanese, Korean: each sign is one


def nearly_same(rounds: Sequence[Sequence[str]]) -> bool:
    """
    Return whether the last two of *rounds* say almost the same, as with another time or counter in them.

    Good for a hint and nothing more: two pages of a table may be as alike.
    Source: docs/acceptance.md, resolution "Similarity stop".
    """
    if len(rounds) < 2 or len(rounds[-1]) != len(rounds[-2]):  # noqa: PLR2004 - the last two
        return False
    return all(_alike(normalized(earlier), normalized(other)) for earlier, other in zip(*rounds[-2:], strict=True))


def _alike(one: str, other: str) -> bool:
    if one == other:
        return True
    if max(len(one), len(other)) <= SHORT:
        matcher = SequenceMatcher(None, one, other, autojunk=False)
        return matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE
    mine, theirs = _shingles(one), _shingles(other)
    return 2 * len(mine & theirs) >= ALIKE * (len(mine) + len(theirs))


def _shingles(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text)
    return set(zip(*(words[start:] for start in range(SHINGLE)), strict=False)) or {tuple(words)}


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
