"""What a chat said that was killed before it could dream: the next start does it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from cococat.config import Folders, Settings
from cococat.errors import CococatError
from cococat.store.lock import holder

if TYPE_CHECKING:
    from cococat.memory.file.history import PastExchange

__all__ = ["chat_left_behind"]

EVER = datetime.min.replace(tzinfo=UTC)


def chat_left_behind(settings: Settings, folders: Folders) -> bool:
    """Return whether a chat that is over has said something that no dream has looked at, or tried to."""
    if settings.memory.mode not in ("auto", "confirm"):
        return False
    from cococat.memory.file.history import pending
    from cococat.memory.file.state import read_state

    try:
        state = read_state(folders.memory)
        if state.held and not state.aside:
            return False
        records = pending(folders.memory, state.cursor).records
    except CococatError:  # what comes next meets it again, and tells
        return False
    tried = state.last_dream or EVER
    return any(record.chat and record.ts > tried and not _goes_on(record, folders) for record in records)


def _goes_on(record: PastExchange, folders: Folders) -> bool:
    """Return whether the chat of *record* is open at this moment."""
    try:
        return bool(record.session and holder(folders.sessions / f"{record.session}.jsonl"))
    except OSError:  # its session was deleted
        return False
