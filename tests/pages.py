"""Memory of the warm parent in large pages: a fork copies the table of its pages, forty thousand entries at 4 KiB each.

Public: enlarge.
"""

from __future__ import annotations

import ctypes
import re
import sys
from pathlib import Path

LARGE = 2 << 20
COLLAPSE = 25  # MADV_COLLAPSE, of Linux 6.1
PRIVATE = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) rw-p 00000000 00:00 0 *(?:\[heap\])?$", re.MULTILINE)


def enlarge() -> None:
    """
    Ask for large pages wherever this process keeps nothing but objects; what cannot be had stays as it is.

    It takes 0.35 s once, and makes of the 17 ms of CPU that a fork and its end take 6.
    """
    if sys.platform != "linux":
        return
    advise = ctypes.CDLL(None).madvise
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for begin, end in PRIVATE.findall(Path("/proc/self/maps").read_text()):
        for place in range(-(-int(begin, 16) // LARGE) * LARGE, int(end, 16) - LARGE + 1, LARGE):
            advise(place, LARGE, COLLAPSE)
