"""What keeps a session from being saved, told when it begins and when it is over."""

from __future__ import annotations

from cococat.app.conversation import Conversation
from cococat.core.events import Emit, Event, Notice
from cococat.core.limits import Problem

__all__ = ["Trouble"]


class Trouble:
    """The trouble of a conversation's log, as far as it was told."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._told: Problem | None = None

    def notice(self) -> Notice | None:
        """Return what is new, if anything is."""
        log = self._conversation.log
        before, self._told = self._told, log.problem if log else None
        if before == self._told:
            return None
        if self._told:
            return Notice(f"{self._told.message}\n  hint: {self._told.hint}", "error")
        return Notice("the session is saved again, with all that was missing")

    def watching(self, emit: Emit) -> Emit:
        """Return *emit*, which says at once when the session cannot be saved, and when it is saved again."""

        def with_notice(event: Event) -> None:
            if notice := self.notice():
                emit(notice)
            emit(event)

        return with_notice
