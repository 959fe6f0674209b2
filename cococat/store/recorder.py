"""The recorder of a session: every event becomes lines of its log, without secrets.

What streams in is kept until its end, so that a secret cannot hide by arriving in two pieces, and
is written as pieces of some 50 ms with their own times.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Literal

from cococat.core.events import (
    Event,
    MessageAdded,
    ReasoningDelta,
    SessionStarted,
    TextDelta,
    ToolCompleted,
    ToolFailed,
    ToolOutput,
    ToolPending,
    ToolRunning,
    TurnFinished,
    Working,
)
from cococat.core.limits import Problem
from cococat.core.messages import Message, User
from cococat.safety.secrets import redact_speech
from cococat.store.codec import message_to_json, to_record
from cococat.store.log import LogFile
from cococat.store.session_state import Asked
from cococat.system.same_folder import Place

PIECE_S = 0.05  # seconds of a stream that become one line
HELD_CHARS = 1 << 20  # characters of streams that are kept in memory at most
_IDS = ("id", "call_id")
_SPEAKERS = ("user", "assistant", "summary")
_SPOKEN = ("text", "reasoning", "answer", "extra")  # what they say; what tools read and write is no talk
_Delta = TextDelta | ReasoningDelta | ToolOutput
_TEXT = (TextDelta.__name__, "")  # the key of its stream
_Timed = tuple[float, Mapping[str, object]]


@dataclass(slots=True)
class _Stream:
    """The pieces of one stream: when each began, and its text."""

    event: _Delta
    pieces: list[tuple[float, list[str]]] = field(default_factory=list)


class SessionLog:
    """
    The open log of a session; `emit` takes the events of its turns.

    Args:
        clock: seconds since 1970.
        redact: takes the secrets out of a text.
    """

    def __init__(
        self, file: LogFile, *, clock: Callable[[], float] = time.time, redact: Callable[[str], str] = str
    ) -> None:
        self.id = file.path.stem
        self.turns = 0
        self.title = ""
        self.asked = Asked()
        self._file = file
        self._clock = clock
        self._redact = redact
        self._streams: dict[tuple[str, str], _Stream] = {}
        self._held = 0
        self._started: SessionStarted | None = None
        self._used = False
        self._place = Place()

    @property
    def path(self) -> Path:
        """Where the log is."""
        return self._file.path

    @property
    def problem(self) -> Problem | None:
        """Why the session is not being saved; None while it is."""
        return self._file.problem

    def begin(self, started: SessionStarted, place: Place, extra: Mapping[str, object]) -> None:
        """Write the first line of a new log."""
        self._started, self._place = started, place
        self._write([], {**to_record(started), **asdict(place), **extra}, lasting=True)

    def carry_on(self, *, started: SessionStarted | None, turns: int, title: str, asked: Asked, place: Place) -> None:
        """Go on with a log that was read, in the folder at *place*."""
        self._started, self.turns, self.title, self._used = started, turns, title, True
        self.asked, self._place = asked, place

    def emit(self, event: Event) -> None:
        """Record *event*; messages and the ends of turns are on the disk when this returns without a problem."""
        if isinstance(event, TextDelta | ReasoningDelta | ToolOutput):
            self._hold(event)
            return
        if isinstance(event, Working):
            return
        before = [] if isinstance(event, SessionStarted) else self._flushed(event)
        match event:
            case SessionStarted():
                # the first line says it already, unless a resumed session goes on with another model
                here = replace(event, session_id=self.id)
                if here != self._started:
                    self._started = here
                    self._write(before, to_record(here), lasting=False)
            case TurnFinished():
                self.turns += 1
                self._write(before, {**to_record(event), **self._known()}, lasting=True)
            case MessageAdded(message):
                self._used = True
                self.asked.add(message)
                if isinstance(message, User) and message.pictures:
                    self._keep_pictures(message)
                self._write(before, {**to_record(event), **self._known()}, lasting=True)
            case _:
                self._write(before, to_record(event), lasting=False)

    def add(self, messages: Sequence[Message]) -> None:
        """Record many messages at once, as a fork does."""
        if messages:
            self._used = True
            for message in messages:
                self.asked.add(message)
                if isinstance(message, User):
                    self._keep_pictures(message)
            now = self._clock()
            known = self._known()
            bodies = [(now, self._clean({**to_record(MessageAdded(message)), **known})) for message in messages]
            self._file.append(bodies, lasting=True)

    def rewrite(self, kind: Literal["repair", "rewind"], before: Sequence[Message], after: Sequence[Message]) -> None:
        """Record that the history *before* is now *after*; nothing of the log is taken away."""
        same = 0
        while same < min(len(before), len(after)) and before[same] == after[same]:
            same += 1
        self.asked.rewritten(before, after)
        messages = [message_to_json(message) for message in after[same:]]
        self._write(self._flushed(None), {"type": kind, "keep": same, "messages": messages}, lasting=True)

    def rename(self, title: str) -> None:
        """Give the session a name of the user's own."""
        self.title = " ".join(title.split())
        self._write(self._flushed(None), {"type": "renamed", "title": self.title}, lasting=True)

    def close(self) -> None:
        """Write what is left and let the session go; one without a single message leaves no file."""
        if not self._used:
            self._file.discard()
            return
        self._file.append(self._flushed(None), lasting=False)
        self._file.close()

    def _known(self) -> dict[str, object]:
        """Return what a list of sessions needs; it reads no more than the end of each log."""
        named = {"title": self.title} if self.title else {}
        return {
            "turn": self.turns,
            "model": self._started.model if self._started else "",
            **asdict(self._place),
            **named,
        }

    def _keep_pictures(self, message: User) -> None:
        for picture in message.pictures:
            if picture.data:
                self._file.keep_beside(picture.file, picture.data)

    def _hold(self, event: _Delta) -> None:
        key = type(event).__name__, event.call_id if isinstance(event, ToolOutput) else ""
        stream = self._streams.setdefault(key, _Stream(event))
        if isinstance(event, ReasoningDelta) and event.so_far and (text := self._streams.pop(_TEXT, None)):
            stream.pieces += text.pieces
        now = self._clock()
        if not stream.pieces or not 0 <= now - stream.pieces[-1][0] < PIECE_S:
            stream.pieces.append((now, []))
        stream.pieces[-1][1].append(event.text)
        self._held += len(event.text)
        if self._held > HELD_CHARS:
            self._file.append(self._flushed(None), lasting=False)

    def _flushed(self, event: Event | None) -> list[_Timed]:
        """Take out the streams that *event* ends: a call ends its own output, anything else every stream."""
        match event:
            case ToolPending() | ToolRunning():
                ended = [key for key in self._streams if not key[1]]
            case ToolCompleted(call_id) | ToolFailed(call_id):
                ended = [key for key in self._streams if key[1] in ("", call_id)]
            case _:
                ended = list(self._streams)
        return [body for key in ended for body in self._lines(self._streams.pop(key))]

    def _lines(self, stream: _Stream) -> list[_Timed]:
        """Return the pieces with their times, or one line when a secret had to be taken out."""
        pieces = [(ts, "".join(texts)) for ts, texts in stream.pieces]
        whole = "".join(text for _, text in pieces)
        self._held -= len(whole)
        clean = self._redact(whole)
        if not isinstance(stream.event, ToolOutput):
            clean = redact_speech(clean)
        if clean != whole:
            pieces = [(pieces[0][0], clean)]
        return [(ts, self._clean({**to_record(stream.event), "text": text})) for ts, text in pieces]

    def _write(self, before: list[_Timed], body: Mapping[str, object], *, lasting: bool) -> None:
        self._file.append([*before, (self._clock(), self._clean(body))], lasting=lasting)

    def _clean(self, body: Mapping[str, object]) -> dict[str, object]:
        clean = {name: self._cleaned(name, value) for name, value in body.items()}
        if body.get("role") in _SPEAKERS or body.get("type") == "turn_finished":
            clean |= {name: redact_speech(str(clean[name])) for name in _SPOKEN if isinstance(clean.get(name), str)}
        return clean

    def _cleaned(self, name: str, value: object) -> object:
        """Take secrets out of every text in *value*; an id stays unique."""
        match value:
            case str():
                clean = self._redact(value)
                return _same_id(value) if clean != value and name in _IDS else clean
            case dict():
                return self._clean(value)
            case list() | tuple():
                return [self._cleaned(name, item) for item in value]
            case _:
                return value


def _same_id(secret: str) -> str:
    """Return an id that stands for *secret* wherever it is."""
    from hashlib import sha256

    return f"id-{sha256(secret.encode('utf-8', 'backslashreplace')).hexdigest()[:12]}"
