"""The dreams of one chat: at its end, by `/dream`, and when nobody has typed for a while."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from cococat.app.conversation import Conversation
from cococat.app.dream import when
from cococat.app.dream.unread_receipts import mark_seen, take_unread, with_facts
from cococat.app.output import can_ask, ticking
from cococat.app.signals import cancel_on_signals
from cococat.core.events import DreamFinished, Notice
from cococat.errors import CococatError, Interrupted
from cococat.ui.screen.live import LiveScreen
from cococat.ui.screen.modes import by_key
from cococat.ui.steps.sink import Sink

if TYPE_CHECKING:
    from cococat.system.audit import AuditHook

STATUS = "dreaming: looking through what was said for things to remember; Ctrl-C stops it"
AT_THE_END = (
    "dreaming: looking through what was said for things to remember; any key leaves it to go on in the background, "
    "Ctrl-C twice stops it"
)
CTRL_C_STOPS, A_KEY_STOPS = "Ctrl-C stops it", "any key stops it"
A_KEY_LEAVES = "any key leaves it to go on, Ctrl-C twice stops it"


class DreamInChat:
    """Dreams on *conversation*'s model, shown by *sink*; one audit hook serves them all."""

    def __init__(self, conversation: Conversation, sink: Sink) -> None:
        self._conversation, self._sink = conversation, sink
        self._audit: AuditHook | None = None  # made with the first dream: what dreams need is not imported before
        self._ended = False
        self.reached = True  # whether the endpoint of the last turn was there

    def unseen(self) -> tuple[str, ...]:
        """Return what dreams did since the last start; with --quiet a later start will."""
        return () if self._conversation.options.quiet else take_unread(self._conversation.folders)

    @property
    def due(self) -> bool:
        """A dream is wanted and due, as far as can be seen."""
        return self._skip_reason(ended=False) is None

    def at_the_start(self) -> None:
        """Dream of what a chat that was killed has left behind; one that is resumed goes on, and dreams when it ends."""
        c = self._conversation
        resumed = c.options.continue_ or c.options.resume
        if c.options.dream and not resumed and when.chat_left_behind(c.settings, c.folders):
            when.start(c.settings)

    async def at_the_end(self, *, look_on: bool, said: bool) -> None:
        """
        Start the dream that is due, and say what becomes of it; trouble with it never spoils the end of a chat.

        Args:
            look_on: show it at work until the user has seen enough.
            said: something was said in this chat.
        """
        c, reason = self._conversation, self._skip_reason(ended=True)
        if self._ended:
            return
        self._ended = True
        if reason is not None:
            if reason and said:
                self._sink.emit(Notice(reason))
            return
        if finished := when.nothing_to_take(c.folders):
            await self._end(finished)
        elif look_on and not c.options.quiet and sys.platform != "win32":
            await self._look_on()
        else:
            when.start(c.settings)
            self._sink.emit(Notice(when.BEHIND))

    async def while_idle(self) -> None:
        """Dream while nobody types: a key stops it, and is read by the prompt that follows."""
        task = asyncio.current_task()
        assert task is not None
        try:
            with by_key(0), _until_a_key(task), self._named(A_KEY_STOPS):
                await self._when_due()
        except asyncio.CancelledError:
            task.uncancel()

    async def now(self) -> None:
        """`/dream`."""
        with cancel_on_signals(self._conversation.leaving, self._sink.suspended):
            self._sink.emit(Notice(STATUS))
            with self._named(CTRL_C_STOPS):
                finished = await self._dreamt(manual=True)
            await self._end(finished)

    async def review(self) -> None:
        """`/dream review`."""
        from cococat.app.dream import orphaned_lines, review

        with cancel_on_signals(self._conversation.leaving, self._sink.suspended):
            forgotten = await orphaned_lines.offer(self._conversation.folders)
            finished = await review.review(self._conversation.folders, self._conversation.options.color)
        for event in filter(None, (forgotten, finished)):
            self._sink.emit(event)
        if not (forgotten or finished):
            self._sink.emit(Notice("no change waits for a yes or a no"))

    async def _when_due(self) -> None:
        try:
            with cancel_on_signals(self._conversation.leaving, self._sink.suspended):
                if self.due:
                    self._sink.emit(Notice(STATUS))
                    await self._end(await self._dreamt(manual=False))
        except Interrupted:
            pass
        except CococatError as error:
            self._sink.emit(Notice(f"no dream: {error.message}", "warning"))

    async def _look_on(self) -> None:
        """Show the dream of a process of its own; it goes on when the user has seen enough."""
        from cococat.app.dream.follow import ENDINGS, follow
        from cococat.app.dream.runner import steps_of
        from cococat.app.dream.stages_shown import stages_beside

        c = self._conversation
        await c.connection.close()  # an engine in this process would take the memory that the dream's needs
        child = when.start(c.settings, followed=True)
        self._sink.emit(Notice(AT_THE_END))
        with stages_beside(self._sink.emit) as (show, emit), self._named(A_KEY_LEAVES):
            async with ticking(self._sink):
                ending, finished = await follow(child, steps_of(emit, verbose=c.options.verbose), c.leaving, show)
        if finished:
            await self._end(finished)
        else:
            self._sink.emit(Notice(ENDINGS[ending]))

    @contextmanager
    def _named(self, keys: str) -> Iterator[None]:
        """Say of the keys, where steps are shown, what is true for as long as a dream runs."""
        if not isinstance(self._sink, LiveScreen):
            yield
            return
        before, self._sink.stops = self._sink.stops, keys
        try:
            yield
        finally:
            self._sink.stops = before

    def _skip_reason(self, *, ended: bool) -> str | None:
        c = self._conversation
        reason = when.skip_reason(c.settings, c.options, c.folders, ended=ended)
        return when.UNREACHED if reason is None and not self.reached else reason

    async def _dreamt(self, *, manual: bool) -> DreamFinished:
        """Dream with the model as it is now: `/model` may have changed it."""
        from cococat.app.dream.runner import DreamRunner, steps_of
        from cococat.app.dream.stages_shown import stages_beside
        from cococat.system.audit import AuditHook

        c = self._conversation
        self._audit = self._audit or AuditHook()
        with stages_beside(self._sink.emit, shown=not c.options.quiet) as (show, emit):
            seen = steps_of(emit, verbose=c.options.verbose)
            told = None if c.options.verbose else show  # its steps tell more
            runner = DreamRunner(c.settings, c.options, c.folders, c.connection, seen, self._audit, show=told)
            async with ticking(self._sink):
                return await runner.now(manual=manual)

    async def _end(self, finished: DreamFinished) -> None:
        """Show the receipt with its diff, and ask at once where the user wants to be asked."""
        from cococat.app.dream import review

        confirms = finished.outcome == "held" and self._conversation.settings.memory.mode == "confirm"
        asks = confirms or review.asks_now(self._conversation.folders, finished)
        finished = (
            finished if finished.facts else with_facts(self._conversation.folders, finished)
        )  # a child's has none
        quiet = self._conversation.options.quiet
        with nullcontext() if quiet else self._sink.apart("above"):
            self._sink.emit(replace(finished, diff="") if asks else finished)
        if not quiet:
            mark_seen(self._conversation.folders)
        if asks and can_ask() and (decided := await review.review(self._conversation.folders)):
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
