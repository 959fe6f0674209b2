"""What the slash commands act on."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cache
from threading import Thread
from typing import Any, Protocol, TypeAlias, TypeVar

from cococat.app.conversation import Conversation
from cococat.app.dream.dream_in_chat import DreamInChat
from cococat.app.endpoint.names import known_names, list_names
from cococat.app.signals import ENDING
from cococat.core.limits import Usage
from cococat.core.messages import User
from cococat.ui.lines.theme import Theme
from cococat.ui.prompt.pick import Choice
from cococat.ui.prompt.slash import SlashCommand

T = TypeVar("T")
# lets the user choose below a heading, from a list that is filtered by what is typed; gives the id of what was chosen
Choose: TypeAlias = Callable[[str, Sequence[Choice], str], str | None]


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
        suspend_terminal: while it lasts the terminal is another program's, the editor's, say.
        paint: shows what follows in the colours of a theme, as the setting names it; returns which one that came to.
        choose: None where the terminal cannot show a list to choose from.
        commands: ours, then those of the user's own.
    """

    conversation: Conversation
    say: Callable[[str], None]
    run: Runs
    again: Callable[[User], None]
    dreams: DreamInChat
    suspend_terminal: Callable[[], AbstractContextManager[None]]
    paint: Callable[[str], Theme]
    choose: Choose | None = None
    commands: list[SlashCommand] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    turns: int = 0
    leaving: bool = False
    asking: dict[str, Thread] = field(default_factory=dict)  # for its models, by base URL

    def models(self) -> tuple[str, ...]:
        """Return the names that the endpoint lists, as far as they are known; where none are, they are asked for."""
        conversation, base_url = self.conversation, self.conversation.connection.base_url
        coming = self.models_are_coming()  # asked first: what comes in between is known then
        names = known_names(base_url, conversation.folders) if base_url else ()
        if base_url and not (names or coming):
            self.asking[base_url] = in_background(
                lambda: list_names(conversation.settings, conversation.folders, base_url)
            )
        return names

    def models_are_coming(self) -> bool:
        """Return whether the endpoint is being asked."""
        thread = self.asking.get(self.conversation.connection.base_url)
        return thread is not None and thread.is_alive()


@cache
def preload_beside(then: Callable[[], None]) -> None:
    """
    Import the model's library, do *then*; on a thread, and once.

    A failure of the import shows when the library is used.
    """

    def load() -> None:
        with contextlib.suppress(ImportError):
            from cococat.model.client import preload

            preload()
        then()

    in_background(load)


def in_background(work: Callable[[], object]) -> threading.Thread:
    """Do *work* on a thread that no end waits for."""
    thread = threading.Thread(target=work, daemon=True)
    with _undisturbed():
        thread.start()
    return thread


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Let signals wait that end the chat: one whose handler raises in the start of a thread leaves that half begun."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
