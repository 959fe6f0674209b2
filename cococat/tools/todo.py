"""The tool that keeps a plan: the list is in its call, so the log has it and notes on a conversation can repeat it."""

from __future__ import annotations

from typing import Annotated

from cococat.context.plan import LINE
from cococat.core.tools import Tool, ToolFailure, ToolOutcome, tool

__all__ = ["todo_tool"]

MAX_ITEMS = 30
SHAPE = "write each as `[ ] open`, `[>] doing` or `[x] done`"


def todo_tool() -> Tool:
    """Make the tool; each call replaces the plan before it."""

    @tool("reads")
    async def todo(items: Annotated[list[str], "[ ] open, [>] doing, [x] done; up to 30"]) -> ToolOutcome:
        """Keep the plan: the whole list, at each change."""
        lines = [" ".join(item.split()) for item in items]
        if not lines or len(lines) > MAX_ITEMS:
            raise ToolFailure(f"ValueError: {len(lines)} items; a plan has 1 to {MAX_ITEMS}: {SHAPE}")
        if wrong := next((line for line in lines if not LINE.fullmatch(line)), None):
            raise ToolFailure(f"ValueError: {wrong[:80]!r} has no state: {SHAPE}")
        done = f"{sum(line.startswith('[x]') for line in lines)} of {len(lines)} done"
        return ToolOutcome(done, done, shown="\n".join([f"{done}:", *lines]))

    return todo
