"""What servers offer, as it was agreed to: a file a server in the cache, which tools are offered from without a start."""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cococat.core.settings import ServerSettings
from cococat.mcp.schema import Unusable, clean, short
from cococat.system.atomic import write_atomic
from cococat.system.private import private_dir
from cococat.system.text import clip

MAX_TOOLS = 128
MAX_NAME = 64  # characters that endpoints take for the name of a function
MAX_BYTES = 8 << 20  # of the file


@dataclass(frozen=True, slots=True)
class ServerTool:
    """
    A tool of a server.

    Args:
        name: as the server calls it.
        parameters: JSON Schema, cleaned.
        says: what the server says of it (`reads only`), which nobody has checked and nothing rests on.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    says: str = ""


@dataclass(frozen=True, slots=True)
class Catalog:
    """What a server offers; *left_out* says of each tool that is not offered why."""

    tools: tuple[ServerTool, ...] = ()
    left_out: tuple[str, ...] = ()


def full_name(server: str, tool: str) -> str:
    """Return the name by which a model calls *tool* of *server*, and by which rules name it."""
    return f"{server}__{re.sub('[^A-Za-z0-9_-]', '_', tool)}"


def catalog_of(server: str, listed: Sequence[tuple[ServerTool, Mapping[str, Any]]], only: Sequence[str]) -> Catalog:
    """
    Return what is offered of the tools that *server* lists.

    Args:
        listed: each with its schema as it came.
        only: names of those that are wanted; empty: all.
    """
    wanted = [(tool, schema) for tool, schema in listed if not only or tool.name in only]
    names = Counter(full_name(server, tool.name) for tool, _ in wanted)
    tools: list[ServerTool] = []
    left_out = [
        f"{name}: the server has no such tool" for name in only if name not in {tool.name for tool, _ in listed}
    ]
    for tool, schema in wanted:
        name = full_name(server, tool.name)
        try:
            _refuse(len(name) > MAX_NAME, f"its name is longer than {MAX_NAME} characters")
            _refuse(names[name] > 1, "another tool has the same name")
            _refuse(len(tools) == MAX_TOOLS, f"{MAX_TOOLS} tools of a server are offered")
            tools.append(ServerTool(tool.name, short(tool.description), clean(schema), tool.says))
        except Unusable as why:
            left_out.append(f"{clip(short(tool.name), MAX_NAME)}: {why}")
    return Catalog(tuple(tools), tuple(left_out))


def _refuse(unusable: bool, why: str) -> None:
    if unusable:
        raise Unusable(why)


def agreed(cache: Path, server: str, settings: ServerSettings) -> Catalog | None:
    """Return what was agreed to of *server*; None when that was never asked, or of other settings."""
    try:
        with (cache / "mcp" / f"{server}.json").open("rb") as file:
            kept = json.loads(file.read(MAX_BYTES))
        if kept["settings"] != _key(settings):
            return None
        return Catalog(tuple(ServerTool(**tool) for tool in kept["tools"]), tuple(kept["left_out"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def agree(cache: Path, server: str, settings: ServerSettings, catalog: Catalog) -> None:
    """
    Keep *catalog* as what is offered of *server* from now on.

    Raises: OSError: it cannot be written.
    """
    kept = {"settings": _key(settings), "tools": [asdict(tool) for tool in catalog.tools], "left_out": catalog.left_out}
    private_dir(cache / "mcp")
    write_atomic(cache / "mcp" / f"{server}.json", json.dumps(kept, ensure_ascii=False, indent=1).encode())


def forget(cache: Path, server: str) -> None:
    """
    Forget what was agreed to.

    Raises: OSError: it is still there.
    """
    (cache / "mcp" / f"{server}.json").unlink(missing_ok=True)


def differences(before: Sequence[ServerTool], now: Sequence[ServerTool]) -> dict[str, str]:
    """Return what is different, by the names of the tools that are: a diff of what a model would be told of each."""
    old, new = ({tool.name: _lines(tool) for tool in tools} for tools in (before, now))
    diffs = {
        name: difflib.unified_diff(old.get(name, ()), new.get(name, ()), n=1, lineterm="") for name in {**old, **new}
    }
    return {name: "\n".join(lines[2:]) for name, diff in diffs.items() if (lines := [*diff])}


def _lines(tool: ServerTool) -> list[str]:
    parameters = json.dumps(tool.parameters, ensure_ascii=False, indent=1, sort_keys=True)
    return [tool.description, *parameters.split("\n")]


def _key(settings: ServerSettings) -> str:
    """A mark of what is started or reached: what was agreed to of one server says nothing of another."""
    return hashlib.sha256(
        json.dumps([settings.command, settings.env, settings.url, settings.tools]).encode()
    ).hexdigest()
