"""A change that waits for a user: shown hunk by hunk, then made in whole, in part or not at all."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import SequenceMatcher
from pathlib import Path

from cococat.core.agent import estimate_tokens
from cococat.core.events import DreamFinished
from cococat.errors import StorageError
from cococat.memory.file import receipt, versions
from cococat.memory.file.document import Memory, as_text, encoded, memory_lines, read
from cococat.memory.file.journal import Change, Conflict, commit, of_records, rebase_pending, settle, update
from cococat.memory.file.place import Busy, locked
from cococat.memory.file.state import State, bury, read_state
from cococat.memory.words import key
from cococat.system.text import json_items


@dataclass(frozen=True, slots=True)
class Hunk:
    """One place of a proposal: the lines that would go, those that would come, and the heading above them."""

    removed: tuple[str, ...]
    added: tuple[str, ...]
    section: str = ""


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """
    What a dream would change.

    Args:
        number: its entry in the log.
        lost: facts that nobody gave up and that compacting would lose.
        told: what it would do, in a few words.
    """

    number: int
    hunks: tuple[Hunk, ...]
    diff: str
    lost: tuple[str, ...] = ()
    told: str = ""


def waiting(folder: Path) -> ProposedChange | None:
    """
    Return the change that waits for a user, if there is one.

    Raises: StorageError: it is damaged, or the folder is not usable.
    """
    settle(folder)
    number = read_state(folder).held
    if not number:
        return None
    version = versions.show(folder, number)
    before, after = (as_text(data).split("\n") for data in _as_it_stands(version, read(folder)))
    hunks = tuple(
        Hunk(tuple(before[i1:i2]), tuple(after[j1:j2]), _section(after[:j1]))
        for i1, i2, j1, j2 in _places(before, after)
    )
    named = tuple(map(str, json_items(version.meta, "lost", object)))
    old, new = map("\n".join, (before, after))
    diff = versions.unified(old.encode(), new.encode())
    return ProposedChange(number, hunks, diff, named, receipt.proposed(old, new))


def decide(
    folder: Path, accepted: Collection[int], *, now: datetime, count: Callable[[str], int] = estimate_tokens
) -> DreamFinished:
    """
    Make the waiting change with the *accepted* hunks; lines of the others are buried, and the cursor moves.

    Args:
        accepted: indexes into `ProposedChange.hunks`; none of them rejects the change.
        count: tokens of a text.
    Returns: outcome "failed" when the memory was changed since: the next dream proposes again.

    Raises: StorageError: nothing waits, a dream is running, or the memory cannot be written.
    """
    number = read_state(folder).held
    if not number:
        raise StorageError("no change waits for a review", "cococat dream --review")
    version, memory = versions.show(folder, number), read(folder)
    then, wanted = _as_it_stands(version, memory)
    if memory.data != then:
        return _stale(folder, number)
    before, after = (as_text(data).split("\n") for data in (then, wanted))
    text = _chosen(before, after, accepted)
    rejected = [line for line in memory_lines("\n".join(after)) if line not in {*map(str.strip, text.split("\n"))}]
    advance = _behind(version.meta, rejected, memory.sha)
    if text == "\n".join(before):
        update(folder, advance)
        versions.discard(folder, number)
        return DreamFinished("nothing", receipt.unchanged("the change was rejected"), dream=number)
    new = encoded(memory, text)
    advance = _behind(version.meta, rejected, hashlib.sha256(new).hexdigest())
    change = Change("dream", memory, new, advance, _lasting(version.meta, text), {**_kept(version.meta)})
    try:
        with locked(folder, "dream.lock", wait_s=0):
            done = commit(folder, change, now=now)
    except Busy as error:
        raise StorageError("another dream is running, and the change still waits", "cococat dream --review") from error
    except Conflict:
        return _stale(folder, number)
    said = (receipt.changed if of_records(version.meta) else receipt.fewer)(memory.text, text)
    entry = version.entry
    line = receipt.whole(said, memory.text, text, [done], count, steps=entry.steps, tokens=entry.tokens)
    return DreamFinished("changed", line, versions.unified(memory.data, new), done)


def _places(before: list[str], after: list[str]) -> list[tuple[int, int, int, int]]:
    codes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return [(i1, i2, j1, j2) for how, i1, i2, j1, j2 in codes if how != "equal"]


def _section(above: list[str]) -> str:
    return next((line.lstrip("# ").strip() for line in reversed(above) if line.startswith("#")), "")


def _chosen(before: list[str], after: list[str], accepted: Collection[int]) -> str:
    out = list(before)
    for index, (i1, i2, j1, j2) in reversed(list(enumerate(_places(before, after)))):
        if index in accepted:
            out[i1:i2] = after[j1:j2]
    return "\n".join(out)


def _as_it_stands(version: versions.Version, memory: Memory) -> tuple[bytes, bytes]:
    """
    Return *version*'s before and after; for one that holds up no other dream, in *memory* as it has become since.

    Where the records come again, it is judged by the text that it was made for, and by no other.
    """
    whole = version.before, version.after
    if memory.data == version.before or "to_cursor" in version.meta:
        return whole
    made = rebase_pending(*whole, memory.data)
    return whole if made is None else (memory.data, made)


def _behind(meta: Mapping[str, object], rejected: list[str], sha: str) -> Callable[[State], State]:
    """Move the cursor behind the batch that the change was made of; *sha* is of MEMORY.md as it was decided to be."""
    cursor, offset = meta.get("to_cursor"), meta.get("to_offset")

    def advance(state: State) -> State:
        state = replace(bury(state, rejected), held=0)
        if not isinstance(cursor, int):  # the cursor stands behind it, or it is of a compaction, which reads no records
            return state if of_records(meta) else replace(state, compacted=sha)
        past = offset if isinstance(offset, int) else 0
        return replace(state, cursor=max(state.cursor, cursor), offset=past, failures=0, limit=0)

    return advance


def _lasting(meta: Mapping[str, object], text: str) -> tuple[Mapping[str, object], ...]:
    kept = {key(line) for line in memory_lines(text)}
    return tuple(row for row in json_items(meta, "rows", dict) if row.get("key") in kept)


def _kept(meta: Mapping[str, object]) -> dict[str, object]:
    """What the log goes on to tell of the run."""
    gone = ("to_cursor", "to_offset", "rows", "lost", "exists", "kind", "ts", "told", "added", "removed")
    return {name: value for name, value in meta.items() if name not in gone}


def _stale(folder: Path, number: int) -> DreamFinished:
    update(folder, lambda state: replace(state, held=0))
    return DreamFinished("failed", receipt.unchanged(f"MEMORY.md was changed since dream {number}; run it again"))
