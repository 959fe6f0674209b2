"""A dream on a model that is connected: the one way that `chat`, `ask` and the command take."""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from cococat.app.dream.stages_shown import Show
from cococat.app.dream.unread_receipts import with_facts
from cococat.app.dream.when import skip_reason
from cococat.app.endpoint.connect import EMBEDDED, Connection, remote
from cococat.app.redactor import redactor
from cococat.config import Folders, Options, Settings
from cococat.core.agent import Agent
from cococat.core.events import DreamFinished, Emit, Event, Notice, ReasoningDelta, TextDelta, ToolPending, TurnFinished
from cococat.core.limits import Limits
from cococat.core.model import Model
from cococat.core.tools import Tool, allow_all
from cococat.errors import CococatError
from cococat.memory.dream.dream import dream
from cococat.memory.dream.options import DreamBounds, DreamOptions, MakeAgent
from cococat.memory.dream.settle import QUARANTINE, SKIPPED
from cococat.memory.file.history import HISTORY
from cococat.memory.file.provenance import PROVENANCE
from cococat.memory.file.versions import RUNS
from cococat.model.profile import FILE, Profile, load_profile, save_profile
from cococat.model.tokens import count
from cococat.system.audit import AuditBounds, AuditHook, Trail
from cococat.system.private import private_dir

LOCAL_SECONDS = 300.0  # a small model without a GPU writes slowly
MAX_REFUSALS = 3  # that are shown one by one
BY_NAME = frozenset({HISTORY, PROVENANCE, QUARANTINE, RUNS, SKIPPED})  # opened through the folder's descriptor
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}
MAX_AGE_S = 7 * 24 * 3600
MAX_DREAMS = 20  # after so many, or that time, it is asked again


@dataclass(slots=True)
class DreamReport:
    """
    What a dream leaves behind for those who look closer.

    Args:
        turns: how its runs of the loop ended; two when the memory was edited meanwhile.
        called: tools that the model called, and how often.
        tools: those that existed.
        trail: what its process opened and connected to.
    """

    turns: list[TurnFinished] = field(default_factory=list)
    called: Counter[str] = field(default_factory=Counter)
    tools: tuple[str, ...] = ()
    trail: Trail = field(default_factory=Trail)

    def note(self, event: Event) -> None:
        """Take from *event* what it shows of the run."""
        match event:
            case TurnFinished():
                self.turns.append(event)
            case ToolPending(name=name):
                self.called[name] += 1
            case _:
                pass


@dataclass(frozen=True, slots=True)
class DreamRunner:
    """
    Everything that a dream needs but the moment.

    Args:
        emit: gets the events to show; see `steps_of`.
        audit: an audit hook stays for the life of the process, so one serves all its dreams.
        report: filled while a dream runs.
        show: told of what takes long; see `stages_shown`.
    """

    settings: Settings
    options: Options
    folders: Folders
    connection: Connection
    emit: Emit
    audit: AuditHook = field(default_factory=AuditHook)
    report: DreamReport = field(default_factory=DreamReport)
    show: Show | None = None

    async def when_due(self) -> DreamFinished | None:
        """Dream when one is due: the answer has been given."""
        reason = skip_reason(self.settings, self.options, self.folders)
        if reason is None:
            return await self.now(manual=False)
        if reason and self.options.verbose:
            self.emit(Notice(reason))
        return None

    async def now(self, *, manual: bool = True) -> DreamFinished:
        """Dream once; trouble with the memory is an outcome like any other, as the answer was given before."""
        try:
            return await self.run(manual=manual, by_hand=manual)
        except CococatError as error:
            return DreamFinished("failed", f"the dream failed: {error.message}; {error.hint}")

    async def run(
        self, *, manual: bool = True, by_hand: bool = False, dry_run: bool = False, hold: bool = False
    ) -> DreamFinished:
        """
        Dream once, with the process under guard.

        Args:
            manual: asked for, so thresholds do not count.
            by_hand: go over the notes themselves as well, however few they are.
            hold: keep the change for a review.
        Raises: StorageError: see `cococat.memory.dream.dream`.
        """
        settings, folders, name = self.settings, self.folders, self.connection.name
        options = DreamOptions(
            now=datetime.now(UTC).astimezone(),
            manual=manual,
            by_hand=by_hand,
            dry_run=dry_run,
            hold=hold or settings.memory.mode == "confirm",
            settings=settings.memory,
            redact=redactor(settings, said=True),
            count=lambda text: count(text, name, folder=folders.cache),
            model=name,
        )
        judge = Trust.of(settings, self.connection, folders)
        options = replace(
            options, judge=self._judge(judge.model) if judge.model else None, controlled=judge.heard.append
        )
        if show := self.show:

            def portions(done: int, total: int) -> bool:
                what = f"reading record {done + 1} of {total}" if total > 1 else "reading what was said"
                return show(what, done, total if total > 1 else 0)

            options = replace(options, parts=partial(show, "compacting MEMORY.md"), portions=portions)
        for folder in (folders.cache, folders.memory.parent):  # outside of what a dream may write to
            with suppress(OSError):
                private_dir(folder)
        with self.audit.on(bounds_of(settings, folders, self.connection)) as self.report.trail:
            finished = await dream(folders.memory, self._agent, self._see, options, self._bounds())
        await judge.end(dreamed=not dry_run)
        for refused in list(self.report.trail.refused)[:MAX_REFUSALS]:
            self.emit(Notice(f"something in the dream's process tried to {refused}; it was refused", "warning"))
        return with_facts(folders, finished)

    def _agent(self, system: str, tools: tuple[Tool, ...], limits: Limits) -> Agent:
        self.report.tools = self.report.tools or tuple(tool.name for tool in tools)
        return Agent(
            model=self.connection.model,
            protocol=self.connection.protocol,
            system=system,
            tools=tools,
            limits=limits,
            gate=allow_all,
            clock=time.monotonic,
            retry=self.settings.retry,
        )

    def _judge(self, model: Model) -> MakeAgent:
        return lambda system, tools, limits: replace(self._agent(system, tools, limits), model=model)

    def _see(self, event: Event) -> None:
        self.report.note(event)
        self.emit(with_facts(self.folders, event) if isinstance(event, DreamFinished) else event)

    def _bounds(self) -> DreamBounds:
        """Return a dream's own bounds, within the user's budget; a small model on this machine reads one record at a time, and slowly."""
        embedded = self.connection.host == EMBEDDED
        own = DreamBounds(seconds=LOCAL_SECONDS, records=1) if embedded else DreamBounds()
        budget = self.settings.agent
        return replace(
            own,
            tokens=min(own.tokens, budget.max_total_tokens or own.tokens),
            seconds=min(own.seconds, budget.max_seconds or own.seconds),
            rounds=min(own.rounds, budget.max_steps),
            budget_tokens=budget.max_total_tokens,
            budget_seconds=budget.max_seconds,
        )


