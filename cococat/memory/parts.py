"""A dream of several parts (batches of records, the notes as a whole), told as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from cococat.core.events import DreamFinished
from cococat.memory import receipt, versions
from cococat.memory.edits import facts_changed
from cococat.memory.file import as_text

__all__ = ["together"]


def together(
    folder: Path, parts: Sequence[DreamFinished], *, steps: int, tokens: int, count: Callable[[str], int]
) -> DreamFinished:
    """
    Return how *parts*, each "changed" or "nothing", ended as a whole.

    Args:
        steps, tokens: what all of them took.
        count: tokens of a text.
    Returns: its number and diff are those of the last change and of all changes.

    Raises: StorageError: a change that was just made cannot be read any more.
    """
    made = [part for part in parts if part.outcome == "changed"]
    if not made:
        reasons = dict.fromkeys(receipt.reason(part.receipt) for part in parts)
        return DreamFinished("nothing", receipt.unchanged(", ".join(reasons), steps=steps, tokens=tokens))
    steps_of = [versions.show(folder, part.dream) for part in made]
    texts = [(as_text(one.before), as_text(one.after), bool(one.meta.get("records"))) for one in steps_of]
    facts = [facts_changed(before, after) for before, after, records in texts if records]
    said = [receipt.counted(tuple(map(sum, zip(*facts, strict=True))))] if facts else []
    said += [receipt.fewer(before, after) for before, after, records in texts if not records]
    numbers = [part.dream for part in made]
    line = receipt.whole("; ".join(said), texts[0][0], texts[-1][1], numbers, steps=steps, tokens=tokens, count=count)
    tails = "".join(part.receipt.rpartition(receipt.undo_of(part.dream))[2] for part in made)
    diff = versions.unified(steps_of[0].before, steps_of[-1].after)
    return DreamFinished("changed", line + tails, diff, numbers[-1])
