"""What takes keys and other secrets out of text before it is written or sent anywhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import assert_never

from cococat.config import Options, Settings, all_keys
from cococat.core import events as ev
from cococat.core.events import Emit, Event
from cococat.safety.known import KnownStream
from cococat.safety.secrets import Masked, mask, redact, redact_said
from cococat.ui.lines.theme import is_terminal


def redactor(settings: Settings, *, said: bool = False) -> Callable[[str], str]:
    """
    Make the function for the keys that are set and everything that looks like a secret.

    Args:
        said: also what people tell in words; a text about passwords, as tools read it, is none.
    """
    known = all_keys(settings, os.environ)
    take = redact_said if said else redact
    return lambda text: take(text, known)


def masker(settings: Settings) -> Callable[[str], Masked]:
    """Make the same for a text whose secrets are to be put back later."""
    known = all_keys(settings, os.environ)
    return lambda text: mask(text, known)


def redact_events(emit: Emit, settings: Settings, options: Options, *, hold: bool) -> Emit:
    """
    Return what to call instead of *emit* so that the screen does not show the user's keys.

    A pipe and JSON get the answer byte for byte.

    Args:
        hold: what streams is no answer yet: a thought goes to stderr, and the answer comes whole at the end.
    """
    keys = all_keys(settings, os.environ)
    if not keys or options.output_format == "stream-json":
        return emit
    screen = is_terminal(sys.stdout)
    return _Keyless(emit, keys, answers=screen, words=screen or hold or options.output_format == "json")


class _Keyless:
    """Passes events on without *keys*; with *answers* that goes for the answer too, with *words* for its deltas."""

    def __init__(self, emit: Emit, keys: Collection[str], *, answers: bool, words: bool) -> None:
        self._emit, self._answers, self._words = emit, answers, words
        self._said, self._reasoned = KnownStream(keys), KnownStream(keys)

    def __call__(self, event: Event) -> None:
        match event:
            case ev.TextDelta(text):
                self._pass(ev.TextDelta, self._said.feed(text) if self._words else text)
            case ev.ReasoningDelta(text):
                self._pass(ev.ReasoningDelta, self._reasoned.feed(text))
            case _:
                self._pass(ev.TextDelta, self._said.flush())
                self._pass(ev.ReasoningDelta, self._reasoned.flush())
                self._emit(self._clean(event))

    def _pass(self, kind: type[ev.TextDelta | ev.ReasoningDelta], text: str) -> None:
        if text:
            self._emit(kind(text))

    def _clean(self, event: Event) -> Event:
        clean = self._said.whole
        match event:
            case ev.TurnFinished(answer) if self._answers:
                return replace(event, answer=clean(answer))
            case ev.ToolPending(_, name, arguments):
                return replace(event, name=clean(name), arguments=clean(arguments))
            case ev.ToolCompleted(_, name, output, display) | ev.ToolFailed(_, name, output, display):
                return replace(event, name=clean(name), output=clean(output), display=clean(display))
            case ev.ToolOutput(_, text) | ev.Notice(text):
                return replace(event, text=clean(text))
            case (
                ev.SessionStarted()
                | ev.StepStarted()
                | ev.TextDelta()
                | ev.ReasoningDelta()
                | ev.ToolRunning()
                | ev.TurnFinished()
            ):
                return event
            case (
                ev.Retrying()
                | ev.ContextCompacted()
                | ev.DreamFinished()
                | ev.MessageAdded()
                | ev.UserAsked()
                | ev.Working()
            ):
                return event
            case _:
                assert_never(event)
