"""JSON lines of the memory folder: one object a line, append only; what makes no sense is skipped and counted.

Public: Lines, read_lines, append_lines.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cococat.memory.place import append_bytes, prepare, read_bytes


@dataclass(frozen=True, slots=True)
class Lines:
    """The objects of a file, oldest first, and how many lines were torn or malformed."""

    rows: tuple[dict[str, object], ...] = ()
    skipped: int = 0


def read_lines(folder: Path, name: str, *, tail: int = 0) -> Lines:
    """
    Read a file of JSON lines; a missing one is empty.

    Args:
        tail: look only at the lines in the last *tail* bytes; 0 = all.
    Raises: StorageError: the file is not one of ours, or not readable.
    """
    data = read_bytes(folder, name, tail=tail) or b""
    if 0 < tail <= len(data):
        data = data.partition(b"\n")[2]  # the first line began before the tail
    rows: list[dict[str, object]] = []
    skipped = 0
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        row = _row(line)
        if row is None:
            skipped += 1
        else:
            rows.append(row)
    return Lines(tuple(rows), skipped)


def append_lines(folder: Path, name: str, rows: Sequence[Mapping[str, object]]) -> None:
    """
    Append one line for each of *rows*, in one write, synced.

    Raises: StorageError: the folder or the file cannot be written.
    """
    prepare(folder)
    # ASCII only: U+2028, control characters and half surrogates cannot split or break a line
    text = "".join(json.dumps(row, ensure_ascii=True, separators=(",", ":")) + "\n" for row in rows)
    if text:
        append_bytes(folder, name, text.encode("ascii"))


def _row(line: bytes) -> dict[str, object] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None
