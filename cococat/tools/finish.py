"""The tool that ends a run with its answer, for models that would rather call than say."""

from __future__ import annotations

from typing import Annotated

from cococat.core.limits import Stop, StopReason
from cococat.core.tools import Tool, ToolFailure, ToolOutcome, tool

__all__ = ["finish_tool"]


def finish_tool() -> Tool:
    """Make the tool; its answer goes where any answer goes."""

    @tool("ends")
    async def finish(answer: Annotated[str, "in full"]) -> ToolOutcome:
        """End with the final answer."""
        if not answer.strip():
            raise ToolFailure("the answer is empty: give the whole answer as text")
        return ToolOutcome("the run ends with this answer", "answered", stop=Stop(StopReason.ANSWERED, answer))

    return finish
