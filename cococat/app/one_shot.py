"""`cococat ask`: one prompt, one answer, one exit code.

Public: ask.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

from cococat.app.endings import outcome
from cococat.app.inputs import first_message
from cococat.app.opening import open_talk
from cococat.app.outputs import Guarded, sink_for, ticking
from cococat.app.signals import Leaving, cancel_on_signals
from cococat.app.talk import Talk
from cococat.config import Options, Settings
from cococat.core.events import Emit, Notice, SessionStarted
from cococat.core.messages import User
from cococat.ui.sink import Sink


def ask(settings: Settings, options: Options, words: Sequence[str]) -> int:
    """Answer *words* and give the exit code."""
    message = first_message(words, options.files, sys.stdin)
    leaving = Leaving()
    with leaving.held(), asyncio.Runner() as runner:
        return runner.run(_ask(settings, options, message, leaving))


async def _ask(settings: Settings, options: Options, message: User, leaving: Leaving) -> int:
    task = asyncio.current_task()
    assert task is not None
    sink: Sink | None = None
    with cancel_on_signals(task, leaving, lambda: _hidden(sink)) as caught:
        talk = await open_talk(settings, options, "single")
        sink = sink_for(options, hold=bool(talk.tools()))
        guarded = Guarded(sink, caught.cancel)
        log = talk.log
        started = SessionStarted(log.id if log else "", talk.connection.name, talk.connection.host, talk.mode)
        guarded.emit(started)
        async with ticking(sink):
            turn = await talk.turn(message, guarded.emit)
        guarded.running = False
        from cococat.app import dreaming, dreams  # noqa: PLC0415 - not on the way to the request

        for line in () if options.quiet else dreams.unseen(talk.folders):
            guarded.emit(Notice(line))
        dreaming.remember(settings, talk.folders, log.id if log else "", message, turn)
        result = outcome(turn, log, caught.number)  # settled: no dream changes it
        if settings.memory.wait and not caught.number:
            await _dream(talk, guarded.emit)
    code = guarded.finish(result)
    await talk.connection.close()
    talk.scratch.remove()
    if log:
        log.close()
    if not settings.memory.wait:
        dreaming.after_ask(settings, options, talk.folders)
    return code


def _hidden(sink: Sink | None) -> AbstractContextManager[object]:
    """Take away what is drawn below the text."""
    hide: Callable[[], AbstractContextManager[object]] = getattr(sink, "suspended", nullcontext)
    return hide()


async def _dream(talk: Talk, emit: Emit) -> None:
    """Wait for the dream, if one is due; its receipt is shown now or, with --quiet, by a later start."""
    from cococat.app import dreaming, dreams  # noqa: PLC0415 - behind the answer
    from cococat.memory.audit import Guard  # noqa: PLC0415 - as above

    places = talk.folders
    finished = await dreaming.when_due(talk.settings, talk.options, places, talk.connection, emit=emit, guard=Guard())
    if finished:
        emit(finished)
        if not talk.options.quiet:
            dreams.saw(places, finished)
