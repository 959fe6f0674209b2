"""The dreams of one chat: at its end, by `/dream`, and when nobody has typed for a while.

Public: Foreground.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace

from cococat.app import dreams, reviewing
from cococat.app.dreaming import Dreaming, run_dream, steps_of, told, when_due
from cococat.app.signals import cancel_on_signals
from cococat.app.talk import Talk
from cococat.core.events import DreamFinished, Notice
from cococat.errors import CococatError, Interrupted
from cococat.memory.audit import Guard
from cococat.ui.modes import by_key
from cococat.ui.sink import Sink

STATUS = "dreaming: looking through what was said for things to remember; Ctrl-C stops it"


class Foreground:
    """Dreams on *talk*'s model, told to *sink*; one guard serves them all."""

    def __init__(self, talk: Talk, sink: Sink) -> None:
        self._talk, self._sink = talk, sink
        self._guard = Guard()

    def unseen(self) -> tuple[str, ...]:
        """Say what dreams did since the last start; with --quiet a later start will."""
        return () if self._talk.options.quiet else dreams.unseen(self._talk.folders)

    @property
    def due(self) -> bool:
        """A dream is wanted and due, as far as can be told."""
        return told(self._talk.settings, self._talk.options, self._talk.folders) is None

    async def at_the_end(self) -> None:
        """Dream when one is due; trouble with it never spoils the end of a chat."""
        try:
            with cancel_on_signals(_task(), self._talk.leaving, self._hidden):
                await self._when_due()
        except Interrupted:
            pass
        except CococatError as error:
            self._sink.emit(Notice(f"no dream: {error.message}", "warning"))

    async def while_idle(self) -> None:
        """Dream while nobody types: a key stops it, and is read by the prompt that follows."""
        task = _task()
        try:
            with by_key(0), _until_a_key(task):
                await self.at_the_end()
        except asyncio.CancelledError:
            task.uncancel()

    async def now(self) -> None:
        """`/dream`."""
        talk, emit = self._talk, self._sink.emit
        with cancel_on_signals(_task(), self._talk.leaving, self._hidden):
            emit(Notice(STATUS))
            job = Dreaming(steps_of(emit, verbose=talk.options.verbose), self._guard, manual=True)
            await self._end(await run_dream(talk.settings, talk.folders, talk.connection, job))

    async def review(self) -> None:
        """`/dream review`."""
        with cancel_on_signals(_task(), self._talk.leaving, self._hidden):
            finished = await reviewing.review(self._talk.folders, self._talk.options.color)
        self._sink.emit(finished or Notice("no change waits for a yes or a no"))

    def _hidden(self) -> AbstractContextManager[object]:
        hide: Callable[[], AbstractContextManager[object]] = getattr(self._sink, "suspended", nullcontext)
        return hide()

    async def _when_due(self) -> None:
        talk, emit = self._talk, self._sink.emit
        if self.due:
            emit(Notice(STATUS))
        finished = await when_due(
            talk.settings, talk.options, talk.folders, talk.connection, emit=emit, guard=self._guard
        )
        if finished:
            await self._end(finished)

    async def _end(self, finished: DreamFinished) -> None:
        """Show the receipt with its diff, and ask at once where the user wants to be asked."""
        asks = finished.outcome == "held" and self._talk.settings.memory.mode == "confirm"
        self._sink.emit(replace(finished, diff="") if asks else finished)
        if not self._talk.options.quiet:
            dreams.saw(self._talk.folders, finished)
        if asks and reviewing.can_ask() and (decided := await reviewing.review(self._talk.folders)):
            self._sink.emit(decided)


@contextmanager
def _until_a_key(task: asyncio.Task[object]) -> Iterator[None]:
    """Cancel *task* when there is something to read on standard input, and leave it there."""
    loop = asyncio.get_running_loop()

    def pressed() -> None:
        loop.remove_reader(0)
        task.cancel()

    loop.add_reader(0, pressed)
    try:
        yield
    finally:
        loop.remove_reader(0)


def _task() -> asyncio.Task[object]:
    task = asyncio.current_task()
    assert task is not None
    return task
