"""The tool that asks the user."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, TypeAlias

from cococat.core.limits import Stop, StopReason
from cococat.core.tools import Tool, ToolFailure, ToolOutcome, tool

AskUser: TypeAlias = Callable[[str, Sequence[str]], Awaitable[str]]
PATIENCE_S = 24 * 3600.0  # a user may take the time they need


def ask_tool(ask: AskUser | None) -> Tool:
    """
    Make the tool that asks.

    Args:
        ask: shows the question and gives the answer; None ends the run with the question instead.
    """

    @tool("asks", timeout_s=PATIENCE_S)
    async def ask_user(
        question: Annotated[str, "in full"], choices: Annotated[list[str] | None, "default none"] = None
    ) -> ToolOutcome:
        """Ask the user one question."""
        if not question.strip():
            raise ToolFailure("the question is empty")
        if ask is not None:
            return ToolOutcome(await ask(question, choices or ()), "answered")
        text = "\n".join([question, *(f"{number}. {choice}" for number, choice in enumerate(choices or (), 1))])
        return ToolOutcome("the run ends with this question", "asked", stop=Stop(StopReason.QUESTION, text))

    return ask_user
