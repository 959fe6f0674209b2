"""Numbers for the turns of a session, which tell what each of them changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cococat.core.messages import Message, User

__all__ = ["Asked"]


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


def _is_question(message: Message) -> bool:
    return isinstance(message, User) and not message.synthetic
