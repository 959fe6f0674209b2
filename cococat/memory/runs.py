"""What became of each dream, whatever it was: one line a run, for the log and for who was not there to see it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from cococat.core.events import DreamFinished
from cococat.memory.json_lines import append_lines, each_row
from cococat.memory.place import reading

__all__ = ["RUNS", "Run", "log_run", "runs", "size"]

RUNS = "dreams.jsonl"
_VERSION = 1
_NUMBERS = ("dream", "first", "covers", "steps", "tokens")


@dataclass(frozen=True, slots=True)
class Run:
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
        spent: its steps and tokens, and the other numbers of a `Run`.
    Raises: StorageError: it could not be written.
    """
    row = {"v": _VERSION, "ts": now.isoformat(timespec="seconds"), "outcome": finished.outcome}
    told = {"receipt": finished.receipt, "dream": finished.dream, "model": model}
    append_lines(folder, RUNS, [{**row, **told, **(spent or {})}])


def runs(folder: Path, *, behind: int = 0) -> tuple[Run, ...]:
    """
    Return the runs, oldest first; one of several parts once.

    Args:
        behind: bytes of the file that the caller knows already; see `size`.
    Raises: StorageError: the file is not one of ours.
    """
    fresh = size(folder) - behind
    rows = each_row(folder, RUNS, tail=max(0, fresh)) if fresh else ()  # a file that shrank is another one
    found: list[Run] = []
    for run in filter(None, (_run(row) for row in rows if row)):
        del found[len(found) - min(run.covers, len(found)) :]
        found.append(run)
    return tuple(found)


def size(folder: Path) -> int:
    """
    Return how many bytes the file holds; 0 when it is missing.

    Raises: StorageError: it is not one of ours.
    """
    with reading(folder, RUNS) as file:
        return os.fstat(file.fileno()).st_size if file else 0


def _run(row: Mapping[str, object]) -> Run | None:
    try:
        ts = datetime.fromisoformat(str(row.get("ts")))
    except ValueError:
        return None
    words = {name: str(row.get(name) or "") for name in ("outcome", "receipt", "model")}
    numbers = {name: value for name in _NUMBERS if isinstance(value := row.get(name), int)}
    return Run(ts, words["outcome"], words["receipt"], model=words["model"], **numbers)
