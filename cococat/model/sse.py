"""Server-sent events out of raw bytes, with an end to everything a server may send."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

__all__ = ["EVENT_BYTES", "RESPONSE_BYTES", "Events", "Garbled"]

EVENT_BYTES = 8 << 20
RESPONSE_BYTES = 64 << 20
_FIELDS = (b":", b"event:", b"id:", b"retry:")
_STRING = re.compile(rb'"(?:[^"\\]+|\\.?)*+"?', re.DOTALL)
_BOM = b"\xef\xbb\xbf"


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
        try:
            parsed = json.loads(self._stray.decode())
        except (ValueError, RecursionError):
            return None
        return parsed if isinstance(parsed, dict) else None

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
