"""A reply as it arrives: its server-sent events, whether it is whole, and each text and each call of it once.

There is an end to everything that a server may send.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any

from cococat.core.model import (
    CallPiece,
    ExtraPiece,
    FinishPiece,
    NoticePiece,
    Piece,
    ReasoningPiece,
    TextPiece,
    UsagePiece,
)
from cococat.model import faults, wire
from cococat.model.endpoint import Endpoint
from cococat.model.extra import Extras
from cococat.model.thinking import Thinking
from cococat.model.watchdog import Watchdog
from cococat.system.text import join_surrogates, json_object

DONE_S = 0.5  # after `[DONE]`, for the end of the transfer, so that the connection can be used again
FINISHED_S = 5.0  # after finish_reason, for the usage that was asked for
UNKNOWN_END = "the server ended the reply with {word!r}, a reason that is not known: look whether it is whole"
EVENT_BYTES = 8 << 20
RESPONSE_BYTES = 64 << 20
_FIELDS = (b":", b"event:", b"id:", b"retry:")
_STRING = re.compile(rb'"(?:[^"\\]+|\\.?)*+"?', re.DOTALL)
_BOM = b"\xef\xbb\xbf"


class Incoming:
    """One reply, as far as it has arrived."""

    def __init__(
        self,
        endpoint: Endpoint,
        watchdog: Watchdog,
        content_type: str,
        thinking: Thinking | None,
        *,
        awaits_usage: bool,
    ) -> None:
        self.watchdog = watchdog
        self._endpoint = endpoint
        self._content_type = content_type
        self._thinking = thinking
        self._extras = Extras(endpoint.source)
        self._events = Events()
        self._choice = _Choice()
        self.awaits_usage = awaits_usage
        self._finish: FinishPiece | None = None  # what the server said of the end, as long as nothing came behind it
        self._begun = False  # text, a call or reasoning arrived
        self._something = False  # text or a call arrived
        self._open = False  # a delta came without a finish reason
        self._premature = False  # one came behind a finish reason, which therefore says nothing until the end

    @property
    def patience_s(self) -> float:
        """Seconds to wait for what is left of a complete reply, the usage and the end; 0 while it is incomplete."""
        if self._events.done and (self._finish or self._something):
            return DONE_S
        if not self._finish or self._premature or not (self._open or self._begun):
            return 0
        return FINISHED_S if self.awaits_usage or not self._open else DONE_S

    def read(self, chunk: bytes) -> Iterator[Piece]:
        """Read the next part of the body."""
        yield from self._pieces(self._events.feed(chunk))

    def end(self) -> Iterator[Piece]:
        """Read what the end completes, and judge whether the reply is whole."""
        yield from self._pieces(self._events.end())
        if not self._events.seen and (whole := self._events.as_object()):
            yield from self._pieces(iter([whole]))
        if self._thinking:
            yield from self._thinking.end()
        yield from self._extra()
        if self._finish and self._finish.reason == wire.FAILED:
            raise faults.failed(self._endpoint, self._finish.word)
        if self._finish:
            if self._finish.word:
                yield NoticePiece(UNKNOWN_END.format(word=self._finish.word))
            yield self._finish
        elif self._events.done and self._something:  # some servers leave finish_reason out
            yield FinishPiece("stop")
        elif not self._events.seen and not self._something:
            raise faults.not_a_completion(self._endpoint, self._content_type, self._events.stray())
        else:
            raise faults.cut_reply_error(self._endpoint)

    def _separated(self, piece: Piece) -> Iterator[Piece]:
        """Tell reasoning in the text from the text."""
        match piece:
            case TextPiece(text, refusal=False) if self._thinking:
                yield from self._thinking.feed(text)
            case CallPiece() if self._thinking:
                yield from self._thinking.end()
                yield piece
            case _:
                yield piece

    def _pieces(self, events: Iterator[dict[str, Any]]) -> Iterator[Piece]:
        try:
            for event in events:
                if error := wire.error_of(event):
                    raise faults.from_event(self._endpoint, error, time.time())
                one = self._choice.of(event)
                self._extras.take(wire.delta_of(one))
                pieces = wire.pieces_of(one)
                self._note(pieces)
                if self._begun or self._finish:
                    self.watchdog.got_data()
                for piece in pieces:
                    if not isinstance(piece, ReasoningPiece | UsagePiece):
                        yield from self._extra()
                    if not isinstance(piece, FinishPiece):
                        yield from self._separated(piece)
        except Garbled as why:
            raise faults.garbled(self._endpoint, str(why)) from None

    def _note(self, pieces: list[Piece]) -> None:
        """Note whether the server says that it is done: one that says so with every delta says nothing."""
        finish = next((piece for piece in pieces if isinstance(piece, FinishPiece)), None)
        begun = any(isinstance(piece, TextPiece | CallPiece | ReasoningPiece) for piece in pieces)
        self._premature |= begun and self._finish is not None
        if begun or finish:
            self._finish = finish
        self._begun |= begun
        self._something |= any(isinstance(piece, TextPiece | CallPiece) for piece in pieces)
        self._open |= finish is None
        self.awaits_usage &= not any(isinstance(piece, UsagePiece) for piece in pieces)

    def _extra(self) -> Iterator[Piece]:
        """Tell what came besides, ahead of whatever may be the last piece that is read."""
        if extra := self._extras.news():
            yield ExtraPiece(join_surrogates(extra))


class _Choice:
    """
    Puts the choices of each event into one.

    Each field comes from the choice that was the first to bring it, and where deltas bring it, whole messages beside or
    behind them do not bring it again.
    """

    def __init__(self) -> None:
        self._sources: dict[str, tuple[int, str]] = {}
        self._told: dict[str, Any] = {}  # by messages, so far

    def of(self, event: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return *event* with a single choice, which holds a delta; as it is where it has none."""
        choices = event.get("choices")
        rows = [row for row in choices if isinstance(row, dict)] if isinstance(choices, list) else []
        if not rows:
            return event
        delta: dict[str, Any] = {}
        for row in rows:
            for kind in ("delta", "message"):
                fields = row.get(kind)
                for name, value in fields.items() if isinstance(fields, dict) else ():
                    source = (_index(row), kind)
                    if value and self._sources.setdefault(name, source) == source:
                        delta[name] = value if kind == "delta" else self._news(name, value)
        ours = {index for index, _ in self._sources.values()}
        reasons = [row.get("finish_reason") for row in rows if not ours or _index(row) in ours]
        return {**event, "choices": [{"delta": delta, "finish_reason": next(filter(None, reasons), None)}]}

    def _news(self, name: str, value: Any) -> Any:
        """Return what of *value* no message told before: some tell all that they said again."""
        before = self._told.get(name)
        if isinstance(value, str):
            said = before if isinstance(before, str) else ""
            new = value.removeprefix(said)
            self._told[name] = said + new
            return new
        if isinstance(value, list):
            had = before if isinstance(before, list) else []
            self._told[name] = [*had, *(fresh := [item for item in value if item not in had])]
            return fresh
        return value


