"""The dreams of one chat: at its end, by `/dream`, and when nobody has typed for a while."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace

from cococat.app.conversation import Conversation
from cococat.app.dream import log, review
from cococat.app.dream.runner import Dreaming, run_dream, skip_reason, steps_of, when_due
from cococat.app.signals import cancel_on_signals
from cococat.core.events import DreamFinished, Notice
from cococat.errors import CococatError, Interrupted
from cococat.memory.audit import AuditHook
from cococat.ui.modes import by_key
from cococat.ui.sink import Sink

__all__ = ["Foreground"]

STATUS = "dreaming: looking through what was said for things to remember; Ctrl-C stops it"


class Foreground:
    """Dreams on *talk*'s model, told to *sink*; one guard serves them all."""

    def __init__(self, conversation: Conversation, sink: Sink) -> None:
        self._conversation, self._sink = conversation, sink
        self._guard = AuditHook()

    def unseen(self) -> tuple[str, ...]:
        """Return what dreams did since the last start; with --quiet a later start will."""
        return () if self._conversation.options.quiet else log.unseen(self._conversation.folders)

    @property
    def due(self) -> bool:
        """A dream is wanted and due, as far as can be told."""
        return skip_reason(self._conversation.settings, self._conversation.options, self._conversation.folders) is None

    async def at_the_end(self) -> None:
        """Dream when one is due; trouble with it never spoils the end of a chat."""
        try:
            with cancel_on_signals(_task(), self._conversation.leaving, self._hidden):
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
        conversation, emit = self._conversation, self._sink.emit
        with cancel_on_signals(_task(), self._conversation.leaving, self._hidden):
            emit(Notice(STATUS))
            job = Dreaming(steps_of(emit, verbose=conversation.options.verbose), self._guard, manual=True)
            await self._end(await run_dream(conversation.settings, conversation.folders, conversation.connection, job))

    async def review(self) -> None:
        """`/dream review`."""
        with cancel_on_signals(_task(), self._conversation.leaving, self._hidden):
            finished = await review.review(self._conversation.folders, self._conversation.options.color)
        self._sink.emit(finished or Notice("no change waits for a yes or a no"))

    def _hidden(self) -> AbstractContextManager[object]:
        hide: Callable[[], AbstractContextManager[object]] = getattr(self._sink, "suspended", nullcontext)
        return hide()

    async def _when_due(self) -> None:
        conversation, emit = self._conversation, self._sink.emit
        if self.due:
            emit(Notice(STATUS))
        finished = await when_due(
            conversation.settings,
            conversation.options,
            conversation.folders,
            conversation.connection,
            emit=emit,
            guard=self._guard,
        )
        if finished:
            await self._end(finished)

    async def _end(self, finished: DreamFinished) -> None:
        """Show the receipt with its diff, and ask at once where the user wants to be asked."""
        asks = finished.outcome == "held" and self._conversation.settings.memory.mode == "confirm"
        self._sink.emit(replace(finished, diff="") if asks else finished)
        if not self._conversation.options.quiet:
            log.saw(self._conversation.folders, finished)
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
