"""Questions to the user at the terminal, with their answers in the session's log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal

from cococat.app.conversation import Conversation
from cococat.core.events import UserAsked
from cococat.core.tools import Arguments, Ask, Tool
from cococat.ui.confirm import ask_line, confirm

__all__ = ["Asking"]


@dataclass(frozen=True, slots=True)
class Asking:
    """
    Asks for *talk*.

    Args:
        undisturbed: while it lasts nothing is redrawn and no other keys are read.
    """

    conversation: Conversation
    undisturbed: Callable[[], AbstractContextManager[None]]

    async def consent(self, tool: Tool, arguments: Arguments, ask: Ask) -> Literal["yes", "no", "no user"]:
        """Show the whole action and ask; "session" adds the rule for as long as this chat lasts."""
        question, action = f"{tool.name}: {ask.reason}", _action(tool, arguments)
        answer: str = ""
        try:
            with self.undisturbed():
                answer = await confirm(question, action, session=bool(ask.rule))
        finally:
            keys = ("yes", "session", "no") if ask.rule else ("yes", "no")
            self._record(UserAsked(question, answer, keys, action))
        if answer == "session":
            self.conversation.granted.append(ask.rule)
        return "no" if answer == "no" else "yes"

    async def ask_user(self, question: str, choices: Sequence[str]) -> str:
        """Let the user answer a question of the model's."""
        answer = ""
        try:
            with self.undisturbed():
                answer = await ask_line(question, choices)
        finally:
            self._record(UserAsked(question, answer, tuple(choices)))
        return answer

    def _record(self, event: UserAsked) -> None:
        """Keep what the screen showed without an event, so that a replay can show it."""
        if self.conversation.log:
            self.conversation.log.emit(event)


def _action(tool: Tool, arguments: Arguments) -> str:
    """The call in full, for the user who must agree to it."""
    if tool.effect == "runs" and isinstance(command := arguments.get("command") or arguments.get("code"), str):
        return command
    return "\n".join(f"{name}: {value}" for name, value in arguments.items())
