"""`cococat mcp`: which servers there are, a look at what they offer, one call."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from cococat.app.mcp.form import asking
from cococat.app.mcp.imported import imported
from cococat.app.output import agree as consent
from cococat.app.output import explain, note, out, report
from cococat.config import Folders, Settings
from cococat.config.servers import servers_of
from cococat.config.write import set_server
from cococat.core.agent import estimate_tokens
from cococat.core.settings import ServerSettings
from cococat.errors import CococatError, ServerError, StorageError, UsageError
from cococat.mcp.catalog import Catalog, ServerTool, agree, agreed, differences, forget, full_name
from cococat.mcp.connection import Connection
from cococat.safety.terminal import safe
from cococat.ui.lines.theme import is_terminal

PATIENT_S = 60.0  # at least, where a user looks on: npx and uvx download what they run
MAX_LEFT_OUT = 8  # tools of a server that are named with why they are left out
Values = Mapping[str, Any]


class _Look(NamedTuple):
    """What a start showed of a server: its tools, or an error, after so many seconds; *lines* of its stderr."""

    found: Catalog | ServerError
    seconds: float
    lines: list[str]


def list_all(settings: Settings, folders: Folders, *, as_json: bool) -> int:
    """Print the servers; none is started."""
    rows = []
    for name, server in settings.mcp.items():
        catalog = agreed(folders.cache, name, server)
        tools = catalog.tools if catalog else ()
        rows.append(
            {
                "name": name,
                "transport": "http" if server.url else "stdio",
                "state": "ready" if catalog else f"not looked at: cococat mcp check {name}",
                "tools": len(tools),
                "tokens": _tokens(tools),
            }
        )
    if as_json:
        out(json.dumps(rows))
    elif rows:
        report(
            "\n".join(
                "{name:<20}  {transport:<5}  {tools:>3} tools  {tokens:>6,} tokens  {state}".format(**row)
                for row in rows
            )
        )
    else:
        note("there are no MCP servers; cococat mcp add NAME -- COMMAND adds one")
    return 0


def add(settings: Settings, folders: Folders, name: str, values: Values, *, yes: bool) -> int:
    """
    Start or reach a server once, show what it offers, and add it to the config when the user agrees.

    Raises:
        UsageError: there is one of that name, or it makes no sense, or the SDK is not installed.
        ServerError: it does not work. ConsentError: the user did not agree.
    """
    if name in settings.mcp:
        raise UsageError(f"there is a server {name} already", f"cococat mcp remove {name}")
    server = servers_of({"servers": {name: values}})[name]
    note(f"{name}: {' '.join(server.command) or server.url}")
    if server.command:
        inside, variables = folders.cache / "mcp" / "run" / name, ", ".join(server.env) or "none"
        note(f"it runs in {inside}, without a box; an argument `.` is {Path.cwd()} here; variables: {variables}")
    look = asyncio.run(_look(name, server, folders))
    _show(name, look, ())
    if isinstance(look.found, ServerError):
        raise ServerError(look.found.message, f"correct that, and add {name} again")
    if not yes:
        consent(f"add {name} to the config, and offer these tools to models?", "nothing was added")
    set_server(settings.file or folders.config_file, name, values)
    _keep(folders, name, server, look.found)
    note(f"{name} is added; every call asks, unless a rule such as {full_name(name, 'TOOL')} or {name}__* allows it")
    return 0


def remove(settings: Settings, folders: Folders, name: str) -> int:
    """
    Remove a server from the config, and what was agreed to.

    Raises: UsageError: there is none of that name.
    """
    _known(settings, name)
    set_server(settings.file or folders.config_file, name, None)
    with suppress(OSError):
        forget(folders.cache, name)
    note(f"{name} is removed")
    return 0


def check(settings: Settings, folders: Folders, target: str, *, yes: bool) -> int:
    """
    Start a server, all of them or the one at an address; show what it offers, and agree to it where that is news.

    Returns: 3 when one does not work.
    Raises: UsageError: there is none of that name, or the SDK is not installed. ConsentError: the user did not agree.
    """
    servers = {target: _target(settings, target)} if target else settings.mcp
    looks = asyncio.run(_look_at_all(servers, folders))
    for name, look in looks.items():
        before = agreed(folders.cache, name, servers[name]) if name in settings.mcp else None
        _show(name, look, before.tools if before else ())
        if isinstance(look.found, ServerError):
            explain(look.found)
        elif name in settings.mcp and (before is None or before != look.found):
            if not yes and not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
                note(f"not offered to models before you agree: cococat mcp check {name} --yes")
                continue
            if not yes:
                consent(f"offer these tools of {name} to models?", "nothing was changed")
            _keep(folders, name, servers[name], look.found)
    return max((look.found.exit_code for look in looks.values() if isinstance(look.found, ServerError)), default=0)


def call(settings: Settings, folders: Folders, target: str, tool: str, arguments: str, *, defaults: bool) -> int:
    """
    Call one tool and print what it gives.

    Args:
        arguments: a JSON object.
        defaults: what the server asks is answered with its defaults, and not declined.
    Raises: UsageError: something makes no sense. ServerError: the call failed.
    """
    try:
        values = json.loads(arguments)
    except ValueError:
        values = None
    if not isinstance(values, dict):
        raise UsageError(
            "the arguments are no JSON object", f"""cococat mcp call {target} {tool} '{{"name": "value"}}'"""
        )
    out(asyncio.run(_call(target, _target(settings, target), tool, values, folders, defaults=defaults)))
    return 0


def import_file(settings: Settings, folders: Folders, path: Path, *, yes: bool) -> int:
    """
    Add each server that a file of the form `{"mcpServers": …}` names, as `add` does.

    Returns: the exit code of the last that was not added.
    Raises: UsageError: the file is of no such form.
    """
    code = 0
    for name, found in imported(path).items():
        try:
            if isinstance(found, str):
                raise UsageError(f"{name}: {found}", f"cococat mcp add {name} …")
            add(settings, folders, name, found, yes=yes)
        except CococatError as error:
            explain(error)
            code = error.exit_code
    return code


def _target(settings: Settings, target: str) -> ServerSettings:
    """The server that a name or an address means."""
    if "://" in target:
        return servers_of({"servers": {"here": {"url": target}}})["here"]
    return _known(settings, target)


def _known(settings: Settings, name: str) -> ServerSettings:
    if name not in settings.mcp:
        raise UsageError(
            f"there is no server {name}", f"there are {', '.join(settings.mcp)}" if settings.mcp else "cococat mcp add"
        )
    return settings.mcp[name]


async def _look_at_all(servers: Mapping[str, ServerSettings], folders: Folders) -> dict[str, _Look]:
    looks = await asyncio.gather(*(_look(name, server, folders) for name, server in servers.items()))
    return dict(zip(servers, looks, strict=True))


async def _look(name: str, server: ServerSettings, folders: Folders) -> _Look:
    """Start a server, list its tools, and stop it."""
    connection = Connection(name, server, folders.cache, Path.cwd())
    began = asyncio.get_running_loop().time()
    try:
        return _Look(await connection.start(max(server.start_s, PATIENT_S)), *_seen(connection, began))
    except ServerError as error:
        return _Look(error, *_seen(connection, began))
    finally:
        await connection.stop()


def _seen(connection: Connection, began: float) -> tuple[float, list[str]]:
    return asyncio.get_running_loop().time() - began, connection.last_lines


async def _call(
    target: str, server: ServerSettings, tool: str, arguments: Mapping[str, object], folders: Folders, *, defaults: bool
) -> str:
    async def standard(question: str, choices: Sequence[str]) -> str:
        del question
        return choices[0] if "decline" in choices else ""

    connection = Connection(target, server, folders.cache, Path.cwd(), asking(target, standard) if defaults else None)
    try:
        await connection.start(max(server.start_s, PATIENT_S))
        answer = await connection.call(tool, arguments, lambda text: note(text.strip()))
    finally:
        await connection.stop()
    if answer.failed:
        raise ServerError(
            f"mcp {target}: {tool} failed: {answer.text}", f"cococat mcp check {target} shows what it takes"
        )
    return answer.text


def _show(name: str, look: _Look, before: Sequence[ServerTool]) -> None:
    """Print what a look showed; of what was agreed to before, what is different."""
    if isinstance(look.found, Catalog):
        tools = look.found.tools
        rows = [f"{name}: {len(tools)} tools, about {_tokens(tools):,} tokens, {look.seconds:.1f} s"]
        rows += [f"  {tool.name}{f' (says: {tool.says})' if tool.says else ''}: {tool.description}" for tool in tools]
        left_out = look.found.left_out
        rows += [f"  left out: {line}" for line in left_out[:MAX_LEFT_OUT]]
        rows += [f"  left out: {len(left_out) - MAX_LEFT_OUT} more"] if len(left_out) > MAX_LEFT_OUT else []
        for tool_name, diff in differences(before, tools).items() if before else ():
            rows += [f"  changed: {tool_name}", *(f"    {line}" for line in diff.split("\n"))]
        report(safe("\n".join(rows)))
    for line in look.lines:
        note(f"{name} wrote: {line}")


def _keep(folders: Folders, name: str, server: ServerSettings, catalog: Catalog) -> None:
    try:
        agree(folders.cache, name, server, catalog)
    except OSError as error:
        raise StorageError(f"{folders.cache}: cannot be written: {error.strerror}", "free some space") from error


def _tokens(tools: Sequence[ServerTool]) -> int:
    return sum(estimate_tokens(json.dumps(asdict(tool), ensure_ascii=False)) for tool in tools)
