"""Verdicts on calls of the real tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from cococat.core.tools import Verdict
from cococat.permissions.gate import gate
from cococat.tools.registry import ToolDeps, build, declared


@pytest.fixture
def verdict(root: Path) -> Callable[..., Verdict]:
    """Decide one call: mode, allow and deny rules, and the tool's arguments."""
    tools = {tool.name: tool for tool in build(ToolDeps(root))}

    def decide(
        name: str,
        mode: str = "ask-first",
        allow: Sequence[str] = (),
        deny: Sequence[str] = (),
        own: Sequence[Path] = (),
        **arguments: object,
    ) -> Verdict:
        return gate(mode, allow, deny, root, own, declared=declared)(tools[name], arguments)

    return decide