def _index(row: Mapping[str, Any]) -> int:
    index = row.get("index")
    return index if isinstance(index, int) else 0


class Garbled(Exception):
    """The bytes are no events, or too many."""


class Events:
    """
    Turns the bytes of one response into its events, each a JSON object.

    A data line that is a whole object is an event at once; one that is not waits for the lines up to
    the next blank one. Anything else is kept as the *stray* text of a reply that is no event stream.
    """

    def __init__(self) -> None:
        self.seen = 0  # events so far
        self.done = False  # `[DONE]` was seen
        self._begun = False  # the first line was read
        self._rest = bytearray()
        self._after_cr = False  # a line feed that comes now belongs to the last line's end
        self._open = bytearray()
        self._depth = 0  # levels of what is open; a string ends where its line does
        self._stray = bytearray()
        self._total = 0

    def feed(self, chunk: bytes) -> Iterator[dict[str, Any]]:
        """
        Take in *chunk* and yield the events it completes.

        Raises: Garbled: an event is no JSON object in UTF-8, or a limit is passed.
        """
        self._total += len(chunk)
        if self._total > RESPONSE_BYTES:
            raise Garbled(f"the response is larger than {RESPONSE_BYTES >> 20} MiB")
        lines = self._complete_lines(chunk)
        if len(self._rest) + len(self._open) > EVENT_BYTES:
            raise Garbled(f"one event is larger than {EVENT_BYTES >> 20} MiB")
        for line in lines:
            event = self._line(line)
            if event is not None:
                yield event

    def end(self) -> Iterator[dict[str, Any]]:
        """Yield what the end of the response completes; the same errors as `feed`."""
        for line in (bytes(self._rest), b""):
            event = self._line(line)
            if event is not None:
                yield event
        self._rest.clear()

    def as_object(self) -> dict[str, Any] | None:
        """The reply as one JSON object, from a server that did not stream."""
        return json_object(self._stray)

    def stray(self) -> str:
        """The beginning of what was no event."""
        return self._stray[:400].decode("utf-8", "replace")

    def _complete_lines(self, chunk: bytes) -> list[bytes]:
        """Return the lines that *chunk* completes; they end with CR LF, LF or CR; CR LF may come in two."""
        if not chunk:
            return []
        if self._after_cr:
            chunk = chunk.removeprefix(b"\n")
        self._after_cr = chunk.endswith(b"\r")
        lines = chunk.splitlines(keepends=True)
        begun = lines.pop() if lines and not lines[-1].endswith((b"\n", b"\r")) else b""
        if lines:
            lines[0] = bytes(self._rest) + lines[0]
            self._rest.clear()
        self._rest += begun
        return [line.rstrip(b"\r\n") for line in lines]

    def _line(self, line: bytes) -> dict[str, Any] | None:
        if not self._begun:
            self._begun = True
            line = line.removeprefix(_BOM)
        if line.startswith(b"data:"):
            return self._data(line[5:].strip())
        if not line.strip():
            if self._open:
                raise self._not_json()
        elif not self.seen and not line.startswith(_FIELDS) and len(self._stray) < EVENT_BYTES:
            self._stray += line + b"\n"
        return None

    def _data(self, payload: bytes) -> dict[str, Any] | None:
        if payload == b"[DONE]":
            self.done = True
            return None
        if not payload:
            return None
        first = not self._open
        self._open += payload if first else b"\n" + payload
        if not first and self._deeper(payload) > 0:
            return None
        try:
            event = json.loads(self._open.decode())
        except UnicodeDecodeError:
            raise Garbled("an event is not UTF-8") from None
        except RecursionError:
            raise Garbled("an event is nested too deep") from None
        except ValueError:
            if first and self._deeper(payload) > 0:
                return None
            raise self._not_json() from None
        self._open.clear()
        self._depth = 0
        if not isinstance(event, dict):
            raise Garbled(f"an event is not a JSON object but {type(event).__name__}")
        self.seen += 1
        return event

    def _deeper(self, line: bytes) -> int:
        """Count the levels that *line* opens and closes, so that an event of many lines is parsed once."""
        marks = _STRING.sub(b"", line)
        self._depth += sum(map(marks.count, (b"{", b"["))) - sum(map(marks.count, (b"}", b"]")))
        return self._depth

    def _not_json(self) -> Garbled:
        return Garbled(f"an event is not JSON: {self._open[:80].decode('utf-8', 'replace')}")
