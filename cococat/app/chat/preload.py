"""What is done beside the prompt."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from functools import cache

from cococat.app.signals import ENDING

__all__ = ["in_background", "preload_beside"]


@cache
def preload_beside(then: Callable[[], None]) -> None:
    """
    Import the model's library, do *then*; on a thread, and once.

    A failure of the import shows when the library is used.
    """

    def load() -> None:
        with contextlib.suppress(ImportError):
            from cococat.model.client import preload

            preload()
        then()

    in_background(load)


def in_background(work: Callable[[], object]) -> threading.Thread:
    """Do *work* on a thread that no end waits for."""
    thread = threading.Thread(target=work, daemon=True)
    with _undisturbed():
        thread.start()
    return thread


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Let signals wait that end the chat: one whose handler raises in the start of a thread leaves that half begun."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
