"""Servers as other programs write them down: `{"mcpServers": {NAME: {command, args, env | url, headers}}}`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cococat.errors import UsageError

MAX_BYTES = 1 << 20
_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)")
_FORM = """{"mcpServers": {"NAME": {"command": "PROGRAM", "args": []}}}"""


def imported(path: Path) -> Mapping[str, Mapping[str, Any] | str]:
    """
    Return what `[mcp.servers.NAME]` would be for each server that the file at *path* names, or why there can be none.

    A value of a variable or a key is never taken over: it belongs into the environment.

    Raises: UsageError: it is no such file.
    """
    try:
        with path.open("rb") as file:
            servers = json.loads(file.read(MAX_BYTES))["mcpServers"]
        return {_name(name): _server(entry) for name, entry in servers.items()}
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}", "cococat mcp import FILE") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UsageError(f"{path}: names no servers", f"wanted {_FORM}") from None


def _name(name: str) -> str:
    return re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")[:20]


def _server(entry: Mapping[str, Any]) -> Mapping[str, Any] | str:
    if url := entry.get("url"):
        return _at(str(url), entry.get("headers") or {})
    argv = [entry["command"], *(entry.get("args") or ())]
    env = entry.get("env") or {}
    for name, value in env.items():
        if _named(str(value)) != name:
            return f"the file holds the value of {name}: export it, then --env {name}"
    if found := next((word for word in argv if _VARIABLE.search(str(word))), None):
        return f"nothing is expanded in a command: {found}"
    return {"command": argv, **({"env": list(env)} if env else {})}


def _at(url: str, headers: Mapping[str, Any]) -> Mapping[str, Any] | str:
    for name, value in headers.items():
        bearer = re.fullmatch(r"Bearer\s+(\S+)", str(value))
        variable = _named(bearer[1]) if bearer else ""
        if name.lower() != "authorization" or not variable:
            return f"the file holds the value of the header {name}: export it, then --key-env VARIABLE"
        return {"url": url, "key_env": variable}
    return {"url": url}


def _named(value: str) -> str:
    """The variable that *value* stands for; empty where it is a value of its own."""
    found = _VARIABLE.fullmatch(value)
    return (found[1] or found[2]) if found else ""
