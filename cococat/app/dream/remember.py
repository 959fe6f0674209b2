"""One more exchange in the history that dreams read: all of the memory that an answer needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from cococat.app.output import note
from cococat.app.redactor import redactor
from cococat.config import Folders, Settings
from cococat.core.agent import Turn
from cococat.core.limits import StopReason
from cococat.core.messages import Assistant, Message, Summary, ToolResult, User
from cococat.errors import StorageError
from cococat.memory.file.history import Exchange, Said, append, closing_question

if TYPE_CHECKING:
    from cococat.store.recorder import SessionLog

FAILED = (
    StopReason.MODEL_ERROR,
    StopReason.SCHEMA_MISMATCH,
    StopReason.USAGE_ERROR,
)  # nothing was answered: it will be asked again


def remember(
    settings: Settings,
    folders: Folders,
    log: SessionLog | None,
    message: User,
    turn: Turn,
    *,
    steered: Sequence[User] = (),
    chat: bool = False,
) -> None:
    """
    Append the exchange to the history; trouble is shown and never stops the chat.

    Args:
        log: the session's; None with --no-session, which keeps no record here either.
        steered: what was said besides while the turn ran.
        chat: it was said in a chat, which dreams when it ends.
    """
    if settings.memory.mode == "off" or turn.stop.reason in FAILED or log is None:
        return
    said = tuple(part for sent in (message, *steered) for part in _parts(sent))
    try:
        asked, foreign = _before(message, turn.history)
        exchange = Exchange(log.id, said, turn.answer, asked, foreign, chat, log.asked.count)
        now = datetime.now(UTC).astimezone()  # with the user's zone: the day is theirs
        append(folders.memory, exchange, now=now, redact=redactor(settings, said=True))
    except StorageError as error:
        note(f"this exchange is not remembered: {error.message}; {error.hint}")


def _parts(message: User) -> Iterator[Said]:
    yield Said("typed", typed_words(message))
    yield from (Said("pasted", text) for text in message.pasted)
    yield from (Said(attachment.origin, attachment.text) for attachment in message.attachments)


def _before(message: User, history: Sequence[Message]) -> tuple[str, bool]:
    """Return the question that *message* answers, and whether text that is not the user's own came before it."""
    at = next((at for at in reversed(range(len(history))) if history[at] == message), -1)
    before = history[: max(0, at)]
    said = before[-1] if before else None
    foreign = any(
        isinstance(earlier, ToolResult | Summary)
        or (isinstance(earlier, User) and (earlier.attachments or earlier.pasted or earlier.pictures))
        for earlier in before
    )
    return closing_question(said.text) if isinstance(said, Assistant) else "", foreign or at < 0


def typed_words(message: User) -> str:
    """Return what the user typed of *message*."""
    if not message.pasted:
        return message.text
    from cococat.ui.prompt.input import InputLine

    return InputLine(message.text, message.pasted).typed
