"""Where dreaming stands: the cursor, the failures, and which lines must not come back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from cococat.errors import StorageError
from cococat.memory.file.place import read_bytes, write_bytes
from cococat.memory.words import key
from cococat.system.text import json_items, json_object

STATE = "state.json"
TOMBSTONES = 500  # the newest are kept
MAX_BYTES = 16 << 20  # of a file that we wrote
_VERSION = 1


@dataclass(frozen=True, slots=True)
class State:
    """
    What one dream tells the next.

    Args:
        cursor: seq of the last record that is done with.
        offset: characters of the next record's typed text that are done with.
        failures: failed runs on the current batch.
        limit: records a batch may hold after it was split; 0 = as many as fit.
        dreams: number of the newest entry in versions/.
        held: number of the entry that waits for a review; 0 = none.
        aside: it only goes over the notes, or is of lines beside those that were kept: what is said since is remembered all the same.
        sha256: of MEMORY.md as the last change of ours left it.
        compacted: sha256 of MEMORY.md as the last compaction left it; there is nothing to do about that one.
        known: lines of MEMORY.md then; what is missing now was deleted by hand.
        tombstones: lines that somebody deleted.
    """

    cursor: int = 0
    offset: int = 0
    last_dream: datetime | None = None
    failures: int = 0
    limit: int = 0
    dreams: int = 0
    held: int = 0
    aside: bool = False
    sha256: str = ""
    compacted: str = ""
    known: tuple[str, ...] = ()
    tombstones: tuple[str, ...] = ()


def read_state(folder: Path) -> State:
    """
    Read state.json; a damaged one is rebuilt from what the newest versions tell.

    Raises: StorageError: it is not a file of ours, or not readable.
    """
    data = read_bytes(folder, STATE, most=MAX_BYTES)
    if data is None:
        return _rebuilt(folder)
    try:
        return from_json(json.loads(data))
    except (ValueError, TypeError, AttributeError, RecursionError):
        return _rebuilt(folder)


def write_state(folder: Path, state: State) -> None:
    """
    Put *state* on disk in one step; the caller holds the lock.

    Raises: StorageError: the folder is no place of ours. OSError: the disk is full or failed.
    """
    row = {"v": _VERSION, **as_json(state)}
    write_bytes(folder, STATE, json.dumps(row, indent=1).encode())


def as_json(state: State) -> dict[str, object]:
    """Return *state* as a JSON object."""
    last = state.last_dream and state.last_dream.isoformat(timespec="seconds")
    return {**asdict(state), "last_dream": last, "known": [*state.known], "tombstones": [*state.tombstones]}


def reconcile(state: State, lines: Sequence[str]) -> State:
    """Bury the known lines that a user has deleted since, and unbury those that are back."""
    present = {key(line) for line in lines}
    gone = tuple(line for line in state.known if key(line) not in present)
    return replace(bury(state, gone, keep=present), known=tuple(lines))


def bury(state: State, lines: Sequence[str], keep: set[str] | None = None) -> State:
    """Add *lines* to the tombstones, but none whose key is in *keep*."""
    keep = keep or set()
    wanted = {key(line): line for line in (*state.tombstones, *lines)}
    kept = [line for name, line in wanted.items() if name and name not in keep]
    return replace(state, tombstones=tuple(kept[-TOMBSTONES:]))


def from_json(row: Mapping[str, object]) -> State:
    """
    Return the state that *row* holds.

    Raises: ValueError, TypeError, AttributeError: it holds none.
    """
    last = row.get("last_dream")
    when = datetime.fromisoformat(last) if isinstance(last, str) else None
    return State(
        **{name: _number(row, name) for name in ("cursor", "offset", "failures", "limit", "dreams", "held")},
        last_dream=when if when is None or when.tzinfo else when.replace(tzinfo=UTC),
        aside=row.get("aside") is True,
        sha256=str(row.get("sha256") or ""),
        compacted=str(row.get("compacted") or ""),
        known=tuple(json_items(row, "known", str)),
        tombstones=tuple(json_items(row, "tombstones", str)),
    )


def _number(row: Mapping[str, object], name: str) -> int:
    value = row.get(name, 0)
    if not isinstance(value, int) or value < 0:
        raise ValueError(name)
    return value


def _rebuilt(folder: Path) -> State:
    """Take the cursor from the newest version: what came after it is read again, and nothing is lost."""
    cursor = dreams = 0
    for path in sorted((folder / "versions").glob("[0-9]*")):
        if path.name.isdigit():
            dreams = max(dreams, int(path.name))
        with suppress(StorageError):
            row = json_object(read_bytes(path, "meta.json", most=MAX_BYTES) or b"") or {}
            cursor = max(cursor, row["cursor"] if isinstance(row.get("cursor"), int) else 0)
    return State(cursor=cursor, dreams=dreams)
