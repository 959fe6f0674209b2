"""A server in use: started or reached, asked for its tools, called, stopped; everything within a time."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from cococat import __version__
from cococat.core.settings import ServerSettings
from cococat.errors import ServerError, UsageError
from cococat.mcp.answer import Show, not_shown, text_of
from cococat.mcp.catalog import Catalog, ServerTool, catalog_of
from cococat.mcp.messages import MAX_BYTES, TooLong
from cococat.mcp.process import Program
from cococat.mcp.schema import short
from cococat.mcp.web import Refused, web_streams
from cococat.system.network import BadVariable
from cococat.system.urls import host_of

if TYPE_CHECKING:
    from mcp import Client
    from mcp.client._transport import TransportStreams
    from mcp.client.session import ClientRequestContext, IncomingMessage
    from mcp.types import ElicitRequestParams, ElicitResult, Tool

T = TypeVar("T")
Answers: TypeAlias = dict[str, str | int | float | bool | list[str] | None]
# what a server says that it wants to know, and the schema of a form or an address to open; None: declined
Elicit: TypeAlias = Callable[[str, Mapping[str, Any] | str], Awaitable[Answers | None]]

INSTALL = "pip install 'cococat[mcp]'"
MAX_PAGES = 10  # of a list of tools
NEW_ERA = "2026-07-28"
LIST_S = 3.0  # for its list where it owes an answer
STOP_S = 2.5  # until one that will not stop is left behind
SAYS = {
    "read_only_hint": "reads only",
    "destructive_hint": "may destroy",
    "idempotent_hint": "may be repeated",
    "open_world_hint": "reaches out",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call gave; *failed*: the server says that it did not work."""

    text: str
    failed: bool


