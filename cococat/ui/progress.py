"""How far work has come that takes longer than a second: a bar of Rich on a terminal's stderr, elsewhere nothing."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Protocol, TypeAlias

from cococat.ui.theme import is_terminal

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["Bars", "Tell", "progress"]

LATER_S = 1.0  # what is over sooner shows nothing
Tell: TypeAlias = Callable[[int, int], object]  # how much is done, of how much


class Bars(Protocol):
    """Makes what shows how far *what* has come; its value is told how much is done, of how much, from any thread."""

    def __call__(self, what: str, *, shown: bool = True) -> AbstractContextManager[Tell]:
        """Return it; with *shown* false it shows nothing."""
        ...


@contextmanager
def progress(what: str, *, shown: bool = True, after_s: float = LATER_S) -> Iterator[Tell]:
    """
    Show from *after_s* on how far *what* has come, until it ends; nothing of it stays on the screen.

    Before the first word of how much there is to do, the bar only moves.
    """
    if not (shown and is_terminal(sys.stderr)):
        yield _untold
        return
    bar = _Bar(what)
    timer = threading.Timer(after_s, bar.begin)
    timer.daemon = True  # it must not keep a process that ends
    if after_s:
        timer.start()
    else:
        bar.begin()
    try:
        yield bar.tell
    finally:
        timer.cancel()
        bar.end()


class _Bar:
    """A bar that a timer begins, that work moves, and that ends with it."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._at: tuple[int, int | None] = (0, None)
        self._lock = threading.Lock()
        self._over = False
        self._bar: Progress | None = None

    def begin(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        with self._lock:
            if self._over:
                return
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
            self._bar.add_task(self._what, completed=self._at[0], total=self._at[1])
            self._bar.start()

    def tell(self, done: int, total: int) -> None:
        with self._lock:
            self._at = (done, total)
            if self._bar:
                self._bar.update(self._bar.task_ids[0], completed=done, total=total)

    def end(self) -> None:
        with self._lock:
            self._over = True
            if self._bar:
                self._bar.stop()


def _untold(done: int, total: int) -> None:
    """Show nothing."""
