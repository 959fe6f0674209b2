"""A list of sessions kept ready: derived from the logs, and thrown away whenever it does not fit them."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias
from zlib import crc32

from cococat.system.atomic import write_atomic
from cococat.system.private import private_dir

__all__ = ["Facts", "Row", "forget", "read", "write"]

_NAME = "sessions.json"
_HEAD = b'{"v":3,"crc":"%08x"}\n'

# started, updated, title, turns, cwd, its mark, model, first words; as lists, since that is what JSON gives back
Facts: TypeAlias = tuple[float, float, str, int, str, str, str, str]
Row: TypeAlias = tuple[int, int, Facts | None]  # bytes, nanoseconds since 1970 of the change; None: holds no message


def read(cache: Path) -> dict[str, Row]:
    """Return what is known of each session by id; nothing when there is no index, or not one that was written whole."""
    with suppress(OSError, ValueError):
        head, _, body = (cache / _NAME).read_bytes().partition(b"\n")
        if head + b"\n" == _HEAD % crc32(body):
            rows: dict[str, Row] = json.loads(body)
            return rows
    return {}


def write(cache: Path, rows: dict[str, Row]) -> None:
    """
    Keep *rows*.

    Raises: OSError: what was kept before is still there.
    """
    body = json.dumps(rows, separators=(",", ":")).encode("ascii")
    write_atomic(private_dir(cache) / _NAME, _HEAD % crc32(body) + body)


def forget(cache: Path, sessions: Sequence[str]) -> None:
    """
    Take *sessions* out of the index.

    Raises: OSError: they are still there.
    """
    if not os.path.lexists(cache / _NAME):
        return
    gone = set(sessions)
    write(cache, {name: row for name, row in read(cache).items() if name not in gone})
