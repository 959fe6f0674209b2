"""The MCP servers of a session: their tools as tools of ours, each server started by the first call of one of them."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from cococat.app.mcp.beside import Beside
from cococat.app.mcp.form import asking
from cococat.config import Settings
from cococat.context.attached import check_pictures, picture_in
from cococat.core.agent import estimate_tokens
from cococat.core.limits import Stop, StopReason
from cococat.core.messages import Picture
from cococat.core.tools import Arguments, Report, Tool, ToolFailure, ToolOutcome
from cococat.errors import ServerError, UsageError
from cococat.mcp.answer import Show, not_shown
from cococat.mcp.catalog import Catalog, ServerTool, agree, agreed, differences, full_name
from cococat.mcp.connection import Answer, Answers, Connection, Elicit
from cococat.permissions.rules import covers_tool, parse_rule
from cococat.system.text import clip
from cococat.system.text_file import PictureError
from cococat.tools.ask_user import PATIENCE_S, AskUser
from cococat.tools.registry import declared

Agree: TypeAlias = Callable[[str, str], Awaitable[bool]]  # a question about a tool, and how it changed
PART, MAX_TOKENS = 10, 3000  # part of the window that tools of servers may take, as a divisor, and tokens
MAX_STARTS = 2  # of a server in a turn
MAX_SHOWN = 8  # tools of one call of `mcp_tools`
MAX_LINE = 100  # characters of a tool in the catalog
ABOUT = "Learn the arguments of up to 8 tools of servers, which can be called from the next step on. There are:\n"
CHANGED = "the tool has changed, and the user agreed to what it is now: read its arguments and call it again"


def budget(window: int) -> int:
    """Return the tokens of a *window* that tools of servers may take."""
    return min(window // PART, MAX_TOKENS)


@dataclass(frozen=True, slots=True)
class State:
    """A server as `/mcp` shows it."""

    name: str
    words: str
    tools: tuple[Tool, ...]

    @property
    def tokens(self) -> int:
        """Estimate of what its tools take of a request, all of them with their arguments."""
        return sum(estimate_tokens(_spec(tool)) for tool in self.tools)


@dataclass(slots=True)
class Servers:
    """
    Those of a session.

    Args:
        cache: where what was agreed to is kept.
        mask: hides secrets from the model.
        ask: asks the user what a server wants to know; None: nobody is there.
        agree: asks whether a tool that has changed may be used; None: nobody is there.
        sees: whether the model may take pictures.
        shown: tools whose arguments the model asked for.
    """

    settings: Settings
    cache: Path
    root: Path
    mask: Callable[[str], str]
    ask: Callable[[], AskUser | None]
    agree: Callable[[], Agree | None]
    sees: Callable[[], bool] = bool
    shown: set[str] = field(default_factory=set)
    _catalogs: dict[str, Catalog | None] = field(default_factory=dict)
    _running: dict[str, Connection] = field(default_factory=dict)
    _trouble: dict[str, str] = field(default_factory=dict)
    _starts: Counter[str] = field(default_factory=Counter)
    _locks: dict[str, asyncio.Lock] = field(default_factory=dict)
    _beside: Beside | None = None  # where they run, from the first start on
    _question: asyncio.Task[Any] | None = None  # of a server, before the user

    def __post_init__(self) -> None:
        """Read what was agreed to."""
        self._catalogs = {name: agreed(self.cache, name, server) for name, server in self.settings.mcp.items()}

    def unknown(self) -> list[str]:
        """Name the servers whose tools nobody has looked at."""
        return [name for name, catalog in self._catalogs.items() if catalog is None]

    def begin_turn(self) -> None:
        """Let servers that ended be started again."""
        self._starts.clear()

    def tools(self, allow: Sequence[str], *, react: bool) -> tuple[Tool, ...]:
        """Return the tools of all servers; in one round that nobody watches, those that a rule of *allow* names."""
        every = [tool for name in self._catalogs for tool in self._tools_of(name)]
        rules = [parse_rule(text, declared) for text in allow]
        return tuple(tool for tool in every if react or any(covers_tool(rule, tool.name) for rule in rules))

    def fitted(self, tools: Sequence[Tool], limit: int, count: Callable[[str], int]) -> tuple[Tool, ...]:
        """
        Return of *tools* those that are offered with their arguments: all that fit into *limit* tokens.

        Where they do not, those that were asked for, and the tool that tells of the others.
        """
        foreign = [tool for tool in tools if tool.effect == "foreign"]
        if sum(count(_spec(tool)) for tool in foreign) <= limit:
            return tuple(tools)
        kept = [tool for tool in tools if tool.effect != "foreign" or tool.name in self.shown]
        return (*kept, self._teller([tool for tool in foreign if tool.name not in self.shown], limit, count))

    def states(self) -> tuple[State, ...]:
        """Return how each server is doing."""
        return tuple(State(name, self._words(name), self._tools_of(name)) for name in self._catalogs)

    def declares(self, name: str) -> bool:
        """Return whether *name* is that of a server's tool."""
        return any(tool.name == name for server in self._catalogs for tool in self._tools_of(server))

    async def restart(self, name: str) -> None:
        """
        End the server *name* and start it again.

        Raises: UsageError: there is none. ServerError: it cannot be started.
        """
        if name not in self._catalogs:
            raise UsageError(f"there is no server {name!r}", f"one of {', '.join(self._catalogs) or 'none'}")
        await self._stop(self._running.pop(name, None))
        self._starts.clear()
        await self._connected(name)

    async def close(self) -> None:
        """End all of them, side by side."""
        await asyncio.gather(*map(self._stop, self._running.values()))
        if self._beside:
            self._beside.end()

    def _tools_of(self, name: str) -> tuple[Tool, ...]:
        catalog = self._catalogs[name]
        return tuple(self._tool(name, tool) for tool in catalog.tools) if catalog else ()

    def _words(self, name: str) -> str:
        running = self._running.get(name)
        if running and running.works:
            return "running"
        if name in self._trouble:
            return self._trouble[name]
        if running:
            return "has ended"
        return "not started" if self._catalogs[name] else f"not looked at: cococat mcp check {name}"

    def _tool(self, server: str, tool: ServerTool) -> Tool:
        return Tool(
            full_name(server, tool.name),
            tool.description,
            tool.parameters,
            partial(self._run, server, tool),
            "foreign",
            concurrent=False,
            timeout_s=PATIENCE_S,  # the settings of the server have its own, and a user who is asked has all of it
        )

    async def _run(self, server: str, tool: ServerTool, arguments: Arguments, report: Report) -> ToolOutcome:
        pictures: list[Picture] = []
        try:
            connection, offered = await self._connected(server)
            now = {now.name: now for now in offered.tools}.get(tool.name)
            if now is None or differences([tool], [now]):
                return await self._changed(server, tool, now)
            show = partial(_shown, pictures, full_name(server, tool.name)) if self.sees() else not_shown
            answer = await self._called(connection, tool.name, arguments, report, show)
        except (ServerError, UsageError) as error:
            words = f"{error.message}; {error.hint}"
            raise ToolFailure(f"ServerError: {words}", display=words) from None
        text = self.mask(answer.text)
        if answer.failed:
            raise ToolFailure(text)
        return ToolOutcome(text or "[nothing]", pictures=tuple(pictures))

    async def _connected(self, name: str) -> tuple[Connection, Catalog]:
        """
        Return the connection to a server and what it offers; it is started where it does not run, or hears nothing.

        Raises: ServerError: it cannot be, or ended too often in this turn.
        """
        async with self._locks.setdefault(name, asyncio.Lock()):
            if (running := self._running.get(name)) and running.works and self._beside:
                with suppress(ServerError):
                    return running, await self._beside.run(running.offers())
            if self._starts[name] == MAX_STARTS:
                raise ServerError(
                    f"mcp {name}: ended again, and is not started in this turn", f"cococat mcp check {name}"
                )
            self._starts[name] += 1
            await self._stop(running)
            settings, ask = self.settings.mcp[name], self.ask()
            put = partial(self._asked, asyncio.get_running_loop(), asking(name, ask)) if ask else None
            self._running[name] = made = Connection(name, settings, self.cache, self.root, put)
            self._beside = self._beside or Beside()
            try:
                offered = await self._beside.run(made.start(settings.start_s))
            except (ServerError, UsageError) as error:
                self._trouble[name] = error.message
                raise
            self._trouble.pop(name, None)
            return made, offered

    async def _stop(self, running: Connection | None) -> None:
        if running and self._beside:
            await self._beside.run(running.stop())

    async def _called(
        self, connection: Connection, tool: str, arguments: Arguments, report: Callable[[str], None], show: Show
    ) -> Answer:
        """Call a tool where the servers run; what it tells and asks meanwhile comes back to this loop, and ends with it."""
        home = asyncio.get_running_loop()

        def tell(text: str) -> None:
            if not call.done():
                report(text)

        assert self._beside is not None
        work = connection.call(tool, arguments, lambda text: home.call_soon_threadsafe(tell, text), show)
        call = asyncio.ensure_future(self._beside.run(work))
        try:
            return await call
        finally:
            if self._question:
                self._question.cancel()
                await asyncio.wait({self._question})

    async def _asked(
        self, home: asyncio.AbstractEventLoop, elicit: Elicit, message: str, asked: Mapping[str, Any] | str
    ) -> Answers | None:
        """Put what a server wants to know to the user, who is met in the loop *home*."""

        async def put() -> Answers | None:
            self._question = asyncio.current_task()
            try:
                return await elicit(message, asked)
            finally:
                self._question = None

        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(put(), home))

    async def _changed(self, server: str, tool: ServerTool, now: ServerTool | None) -> ToolOutcome:
        """Refuse a tool that is not what was agreed to; who is there to ask is shown how it changed."""
        name = full_name(server, tool.name)
        if now is None:
            raise ToolFailure(f"ServerError: mcp {server}: it has no {tool.name} any more")
        if (agree_to := self.agree()) is None:
            why = f"mcp {server}: {tool.name} is not what was agreed to: cococat mcp check {server}"
            return ToolOutcome(f"{name} did not run: {why}", why, stop=Stop(StopReason.PERMISSION_DENIED, why))
        diff = differences([tool], [now])[tool.name]
        if not await agree_to(f"{name} changed since you agreed to it: may the model use it as it is now?", diff):
            raise ToolFailure(f"ServerError: {name} has changed, and the user did not agree to what it is now")
        catalog = self._catalogs[server] or Catalog()
        tools = tuple(now if old.name == tool.name else old for old in catalog.tools)
        self._catalogs[server] = replace(catalog, tools=tools)
        agree(self.cache, server, self.settings.mcp[server], replace(catalog, tools=tools))
        raise ToolFailure(f"ServerError: {CHANGED}")

    def _teller(self, tools: Sequence[Tool], limit: int, count: Callable[[str], int]) -> Tool:
        """The tool that tells of *tools*, in *limit* tokens."""
        names = {tool.name for tool in tools}

        async def run(arguments: Arguments, report: Report) -> ToolOutcome:
            del report
            wanted = arguments.get("names")
            asked = [str(name) for name in wanted][:MAX_SHOWN] if isinstance(wanted, list) else []
            if unknown := [name for name in asked if name not in names | self.shown]:
                raise ToolFailure(f"there is no tool {', '.join(unknown)}")
            self.shown |= set(asked)
            return ToolOutcome(f"can be called from the next step on: {', '.join(asked)}", f"{len(asked)} tools")

        some = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": MAX_SHOWN}
        parameters = {"type": "object", "properties": {"names": some}, "required": ["names"]}
        return Tool("mcp_tools", ABOUT + _catalog(tools, limit, count), parameters, run, "reads", concurrent=False)


def _shown(pictures: list[Picture], name: str, data: bytes) -> str:
    """Keep a picture of the tool *name* that can be sent beside *pictures*; return what becomes of it."""
    try:
        if (picture := picture_in(data, name)) is None:
            return "not shown"
        check_pictures((*pictures, picture))
    except PictureError as error:
        return f"not shown, {error.reason}"
    pictures.append(picture)
    return "shown below"


def _spec(tool: Tool) -> str:
    return json.dumps([tool.name, tool.description, tool.parameters], ensure_ascii=False)


def _catalog(tools: Sequence[Tool], limit: int, count: Callable[[str], int]) -> str:
    """One line a tool; where that is more than *limit* tokens, one a server; where even that is, its beginning."""
    lines = "\n".join(clip(f"{tool.name}: {tool.description}", MAX_LINE) for tool in tools)
    if count(lines) <= limit:
        return lines
    names: dict[str, list[str]] = {}
    for tool in tools:
        names.setdefault(tool.name.partition("__")[0], []).append(tool.name)
    lines = "\n".join(f"{server}: {', '.join(those)}" for server, those in names.items())
    return clip(lines, len(lines) * limit // max(limit, count(lines)))
