"""`[mcp.servers.NAME]`: which MCP servers there are. From the config file alone: no variable, flag or folder adds one."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from cococat.config.layers import checked, table_of
from cococat.config.settings import SERVER, Origin
from cococat.config.values import printable
from cococat.core.settings import ServerSettings
from cococat.errors import ConfigError
from cococat.system.urls import is_loopback

MAX_SERVERS = 8
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,19}\Z")
NAME_FORM = "1 to 20 small letters, digits and hyphens"


def servers_of(mcp: object, places: Mapping[str, str] = MappingProxyType({})) -> Mapping[str, ServerSettings]:
    """
    Return the servers that the table *mcp* of a config file tells of, by name.

    Args:
        places: "path:line" of each dotted key.
    Raises: ConfigError: the first thing that is wrong, with its place.
    """
    table = table_of("mcp", mcp, places)
    if other := next((key for key in table if key != "servers"), None):
        raise ConfigError(f"{_at(places, f'mcp.{other}')}: unknown key", "[mcp.servers.NAME] is all that [mcp] has")
    servers = table_of("mcp.servers", table.get("servers", {}), places)
    if len(servers) > MAX_SERVERS:
        raise ConfigError(f"{_at(places, 'mcp.servers')}: {len(servers)} servers, at most {MAX_SERVERS}", "remove some")
    return MappingProxyType({name: _server(name, one, places) for name, one in servers.items()})


def _server(name: str, value: object, places: Mapping[str, str]) -> ServerSettings:
    path = f"mcp.servers.{name}"
    if not NAME.match(name):
        raise ConfigError(f"{_at(places, path)}: a name is {NAME_FORM}", "[mcp.servers.git], for example")
    given: dict[str, Any] = {
        key: checked(
            SERVER, key, one, Origin("file", places.get(f"{path}.{key}", "config file")), f"{path}.{key}"
        ).value
        for key, one in table_of(path, value, places).items()
    }
    server = ServerSettings(**given)
    if trouble := _trouble(server):
        raise ConfigError(f"{_at(places, path)}: {trouble[0]}", trouble[1])
    return server


def _trouble(server: ServerSettings) -> tuple[str, str] | None:
    """What no server can be, and what to write instead."""
    if bool(server.command) == bool(server.url):
        return "wanted either a command or a url", 'command = ["mcp-server-git"], or url = "https://docs.example/mcp"'
    if server.command and os.sep in server.command[0] and not Path(server.command[0]).is_absolute():
        return "the program would be looked for in whatever folder you are in", "name one on PATH, or its absolute path"
    if server.url.startswith("http:") and not is_loopback(server.url):
        return "its address is neither encrypted nor on this machine", "use https://"
    if server.key_env and not server.url:
        return "key_env belongs to a url", f'env = ["{server.key_env}"] hands the variable to a command'
    if server.env and not server.command:
        return "env belongs to a command", 'key_env = "NAME" sends a key to a url'
    return None


def _at(places: Mapping[str, str], path: str) -> str:
    where = places.get(path, "config file")
    return f"{where}: {printable(path)}"