class Connection:
    """
    A connection to the server *name*.

    Args:
        cache: the folder below which it runs, in one of its own.
        root: the folder that tools see.
        ask: asks the user what the server wants to know in a call; None: nobody is there, and it is told so.
    """

    def __init__(self, name: str, settings: ServerSettings, cache: Path, root: Path, ask: Elicit | None = None) -> None:
        self.name, self._settings, self._ask = name, settings, ask
        folder = cache / "mcp" / "run" / name
        self._program = Program(name, settings.command, settings.env, folder, root) if settings.command else None
        self._seen = Refused()
        self._client: Client | None = None
        self._catalog = Catalog()
        self._stale = False  # the server said that it has other tools now
        self._owes = False  # it has not answered what it was asked last
        self._listener: asyncio.Task[None] | None = None
        self._leaving = asyncio.Event()
        self._ready: asyncio.Future[Catalog]
        self._limit: asyncio.Timeout | None = None  # of the call that runs
        self._asking = asyncio.Lock()
        self._question: asyncio.Future[Answers | None] | None = None
        self._task: asyncio.Task[None] | None = None
        self._began = 0.0

    @property
    def works(self) -> bool:
        """Whether a call could reach it."""
        ended = self._task is None or self._task.done() or (self._program is not None and self._program.ended)
        return self._client is not None and not ended

    @property
    def last_lines(self) -> list[str]:
        """The last five lines of its stderr."""
        return self._program.stderr(5) if self._program else []

    async def start(self, start_s: float) -> Catalog:
        """
        Start or reach it and return what it offers.

        Args:
            start_s: seconds that it has for that.

        Raises:
            ServerError: it did not tell its tools.
            UsageError: the SDK is not installed.
        """
        self._ready, self._began = asyncio.get_running_loop().create_future(), asyncio.get_running_loop().time()
        if not importlib.util.find_spec("mcp"):
            raise UsageError(f"mcp {self.name}: MCP servers need an extra that is not installed", INSTALL)
        # most of a second, in which a screen must not stand still, and which is not the server's
        await asyncio.to_thread(importlib.import_module, "mcp.client.streamable_http")
        for logger in ("mcp", "client"):  # by the SDK, which would write to the screen
            logging.getLogger(logger).addHandler(logging.NullHandler())
        self._task = asyncio.create_task(self._run())
        try:
            return await self._answer(self._ready, "told no tools", start_s)
        finally:
            if self._client is None:
                self._task.cancel()

    async def offers(self) -> Catalog:
        """
        Return what it offers now, listed anew where it said that this has changed, or owes an answer.

        Raises: ServerError: it does not tell.
        """
        if (self._stale or self._owes) and self._client:
            seconds = min(LIST_S, self._settings.call_s) if self._owes else self._settings.call_s
            self._stale, listed = False, None
            self._listen(self._client)
            try:
                self._catalog = listed = await self._answer(self._listed(self._client), "told no tools", seconds)
            finally:
                self._stale |= listed is None
        return self._catalog

    async def call(
        self, tool: str, arguments: Mapping[str, object], report: Callable[[str], object], show: Show = not_shown
    ) -> Answer:
        """
        Call *tool*; a cancel of this is told to the server and waits for nothing.

        Args:
            report: is given what the server says of its progress.
            show: is given each picture in an answer that is no failure, in another thread.
        Raises: ServerError: it gave no answer in time, or none at all.
        """
        client = self._client
        if client is None or not self.works:
            raise self._error("has ended")

        async def progressed(progress: float, total: float | None, message: str | None) -> None:
            report(f"{progress:g}{f'/{total:g}' if total else ''}{f' {short(message)}' if message else ''}\n")

        call = client.call_tool(tool, dict(arguments), progress_callback=progressed)
        result = await self._answer(call, f"{tool} gave nothing", self._settings.call_s)
        text = await asyncio.to_thread(text_of, result, show)  # to make a picture smaller takes a while
        return Answer(text, bool(result.is_error))

    async def stop(self) -> None:
        """End it, within 2 seconds or a little more."""
        self._leaving.set()
        if self._task and not self._task.done():
            await asyncio.wait({self._task}, timeout=STOP_S)
            self._task.cancel()

    async def _answer(self, request: Awaitable[T], nothing: str, seconds: float) -> T:
        """
        Return what the server answers; a cancel of this waits for nothing, and ends what the server asks meanwhile.

        Args:
            nothing: says that there was none.
            seconds: those of the user not counted.
        Raises: ServerError: there was none in time, or it is an error.
        """
        answer = asyncio.ensure_future(request)
        answer.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # or asyncio reports it
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds) as self._limit:
                    await asyncio.wait({answer})
            if answer.done():
                return answer.result()
        except Exception as error:  # noqa: BLE001 - the SDK raises groups of whatever happened
            raise await self._explained(error) from None
        finally:
            self._limit = None
            self._owes = not answer.done()
            answer.cancel()
            if self._question:
                self._question.cancel()
        raise self._error(f"{nothing} within {seconds:g} s")

    async def _run(self) -> None:
        from mcp import Client
        from mcp.types import Implementation

        about = Implementation(name="cococat", version=__version__)
        try:
            async with Client(
                self._streams(),
                elicitation_callback=self._elicit,
                message_handler=self._hear,
                client_info=about,
                cache=None,
            ) as client:
                self._listen(client)
                self._catalog = await self._listed(client)
                self._client = client
                if not self._ready.done():
                    self._ready.set_result(self._catalog)
                await self._leaving.wait()
                if self._listener:
                    self._listener.cancel()
        except Exception as error:  # noqa: BLE001 - see `_answer`
            if not self._ready.done():
                self._ready.set_exception(error)

    async def _hear(self, message: IncomingMessage) -> None:
        from mcp.types import ToolListChangedNotification

        self._stale |= isinstance(message, ToolListChangedNotification)

    def _listen(self, client: Client) -> None:
        """Have a server of the new era tell of changes, which one of the old era does unasked."""
        tools, ready = client.server_capabilities.tools, self._listener is None or self._listener.done()
        if client.protocol_version >= NEW_ERA and tools and tools.list_changed and ready:
            self._listener = asyncio.create_task(self._listening(client))

    async def _listening(self, client: Client) -> None:
        from mcp.client.subscriptions import SubscriptionLost
        from mcp.shared.exceptions import MCPError

        with suppress(MCPError, SubscriptionLost):
            async with client.listen(tools_list_changed=True) as changes:
                try:
                    async for _ in changes:
                        self._stale = True
                finally:
                    self._stale = True  # what is missed from now on is seen when it is listed for the next call

    def _streams(self) -> AbstractAsyncContextManager[TransportStreams]:
        if self._program:
            return self._program.streams()
        key = os.environ.get(self._settings.key_env, "") if self._settings.key_env else ""
        return web_streams(self._settings.url, key, self._seen)

    async def _listed(self, client: Client) -> Catalog:
        tools: list[Tool] = []
        cursor = None
        for _ in range(MAX_PAGES):
            page = await client.list_tools(cursor=cursor)
            tools += page.tools
            if not (cursor := page.next_cursor):
                break
        listed = [(ServerTool(tool.name, tool.description or "", {}, _says(tool)), tool.input_schema) for tool in tools]
        return catalog_of(self.name, listed, self._settings.tools)

    async def _elicit(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        """Put the server's question to the user, whose time is not the server's."""
        from mcp.types import ElicitResult

        del context
        async with self._asking:
            if self._ask is None or self._client is None or (limit := self._limit) is None:
                return ElicitResult(action="decline")
            began, end = asyncio.get_running_loop().time(), limit.when() or 0
            limit.reschedule(None)
            asked = params.url if params.mode == "url" else params.requested_schema
            self._question = question = asyncio.ensure_future(self._ask(params.message, asked))
            await asyncio.wait({question})
            if self._limit is limit:
                limit.reschedule(end + asyncio.get_running_loop().time() - began)
            if question.cancelled():
                return ElicitResult(action="cancel")
            content = question.result()
            return ElicitResult(action="decline" if content is None else "accept", content=content or None)

    async def _explained(self, error: BaseException) -> ServerError:
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, ServerError):
            return error
        if isinstance(error, BadVariable):
            return ServerError(f"mcp {self.name}: {error}", error.hint)
        if isinstance(error, TooLong):
            return self._error(f"sent more than {MAX_BYTES >> 20} MiB in one piece")
        if words := self._seen.words(self._settings.key_env):
            return self._error(words)
        if self._program and self._program.ended:
            code = await self._program.exit_code()
            after = f"after {asyncio.get_running_loop().time() - self._began:.1f} s"
            ended = (
                "closed its output" if code is None else f"exited {code}" if code >= 0 else f"ended by signal {-code}"
            )
            return self._error(f"{ended} {after}")
        where = f"{host_of(self._settings.url)}: " if self._settings.url else ""
        return self._error(f"{where}{short(str(error)) or type(error).__name__}")

    def _error(self, what: str) -> ServerError:
        """Return an error that names the server, its last line, and the command that looks into it."""
        unset = [name for name in self._settings.env if name not in os.environ]
        program = self._program
        noise = f"printed what is no JSON: {short(program.noise)}" if program and program.noise else ""
        last = program.stderr(1) if program else []
        more = [*last[:1], noise, f"{', '.join(unset)} is not set" if unset else ""]
        return ServerError(": ".join(filter(None, (f"mcp {self.name}", what, *more))), f"cococat mcp check {self.name}")


def _says(tool: Tool) -> str:
    """What the server itself says of a tool."""
    with suppress(AttributeError):
        return ", ".join(words for hint, words in SAYS.items() if getattr(tool.annotations, hint))
    return ""
