"""What tells a folder from every other, wherever it is moved to."""

from __future__ import annotations

import os
import struct
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_HERE, _NUMBER, _BORN = -100, 0x100, 0x800  # AT_FDCWD, STATX_INO, STATX_BTIME
_STATX = struct.Struct("=I28xQ40xqI164x")  # what is told, number, and seconds and nanoseconds of the birth


@dataclass(frozen=True, slots=True)
class Place:
    """
    A folder: its path, and what it keeps when it is moved and another at its old place lacks.

    Args:
        mark: empty where the system tells none.
    """

    cwd: str = ""
    mark: str = ""

    def is_other(self, than: Place) -> bool:
        """Return whether the two are known to be different folders, wherever they are."""
        return bool(self.mark and than.mark) and self.mark != than.mark


def place_of(path: Path | str) -> Place:
    """Look at the folder at *path*."""
    return Place(str(path), _mark(path))


def _mark(path: Path | str) -> str:
    """Return number and birth: the number alone is free when the folder is gone, and the next one may get it."""
    with suppress(OSError, AttributeError):  # it is gone, or the system knows no birth
        if sys.platform != "linux":
            status = os.stat(path)  # noqa: PTH116 - as below
            return f"{status.st_ino:x}.{status.st_birthtime}"
        import ctypes

        told = ctypes.create_string_buffer(_STATX.size)
        if ctypes.CDLL(None).statx(_HERE, os.fsencode(path), 0, _NUMBER | _BORN, told) == 0:  # before 3.15 os has none
            known, number, *born = _STATX.unpack(told)
            return "{:x}.{}.{}".format(number, *born) if known & _BORN else ""
    return ""
