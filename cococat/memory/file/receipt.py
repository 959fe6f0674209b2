"""The line a user reads after a dream, made from the real bytes and never from the model's words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cococat.memory.file.document import memory_lines
from cococat.memory.file.edits import facts_changed

_UNCHANGED = "memory unchanged"


def whole(
    said: str, before: str, after: str, numbers: Sequence[int], count: Callable[[str], int], *, steps: int, tokens: int
) -> str:
    """
    Return the receipt of changes that say *said* of themselves, and end with the command that takes them back.

    Args:
        before, after: the memory as text.
        numbers: of the changes, the oldest first; the newest is taken back first; 0 is that of none.
        count: tokens of a text.
        steps, tokens: what the runs took.
    """
    numbers = [*filter(None, numbers)]
    parts = (said, f"{_tokens(before, count)} → {_tokens(after, count)} tokens", *_cost(steps, tokens))
    if not numbers:
        return " · ".join(parts)
    *older, newest = numbers
    then = "".join(f", then {number}" for number in reversed(older))
    return " · ".join((*parts, f"{undo_of(newest)}{then}"))


def undo_of(number: int) -> str:
    """Return the command that takes change *number* back, as receipts name it."""
    return f"undo: cococat dream undo {number}"


def count_facts(facts: Sequence[int]) -> str:
    """Say how many facts came, were reworded, and are gone."""
    return "remembered {}, changed {}, dropped {}".format(*facts)


def changed(before: str, after: str) -> str:
    """Say what a change did to the facts."""
    return count_facts(facts_changed(before, after))


def proposed(before: str, after: str) -> str:
    """Say what a dream would do that waits for a yes."""
    return "would remember {}, change {}, drop {}".format(*facts_changed(before, after))


def judged(own: int, left_out: int, show: str) -> str:
    """
    Say behind a receipt what stands unjudged and what does not stand.

    Args:
        own: lines in the user's own words.
        show: the command that tells why; empty where nothing was kept to tell it.
    """
    parts = [f"{own} in your own words, not judged"] if own else []
    parts += [f"left out {left_out}{f' (why: {show})' if show else ''}"] if left_out else []
    return "".join(f" · {part}" for part in parts)


def fewer(before: str, after: str) -> str:
    """Say how many lines compacting left."""
    return f"compacted {_facts(before):,} → {_facts(after):,} lines"


def reason(line: str) -> str:
    """Return why nothing changed, from the receipt that says so."""
    return line.removeprefix(f"{_UNCHANGED} · ").partition(" · ")[0]


def unchanged(why: str, *, steps: int = 0, tokens: int = 0) -> str:
    """Say that the memory is as it was, and why."""
    return " · ".join((_UNCHANGED, *filter(None, (why,)), *_cost(steps, tokens)))


def difference(added: int, removed: int) -> str:
    """Return counts of lines as people read them."""
    return f"+{added} \N{MINUS SIGN}{removed}"


def _cost(steps: int, tokens: int) -> list[str]:
    parts = [f"{steps} step{'' if steps == 1 else 's'}"] if steps else []
    return [*parts, f"{tokens:,} tokens"] if tokens else parts


def _facts(text: str) -> int:
    return len(memory_lines(text))


def _tokens(text: str, count: Callable[[str], int]) -> str:
    return f"{count(text) if text else 0:,}"
