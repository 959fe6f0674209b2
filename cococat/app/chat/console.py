"""What the slash commands act on."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from threading import Thread
from typing import Any, Protocol, TypeVar

from cococat.app.chat.preload import in_background
from cococat.app.conversation import Conversation
from cococat.app.dream.dream_in_chat import DreamInChat
from cococat.app.model_names import known_names, list_names
from cococat.core.limits import Usage
from cococat.core.messages import User
from cococat.ui.pick import Choice
from cococat.ui.theme import Theme

__all__ = ["Choose", "Console"]

T = TypeVar("T")


class Choose(Protocol):
    """Lets the user choose from a list that is filtered by what is typed."""

    def __call__(self, heading: str, choices: Sequence[Choice], typed: str = "") -> str | None:
        """Return the id of what was chosen; None for nothing."""
        ...


class Runs(Protocol):
    """Runs a coroutine to its end; Ctrl-C cancels it."""

    def __call__(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what *work* returns."""
        ...


@dataclass(slots=True)
class Console:
    """
    What the commands act on.

    Args:
        say: prints lines of ours above the prompt.
        again: sends a message as if it had just been entered.
        dreams: those of this chat.
        lent: while it lasts the terminal is another program's, the editor's, say.
        paint: shows what follows in the colours of a theme, as the setting names it; returns which one that came to.
        choose: None where the terminal cannot show a list to choose from.
    """

    conversation: Conversation
    say: Callable[[str], None]
    run: Runs
    again: Callable[[User], None]
    dreams: DreamInChat
    lent: Callable[[], AbstractContextManager[None]]
    paint: Callable[[str], Theme]
    choose: Choose | None = None
    usage: Usage = field(default_factory=Usage)
    turns: int = 0
    leaving: bool = False
    asking: dict[str, Thread] = field(default_factory=dict)  # for its models, by base URL

    def models(self) -> tuple[str, ...]:
        """Return the names that the endpoint lists, as far as they are known; where none are, they are asked for."""
        conversation, base_url = self.conversation, self.conversation.connection.base_url
        names = known_names(base_url, conversation.folders) if base_url else ()
        if base_url and not (names or self.models_are_coming()):
            self.asking[base_url] = in_background(
                lambda: list_names(conversation.settings, conversation.folders, base_url)
            )
        return names

    def models_are_coming(self) -> bool:
        """Return whether the endpoint is being asked."""
        thread = self.asking.get(self.conversation.connection.base_url)
        return thread is not None and thread.is_alive()
