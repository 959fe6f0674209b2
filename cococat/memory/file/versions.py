"""What became of the memory: each change with before, after and diff, the newest 50; and one line for each dream that ran."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from cococat.core.events import DreamFinished
from cococat.errors import StorageError, UsageError
from cococat.memory.file.place import append_lines, each_row, prepare, read_bytes, size, time_of, write_bytes
from cococat.system.text import json_object

VERSIONS = "versions"
KEPT = 50
RUNS = "dreams.jsonl"  # what became of each dream, whatever it was
_VERSION = 1  # of a line there
_NUMBERS = ("dream", "first", "covers", "steps", "tokens")
Kind: TypeAlias = Literal["dream", "held", "undo", "rm"]


@dataclass(frozen=True, slots=True)
class Entry:
    """
    One line of `dream log`.

    Args:
        kind: a held dream has not changed the memory yet.
        target: the entry that an undo has undone; 0 for the others.
        tokens: prompt and completion.
        told: what it did, in a few words; empty in entries of old.
    """

    number: int
    ts: datetime
    kind: Kind
    added: int
    removed: int
    steps: int
    tokens: int
    target: int
    model: str
    stop: str
    undone: bool
    told: str


@dataclass(frozen=True, slots=True)
class Version:
    """An entry with its bytes, and *meta* as it was kept (the run's steps are in there)."""

    entry: Entry
    before: bytes
    after: bytes
    meta: Mapping[str, object]


def log(folder: Path) -> tuple[Entry, ...]:
    """Return what changed the memory, oldest first; damaged entries are left out."""
    metas = [(number, meta) for number in _numbers(folder) if (meta := _meta(folder, number)) is not None]
    undone: set[object] = set()
    for number, meta in reversed(metas):
        if meta.get("kind") == "undo" and number not in undone:  # or what it had undone stands again
            undone.add(meta.get("target"))
    return tuple(entry for number, meta in metas if (entry := _entry(number, meta, undone=number in undone)))


def show(folder: Path, number: int) -> Version:
    """
    Return entry *number*.

    Raises:
        UsageError: there is none.
        StorageError: it is damaged, or too old to be kept.
    """
    entry = next((version for version in log(folder) if version.number == number), None)
    path = folder / VERSIONS / f"{number:04}"
    before, after = (read_bytes(path, name) for name in ("before.md", "after.md")) if entry else (None, None)
    if entry is None:
        raise UsageError(f"there is no dream {number}", "`cococat dream log` lists them")
    if before is None or after is None:
        raise StorageError(f"dream {number} is not kept any more, or damaged", "`cococat dream log` lists them")
    return Version(entry, before, after, _meta(folder, number) or {})


def diff(folder: Path, number: int) -> str:
    """
    Return the unified diff of entry *number*, made from the bytes.

    Raises: StorageError: there is none, or it is damaged.
    """
    version = show(folder, number)
    return unified(version.before, version.after)


def unified(before: bytes, after: bytes) -> str:
    """Return the unified diff of two states of MEMORY.md; empty when they are equal."""
    from difflib import unified_diff

    old, new = (_text_lines(data) for data in (before, after))
    return "\n".join(unified_diff(old, new, "MEMORY.md before", "MEMORY.md after", n=2, lineterm=""))


def _text_lines(data: bytes) -> list[str]:
    return (
        [line.rstrip("\r") for line in data.decode("utf-8-sig", "replace").removesuffix("\n").split("\n")]
        if data
        else []
    )


def keep_version(folder: Path, number: int, before: bytes, after: bytes, meta: Mapping[str, object]) -> None:
    """
    Write entry *number*, whole or not at all, and drop the oldest beyond 50; doing it again changes nothing.

    Raises: OSError: the disk is full or failed. StorageError: something else stands in the place of the folder.
    """
    path = folder / VERSIONS / f"{number:04}"
    for needed in (folder, folder / VERSIONS, path):
        prepare(needed)
    write_bytes(path, "before.md", before)
    write_bytes(path, "after.md", after)
    write_bytes(path, "change.diff", (unified(before, after) + "\n").encode("utf-8"))
    write_bytes(path, "meta.json", json.dumps(meta, indent=1).encode())  # last: an entry without it does not count
    for old in _numbers(folder)[:-KEPT]:
        discard(folder, old)


def discard(folder: Path, number: int) -> None:
    """Drop entry *number*, if it is there."""
    if not (folder / VERSIONS).is_symlink():
        shutil.rmtree(folder / VERSIONS / f"{number:04}", ignore_errors=True)


def newest(folder: Path) -> int:
    """Return the highest number in use; 0 when there is none."""
    return max(_numbers(folder), default=0)


def _numbers(folder: Path) -> list[int]:
    try:
        names = [path.name for path in (folder / VERSIONS).iterdir() if not path.is_symlink()]
    except OSError:
        return []
    if (folder / VERSIONS).is_symlink():
        return []
    return sorted(int(name) for name in names if name.isascii() and name.isdigit())


def _meta(folder: Path, number: int) -> dict[str, object] | None:
    with suppress(StorageError):
        return json_object(read_bytes(folder / VERSIONS / f"{number:04}", "meta.json") or b"")
    return None


def _entry(number: int, meta: Mapping[str, object], *, undone: bool) -> Entry | None:
    kind = next((name for name in get_args(Kind) if name == meta.get("kind")), None)
    if (ts := time_of(meta)) is None or kind is None:
        return None
    counts = {name: value if isinstance(value := meta.get(name), int) else 0 for name in _COUNTS}
    told, model, stop = (str(meta.get(name) or "") for name in ("told", "model", "stop"))
    return Entry(number, ts, kind, **counts, model=model, stop=stop, undone=undone, told=told)


_COUNTS = ("added", "removed", "steps", "tokens", "target")


@dataclass(frozen=True, slots=True)
class PastRun:
    """
    One run.

    Args:
        dream: its entry in versions/; 0 where it left none.
        first: the entry that it began with, where it left several.
        covers: rows before this one that it tells of as a whole.
        tokens: prompt and completion.
    """

    ts: datetime
    outcome: str
    receipt: str
    dream: int = 0
    first: int = 0
    covers: int = 0
    steps: int = 0
    tokens: int = 0
    model: str = ""


def log_run(
    folder: Path, finished: DreamFinished, *, now: datetime, spent: Mapping[str, int] | None = None, model: str = ""
) -> None:
    """
    Append what became of a run.

    Args:
        spent: its steps and tokens, and the other numbers of a `PastRun`.
    Raises: StorageError: it could not be written.
    """
    row = {"v": _VERSION, "ts": now.isoformat(timespec="seconds"), "outcome": finished.outcome}
    told = {"receipt": finished.receipt, "dream": finished.dream, "model": model}
    append_lines(folder, RUNS, [{**row, **told, **(spent or {})}])


def runs(folder: Path, *, behind: int = 0) -> tuple[PastRun, ...]:
    """
    Return the runs, oldest first; one of several parts once.

    Args:
        behind: bytes of the file that the caller knows already.
    Raises: StorageError: the file is not one of ours.
    """
    fresh = size(folder, RUNS) - behind
    rows = each_row(folder, RUNS, tail=max(0, fresh)) if fresh else ()  # a file that shrank is another one
    found: list[PastRun] = []
    for run in filter(None, map(_run, rows)):
        del found[len(found) - min(run.covers, len(found)) :]
        found.append(run)
    return tuple(found)


def _run(row: Mapping[str, object]) -> PastRun | None:
    if (ts := time_of(row)) is None:
        return None
    outcome, told, model = (str(row.get(name) or "") for name in ("outcome", "receipt", "model"))
    numbers = {name: value for name in _NUMBERS if isinstance(value := row.get(name), int)}
    return PastRun(ts, outcome, told, model=model, **numbers)
