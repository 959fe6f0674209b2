"""When and how memory is compacted: after `chat` in the foreground, after `ask` behind its back."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from cococat.app.dream.sandbox import bounds_of
from cococat.app.endpoint import EMBEDDED, Connection
from cococat.app.output import note
from cococat.app.redactor import redactor
from cococat.config import Folders, Options, Settings
from cococat.core.agent import Agent, Turn
from cococat.core.events import DreamFinished, Emit, Event, Notice, ReasoningDelta, TextDelta, ToolPending, TurnFinished
from cococat.core.limits import Limits, StopReason
from cococat.core.messages import User
from cococat.core.retry import RetryPolicy
from cococat.core.tools import Tool, allow_all
from cococat.errors import CococatError, StorageError
from cococat.memory import exchanges
from cococat.memory.audit import AuditHook, Trail
from cococat.memory.dream import DreamBounds, dream
from cococat.memory.exchanges import Said
from cococat.memory.plan import NotDue, due_now
from cococat.model.tokens import count
from cococat.system.private import private_dir
from cococat.ui.input import Line

__all__ = ["Dreaming", "after_ask", "dreamt", "remember", "run_dream", "skip_reason", "steps_of", "when_due"]

LOCAL_SECONDS = 300.0  # a small model without a GPU writes slowly
MAX_REFUSALS = 3  # that are told one by one


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
        exchange = exchanges.Exchange(session_id, said, turn.answer)
        exchanges.append(places.memory, exchange, now=datetime.now(UTC), redact=redactor(settings))
    except StorageError as error:
        note(f"this exchange is not remembered: {error.message}; {error.hint}")


def wanted(settings: Settings, options: Options) -> bool:
    """Dreams by themselves are switched on."""
    return options.dream and settings.memory.mode in ("auto", "confirm")


@dataclass(slots=True)
class Dreaming:
    """
    What one run of a dream is given and what it leaves behind.

    Args:
        emit: told of its steps; see `steps_of`.
        manual: asked for, so thresholds do not count.
        hold: keep the change for a review.
        turns: how its runs of the loop ended; two when the memory was edited meanwhile.
        called: tools that the model called, and how often.
        tools: those that existed.
        trail: what its process opened and connected to.
    """

    emit: Emit
    guard: AuditHook
    manual: bool = False
    dry_run: bool = False
    hold: bool = False
    turns: list[TurnFinished] = field(default_factory=list)
    called: Counter[str] = field(default_factory=Counter)
    tools: tuple[str, ...] = ()
    trail: Trail = field(default_factory=Trail)

    def see(self, event: Event) -> None:
        """Note what *event* tells of the run and pass it on."""
        match event:
            case TurnFinished():
                self.turns.append(event)
            case ToolPending(name=name):
                self.called[name] += 1
            case _:
                pass
        self.emit(event)


def steps_of(emit: Emit, *, verbose: bool) -> Emit:
    """
    Return what shows a dream beside an answer: its steps with --verbose, its notices always.

    Its words are thoughts and its end is no answer: stdout belongs to the answer of the user's own question.
    """

    def see(event: Event) -> None:
        match event:
            case TurnFinished():
                pass
            case TextDelta(text) if verbose:
                emit(ReasoningDelta(text))
            case _ if verbose or isinstance(event, Notice):
                emit(event)
            case _:
                pass

    return see


def skip_reason(settings: Settings, options: Options, places: Folders) -> str | None:
    """Return why no dream runs now: a sentence for --verbose, empty where none was wanted; None when one is due."""
    if not wanted(settings, options):
        return ""
    try:
        verdict = due_now(places.memory, settings.memory)
    except CococatError as error:  # which `remember` has told
        return f"no dream now: {error.message}"
    return f"no dream now: {verdict.reason}" if isinstance(verdict, NotDue) else None


async def when_due(
    settings: Settings, options: Options, places: Folders, connection: Connection, *, emit: Emit, guard: AuditHook
) -> DreamFinished | None:
    """Dream in the foreground when one is due; the answer has been given."""
    reason = skip_reason(settings, options, places)
    if reason is not None:
        if reason and options.verbose:
            emit(Notice(reason))
        return None
    job = Dreaming(steps_of(emit, verbose=options.verbose), guard)
    return await run_dream(settings, places, connection, job)


def after_ask(settings: Settings, options: Options, places: Folders) -> None:
    """Start a dream of its own, detached, when one is due: `ask` returns to the shell at once."""
    reason = skip_reason(settings, options, places)
    if reason is not None:
        if reason and options.verbose:
            note(reason)
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


async def run_dream(settings: Settings, places: Folders, connection: Connection, job: Dreaming) -> DreamFinished:
    """Dream once; trouble with the memory is an outcome like any other, as the answer was given before."""
    try:
        return await dreamt(settings, places, connection, job)
    except CococatError as error:
        return DreamFinished("failed", f"the dream failed: {error.message}; {error.hint}")


async def dreamt(settings: Settings, places: Folders, connection: Connection, job: Dreaming) -> DreamFinished:
    """
    Dream once on *connection*'s model, with the process under guard.

    Raises: StorageError: see `cococat.memory.dream`.
    """
    retry = settings.retry

    def make_agent(system: str, tools: tuple[Tool, ...], limits: Limits) -> Agent:
        job.tools = tuple(tool.name for tool in tools)
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

    for folder in (places.cache, places.memory.parent):  # outside of what a dream may write to
        with suppress(OSError):
            private_dir(folder)
    with job.guard.on(bounds_of(settings, places, connection)) as job.trail:
        finished = await dream(
            places.memory,
            make_agent,
            job.see,
            now=datetime.now(UTC),
            manual=job.manual,
            dry_run=job.dry_run,
            hold=job.hold or settings.memory.mode == "confirm",
            settings=settings.memory,
            bounds=_bounds(settings, connection),
            redact=redactor(settings),
            count=lambda text: count(text, connection.name, folder=places.cache),
            model=connection.name,
        )
    for refused in list(job.trail.refused)[:MAX_REFUSALS]:
        job.emit(Notice(f"something in the dream's process tried to {refused}; it was refused", "warning"))
    return finished


def _bounds(settings: Settings, connection: Connection) -> DreamBounds:
    """A dream's own bounds, within the user's budget; a model on this machine is given more time."""
    own = DreamBounds(seconds=LOCAL_SECONDS) if connection.host == EMBEDDED else DreamBounds()
    budget = settings.agent.max_total_tokens
    return replace(own, tokens=min(own.tokens, budget)) if budget else own
