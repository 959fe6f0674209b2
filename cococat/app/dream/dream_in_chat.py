"""The dreams of one chat: at its end, by `/dream`, and when nobody has typed for a while."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from cococat.app.conversation import Conversation
from cococat.app.dream import review
from cococat.app.dream.runner import DreamRunner, steps_of
from cococat.app.dream.unseen import mark_seen, unseen
from cococat.app.dream.when import skip_reason
from cococat.app.signals import cancel_on_signals
from cococat.core.events import DreamFinished, Notice
from cococat.errors import CococatError, Interrupted
from cococat.memory.audit import AuditHook
from cococat.ui.modes import by_key
from cococat.ui.sink import Sink

__all__ = ["DreamInChat"]

STATUS = "dreaming: looking through what was said for things to remember; Ctrl-C stops it"


class DreamInChat:
    """Dreams on *conversation*'s model, shown by *sink*; one audit hook serves them all."""

    def __init__(self, conversation: Conversation, sink: Sink) -> None:
        self._conversation, self._sink = conversation, sink
        self._audit = AuditHook()

    def unseen(self) -> tuple[str, ...]:
        """Return what dreams did since the last start; with --quiet a later start will."""
        return () if self._conversation.options.quiet else unseen(self._conversation.folders)

    @property
    def due(self) -> bool:
        """A dream is wanted and due, as far as can be seen."""
        return skip_reason(self._conversation.settings, self._conversation.options, self._conversation.folders) is None

    async def at_the_end(self) -> None:
        """Dream when one is due; trouble with it never spoils the end of a chat."""
        try:
            with cancel_on_signals(_task(), self._conversation.leaving, self._sink.suspended):
                if self.due:
                    self._sink.emit(Notice(STATUS))
                if finished := await self._runner().when_due():
                    await self._end(finished)
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
        with cancel_on_signals(_task(), self._conversation.leaving, self._sink.suspended):
            self._sink.emit(Notice(STATUS))
            await self._end(await self._runner().now())

    async def review(self) -> None:
        """`/dream review`."""
        with cancel_on_signals(_task(), self._conversation.leaving, self._sink.suspended):
            finished = await review.review(self._conversation.folders, self._conversation.options.color)
        self._sink.emit(finished or Notice("no change waits for a yes or a no"))

    def _runner(self) -> DreamRunner:
        """Make the runner for the model as it is now: `/model` may have changed it."""
        c = self._conversation
        emit = steps_of(self._sink.emit, verbose=c.options.verbose)
        return DreamRunner(c.settings, c.options, c.folders, c.connection, emit, self._audit)

    async def _end(self, finished: DreamFinished) -> None:
        """Show the receipt with its diff, and ask at once where the user wants to be asked."""
        asks = finished.outcome == "held" and self._conversation.settings.memory.mode == "confirm"
        self._sink.emit(replace(finished, diff="") if asks else finished)
        if not self._conversation.options.quiet:
            mark_seen(self._conversation.folders, finished)
        if asks and review.can_ask() and (decided := await review.review(self._conversation.folders)):
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
