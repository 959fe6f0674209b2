"""What an answer has to rest on: small models say what a file holds without looking into it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from cococat.core.messages import Assistant, Message, ToolCall, ToolResult, User
from cococat.core.tools import Tool

__all__ = ["must_call"]

# notes.txt, src/, src/a.py; no address, no number, no "e.g."
_FILE = re.compile(r"(?<![\w/.:@-])[\w./-]*(?:\w{2}\.[A-Za-z]\w{0,5}|\w\.[A-Za-z]\w{1,5}|\w/)(?![\w/])")


def must_call(history: Sequence[Message], tools: Sequence[Tool]) -> Sequence[Tool]:
    """
    Return the tools of which one has to be called now, as an answer could only be a guess; none if it need not be.

    So it is when the user names a file that no call was about yet, and when all that this turn has done is
    to look for one thing that is not there and that the user did not name.
    """
    turn = _last_turn(history)
    if not turn or not isinstance(asked := turn[0], User):
        return ()
    match [message for message in turn if isinstance(message, ToolResult)]:
        case []:
            given = " ".join(call.arguments for message in history for call in _calls(message))
            unseen = any(name not in given for name in _FILE.findall(asked.text))
            return tools if unseen and not asked.attachments else ()
        case [ToolResult(name=failed, status="error")]:
            looking = [tool for tool in tools if tool.effect == "reads"]
            others = [tool for tool in looking if tool.name != failed]
            guessed = len(others) < len(looking) and not any(value in asked.text for value in _values(turn))
            return others if guessed else ()
        case _:
            return ()


def _last_turn(history: Sequence[Message]) -> Sequence[Message]:
    """Return the messages from the user's last own words on."""
    own = [i for i, message in enumerate(history) if isinstance(message, User) and not message.synthetic]
    return history[own[-1] :] if own else ()


def _calls(message: Message) -> Iterator[ToolCall]:
    if isinstance(message, Assistant):
        yield from message.calls


def _values(turn: Sequence[Message]) -> Iterator[str]:
    """Return the strings that the calls of *turn* were made with."""
    for message in turn:
        for call in _calls(message):
            try:
                given = json.loads(call.arguments or "{}")
            except (ValueError, RecursionError):
                continue
            yield from (value for value in given.values() if isinstance(value, str)) if isinstance(given, dict) else ()
