"""What a log says: the history it holds and what is known of its session, folded from its lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cococat.core.events import MessageAdded, SessionStarted
from cococat.core.messages import Message, Summary, User
from cococat.store.codec import from_record, message_from_json
from cococat.store.record import Record
from cococat.system.same_folder import Place
from cococat.system.text import clip

TITLE_CHARS = 80


@dataclass(slots=True)
class Asked:
    """
    What the user asked: each question has a number of its own, also one whose turn was never finished.

    Args:
        count: questions the log ever held; the next one is *count* + 1.
        numbers: of the questions that were not taken back, in order; a summary may stand for the first.
    """

    count: int = 0
    numbers: list[int] = field(default_factory=list)

    def add(self, message: Message) -> None:
        """Count *message* if it is a question."""
        if _is_question(message):
            self.count += 1
            self.numbers.append(self.count)

    def rewritten(self, before: Sequence[Message], after: Sequence[Message]) -> None:
        """Forget the questions that *after* lacks at its end."""
        gone = sum(map(_is_question, before)) - sum(map(_is_question, after))
        if gone > 0:
            del self.numbers[-gone:]


@dataclass(slots=True)
class History:
    """
    The fold of a log's lines.

    A message joins the end; a Summary takes the place of the first *covers* messages; a repair or
    a rewind keeps some of the first messages and puts others behind them.
    """

    messages: list[Message] = field(default_factory=list)
    started: SessionStarted | None = None
    model: str = ""  # of the last turn
    place: Place = field(default_factory=Place)  # where it worked last
    began: float = 0  # seconds since 1970
    updated: float = 0
    turns: int = 0
    named: str = ""  # by the user
    first_words: str = ""
    unread: int = 0  # messages of a kind that we do not know
    asked: Asked = field(default_factory=Asked)

    @property
    def title(self) -> str:
        """The user's name for the session, or its first words."""
        return self.named or self.first_words

    def take(self, record: Record) -> None:
        """Go on with the next line."""
        self.began = self.began or record.ts
        self.updated = record.ts
        match record.type:
            case "message":
                self._message(record.body)
            case "repair" | "rewind":
                self._rewritten(record.body)
            case "session_started":
                event = from_record(record.body)
                self.started = event if isinstance(event, SessionStarted) else self.started
                self._known(record.body)
            case "turn_finished" | "renamed":
                self._known(record.body)
            case _:
                pass

    def _message(self, body: Mapping[str, Any]) -> None:
        self._known(body)
        event = from_record(body)
        if not isinstance(event, MessageAdded):
            self.unread += 1
            return
        message = event.message
        self.asked.add(message)
        match message:
            case Summary(_, covers):
                self.messages[: max(covers, 0)] = [message]
            case User(text, _, False) if not self.first_words:
                self.first_words = clip(" ".join(text[: 10 * TITLE_CHARS].split()), TITLE_CHARS)
                self.messages.append(message)
            case _:
                self.messages.append(message)

    def _rewritten(self, body: Mapping[str, Any]) -> None:
        keep, added = body.get("keep"), body.get("messages")
        if not isinstance(keep, int) or keep < 0 or not isinstance(added, list):
            self.unread += 1
            return
        messages = [message_from_json(item) for item in added]
        self.unread += messages.count(None)
        before = list(self.messages)
        self.messages[keep:] = [message for message in messages if message]
        self.asked.rewritten(before, self.messages)

    def _known(self, body: Mapping[str, Any]) -> None:
        """Take what many lines repeat, so that the last lines alone tell it."""
        turn, model, title = body.get("turn"), body.get("model"), body.get("title")
        self.turns = turn if isinstance(turn, int) else self.turns
        self.model = model if isinstance(model, str) else self.model
        self.named = title if isinstance(title, str) else self.named
        cwd, mark = body.get("cwd"), body.get("mark")
        if isinstance(cwd, str):
            self.place = Place(cwd, mark if isinstance(mark, str) else "")


def _is_question(message: Message) -> bool:
    return isinstance(message, User) and not (message.synthetic or message.steers)
