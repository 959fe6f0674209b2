"""The tool that ends a run with its answer, for models that would rather call than say."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

from cococat.core.limits import Stop, StopReason
from cococat.core.tools import Arguments, Report, Tool, ToolFailure, ToolOutcome, tool


def finish_tool(schema: Mapping[str, object] | None = None) -> Tool:
    """
    Make the tool; its answer goes where any answer goes.

    Args:
        schema: of the answer, whose fields are then the arguments; None: it is text.
    """

    @tool("ends")
    async def finish(answer: Annotated[str, "in full"]) -> ToolOutcome:
        """End with the final answer."""
        if not answer.strip():
            raise ToolFailure("the answer is empty: give the whole answer as text")
        return ToolOutcome("the run ends with this answer", "answered", stop=Stop(StopReason.ANSWERED, answer))

    async def finish_so(arguments: Arguments, report: Report) -> ToolOutcome:
        answer = json.dumps(arguments, ensure_ascii=False)
        return ToolOutcome("the run ends with this answer", "answered", stop=Stop(StopReason.ANSWERED, answer))

    return finish if schema is None else replace(finish, parameters=schema, run=finish_so)
