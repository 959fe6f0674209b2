"""The tool that keeps a plan: the list is in its call, so the log has it and notes on a conversation can repeat it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Annotated, TypeAlias

from cococat.context.plan import LINE
from cococat.core.tools import Tool, ToolFailure, ToolOutcome, tool
from cococat.tools.ask_user import PATIENCE_S

Present: TypeAlias = Callable[[Sequence[str]], Awaitable[str]]
Items: TypeAlias = Annotated[list[str], "[ ] open, [>] doing, [x] done; up to 30"]

MAX_ITEMS = 30
SHAPE = "write each as `[ ] open`, `[>] doing` or `[x] done`"


def todo_tool(present: Present | None = None) -> Tool:
    """
    Make the tool; each call replaces the plan before it.

    Args:
        present: shows a plan that is whole, asks whether it is to be carried out, and gives the answer in words for the
            model; None where plans are only kept.
    """
    if present is None:

        @tool("reads")
        async def todo(items: Items) -> ToolOutcome:
            """Keep the plan: the whole list, at each change."""
            return _noted(items)

        return todo

    @tool("reads", timeout_s=PATIENCE_S)
    async def planned(
        items: Items, ready: Annotated[bool, "true: ask the user to agree to it; default false"] = False
    ) -> ToolOutcome:
        """Keep the plan: the whole list, at each change. Nothing can be changed before the user agreed to it."""
        noted = _noted(items)
        return ToolOutcome(await present(items), noted.display, shown=noted.shown) if ready else noted

    return replace(planned, name="todo", concurrent=False)


def _noted(items: Sequence[str]) -> ToolOutcome:
    lines = [" ".join(item.split()) for item in items]
    if not lines or len(lines) > MAX_ITEMS:
        raise ToolFailure(f"ValueError: {len(lines)} items; a plan has 1 to {MAX_ITEMS}: {SHAPE}")
    if wrong := next((line for line in lines if not LINE.fullmatch(line)), None):
        raise ToolFailure(f"ValueError: {wrong[:80]!r} has no state: {SHAPE}")
    done = f"{sum(line.startswith('[x]') for line in lines)} of {len(lines)} done"
    return ToolOutcome(done, done, shown="\n".join([f"{done}:", *lines]))
