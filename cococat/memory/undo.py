"""Taking changes of the memory back, and deleting a line by hand; what goes does not come back by itself."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from difflib import SequenceMatcher
from pathlib import Path

from cococat.core.agent import estimate_tokens
from cococat.core.events import DreamFinished
from cococat.errors import StorageError, UsageError
from cococat.memory import receipt, versions
from cococat.memory.commit import Change, Conflict, commit, settle
from cococat.memory.edits import changed_lines
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
        number: None = the newest dream that still stands.
        count: tokens of a text.
    Returns: outcome "failed" with the diff when lines that it changed have been changed since.
    Raises: StorageError: there is no such entry, or the memory cannot be written.
    """
    settle(folder)  # or a dream that was killed in its commit would not be the newest
    number = number or _newest_standing(folder)
    version = versions.show(folder, number)
    if version.entry.kind == "held" or version.entry.undone:
        why = "was never applied" if version.entry.kind == "held" else "is undone already"
        return DreamFinished("nothing", receipt.unchanged(f"dream {number} {why}"), dream=number)
    memory = read(folder)
    after = _reversed(version.before, version.after, memory.data)
    if after is None:
        why = f"dream {number} cannot be undone: its lines were changed since; edit them: cococat memory edit"
        return DreamFinished("failed", receipt.unchanged(why), versions.unified(version.before, version.after), number)
    text = as_text(after)
    meta = {"target": number, "stop": "answered"}
    return _apply(folder, Change("undo", memory, after, _burying(memory, text), (), meta), text, now, count)


def rm(folder: Path, line: int | str, *, now: datetime, count: Callable[[str], int] = estimate_tokens) -> DreamFinished:
    """
    Delete one line of the memory, pinned or not; the next dream does not add it again.

    Args:
        line: its number from 1, or text that only this line holds.
        count: tokens of a text.

    Raises: UsageError: no line or several lines are meant. StorageError: the memory cannot be written.
    """
    settle(folder)
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
    settle(folder)
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
        if entry.kind == "dream" and not entry.undone:
            return entry.number
    raise StorageError("there is no dream to undo", "cococat dream log")


def _reversed(before: bytes, after: bytes, current: bytes) -> bytes | None:
    """Take the step from *before* to *after* out of *current*; None when it was built upon since."""
    old, new, now = (data.splitlines(keepends=True) for data in (before, after, current))
    place = _places(new, now)
    out = list(now)
    for how, i1, i2, j1, j2 in reversed(SequenceMatcher(None, old, new, autojunk=False).get_opcodes()):
        if how == "equal":
            continue
        start = _where(place, j1, j2, len(new), len(now))
        if start is None:
            return None
        out[start : start + j2 - j1] = old[i1:i2]
    return b"".join(line if line.endswith((b"\n", b"\r")) else line + b"\n" for line in out[:-1]) + b"".join(out[-1:])


def _places(new: list[bytes], now: list[bytes]) -> dict[int, int]:
    """Return where each line of *new* stands in *now*, if it still does."""
    blocks = SequenceMatcher(None, new, now, autojunk=False).get_matching_blocks()
    return {block.a + step: block.b + step for block in blocks for step in range(block.size)}


def _where(place: dict[int, int], j1: int, j2: int, new_size: int, now_size: int) -> int | None:
    """Return where lines j1..j2 stand now, all of them side by side, or where lines between them would."""
    if j1 < j2:
        start = place.get(j1)
        whole = start is not None and all(place.get(j1 + step) == start + step for step in range(j2 - j1))
        return start if whole else None
    if j1 == 0:
        return 0 if place.get(0, 0) == 0 else None
    if (above := place.get(j1 - 1)) is not None:
        return above + 1
    return place.get(j1) if j1 < new_size else now_size


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
