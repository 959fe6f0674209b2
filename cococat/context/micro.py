"""Micro-compaction: how much of a tool's output is shown, and the line at its head that says where all of it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TypeAlias

from cococat.core.messages import Message, ToolResult

Keep: TypeAlias = Callable[[str], str]  # an output -> the name that it can be read by, empty when it is not kept

SKILL = "skill"  # the tool whose outputs are instructions: they are never shortened
MIN_CHARS = 2000  # of a fresh output, however small the window is
CHARS_A_TOKEN = 4
FRESH_PART = 0.1  # of the window
ROUND_CHARS = 40_000  # of the fresh outputs of one round together
SLACK = 200  # characters beyond the limit that are no reason to cut: marks and pointers among them
_MARK = re.compile(r"\[truncated (\d+) chars\]")
_POINTER = re.compile(r"(?:\[[^\n]*\]\n)?\[all [\d,]+ lines?: [^\n]*\"(output:\d+)\"\]\n")


def fresh_chars(most: int, window: int) -> int:
    """
    Return how many characters of a fresh output are shown.

    Args:
        most: the user's setting.
        window: tokens that the model can take.
    Source: docs/acceptance.md, A20.
    """
    return min(most, max(MIN_CHARS, int(FRESH_PART * CHARS_A_TOKEN * window)))


def pointer(name: str, lines: int) -> str:
    """Say in one line how the rest of a shortened output is read."""
    return f'[all {lines:,} line{"" if lines == 1 else "s"}: read_file or grep_search with path="{name}"]'


def pointed(text: str) -> str:
    """Return the name that the pointer at the head of an observation tells; empty when there is none."""
    match = _POINTER.match(text)
    return match[1] if match else ""


def nowhere(output: str) -> str:
    """Keep nothing."""
    return ""


def shared(messages: Sequence[Message], keep: Keep = nowhere) -> tuple[Message, ...]:
    """
    Share ROUND_CHARS among the outputs of each round that has more: short ones stay whole, long ones get equal parts.

    Args:
        messages: whole rounds; equal ones give equal messages.
        keep: is given each output that is cut, unless it is known to be kept.
    """
    done: list[Message] = []
    for _, group in groupby(messages, lambda message: isinstance(message, ToolResult)):
        done += _share(tuple(group), keep)
    return tuple(done)


def _share(group: Sequence[Message], keep: Keep) -> Iterator[Message]:
    """Share among neighbours that are all outputs, or all none."""
    left, most = ROUND_CHARS, 0
    lengths = sorted(
        len(message.output) for message in group if isinstance(message, ToolResult) and message.name != SKILL
    )
    for place, length in enumerate(lengths):
        most = left // (len(lengths) - place)
        left -= min(length, most)
    for message in group:
        if isinstance(message, ToolResult) and message.name != SKILL and len(message.output) > most + SLACK:
            yield cut_result(message, pointed(message.output) or keep(message.output), most)
        else:
            yield message


def cut_result(result: ToolResult, name: str, most: int = MIN_CHARS) -> ToolResult:
    """
    Keep whole lines of the head and the tail of an output, and say in between how many characters are missing.

    Args:
        name: what all of it can be read by; empty when it is kept nowhere.
        most: characters that stay, marks not counted.
    Returns: *result* itself when it is hardly longer than *most*.
    Source: docs/acceptance.md, A20.
    """
    text = result.output
    if len(text) <= most + SLACK:
        return result
    head, tail = _end(text[: most - most // 2]), _start(text[len(text) - most // 2 :])
    gone = full_chars(text) - len(head) - len(tail)
    if name and not pointed(text):
        source, _, rest = head.partition("\n")
        head = f"{source}\n{pointer(name, text.count(chr(10)) + 1)}\n{rest}"
    return replace(result, output=f"{head}[truncated {gone} chars]{tail}")


def full_chars(text: str) -> int:
    """Return how many characters an output had before it was cut."""
    marks = _MARK.finditer(text) if pointed(text) else ()
    return len(text) + sum(int(mark[1]) - len(mark[0]) for mark in marks)


def _end(head: str) -> str:
    """Leave out the piece of a line at the end, unless that were much."""
    place = head.rfind("\n") + 1
    return head[:place] if place > len(head) // 2 else head


def _start(tail: str) -> str:
    """Leave out the piece of a line at the beginning, unless that were much; the break before the next stays."""
    place = tail.find("\n")
    return tail[place:] if 0 <= place < len(tail) // 2 else tail
