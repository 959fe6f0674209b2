"""The line a user reads after a dream, made from the real bytes and never from the model's words."""

from __future__ import annotations

from collections.abc import Callable

from cococat.memory.edits import facts_changed
from cococat.memory.file import memory_lines

__all__ = ["changed", "compacted", "difference", "unchanged"]


def changed(
    before: str, after: str, *, number: int, steps: int, tokens: int, count: Callable[[str], int], undo: bool = True
) -> str:
    """
    Return what a change did.

    Args:
        before, after: the memory as text.
        steps, tokens: what the run took.
        count: tokens of a text.
        undo: end with the command that takes it back.
    """
    lines = "remembered {}, changed {}, dropped {}".format(*facts_changed(before, after))
    return " · ".join((lines, *_sizes(before, after, count), *_cost(number, steps, tokens, undo=undo)))


def compacted(
    before: str,
    after: str,
    *,
    number: int,
    count: Callable[[str], int],
    undo: bool = True,
    steps: int = 0,
    tokens: int = 0,
) -> str:
    """Return what compacting did; see `changed`."""
    lines = f"compacted {_facts(before):,} → {_facts(after):,} lines"
    return " · ".join((lines, *_sizes(before, after, count), *_cost(number, steps, tokens, undo=undo)))


def unchanged(why: str, *, steps: int = 0, tokens: int = 0) -> str:
    """Say that the memory is as it was, and why."""
    return " · ".join(("memory unchanged", *filter(None, (why,)), *_cost(0, steps, tokens, undo=False)))


def difference(added: int, removed: int) -> str:
    """Return counts of lines as people read them."""
    return f"+{added} \N{MINUS SIGN}{removed}"


def _sizes(before: str, after: str, count: Callable[[str], int]) -> list[str]:
    return [f"{_tokens(before, count)} → {_tokens(after, count)} tokens"]


def _cost(number: int, steps: int, tokens: int, *, undo: bool) -> list[str]:
    parts = [_plural(steps, "step")] if steps else []
    parts += [f"{tokens:,} tokens"] if tokens else []
    return [*parts, f"undo: cococat dream undo {number}"] if undo else parts


def _facts(text: str) -> int:
    return len(memory_lines(text))


def _tokens(text: str, count: Callable[[str], int]) -> str:
    return f"{count(text) if text else 0:,}"


def _plural(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
