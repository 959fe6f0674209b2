"""JSON lines of the memory folder: one object a line, append only; what makes no sense is skipped and counted."""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from cococat.errors import StorageError
from cococat.memory.place import append_bytes, reading

__all__ = ["MAX_BYTES", "Lines", "append_lines", "each_line", "each_row", "read_lines", "row_of"]

MAX_BYTES = 16 << 20  # bytes of a line; more than the window of any model takes


@dataclass(frozen=True, slots=True)
class Lines:
    """The objects of a file, oldest first, and how many lines were torn or malformed."""

    rows: tuple[dict[str, object], ...]
    skipped: int


def each_line(folder: Path, name: str, *, tail: int = 0) -> Generator[bytes]:
    """
    Read a file of JSON lines, one line at a time; blank ones are left out, a missing file has none.

    Args:
        tail: look only at the lines in the last *tail* bytes; 0 = all.
    Raises: StorageError: the file is not one of ours, or not readable.
    """
    with reading(folder, name) as file:
        if file is None:
            return
        if 0 < tail < os.fstat(file.fileno()).st_size:
            file.seek(-tail - 1, os.SEEK_END)
            _line(file)  # it began before the tail
        while line := _line(file):
            if not line.isspace():
                yield line


def each_row(folder: Path, name: str, *, tail: int = 0) -> Iterator[dict[str, object] | None]:
    """
    Read a file of JSON lines, one object at a time; None stands for a line that makes no sense.

    Args:
        tail: see `each_line`.
    Raises: StorageError: the file is not one of ours, or not readable.
    """
    return map(row_of, each_line(folder, name, tail=tail))


def read_lines(folder: Path, name: str) -> Lines:
    """
    Read a file of JSON lines; a missing one is empty.

    Raises: StorageError: the file is not one of ours, or not readable.
    """
    rows = list(each_row(folder, name))
    return Lines(tuple(row for row in rows if row is not None), rows.count(None))


def row_of(line: bytes) -> dict[str, object] | None:
    """Return the object that *line* holds; None when it makes no sense."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def append_lines(folder: Path, name: str, rows: Sequence[Mapping[str, object]]) -> None:
    """
    Append one line for each of *rows*, in one write, synced.

    Raises: StorageError: the folder or the file cannot be written, or a row is too long to be read again.
    """
    # ASCII only: U+2028, control characters and half surrogates cannot split or break a line
    lines = [json.dumps(row, ensure_ascii=True, separators=(",", ":")) + "\n" for row in rows]
    if any(len(line) > MAX_BYTES for line in lines):
        raise StorageError(f"a line for {folder / name} is longer than {MAX_BYTES:,} bytes", "keep that text in a file")
    if lines:
        append_bytes(folder, name, "".join(lines).encode("ascii"))


def _line(file: BinaryIO) -> bytes:
    """Read one line; of one that is longer than any of ours give only the beginning, which makes no sense."""
    line = rest = file.readline(MAX_BYTES)
    while rest and not rest.endswith(b"\n"):
        rest = file.readline(MAX_BYTES)
    return line
