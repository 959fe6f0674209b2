"""Taking changes of the memory back, and deleting a line by hand; what goes does not come back by itself."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from cococat.core.agent import estimate_tokens
from cococat.core.events import DreamFinished
from cococat.errors import StorageError, UsageError
from cococat.memory import receipt, versions
from cococat.memory.commit import Change, Conflict, commit, settle
from cococat.memory.edits import changed_lines, patched
from cococat.memory.file import Memory, as_text, encoded, memory_lines, read
from cococat.memory.find_lines import named
from cococat.memory.state import State, bury

__all__ = ["forget", "rm", "undo"]


def undo(
    folder: Path, number: int | None, *, now: datetime, count: Callable[[str], int] = estimate_tokens
) -> DreamFinished:
    """
    Take back what entry *number* of the log changed; the cursor stays, the lines that go are buried.

    Args:
        number: None = the newest change that still stands, a dream's or one by hand.
        count: tokens of a text.
    Returns: outcome "failed" with the diff when lines that it changed have been changed since.
    Raises: StorageError: there is no such entry, or the memory cannot be written.
    """
    settle(folder)  # or a dream that was killed in its commit would not be the newest
    number = number or _newest_standing(folder)
    version = versions.show(folder, number)
    if version.entry.kind == "held" or version.entry.undone:
        why = "was never applied" if version.entry.kind == "held" else "is undone already"
        return DreamFinished("nothing", receipt.unchanged(f"{_named(version.entry)} {why}"), dream=number)
    memory = read(folder)
    after = patched(version.after, version.before, memory.data)
    if after is None:
        why = f"{_named(version.entry)} cannot be undone: its lines were changed since; edit them: cococat memory edit"
        return DreamFinished("failed", receipt.unchanged(why), versions.unified(version.before, version.after), number)
    text = as_text(after)
    meta = {"target": number, "stop": "answered"}
    finished = _apply(folder, Change("undo", memory, after, _burying(memory, text), (), meta), text, now, count)
    return replace(finished, receipt=f"took back {_named(version.entry)} · {finished.receipt}")


def rm(folder: Path, line: int | str, *, now: datetime, count: Callable[[str], int] = estimate_tokens) -> DreamFinished:
    """
    Delete one line of the memory, pinned or not; the next dream does not add it again.

    Args:
        line: its number from 1, or text that only this line holds.
        count: tokens of a text.

    Raises: UsageError: no line or several lines are meant. StorageError: the memory cannot be written.
    """
    memory = read(folder)
    return _without(folder, memory, {_meant(memory, memory.text.split("\n"), line)}, now, count)


def forget(
    folder: Path, lines: Collection[str], *, now: datetime, count: Callable[[str], int] = estimate_tokens
) -> DreamFinished:
    """
    Delete *lines* of the memory in one step, wherever they stand by now; the next dream does not add them again.

    Args:
        count: tokens of a text.
    Raises: StorageError: the memory cannot be written.
    """
    memory = read(folder)
    places = {at for at, line in enumerate(memory.text.split("\n")) if line.strip() in lines}
    return _without(folder, memory, places, now, count)


def _without(
    folder: Path, memory: Memory, places: Collection[int], now: datetime, count: Callable[[str], int]
) -> DreamFinished:
    text = "\n".join(line for at, line in enumerate(memory.text.split("\n")) if at not in places)
    change = Change("rm", memory, encoded(memory, text), _burying(memory, text), (), {"stop": "answered"})
    return _apply(folder, change, text, now, count)


def _burying(memory: Memory, text: str) -> Callable[[State], State]:
    """Bury the lines of *memory* that *text* lacks."""
    gone, _ = changed_lines(memory.text, text)
    return lambda state: bury(state, memory_lines("\n".join(gone)))


def _apply(folder: Path, change: Change, text: str, now: datetime, count: Callable[[str], int]) -> DreamFinished:
    try:
        number = commit(folder, change, now=now)
    except Conflict as error:
        raise StorageError("MEMORY.md was changed at the same moment", "try again") from error
    line = receipt.changed(change.before.text, text, number=number, steps=0, tokens=0, count=count)
    return DreamFinished("changed", line, versions.unified(change.before.data, change.after), number)


def _newest_standing(folder: Path) -> int:
    for entry in reversed(versions.log(folder)):
        if entry.kind in ("dream", "rm") and not entry.undone:  # an undo is none: the next one goes further back
            return entry.number
    raise StorageError("there is no change to undo", "cococat dream log")


def _named(entry: versions.Entry) -> str:
    by_hand = {"rm": "memory rm", "undo": "undo"}.get(entry.kind)
    return f"change {entry.number} ({by_hand})" if by_hand else f"dream {entry.number}"


def _meant(memory: Memory, lines: list[str], wanted: int | str) -> int:
    """Return the index of the one line that *wanted* names."""
    if isinstance(wanted, int) or wanted.strip().isdecimal():
        number = int(wanted)
        if not 1 <= number <= len(lines) or not lines[number - 1].strip():
            raise UsageError(f"there is no line {number} in the memory", "cococat memory show")
        return number - 1
    found = named(memory, wanted)
    if len(found) != 1:
        which = "cococat memory rm NUMBER" if found else "cococat memory show"
        raise UsageError(f"{len(found)} lines of the memory hold {wanted!r}", which)
    return found[0].number - 1
