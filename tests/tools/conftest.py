"""A root folder, and its tools called as the loop calls them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from cococat.core.tools import ToolOutcome
from cococat.tools.registry import ToolDeps, build


@pytest.fixture
def call(root: Path) -> Callable[..., ToolOutcome]:
    """Run one tool call; `printed=[]` collects what it reports, `options` go to ToolDeps."""
    seen: dict[str, str] = {}

    def run(name: str, printed: list[str] | None = None, options: dict[str, object] | None = None, **arguments):
        tools = {tool.name: tool for tool in build(ToolDeps(root, seen=seen, **(options or {})))}
        report = (printed if printed is not None else []).append
        return asyncio.run(tools[name].run(arguments, report))

    return run
