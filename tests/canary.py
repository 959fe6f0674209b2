"""A key that every test's environment holds, and that no byte of its doings may.

Source: docs/reliability.md, K1.

Public: KEY, VARIABLE, absent, written.
"""

from __future__ import annotations

import base64
import os
import stat
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path

VARIABLE = "COCOCAT_API_KEY"
_PIECES = ("canary", "4Jx9Qz7Lm2Vb8Nc5Kd3")  # apart: tests copy this file as well
KEY = "-".join(_PIECES)
CHUNK = 1 << 20


@cache
def _forms(key: str) -> tuple[bytes, ...]:
    """Every way to write it; its neighbours decide how base64 does, and share its first and last letters."""
    raw = key.encode()
    return (raw, raw[::-1], raw.hex().encode(), *(base64.b64encode(b"\0" * shift + raw)[4:-4] for shift in range(3)))


def absent(where: str, *texts: str | bytes, key: str = KEY) -> None:
    """Fail where one of *texts* holds the key, however written."""
    for text in texts:
        data = text.encode("utf-8", "replace") if isinstance(text, str) else text
        if any(form in data for form in _forms(key)):
            raise AssertionError(f"the key of the environment is in {where}")


def written(folders: Iterable[Path], key: str = KEY) -> None:
    """Fail where a file below one of *folders* holds the key, in its name or its bytes; holes are not read."""
    for folder in folders:
        for path, names, files in os.walk(folder):
            absent(f"a name below {folder}", "\n".join([*names, *files]), key=key)
            for name in files:
                file = Path(path, name)
                if _has_key(file, key):
                    raise AssertionError(f"the key of the environment is in {file}")


def _has_key(file: Path, key: str) -> bool:
    try:
        status = file.lstat()
        if not stat.S_ISREG(status.st_mode) or not status.st_size:
            return False
        with file.open("rb") as stream:
            return _in_stream(stream.fileno(), status.st_size, _forms(key))
    except OSError:
        return False  # it is gone, or a test has closed it to everybody


def _in_stream(fd: int, size: int, forms: Collection[bytes]) -> bool:
    """Look through the data of an open file, hole by hole."""
    seek_data = getattr(os, "SEEK_DATA", None)
    at, tail = 0, b""
    while at < size:
        if seek_data is not None:
            try:
                data = os.lseek(fd, at, seek_data)
            except OSError:  # nothing but a hole is left
                return False
            tail, at = (tail, at) if data == at else (b"", data)
        os.lseek(fd, at, os.SEEK_SET)
        piece = os.read(fd, CHUNK)
        if not piece:
            return False
        if any(form in tail + piece for form in forms):
            return True
        at, tail = at + len(piece), piece[-max(map(len, forms)) :]
    return False
