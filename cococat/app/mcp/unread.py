"""Files of a folder in which others look for MCP servers: never read, and told of once."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from cococat.app.output import note
from cococat.system.atomic import write_atomic
from cococat.system.private import private_dir

__all__ = ["say_unread"]

TOLD = "mcp_unread.json"


def say_unread(root: Path, name: str, state: Path) -> None:
    """Say once that *name* below *root* adds no servers; what was said is kept in *state*."""
    try:
        known = json.loads((state / TOLD).read_text("utf-8"))
    except (OSError, ValueError):
        known = []
    if not isinstance(known, list) or str(root / name) in known:
        return
    note(f"{name} is not read: no file of a folder adds MCP servers; cococat mcp import {name}")
    with contextlib.suppress(OSError):  # then it is said again
        write_atomic(private_dir(state) / TOLD, json.dumps([*known, str(root / name)]).encode())
