"""One more exchange in the history that dreams read: all of the memory that an answer needs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from cococat.app.output import note
from cococat.app.redactor import redactor
from cococat.config import Folders, Settings
from cococat.core.agent import Turn
from cococat.core.limits import StopReason
from cococat.core.messages import Assistant, Message, Summary, ToolResult, User
from cococat.errors import StorageError
from cococat.memory.confirmations import closing_question
from cococat.memory.exchanges import Exchange, Said, append

__all__ = ["remember"]


def remember(
    settings: Settings, places: Folders, session_id: str, message: User, turn: Turn, *, chat: bool = False
) -> None:
    """
    Append the exchange to the history; trouble is shown and never stops the chat.

    Args:
        chat: it was said in a chat, which dreams when it ends.
    """
    if settings.memory.mode == "off" or turn.stop.reason is StopReason.MODEL_ERROR:
        return
    said = (
        Said("typed", _typed(message)),
        *(Said("pasted", text) for text in message.pasted),
        *(Said(attachment.origin, attachment.text) for attachment in message.attachments),
    )
    try:
        asked, foreign = _before(message, turn.history)
        exchange = Exchange(session_id, said, turn.answer, asked, foreign, chat)
        append(places.memory, exchange, now=datetime.now(UTC), redact=redactor(settings, said=True))
    except StorageError as error:
        note(f"this exchange is not remembered: {error.message}; {error.hint}")


def _before(message: User, history: Sequence[Message]) -> tuple[str, bool]:
    """Return the question that *message* answers, and whether text that is not the user's own came before it."""
    at = next((at for at in reversed(range(len(history))) if history[at] == message), -1)
    before = history[: max(0, at)]
    said = before[-1] if before else None
    foreign = any(
        isinstance(one, ToolResult | Summary) or (isinstance(one, User) and (one.attachments or one.pasted))
        for one in before
    )
    return closing_question(said.text) if isinstance(said, Assistant) else "", foreign or at < 0


def _typed(message: User) -> str:
    if not message.pasted:
        return message.text
    from cococat.ui.input import Line

    return Line(message.text, message.pasted).typed
