"""Guards against runs that go in circles: pure functions over everything the run has done.

Public: Key, call_key, repetitions.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypeAlias

from cococat.core.messages import ToolCall

Key: TypeAlias = tuple[str, str]
LONGEST_CYCLE = 4


def call_key(call: ToolCall) -> Key:
    """Give a call's name and canonical arguments: key order and white space make no difference."""
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
    return max((_times(list(keys), length) for length in range(1, LONGEST_CYCLE + 1)), default=0)


def _times(keys: list[Key], length: int) -> int:
    """How often the last *length* calls stand at the end of *keys*, back to back."""
    cycle, end, times = keys[-length:], len(keys), 0
    while end >= length and keys[end - length : end] == cycle:
        end -= length
        times += 1
    return times
