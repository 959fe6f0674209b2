"""Search in what was said, session by session, the newest first.

Public: Hit, search.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cococat.core.events import MessageAdded
from cococat.core.messages import Assistant, Message, Summary, System, ToolResult, User
from cococat.store.codec import from_record
from cococat.store.ids import log_path
from cococat.store.listing import SessionInfo, list_sessions
from cococat.store.record import Reading

_AROUND = 60  # characters shown on each side of what was found


@dataclass(frozen=True, slots=True)
class Hit:
    """A message that holds what was looked for: *role* is `user` or `assistant`, *excerpt* one line of it."""

    info: SessionInfo
    seq: int
    role: str
    excerpt: str


def search(folder: Path, wanted: str) -> Iterator[Hit]:
    """
    Give every message of a person or a model that holds *wanted*, capitals or not.

    Raises: StorageError: the folder cannot be read.
    """
    needle = wanted.casefold()
    for info in list_sessions(folder) if needle else ():
        with suppress(OSError), log_path(folder, info.id).open("rb") as stream:
            for record in Reading(stream):
                event = from_record(record.body) if record.type == "message" else None
                if not isinstance(event, MessageAdded):
                    continue
                role, text = _said(event.message)
                at = text.casefold().find(needle)
                if at >= 0:
                    yield Hit(info, record.seq, role, _excerpt(text, at, len(wanted)))


def _said(message: Message) -> tuple[str, str]:
    match message:
        case User(text, _, False):
            return "user", text
        case Assistant(text):
            return "assistant", text
        case User() | ToolResult() | Summary() | System():
            return "", ""


def _excerpt(text: str, at: int, length: int) -> str:
    begin, end = max(at - _AROUND, 0), at + length + _AROUND
    words = " ".join(text[begin:end].split())
    return f"{'…' if begin else ''}{words}{'…' if end < len(text) else ''}"
