"""The one way MEMORY.md changes: journal, replace, then versions, provenance and state; all or nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import stat
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import NoReturn

from cococat.core.agent import estimate_tokens
from cococat.core.events import DreamFinished
from cococat.errors import StorageError, UsageError
from cococat.memory.file import receipt, versions
from cococat.memory.file.document import MAX_BYTES as MAX_MEMORY
from cococat.memory.file.document import MEMORY, SMALLER, Memory, as_text, encoded, memory_lines, read
from cococat.memory.file.edits import changed_lines, patched
from cococat.memory.file.find_lines import named
from cococat.memory.file.history import pending
from cococat.memory.file.place import (
    append_lines,
    changing,
    each_row,
    hint_for,
    prepare,
    read_bytes,
    reading,
    remove,
    write_bytes,
)
from cococat.memory.file.provenance import PROVENANCE
from cococat.memory.file.state import State, as_json, bury, from_json, read_state, reconcile, write_state
from cococat.memory.file.versions import Version
from cococat.system.atomic import sweep
from cococat.system.text import json_items

JOURNAL = "journal.json"
MAX_BYTES = 64 << 20  # of a journal; it holds the memory twice
_VERSION = 1


class Conflict(Exception):
    """MEMORY.md is no longer what the change was made for, or what was said has been taken back since."""


@dataclass(frozen=True, slots=True)
class Change:
    """
    A change of MEMORY.md that is about to be made.

    Args:
        before: the memory as it was read.
        advance: moves the state on; cursor, tombstones.
        rows: provenance of the new lines.
        meta: kept with the version.
    """

    kind: versions.Kind
    before: Memory
    after: bytes
    advance: Callable[[State], State]
    rows: tuple[Mapping[str, object], ...]
    meta: Mapping[str, object]


def ignore(step: str) -> None:
    """Do nothing between two steps of a commit; tests stop there instead."""


def ready(folder: Path, *names: str) -> None:
    """
    Find out whether a change could be written, before a token is spent on it.

    Args:
        names: files that will be appended to besides those of every change.
    Raises: StorageError: read-only, no files of ours, or the disk takes nothing.
    """
    with changing(folder):
        _check_writable(folder)
        for name in (PROVENANCE, *names):
            with reading(folder, name):
                pass
        if os.path.lexists(folder / versions.VERSIONS):
            prepare(folder / versions.VERSIONS)
        write_state(folder, read_state(folder))


def commit(folder: Path, change: Change, *, now: datetime, after: Callable[[str], None] = ignore) -> int:
    """
    Make *change*: at every moment a crash leaves the old memory and cursor, or both new.

    Args:
        after: called after each step: "journal", "replace", "versions", "provenance", "state".
    Returns: the number of the version.

    Raises: Conflict: the file on disk is another one by now. StorageError: read-only, or could not be written.
    """

    def still_the_same() -> None:
        data = read_bytes(folder, MEMORY, most=MAX_MEMORY, smaller=SMALLER)
        if (data is not None, data or b"") != (change.before.exists, change.before.data):
            raise Conflict

    with changing(folder):
        _recover(folder)
        _check_said(folder, change.meta)
        still_the_same()
        _check_writable(folder)
        waited = read_state(folder).held
        row = _journal(folder, change, now)
        try:
            write_bytes(folder, JOURNAL, json.dumps(row).encode())
            after("journal")
            write_bytes(folder, MEMORY, change.after, still_the_same)  # a user may have saved it this very moment
            after("replace")
            _finish(folder, row, after)
        except (Conflict, OSError, StorageError) as error:
            _interrupted(folder, row, error)
        if waited and waited != read_state(folder).held:
            versions.discard(folder, waited)
        number = row["dream"]
        assert isinstance(number, int)
        return number


def _interrupted(folder: Path, row: Mapping[str, object], error: Exception) -> NoReturn:
    """Drop the journal of a change that was not made; of one that was, say what became of it."""
    made = False
    with suppress(OSError, StorageError):
        made = hashlib.sha256(read_bytes(folder, MEMORY) or b"").hexdigest() == row["new"]
        if not made:
            remove(folder, JOURNAL)
    if not made:
        raise error
    why = error.strerror if isinstance(error, OSError) else str(error)
    hint = hint_for(error, folder) if isinstance(error, OSError) else getattr(error, "hint", "")
    raise StorageError(f"{folder / MEMORY} is changed, its log is not yet ({why}); the next dream ends that", hint)


def hold(folder: Path, before: bytes, after: bytes, meta: Mapping[str, object], now: datetime) -> int:
    """
    Keep a change that waits for a user, and remember that it does; give its number.

    Raises: Conflict: see `commit`. StorageError: it could not be written; then nothing waits.
    """
    with changing(folder):
        _recover(folder)
        _check_said(folder, meta)
        state = read_state(folder)
        number = max(state.dreams, versions.newest(folder)) + 1
        if state.held and state.aside:
            after, meta = joined(versions.show(folder, state.held), before, after, meta)
        try:
            versions.keep_version(folder, number, before, after, meta)
        except (OSError, StorageError):
            versions.discard(folder, number)
            raise
        tidied = state.compacted if not (state.held and state.aside) else ""  # what it takes the place of comes again
        aside = "to_cursor" not in meta
        write_state(
            folder,
            replace(state, held=number, aside=aside, compacted=tidied, dreams=number, last_dream=now),
        )
        if state.held:
            versions.discard(folder, state.held)
        return number


def recover(folder: Path) -> str:
    """
    Finish or discard what a killed process left behind; say what was done, empty when nothing was.

    Raises: StorageError: the folder cannot be written.
    """
    with changing(folder):
        return _recover(folder)


def settle(folder: Path) -> None:
    """
    Recover if a commit was broken off; what looks at versions or state alone would else miss it.

    Raises: StorageError: the folder cannot be written.
    """
    if os.path.lexists(folder / JOURNAL):
        recover(folder)


def update(folder: Path, advance: Callable[[State], State]) -> State:
    """
    Move the state on without a change of MEMORY.md.

    Raises: StorageError: it could not be written.
    """
    with changing(folder):
        _recover(folder)  # or its state would be put over this one later
        state = advance(read_state(folder))
        write_state(folder, state)
        return state


def _check_said(folder: Path, meta: Mapping[str, object]) -> None:
    """
    Look whether the records that a change was made of still stand.

    Raises: Conflict: one of them was taken back.
    """
    seqs = {*json_items(meta, "records", int)}
    if seqs and seqs & pending(folder, min(seqs) - 1, most=1).retracted:
        raise Conflict


def _recover(folder: Path) -> str:
    for entry in (folder / versions.VERSIONS).glob("[0-9]*"):
        sweep(entry, alone=True)
    data = read_bytes(folder, JOURNAL, most=MAX_BYTES)
    if data is None:
        return ""
    row = _readable(data)
    done = row is not None and hashlib.sha256(read(folder).data).hexdigest() == row.get("new")
    if row is not None and done:
        _finish(folder, row, ignore)
        return f"finished change {row['dream']} of the memory, which was interrupted"
    remove(folder, JOURNAL)
    return "discarded an interrupted change of the memory; the file is as it was"


def _journal(folder: Path, change: Change, now: datetime) -> dict[str, object]:
    """Return everything that is needed to finish *change* after a crash."""
    state = reconcile(read_state(folder), memory_lines(change.before.text))
    number = max(state.dreams, versions.newest(folder)) + 1
    text = as_text(change.after)
    lines = memory_lines(text)
    state = reconcile(replace(change.advance(state), known=()), lines)
    new = hashlib.sha256(change.after).hexdigest()
    removed, added = changed_lines(change.before.text, text)
    tidied = change.kind == "dream" and not change.meta.get("records")
    told = (receipt.fewer if tidied else receipt.changed)(change.before.text, text)
    counts = {"told": told, "added": len(added), "removed": len(removed), "cursor": state.cursor}
    meta = {"ts": now.isoformat(timespec="seconds"), "kind": change.kind, **change.meta, **counts}
    return {
        "v": _VERSION,
        "dream": number,
        "old": change.before.sha,
        "new": new,
        "before": base64.b64encode(change.before.data).decode(),
        "after": base64.b64encode(change.after).decode(),
        "state": as_json(replace(state, dreams=number, sha256=new)),
        "rows": [{**row, "dream": number} for row in change.rows],
        "meta": meta,
    }


def _readable(data: bytes) -> dict[str, object] | None:
    try:
        row = json.loads(data)
        from_json(row["state"])
        base64.b64decode(row["before"])
        whole = {"dream": int, "new": str, "after": str, "rows": list, "meta": dict}
        return row if all(isinstance(row[name], kind) for name, kind in whole.items()) else None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _finish(folder: Path, row: Mapping[str, object], after: Callable[[str], None]) -> None:
    """Write what belongs to a replaced MEMORY.md; doing it twice gives the same."""
    number, meta, rows, state = row["dream"], row["meta"], row["rows"], row["state"]
    assert isinstance(number, int)
    assert isinstance(meta, dict)
    assert isinstance(rows, list)
    assert isinstance(state, dict)
    before, new = (base64.b64decode(str(row[name])) for name in ("before", "after"))
    versions.keep_version(folder, number, before, new, meta)
    after("versions")
    kept = [row for row in each_row(folder, PROVENANCE) if row.get("dream") == number]
    append_lines(folder, PROVENANCE, [row for row in rows if row not in kept])
    after("provenance")
    write_state(folder, from_json(state))
    after("state")
    remove(folder, JOURNAL)


def _check_writable(folder: Path) -> None:
    """Respect a file that its owner has made read-only: a replace would not even notice."""
    with reading(folder, MEMORY) as file:
        closed = file is not None and not os.fstat(file.fileno()).st_mode & stat.S_IWUSR
    if closed:
        raise StorageError(f"{folder / MEMORY} is read-only", f"chmod u+w '{folder / MEMORY}'")


def of_records(meta: Mapping[str, object]) -> bool:
    """Return whether a change was made of what a user said, rather than of the notes alone."""
    return bool(meta.get("records")) or "to_cursor" in meta


def rebase_pending(before: bytes, after: bytes, current: bytes) -> bytes | None:
    """
    Make the step from *before* to *after* in *current*; None when what it changes was changed since.

    Lines that only come always find a place: the end, where theirs is gone. None comes that is there.
    """
    old, new, now = (data.decode("utf-8", "surrogateescape").split("\n") for data in (before, after, current))
    fresh = [line for line in new if line.strip() and line not in old]
    only_comes = all(line in new for line in old)
    new = [line for line in new if line not in fresh or line not in now]
    made = patched(before, "\n".join(new).encode("utf-8", "surrogateescape"), current)
    if made is not None or not only_comes:
        return made
    left = [line for line in fresh if line not in now]
    return "\n".join([*"\n".join(now).rstrip("\n").split("\n"), *left, ""]).encode("utf-8", "surrogateescape")


def joined(
    waits: Version, before: bytes, after: bytes, meta: Mapping[str, object]
) -> tuple[bytes, Mapping[str, object]]:
    """Return the change from *before* to *after* and its *meta* with what *waits* already, so that one review asks about both."""
    whole = rebase_pending(waits.before, waits.after, after) if of_records(waits.meta) else None
    if whole is None:
        return after, meta
    lists = {
        name: [*json_items(waits.meta, name, object), *json_items(meta, name, object)] for name in ("records", "rows")
    }
    told = receipt.proposed(before.decode("utf-8", "replace"), whole.decode("utf-8", "replace"))
    return whole, {**meta, **lists, "told": told}


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
    said = receipt.changed(change.before.text, text)
    line = receipt.whole(said, change.before.text, text, [number], count, steps=0, tokens=0)
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
