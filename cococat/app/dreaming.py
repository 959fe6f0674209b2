"""When and how memory is compacted: after `chat` in the foreground, after `ask` behind its back.

Public: remember, when_due, after_ask, run_dream, by_hand.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime

from cococat.app.endpoint import EMBEDDED, Connection, connect
from cococat.app.outputs import Guarded, note, sink_for
from cococat.app.redactor import redactor
from cococat.app.signals import cancel_on_signals
from cococat.config import Folders, Options, Settings, folders
from cococat.core.agent import Agent, Turn
from cococat.core.events import DreamFinished, Emit, quiet
from cococat.core.limits import Limits, StopReason
from cococat.core.messages import User
from cococat.core.retry import RetryPolicy
from cococat.core.tools import Tool, allow_all
from cococat.errors import CococatError, StorageError
from cococat.memory import history
from cococat.memory.dream import Bounds, dream
from cococat.memory.history import Said
from cococat.memory.plan import Due, due_now
from cococat.model.tokens import count
from cococat.ui.line import Line

LOCAL_SECONDS = 300.0  # a small model without a GPU writes slowly
EXIT_CODES = {"failed": 3, "gave_up": 3, "cancelled": 130}


def remember(settings: Settings, places: Folders, session_id: str, message: User, turn: Turn) -> None:
    """Append the exchange to the history that dreams read; trouble is told and never stops the chat."""
    if settings.memory.mode == "off" or turn.stop.reason is StopReason.MODEL_ERROR:
        return
    said = (
        Said("typed", Line(message.text, message.pasted).typed),
        *(Said("pasted", text) for text in message.pasted),
        *(Said(attachment.origin, attachment.text) for attachment in message.attachments),
    )
    try:
        exchange = history.Exchange(session_id, said, turn.answer)
        history.append(places.memory, exchange, now=datetime.now(UTC), redact=redactor(settings))
    except StorageError as error:
        note(f"this exchange is not remembered: {error.message}")


def wanted(settings: Settings, options: Options) -> bool:
    """Dreams by themselves are switched on."""
    return options.dream and settings.memory.mode in ("auto", "confirm")


async def when_due(
    settings: Settings, options: Options, places: Folders, connection: Connection, emit: Emit
) -> DreamFinished | None:
    """Dream in the foreground when one is due; the answer has been given."""
    if not wanted(settings, options) or not isinstance(due_now(places.memory, settings.memory), Due):
        return None
    return await run_dream(settings, places, connection, emit)


def after_ask(settings: Settings, options: Options, places: Folders) -> None:
    """Start a dream of its own, detached, when one is due: `ask` returns to the shell at once."""
    if not wanted(settings, options) or settings.memory.mode != "auto":
        return
    if not isinstance(due_now(places.memory, settings.memory), Due):
        return
    subprocess.Popen(
        # -P: or else a module in the working folder would be imported before ours
        [sys.executable, "-P", "-m", "cococat", "dream", "--background", "--quiet", *_same_model(settings)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _same_model(settings: Settings) -> list[str]:
    """The flags that lead a child to the model of this process; keys reach it as they reached us."""
    words = ["--config", str(settings.file)] if settings.file else []
    if settings.profile:
        words += ["--profile", settings.profile]
    for flag, key, value in (
        ("--model", "model.name", settings.model.name),
        ("--base-url", "model.base_url", settings.model.base_url),
    ):
        if settings.origins[key].kind == "flag":
            words += [flag, value]
    return words


def by_hand(settings: Settings, options: Options, *, dry_run: bool = False, background: bool = False) -> int:
    """`cococat dream`: thresholds ignored, unless it runs in the background for `ask`."""
    places = folders(os.environ)
    if background and not isinstance(due_now(places.memory, settings.memory), Due):
        return 0
    with asyncio.Runner() as runner:
        return runner.run(_by_hand(settings, options, places, dry_run=dry_run))


async def _by_hand(settings: Settings, options: Options, places: Folders, *, dry_run: bool) -> int:
    task = asyncio.current_task()
    assert task is not None
    with cancel_on_signals(task) as caught:
        connection = await connect(settings, places, quiet=options.quiet)
        sink = sink_for(options, hold=False)
        guarded = Guarded(sink, task.cancel)
        emit = guarded.emit if options.verbose else quiet
        finished = await run_dream(settings, places, connection, emit, manual=True, dry_run=dry_run)
        guarded.emit(finished)
        sink.close()
        await connection.close()
    return 128 + caught.number if caught.number else EXIT_CODES.get(finished.outcome, 0)


async def run_dream(
    settings: Settings,
    places: Folders,
    connection: Connection,
    emit: Emit,
    *,
    manual: bool = False,
    dry_run: bool = False,
) -> DreamFinished:
    """Run one dream on *connection*'s model."""
    retry = settings.retry

    def make_agent(system: str, tools: tuple[Tool, ...], limits: Limits) -> Agent:
        return Agent(
            model=connection.model,
            protocol=connection.protocol,
            system=system,
            tools=tools,
            limits=limits,
            gate=allow_all,
            clock=time.monotonic,
            retry=RetryPolicy(retry.attempts, retry.base_ms, retry.cap_ms, retry.jitter_ms),
        )

    try:
        return await dream(
            places.memory,
            make_agent,
            emit,
            now=datetime.now(UTC),
            manual=manual,
            dry_run=dry_run,
            hold=settings.memory.mode == "confirm",
            settings=settings.memory,
            bounds=_bounds(settings, connection),
            redact=redactor(settings),
            count=lambda text: count(text, connection.name, folder=places.cache),
            model=connection.name,
        )
    except CococatError as error:
        return DreamFinished("failed", f"memory unchanged: {error.message}")


def _bounds(settings: Settings, connection: Connection) -> Bounds:
    """A dream's own bounds, within the user's budget; a model on this machine is given more time."""
    own = Bounds(seconds=LOCAL_SECONDS) if connection.host == EMBEDDED else Bounds()
    budget = settings.agent.max_total_tokens
    return replace(own, tokens=min(own.tokens, budget)) if budget else own