def steps_of(emit: Emit, *, verbose: bool) -> Emit:
    """
    Return what shows a dream beside an answer: its steps with --verbose, its notices and receipts always.

    Its words are thoughts and its end is no answer: stdout belongs to the answer of the user's own question.
    """

    def see(event: Event) -> None:
        match event:
            case TurnFinished():
                pass
            case TextDelta(text) if verbose:
                emit(ReasoningDelta(text))
            case _ if verbose or isinstance(event, Notice | DreamFinished):
                emit(event)
            case _:
                pass

    return see


def bounds_of(settings: Settings, folders: Folders, connection: Connection) -> AuditBounds:
    """Return the bounds of a dream on *connection*; the tokenizer's vocabulary, the engine's files and what endpoints can do are caches."""
    read = [folders.memory, folders.cache / "tiktoken"]
    if connection.host == EMBEDDED:
        (temporary,) = _real(Path(tempfile.gettempdir()))
        return AuditBounds(_real(*read, folders.cache / "models"), BY_NAME, engine=f"{temporary}{os.sep}cococat-")
    scheme = urlsplit(settings.model.base_url).scheme
    proxies = (os.environ.get(name) or os.environ.get(name.lower()) for name in PROXIES)
    urls = [f"{scheme}://{connection.host}", *filter(None, proxies)]
    hosts = frozenset(host for url in urls for host in _host(url))
    return AuditBounds(_real(*read), BY_NAME, hosts, profiles=_real(folders.cache / FILE, folders.cache / f".{FILE}"))


def _real(*folders: Path) -> tuple[str, ...]:
    return tuple(map(os.path.realpath, folders))


def _host(url: str) -> list[tuple[str, int]]:
    """Name and port behind *url*, in both spellings where the name is not ASCII; nothing for what is no URL."""
    with suppress(ValueError):
        parts = urlsplit(url if "//" in url else f"http://{url}")
        port = parts.port or PORTS.get(parts.scheme, 443)
        names = [parts.hostname or ""]
        with suppress(UnicodeError):
            names.append(names[0].encode("idna").decode("ascii"))
        return [(name, port) for name in names if name]
    return []


async def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Trust:
    """
    Who judges a dream, and what came of it.

    Args:
        model: None: nobody does, for the user wants none, the model is too small, or it was seen not to be able to.
        heard: whether it passed its controls, request by request.
    """

    model: Model | None
    name: str
    base_url: str
    folders: Folders
    close: Callable[[], Coroutine[object, object, object]] = _nothing
    heard: list[bool] = field(default_factory=list)

    @classmethod
    def of(cls, settings: Settings, connection: Connection, folders: Folders) -> Trust:
        """Return who is asked; another model of the endpoint is connected, and closed by `end`."""
        wanted = settings.memory.judge
        name = connection.name if wanted == "same" else wanted
        off = wanted == "off" or connection.host == EMBEDDED
        if off or trust_in(folders, connection.base_url, name) == "untrusted":
            return cls(None, "" if off else name, connection.base_url, folders)
        if name == connection.name:
            return cls(connection.model, name, connection.base_url, folders)
        other = remote(replace(settings, model=replace(settings.model, name=name)), folders)
        return cls(other.model, name, connection.base_url, folders, other.close)

    async def end(self, *, dreamed: bool) -> None:
        """Keep what was heard; a dream that did not ask brings the day nearer on which an untrusted model is asked again."""
        await self.close()
        if not (self.name and dreamed):
            return
        now = time.time()
        known = load_profile(self.folders.cache, self.base_url, self.name, now)
        told = replace(known, dreams=known.dreams + 1)
        if self.heard:
            # whoever was trusted is asked once more: a control may be no good one
            seen = "trusted" if all(self.heard) else "" if known.judge == "trusted" else "untrusted"
            told = replace(known, judge=seen, judged=int(now), dreams=0)
        if self.heard or known.judge:
            save_profile(self.folders.cache, self.base_url, self.name, told, now)


def trust_in(folders: Folders, base_url: str, name: str) -> str:
    """Return `trusted` or `untrusted`, as the controls showed lately; empty where that is not known."""
    now = time.time()
    known: Profile = load_profile(folders.cache, base_url, name, now)
    fresh = now - known.judged < MAX_AGE_S and known.dreams < MAX_DREAMS
    return known.judge if fresh else ""
