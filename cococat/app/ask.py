"""`cococat ask`: one prompt, one answer, one exit code."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

from cococat.app.conversation import Conversation
from cococat.app.input import first_message
from cococat.app.open_session import open_conversation
from cococat.app.outcome import outcome
from cococat.app.output import CancellingSink, note, sink_for, ticking
from cococat.app.prompting.instructions import unused
from cococat.app.signals import Leaving, cancel_on_signals
from cococat.config import Folders, Options, Settings
from cococat.core.events import Emit, Notice, SessionStarted
from cococat.core.messages import User
from cococat.ui.steps.sink import Sink


def ask(settings: Settings, options: Options, words: Sequence[str]) -> int:
    """Answer *words* and return the exit code."""
    schema = None
    if options.schema is not None:
        from cococat.app.answer_form import read_schema

        schema = read_schema(options.schema)
    stdin = sys.stdin if options.stdin else None
    if options.template is not None:
        from cococat.app.skills.own import from_template

        message = from_template(settings, options, options.template, words, stdin)
    else:
        message = first_message(words, options.files, stdin)
    leaving = Leaving()
    with leaving.held(), asyncio.Runner() as runner:
        return runner.run(_ask(settings, options, message, leaving, schema))


async def _ask(
    settings: Settings, options: Options, message: User, leaving: Leaving, schema: Mapping[str, object] | None
) -> int:
    sink: Sink | None = None
    with cancel_on_signals(leaving, lambda: sink.suspended() if sink else nullcontext()) as caught:
        conversation = await open_conversation(settings, options, "single")
        if options.extract or schema is not None:
            from cococat.app.answer_form import extracted, satisfying

            conversation.schema = schema
            conversation.form = extracted if schema is None else partial(satisfying, schema)
        left = [file for file in conversation.instructions if not file.trusted]
        if conversation.bench.skills:
            left += [file for files in conversation.bench.skills.questions() for file in files]
        if left and not options.quiet:
            note(unused(left))
        sink = sink_for(options, settings.terminal, hold=bool(conversation.tools()))
        output = CancellingSink(sink, caught.cancel)
        log = conversation.log
        started = SessionStarted(
            log.id if log else "", conversation.connection.name, conversation.connection.host, conversation.mode
        )
        output.emit(started)
        try:
            async with ticking(sink):
                turn = await conversation.turn(message, output.emit)
        finally:
            conversation.bench.end()
            if conversation.bench.servers:
                await conversation.bench.servers.close()
        output.running = False
        from cococat.app.dream import remember, unread_receipts, when  # not before the request has been sent

        for line in () if options.quiet else unread_receipts.take_unread(conversation.folders):
            output.emit(Notice(line))
        remember.remember(settings, conversation.folders, log, message, turn)
        result = outcome(turn, log, caught.number, conversation.connection.name)  # settled: no dream changes it
        result = replace(result, shaped=schema is not None)
        dreams = when.reached(turn)
        if dreams and settings.memory.wait and not caught.number:
            await _dream(conversation, output.emit)
    code = output.finish(result)
    await conversation.connection.close()
    conversation.bench.scratch.remove()
    if log:
        log.close()
    if dreams and not settings.memory.wait:
        line = _dream_alone(settings, options, conversation.folders)
        if line and not options.quiet and (options.verbose or line == when.BEHIND):
            note(line, dimmed=options.color)
    return code


def _dream_alone(settings: Settings, options: Options, folders: Folders) -> str:
    """Start the dream that is due, and return to the shell at once; give the line that says what becomes of it."""
    from cococat.app.dream import when
    from cococat.app.dream.unread_receipts import mark_seen

    reason = when.skip_reason(settings, options, folders)
    if reason is not None and not (reason and when.chat_left_behind(settings, folders)):
        return reason
    if finished := when.nothing_to_take(folders):
        mark_seen(folders)
        return finished.receipt
    when.start(settings)
    return when.BEHIND


async def _dream(conversation: Conversation, emit: Emit) -> None:
    """Wait for the dream, if one is due; its receipt is shown now or, with --quiet, by a later start; of nothing with -v."""
    from cococat.app.dream.runner import DreamRunner, steps_of
    from cococat.app.dream.unread_receipts import mark_seen

    c, steps = conversation, steps_of(emit, verbose=conversation.options.verbose)
    finished = await DreamRunner(c.settings, c.options, c.folders, c.connection, steps).when_due()
    if finished:
        if c.options.verbose or finished.outcome != "nothing" or c.options.output_format == "stream-json":
            emit(finished)
        if not c.options.quiet:
            mark_seen(c.folders)
