"""Which model answers: the one that was configured, or the first that can be found."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from cococat.app.endpoint.names import NO_MODEL, endpoint_of, named_model
from cococat.app.output import note
from cococat.config import Folders, Settings, key_for
from cococat.config.settings import Origin
from cococat.core.limits import Problem
from cococat.core.model import Model
from cococat.core.reply import ReplyProtocol
from cococat.errors import UsageError
from cococat.protocol.native import Native
from cococat.system.private import private_dir
from cococat.system.urls import host_of

if TYPE_CHECKING:
    from cococat.app.endpoint.window import WindowQuestion
    from cococat.ui.screen.progress import Bars

EMBEDDED = "this machine"  # the host of a model that runs in this process
PASSING = frozenset({"rate_limit", "server", "timeout", "stalled", "stream_cut"})  # never auth, quota or content


@dataclass(frozen=True, slots=True)
class Connection:
    """A model that is ready to answer; *window* is its context window in tokens."""

    model: Model
    protocol: ReplyProtocol
    name: str
    host: str
    window: int
    close: Callable[[], Coroutine[object, object, None]]
    question: WindowQuestion | None = None  # None: nothing is asked, the window is as the user says
    cut: Callable[[], str] = str  # says, once, that the server reads less of the prompts than it is sent
    base_url: str = ""  # of the endpoint; empty: the model runs in this process


async def connect(settings: Settings, folders: Folders, *, quiet: bool = False, bars: Bars | None = None) -> Connection:
    """
    Choose a model: configured, by key, a local server, the embedded one; say in one line what was found.

    Args:
        bars: shows how far the embedded one is loaded; by default on stderr, unless *quiet*.
    Raises: UsageError: there is none, or not the one that was named; the hint names three ways to get one.
    """
    say, named = _unsaid if quiet else note, named_model(settings)
    if settings.model.gguf and not (named and _is_nearer(settings, "model.name", "model.gguf")):
        return await _embedded(settings, folders, say, bars)
    named_endpoint = settings.profile or settings.origins["model.base_url"].kind != "default"
    if named_endpoint or key_for(settings, os.environ):
        return remote(settings, folders)
    from cococat.model.catalog import find_local

    if server := await find_local(name=named):
        say(f"no key or configuration: using {server.model} on {server.kind} at {server.base_url}")
        model = replace(settings.model, name=server.model, base_url=server.base_url)
        return remote(replace(settings, model=model), folders)
    if named:
        why = f"{named} has no key and no address, and no server of this machine lists it"
        raise UsageError(why, "export OPENAI_API_KEY=…, or give its address with --base-url URL, or leave the name out")
    from cococat.model.embedded import available

    if not available():
        connection = await _embedded(settings, folders, say, bars)
        say(f"no key, configuration or server: using {connection.name}, a small model on this machine")
        return connection
    raise UsageError("no model to talk to: no key, no configuration, no server on this machine", NO_MODEL)


def _is_nearer(settings: Settings, key: str, other: str) -> bool:
    """Return whether *key* was given nearer to the command than *other*: a flag beats a variable, which beats the config."""
    rank = ("default", "file", "env", "flag").index
    return rank(settings.origins[key].kind) > rank(settings.origins[other].kind)


def remote(settings: Settings, folders: Folders) -> Connection:
    """Connect to the endpoint of *settings*; nothing is sent yet."""
    from cococat.app.endpoint.window import CutPrompt, WindowQuestion
    from cococat.model.client import ChatModel
    from cococat.model.tokens import count

    model = settings.model
    key = key_for(settings, os.environ)
    host = host_of(model.base_url)
    if key is None and host == "api.openai.com":
        raise UsageError(
            "no key for api.openai.com",
            "cococat config set-key, or export OPENAI_API_KEY=…, or name another --base-url",
        )
    endpoint = endpoint_of(settings)
    question = WindowQuestion(endpoint, settings.timeouts, folders.cache)
    cut = CutPrompt(lambda text: count(text, model.name, folder=folders.cache), lambda: question.profile.server)
    client = ChatModel(endpoint, settings.timeouts, cut.heard, learned=question.profile.learned, taught=question.teach)
    protocol, known = protocol_for(model.protocol, question.profile.calls), model.context_window

    async def close() -> None:
        if not known:
            await question.end("json" if model.protocol == "auto" and protocol.name == "json" else "")
        await client.aclose()

    asked = None if known else question
    window = known or question.window
    return Connection(client, protocol, model.name, host, window, close, asked, cut.line, model.base_url)


async def _embedded(settings: Settings, folders: Folders, say: Callable[[str], None], bars: Bars | None) -> Connection:
    from cococat.model.embedded import start
    from cococat.protocol.decision import Decision
    from cococat.ui.screen.progress import progress

    with suppress(OSError):  # where nothing can be written, the engine says what it lacks
        private_dir(folders.cache)  # the engine makes what is below
    # at once: while the engine loads it lets no thread of Python's draw anything
    bars = bars or partial(progress, shown=say is not _unsaid, after_s=0)
    with bars("loading the embedded model") as tell:
        file = Path(settings.model.gguf) if settings.model.gguf else None
        embedded = await start(file, folders.cache, notice=say, tell=tell)
        await embedded.loaded()
    protocol: ReplyProtocol = Native() if settings.model.protocol == "native" else Decision(typed=False)
    return Connection(embedded, protocol, embedded.name, EMBEDDED, embedded.window, embedded.aclose)


def protocol_for(name: str, calls: str = "") -> ReplyProtocol:
    """`native`, `json`, or for `auto` one that begins as *calls* are known to work, and learns when to take the second."""
    if name == "native":
        return Native()
    if name == "json":
        from cococat.protocol.decision import Decision

        return Decision()
    from cococat.protocol.written import Auto

    return Auto(decides=calls == "json")


def _unsaid(text: str) -> None:
    """Say nothing, for --quiet."""


def next_model(
    settings: Settings, connection: Connection, folders: Folders, problem: Problem
) -> tuple[str, Settings, Connection] | None:
    """
    Return the line for the user, the settings and the connection with which the next of `model.fallback` goes on.

    Returns: None when *problem* would be the same there, or none is left.
    """
    if problem.kind not in PASSING or not settings.model.fallback:
        return None
    before, (name, *rest) = settings.model.name, settings.model.fallback
    settings = replace(settings, model=replace(settings.model, fallback=tuple(rest)))
    said = f"{problem.message}: {name} answers in the place of {before}"
    return said, *change_model(connection, settings, folders, name)


def change_model(before: Connection, settings: Settings, folders: Folders, name: str) -> tuple[Settings, Connection]:
    """Connect to the model *name* of the same endpoint; closing it closes the one *before* as well."""
    origins = dict(settings.origins) | {"model.name": Origin("flag", "/model")}
    if before.base_url != settings.model.base_url:  # a server of this machine that was found
        origins["model.base_url"] = origins["model.name"]
    model = replace(settings.model, name=name, base_url=before.base_url)
    settings = replace(settings, model=model, origins=MappingProxyType(origins))
    connection = remote(settings, folders)

    async def close() -> None:
        await before.close()
        await connection.close()

    return settings, replace(connection, close=close)
