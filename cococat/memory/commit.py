"""The one way MEMORY.md changes: journal, replace, then versions, provenance and state; all or nothing.

Public: Change, Conflict, commit, recover, update, ignore.
"""

from __future__ import annotations

import base64
import hashlib
import json
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from cococat.errors import StorageError
from cococat.memory import versions
from cococat.memory.edits import changed_lines
from cococat.memory.file import MEMORY, Memory, as_text, memory_lines, read
from cococat.memory.lines import append_lines, read_lines
from cococat.memory.place import Busy, locked, read_bytes
from cococat.memory.provenance import PROVENANCE
from cococat.memory.state import State, as_json, from_json, read_state, reconcile, write_state
from cococat.store.atomic import sync_folder, write_atomic

JOURNAL = "journal.json"
_VERSION = 1


class Conflict(Exception):
    """MEMORY.md is no longer what the change was made for."""


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


def commit(folder: Path, change: Change, *, now: datetime, after: Callable[[str], None] = ignore) -> int:
    """
    Make *change*: at every moment a crash leaves the old memory and cursor, or both new.

    Args:
        after: called after each step: "journal", "replace", "versions", "provenance", "state".
    Returns: the number of the version.

    Raises: Conflict: the file on disk is another one by now. StorageError: read-only, or could not be written.
    """
    with _writing(folder):
        _recover(folder)
        disk = read(folder)
        if (disk.exists, disk.data) != (change.before.exists, change.before.data):
            raise Conflict
        _check_writable(folder, disk)
        row = _journal(folder, change, now)
        write_atomic(folder / JOURNAL, json.dumps(row).encode())
        after("journal")
        write_atomic(folder / MEMORY, change.after)
        after("replace")
        _finish(folder, row, after)
        number = row["dream"]
        assert isinstance(number, int)
        return number


def recover(folder: Path) -> str:
    """
    Finish or discard what a killed process left behind; say what was done, empty when nothing was.

    Raises: StorageError: the folder cannot be written.
    """
    with _writing(folder):
        return _recover(folder)


def update(folder: Path, advance: Callable[[State], State]) -> State:
    """
    Move the state on without a change of MEMORY.md.

    Raises: StorageError: it could not be written.
    """
    with _writing(folder):
        state = advance(read_state(folder))
        write_state(folder, state)
        return state


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Hold the lock for changes; what the disk refuses is a StorageError."""
    try:
        with locked(folder):
            yield
    except Busy as error:
        raise StorageError(f"the memory was not changed: {error}", "close the other cococat") from error
    except OSError as error:
        what = error.strerror or type(error).__name__
        raise StorageError(f"cannot write to {folder}: {what}", "free some disk space, or chmod it") from error


def _recover(folder: Path) -> str:
    for leftover in (*folder.glob(".*.tmp"), *(folder / versions.VERSIONS).glob("*/.*.tmp")):
        with suppress(OSError):
            leftover.unlink()
    data = read_bytes(folder, JOURNAL)
    if data is None:
        return ""
    row = _readable(data)
    done = row is not None and hashlib.sha256(read(folder).data).hexdigest() == row.get("new")
    if row is not None and done:
        _finish(folder, row, ignore)
        return f"finished change {row['dream']} of the memory, which was interrupted"
    _drop_journal(folder)
    return "discarded an interrupted change of the memory; the file is as it was"


def _journal(folder: Path, change: Change, now: datetime) -> dict[str, object]:
    """Give everything that is needed to finish *change* after a crash."""
    state = reconcile(read_state(folder), memory_lines(change.before.text))
    number = max(state.dreams, versions.newest(folder)) + 1
    text = as_text(change.after)
    lines = memory_lines(text)
    state = reconcile(replace(change.advance(state), known=()), lines)
    new = hashlib.sha256(change.after).hexdigest()
    removed, added = changed_lines(change.before.text, text)
    counts = {"added": len(added), "removed": len(removed), "cursor": state.cursor}
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
    versions.keep(folder, number, before, new, meta)
    after("versions")
    if not any(kept.get("dream") == number for kept in read_lines(folder, PROVENANCE).rows):
        append_lines(folder, PROVENANCE, rows)
    after("provenance")
    write_state(folder, from_json(state))
    after("state")
    _drop_journal(folder)


def _drop_journal(folder: Path) -> None:
    (folder / JOURNAL).unlink(missing_ok=True)
    sync_folder(folder)


def _check_writable(folder: Path, disk: Memory) -> None:
    """Respect a file that its owner has made read-only: a replace would not even notice."""
    if disk.exists and not (folder / MEMORY).stat().st_mode & stat.S_IWUSR:
        raise StorageError(f"{folder / MEMORY} is read-only", f"chmod u+w '{folder / MEMORY}'")
