"""What was seen of real servers, kept so that the page can be written where they are not."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

__all__ = ["Seen", "record", "recorded"]

FILE = Path(__file__).with_name("real.json")


class Seen(NamedTuple):
    """A cell: in a word for the table, and the lines that the user sees."""

    word: str
    lines: str = ""


def recorded() -> dict[str, dict[str, Seen]]:
    """Return the cells of each real server, as they were last seen."""
    servers = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    return {name: {key: Seen(*cell) for key, cell in one["cells"].items()} for name, one in servers.items()}


def record(seen: Mapping[str, Mapping[str, Seen]]) -> None:
    """Write down what was *seen*; a server whose cells are as they were keeps its day."""
    before, servers = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}, {}
    day = f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}"
    for name, cells in seen.items():
        now = {"seen": day, "cells": {key: list(cell) for key, cell in cells.items()}}
        old = before.get(name, {})
        servers[name] = old if old.get("cells") == now["cells"] else now
    FILE.write_text(json.dumps(servers, indent=1, ensure_ascii=False) + "\n", "utf-8")
