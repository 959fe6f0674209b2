"""What a dream found to be a secret stands nowhere: not in its log, not beside its lines, not on the screen."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import assert_never

from cococat.core.events import (
    ContextCompacted,
    DreamFinished,
    Emit,
    Event,
    MessageAdded,
    Notice,
    ReasoningDelta,
    Retrying,
    SessionStarted,
    StepStarted,
    TextDelta,
    ToolCompleted,
    ToolFailed,
    ToolOutput,
    ToolPending,
    ToolRunning,
    TurnFinished,
    UserAsked,
    Working,
)

SHORT = 3  # characters; a piece of fewer stands in too many other words
_MARK = re.compile(r"\[redacted:[\w-]+(?:#\d+)?\]")
_PIECE = re.compile(r"\w*\d\w*")


class Hush:
    """
    Takes out of texts what is a secret in a line of any of them: beside other words nobody may know it for one.

    Args:
        redact: takes secrets out of one text.
        secret: texts that a judge has found to be one.
    """

    def __init__(self, redact: Callable[[str], str], secret: Collection[str] = ()) -> None:
        self._redact = redact
        self._secrets = {text.lstrip("-*+ ") for text in secret}

    def learn(self, text: str) -> None:
        """Note the secrets in the lines of *text*, or of the texts in its JSON."""
        _texts(text, self._learn)

    def hide(self, text: str) -> str:
        """Return *text* without its secrets, and those of every text before."""
        self.learn(text)
        return _texts(text, self._hide)

    def _learn(self, text: str) -> str:
        for line in text.split("\n"):
            for secret in _taken_out(line, self._redact(line)):
                self._secrets.update(piece for piece in (secret, *_PIECE.findall(secret)) if len(piece) >= SHORT)
        return text

    def _hide(self, text: str) -> str:
        for secret in sorted(self._secrets, key=len, reverse=True):
            text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "[redacted:secret]", text)
        return "\n".join(map(self._redact, self._redact(text).split("\n")))


def hushed(emit: Emit, redact: Callable[[str], str]) -> Emit:
    """Return what passes events on to *emit* without secrets; what is written piece by piece comes line by line."""
    hush = Hush(redact)
    begun: list[TextDelta | ReasoningDelta] = []

    def end() -> None:
        if begun:
            text = "".join(piece.text for piece in begun)
            last = begun[-1]
            begun.clear()
            emit(replace(last, text=hush.hide(text)))

    def see(event: Event) -> None:
        if begun and type(event) is not type(begun[0]):
            end()
        if isinstance(event, TextDelta | ReasoningDelta):
            begun.append(event)
            if "\n" in event.text or (isinstance(event, ReasoningDelta) and event.so_far):
                end()
        else:
            emit(_hidden(event, hush.hide))

    return see


def _hidden(event: Event, hide: Callable[[str], str]) -> Event:
    """Return *event* with *hide* done to the words that a model has chosen."""
    match event:
        case TextDelta() | ReasoningDelta() | Notice():
            return replace(event, text=hide(event.text))
        case ToolPending():
            return replace(event, arguments=hide(event.arguments))
        case ToolCompleted() | ToolFailed():
            return replace(event, output=hide(event.output), display=hide(event.display))
        case SessionStarted() | StepStarted() | ToolRunning() | ToolOutput() | Retrying() | ContextCompacted():
            return event
        case DreamFinished() | MessageAdded() | UserAsked() | Working() | TurnFinished():
            return event
        case _:
            assert_never(event)


def _texts(text: str, change: Callable[[str], str]) -> str:
    """Return *text* with *change* made in it, or in each of its texts where it is JSON."""
    try:
        value = json.loads(text) if text.lstrip()[:1] in ("{", "[") else None
    except (ValueError, RecursionError):
        value = None
    if value is None:
        return change(text)
    changed = _walk(value, change)
    return text if changed == value else json.dumps(changed, ensure_ascii=False)


def _walk(value: object, change: Callable[[str], str]) -> object:
    match value:
        case str():
            return change(value)
        case list():
            return [_walk(item, change) for item in value]
        case dict():
            return {name: _walk(item, change) for name, item in value.items()}
        case _:
            return value


def _taken_out(line: str, clean: str) -> list[str]:
    """Return what *line* holds where *clean* has marks."""
    if line == clean:
        return []
    found: list[str] = []
    first, *parts = _MARK.split(clean)
    at = len(first)
    for number, part in enumerate(parts, 1):
        end = line.find(part, at + 1) if number < len(parts) else len(line) - len(part)
        found.append(line[at:end])
        at = end + len(part)
    return [text.strip() for text in found if not _MARK.search(text)]
