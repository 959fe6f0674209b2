"""The line a user reads after a dream, made from the real bytes and never from the model's words."""

from __future__ import annotations

from collections.abc import Callable

from cococat.memory.edits import changed_lines

__all__ = ["changed", "difference", "unchanged"]


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
    removed, added = changed_lines(before, after)
    parts = [
        f"memory {difference(len(added), len(removed))} lines",
        f"{_tokens(before, count)} → {_tokens(after, count)} tokens",
    ]
    parts += [_plural(steps, "step")] if steps else []
    parts += [f"{tokens:,} tokens"] if tokens else []
    parts += [f"undo: cococat dream undo {number}"] if undo else []
    return " · ".join(parts)


def unchanged(why: str, *, steps: int = 0, tokens: int = 0) -> str:
    """Say that the memory is as it was, and why."""
    parts = ["memory unchanged", *filter(None, (why,))]
    parts += [_plural(steps, "step")] if steps else []
    parts += [f"{tokens:,} tokens"] if tokens else []
    return " · ".join(parts)


def difference(added: int, removed: int) -> str:
    """Return counts of lines as people read them."""
    return f"+{added} \N{MINUS SIGN}{removed}"


def _tokens(text: str, count: Callable[[str], int]) -> str:
    return f"{count(text) if text else 0:,}"


def _plural(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
