"""`cococat ask`: one prompt, one answer, one exit code.

Public: ask.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

from cococat.app.endings import outcome
from cococat.app.inputs import first_message
from cococat.app.opening import open_talk
from cococat.app.outputs import Guarded, sink_for, ticking
from cococat.app.signals import cancel_on_signals
from cococat.config import Options, Settings
from cococat.core.events import Notice, SessionStarted
from cococat.core.messages import User


def ask(settings: Settings, options: Options, words: Sequence[str]) -> int:
    """Answer *words* and give the exit code."""
    message = first_message(words, options.files, sys.stdin)
    with asyncio.Runner() as runner:
        return runner.run(_ask(settings, options, message))


async def _ask(settings: Settings, options: Options, message: User) -> int:
    task = asyncio.current_task()
    assert task is not None
    with cancel_on_signals(task) as caught:
        talk = await open_talk(settings, options, "single")
        sink = sink_for(options, hold=bool(talk.tools()))
        guarded = Guarded(sink, task.cancel)
        log = talk.log
        started = SessionStarted(log.id if log else "", talk.connection.name, talk.connection.host, talk.mode)
        guarded.emit(started)
        async with ticking(sink):
            turn = await talk.turn(message, guarded.emit)
        from cococat.app import dreaming, memories  # noqa: PLC0415 - not on the way to the request

        for line in memories.unseen(talk.folders):
            guarded.emit(Notice(line))
        dreaming.remember(settings, talk.folders, log.id if log else "", message, turn)
        if settings.memory.wait and not caught.number:
            finished = await dreaming.when_due(settings, options, talk.folders, talk.connection, guarded.emit)
            if finished:
                guarded.emit(finished)
        code = guarded.finish(outcome(turn, log, caught.number))
        await talk.connection.close()
    if log:
        log.close()
    if not settings.memory.wait:
        dreaming.after_ask(settings, options, talk.folders)
    return code
