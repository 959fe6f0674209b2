"""This process closed to the others of its user, and heir to what its children leave behind."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator

_DUMPABLE, _SUBREAPER = 4, 36  # PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER


@functools.cache
def seal() -> None:
    """
    Close the environment, the memory and the open files of this process to the others of its user.

    Whatever a tool starts may look into the process that started it, where the keys are. A process with
    the right to trace others, as root has it, cannot be stopped. Core dumps, which hold the same, are off.
    """
    if sys.platform == "win32":
        return
    import resource

    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _prctl()(_DUMPABLE, 0)


@contextlib.contextmanager
def adopting() -> Iterator[None]:
    """For as long as it lasts, whoever loses their parent becomes a child of this process; Linux alone can."""
    _prctl()(_SUBREAPER, 1)
    try:
        yield
    finally:
        _prctl()(_SUBREAPER, 0)


@functools.cache
def _prctl() -> Callable[[int, int], object]:
    if sys.platform != "linux":
        return lambda option, value: None  # noqa: ARG005 - elsewhere there is no such call
    import ctypes

    call = ctypes.CDLL(None).prctl
    long = ctypes.c_ulong
    return lambda option, value: call(option, long(value), long(0), long(0), long(0))
