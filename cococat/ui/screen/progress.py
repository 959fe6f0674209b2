"""How far work has come that takes longer than a second: a bar of Rich on a terminal's stderr, elsewhere nothing."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Protocol, TypeAlias

from cococat.ui.lines.theme import is_terminal

if TYPE_CHECKING:
    from rich.progress import Progress

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

    Before a first piece of it is done, the bar only moves: at 0 % it would seem to be stuck.
    """
    with stages(what, shown=shown, after_s=after_s, elapsed=False) as bar:
        yield lambda done, total: bar.show(what, done, total)


@contextmanager
def stages(what: str, *, shown: bool = True, after_s: float = LATER_S, elapsed: bool = True) -> Iterator[Stages]:
    """Show, as `progress` does, work of several stages that begins with *what*; the time is what it has taken, or is left."""
    shown = shown and is_terminal(sys.stderr)
    bar = Stages(what, shown=shown, elapsed=elapsed)
    timer = threading.Timer(after_s, bar.begin)
    timer.daemon = True  # it must not keep a process that ends
    if not after_s:
        bar.begin()
    elif shown:
        timer.start()
    try:
        yield bar
    finally:
        timer.cancel()
        bar.end()


class Stages:
    """A bar that a timer begins, that work moves, and that ends with it."""

    def __init__(self, what: str, *, shown: bool = True, elapsed: bool = False) -> None:
        self._at: tuple[str, int, int | None] = (what, 0, None)
        self._lock = threading.Lock()
        self._over, self._elapsed = not shown, elapsed
        self._due = self._hidden = False  # it may be seen by now; something else is
        self._bar: Progress | None = None
        self._since = time.monotonic()

    def begin(self) -> None:
        """Show it from now on."""
        with self._lock:
            self._due = True
            self._begin()

    def show(self, what: str, done: int, total: int) -> bool:
        """Show that so much of *what* is done; as long as nothing is, the bar only moves. Return whether there is one."""
        with self._lock:
            self._at = (what, done, total if done else None)
            self._hidden = False
            if self._bar:
                task = self._bar.tasks[0]
                task.total = self._at[2]  # `update` would leave the one of the stage before
                self._bar.update(task.id, description=what, completed=done)
            self._begin()
            return not self._over

    def hide(self) -> None:
        """Take it away, and let it not begin, as something else is drawn; what is shown next brings it back."""
        with self._lock:
            self._hidden = True
            self._stop()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Take it away while something is printed."""
        with self._lock:
            self._stop()
            yield
            self._begin()

    def end(self) -> None:
        """Take it away for good."""
        with self._lock:
            self._over = True
            self._stop()

    def _begin(self) -> None:
        if self._over or self._hidden or not self._due or self._bar:
            return
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        what, done, total = self._at
        clock = TimeElapsedColumn() if self._elapsed else TimeRemainingColumn()
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), clock)
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
        self._bar.add_task(what, completed=done, total=total)
        self._bar.tasks[0].start_time = self._since
        self._bar.start()

    def _stop(self) -> None:
        if self._bar:
            self._bar.stop()
            self._bar = None
