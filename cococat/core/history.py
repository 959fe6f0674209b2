"""Histories: what makes one valid, how a broken one is fixed, and where the pieces begin that stay together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cococat.core.messages import Assistant, Message, ToolCall, ToolResult, User

PICTURE_TURNS = 2  # after its own in which a picture is sent again
MAX_PICTURES = 8  # of a request
MAX_PICTURE_BYTES = 20_000_000  # of them
UNKNOWN_OUTCOME = "[interrupted: outcome unknown; check before repeating]"


class InvalidHistoryError(Exception):
    """A history breaks the rule that each call is followed by exactly one result; an internal error."""


def call_ids(history: Sequence[Message]) -> set[str]:
    """Every call id in *history*."""
    return {call.id for message in history if isinstance(message, Assistant) for call in message.calls}


def open_calls(history: Sequence[Message]) -> tuple[ToolCall, ...]:
    """Calls of the last assistant message that have no result yet, in call order."""
    answered: set[str] = set()
    for message in reversed(history):
        match message:
            case ToolResult():
                answered.add(message.call_id)
            case Assistant():
                return tuple(call for call in message.calls if call.id not in answered)
            case _:
                return ()
    return ()


def assert_valid(history: Sequence[Message]) -> None:
    """
    Check that each call has exactly one result before any other message, and ids are unique.

    Raises: InvalidHistoryError: names the index of the first message that breaks the rule.
    """
    waiting: list[str] = []
    seen: set[str] = set()
    for index, message in enumerate(history):
        if isinstance(message, ToolResult):
            if message.call_id not in waiting:
                raise InvalidHistoryError(f"message {index}: result of {message.call_id!r} without its call")
            waiting.remove(message.call_id)
            continue
        if waiting:
            raise InvalidHistoryError(f"message {index}: {waiting[0]!r} still has no result")
        if isinstance(message, Assistant):
            waiting = [call.id for call in message.calls]
            if len(set(waiting)) < len(waiting) or seen.intersection(waiting) or "" in waiting:
                raise InvalidHistoryError(f"message {index}: call ids repeat or are empty")
            seen.update(waiting)
    if waiting:
        raise InvalidHistoryError(f"end of history: {waiting[0]!r} has no result")


def repair(history: Sequence[Message], missing: str = UNKNOWN_OUTCOME) -> tuple[Message, ...]:
    """
    Make *history* valid; a valid one comes back equal.

    Missing results are added right behind their calls with *missing* as output and are never
    re-run; orphan and duplicate results are dropped; repeated calls of one id are dropped;
    messages between a call and its results move behind them.
    """
    fixed: list[Message] = []
    seen: set[str] = set()
    results = {message.call_id: message for message in reversed(history) if isinstance(message, ToolResult)}
    for message in history:
        if isinstance(message, ToolResult):
            continue
        if not isinstance(message, Assistant) or not message.calls:
            fixed.append(message)
            continue
        calls = tuple({c.id: c for c in message.calls if c.id and c.id not in seen}.values())
        seen.update(call.id for call in calls)
        kept = replace(message, calls=calls)
        if calls or message.text:
            fixed.append(kept)
        fixed.extend(results.get(c.id) or ToolResult(c.id, c.name, missing, "error") for c in calls)
    return tuple(fixed)


def distinct(history: Sequence[Message]) -> tuple[Message, ...]:
    """
    Return calls whose id came before in *history* ids of their own, with their results.

    Servers count their ids again, and a summary hides the older ones until it is taken back.
    """
    told: list[Message] = []
    seen: set[str] = set()
    names: dict[str, str] = {}
    for message in history:
        match message:
            case Assistant(calls=calls) if calls:
                names = {call.id: _taken(call.id, seen) for call in calls}
                told.append(replace(message, calls=tuple(replace(call, id=names[call.id]) for call in calls)))
            case ToolResult(call_id=call_id):
                told.append(replace(message, call_id=names.get(call_id, call_id)))
            case _:
                told.append(message)
    return tuple(told)


def without_extra(history: Sequence[Message]) -> tuple[Message, ...]:
    """Return *history* for another model: nothing in it that a provider gave with a message and wanted back."""
    return tuple(
        replace(message, extra="", calls=tuple(replace(call, extra="") for call in message.calls))
        if isinstance(message, Assistant)
        else message
        for message in history
    )


def _taken(call_id: str, seen: set[str]) -> str:
    """Take *call_id*, or one like it, that nobody has."""
    new, number = call_id, 1
    while new in seen:
        number += 1
        new = f"{call_id}_{number}"
    seen.add(new)
    return new


def calls_as_text(history: Sequence[Message]) -> tuple[Message, ...]:
    """
    Write tool calls and their results as plain text, for an endpoint that refuses them as calls.

    Args:
        history: valid.
    Returns: a history without calls; the results of one step are one message.
    """
    told: list[Message] = []
    for message in history:
        match message:
            case Assistant(text, calls=calls) if calls:
                lines = [*filter(None, (text,)), *(f"[called {call.name}({call.arguments})]" for call in calls)]
                told.append(replace(message, text="\n".join(lines), calls=()))
                told.append(User("", synthetic=True))
            case ToolResult(_, name, output) if isinstance(told[-1], User):
                told[-1] = User(f"{told[-1].text}\n\n[result of {name}]\n{output}".strip(), synthetic=True)
            case _:
                told.append(message)
    return tuple(told)


def group_start(messages: Sequence[Message], index: int) -> int:
    """Where the group begins that the message at *index* belongs to; *index* itself at the end of *messages*."""
    while 0 < index < len(messages) and isinstance(messages[index], ToolResult):
        index -= 1
    return index


def recent_start(messages: Sequence[Message], keep: int) -> int:
    """Where the newest *keep* messages begin, extended back to a whole group; at least one is kept."""
    return group_start(messages, max(0, len(messages) - max(keep, 1)))


def request_index(messages: Sequence[Message]) -> int | None:
    """Where the user's current request is: the last message of the user's that a turn began with."""
    own = [
        index
        for index, message in enumerate(messages)
        if isinstance(message, User) and not (message.synthetic or message.steers)
    ]
    return own[-1] if own else None


def pictures_as_text(message: User, state: str) -> User:
    """Return *message* with a line in its text for each picture, which says its *state*, as `[image a.png, seen]`."""
    if not message.pictures:
        return message
    lines = "\n".join(f"[image {' '.join(picture.name.split())}, {state}]" for picture in message.pictures)
    return replace(message, text=f"{message.text}\n\n{lines}".strip(), pictures=())


def fold_pictures(messages: Sequence[Message]) -> tuple[Message, ...]:
    """
    Return *messages* with a line for each picture that is not sent again.

    Sent are those of the newest turn and of the two before it, as far as a request can hold them beside the newer ones;
    what the user handed in with the newest comes before what its tools gave.
    """
    folded, turns, count, size = list(messages), 0, 0, 0
    begun = request_index(folded) or 0
    for message in folded[begun:]:
        for picture in message.pictures if isinstance(message, User) and not message.synthetic else ():
            count, size = count + 1, size + picture.size
    for index in range(len(folded) - 1, -1, -1):
        message = folded[index]
        if not isinstance(message, User):
            continue
        if index < begun or message.synthetic:
            for picture in message.pictures:
                count, size = count + 1, size + picture.size
            if turns > PICTURE_TURNS or count > MAX_PICTURES or size > MAX_PICTURE_BYTES:
                folded[index] = pictures_as_text(message, "seen" if turns else "left out: there are newer ones")
        turns += not (message.synthetic or message.steers)
    return tuple(folded)
