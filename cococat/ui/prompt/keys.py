"""What a terminal sends, taken apart: keys, pastes, and answers that are neither. One grammar for the prompt and a turn that runs."""

from __future__ import annotations

import codecs
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from cococat.ui.screen.modes import is_waiting

HALF_S = 0.1  # a sequence that is not whole after so long never will be, and an Esc is the key
BURST_S = 0.02  # what is sent as a whole goes on so soon, what is typed does not
FULL_BYTES, BURST_BYTES = 1024, 4 * 1024 * 1024  # what is typed is less; what is read as one is no more
READ_BYTES = 65536
REST_S = 1.0  # behind lines that came at once: what comes at once with an Enter is more of them
PASTE, PASTE_END = "\x1b[200~", "\x1b[201~"
CTRL_C, NEW_LINE = "\x03", "\x1b\r"
_KEY = re.compile(
    r"[^\x1b]"
    r"|\x1b\[(?:M(?:[^\x00-\x1f]{3}|[^\x00-\x1f]{,2}(?=[\x00-\x1f]))"  # a mouse of the old kind
    r"|\[(?:[A-E]|(?=[^A-E]))"  # function keys of a Linux console
    r"|(?![M\[])[ -?]*(?:[@-~]|(?=[^ -~])))"  # CSI: arrows, function keys, reports
    r"|\x1bO[\d;]*(?:[ -/:<-~]|(?=[^ -~]))"  # SS3
    r"|\x1b[\]PX^_][^\x00-\x1f\x9c]*(?:\x07|\x9c|\x1b\\)"  # OSC, DCS, SOS, PM, APC: what the terminal answers
    r"|(?P<half>\x1b[\]PX^_][^\x00-\x1f\x9c]*)(?=\x1b[^\\]|[\x00-\x06\x08-\x1a\x1c-\x1f])"
    r"|\x1b(?=\x1b)"  # Esc, pressed again
    r"|\x1b[^\x1b\[O\]PX^_]",  # Alt and a key
    re.DOTALL,
)
_STRING = re.compile(r"\x1b[\]PX^_](.*)")
_ANSWER = re.compile(r"\x1b(?:\][\dlLI]|P[\d>!$]|_G)")  # begins so
# CSI code : with Shift : on a Latin keyboard ; modifiers : event ; text
_ENCODED = re.compile(
    r"\x1b\[(?P<code>\d{1,6})(?::(?P<shifted>\d{,5}))?(?::(?P<latin>\d{,5}))?"
    r"(?:;(?P<held>\d{,3})(?::(?P<event>\d))?(?:;[\d:]*)?)?(?P<final>[A-HPQSu~])"
)
_OTHER = re.compile(r"\x1b\[27;(?P<held>[1-9]\d?);(?P<code>\d{1,6})~")
_LINES = re.compile(r"\r(?!\n?\Z)")
_SHIFT, _ALT, _CTRL, _LOCKS = 1, 2, 4, 64 | 128
_RELEASED = "3"
_PRIVATE = range(0xE000, 0xF900)  # keys without a character
_KEYPAD = dict(enumerate("0123456789./*-+\r=", 57399))
_CTRLS = {**{chr(code + ord("@")): chr(code) for code in range(32)}, " ": "\0", "/": "\x1f", "\x7f": "\b"}
_SS3 = {f"\x1bO{code}": f"\x1b[{code}" for code in "ABCDHF"} | {
    f"\x1bO{code}": key for code, key in zip("jklmnopqrstuvwxyMX", "*+,-./0123456789\r=", strict=True)
}


@dataclass(frozen=True, slots=True)
class Paste:
    """A text that came as a whole: nothing in it is a key."""

    text: str


Key: TypeAlias = "str | Paste"  # a key as terminals send it that encode nothing


class KeyReader:
    """
    Takes apart what a terminal sends.

    A sequence ends where its kind ends, at a control character such as Enter or Ctrl-C, or with `flush`.
    Several lines that come at once are a paste, also from a terminal that puts no brackets around pastes.
    """

    def __init__(self) -> None:
        self._pending = ""  # the start of a sequence or of a paste
        self._pasted = float("-inf")  # when lines came at once
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    @property
    def is_half(self) -> bool:
        """Whether something waits for its rest or for `flush`; a paste waits for its end alone."""
        return bool(self._pending) and not self._pending.startswith(PASTE)

    def read(self, fd: int) -> Sequence[Key]:
        """
        Return the keys that can be read from *fd* now; what is sent as a whole is read as a whole.

        Raises: EOFError: the terminal is gone.
        """
        data = _read(fd)
        if not data:
            raise EOFError
        while (b"\r" in data[:-1] or len(data) >= FULL_BYTES) and len(data) < BURST_BYTES and is_waiting(fd, BURST_S):
            if not (more := _read(fd)):
                break
            data += more
        return self.feed(data)

    def feed(self, data: bytes) -> Sequence[Key]:
        """Return the keys that *data* completes."""
        text = self._decoder.decode(data)
        if self._pending.startswith(PASTE) and text == CTRL_C:  # pressed: the end of the paste was lost
            text = PASTE_END + text
        self._pending += text
        return self._with_paste(list(self._keys()))

    def flush(self) -> Sequence[Key]:
        """Return what the pending start of a sequence was, as nothing follows it."""
        if not self.is_half:
            return []
        half, self._pending = self._pending, ""
        return [half] if half == "\x1b" else list(_typed(half))

    def _keys(self) -> Iterator[Key]:
        text, at = self._pending, 0
        while at < len(text):
            if text.startswith(PASTE, at):
                end = text.find(PASTE_END, at)
                if end < 0:
                    break
                yield Paste(text[at + len(PASTE) : end])
                at = end + len(PASTE_END)
            elif found := _KEY.match(text, at):
                at = found.end()
                if found["half"]:
                    yield from _typed(found["half"])
                elif key := _plain(found[0]):
                    yield key
            else:
                break
        self._pending = text[at:]

    def _with_paste(self, keys: Sequence[Key]) -> Sequence[Key]:
        """Return *keys* that came at once: several lines as a paste, CR LF as Enter."""
        texts = [(at, key) for at, key in enumerate(keys) if isinstance(key, str) and _is_text(key)]
        text, now = "".join(key for _, key in texts), time.monotonic()
        if text.strip() and (_LINES.search(text) or ("\r" in text and now - self._pasted < REST_S)):
            self._pasted = now
            first, last = texts[0][0], texts[-1][0] + 1
            return [*keys[:first], Paste("".join(map(_words, keys[first:last]))), *keys[last:]]
        return [key for at, key in enumerate(keys) if key != "\n" or keys[at - 1 : at] != ["\r"]]


def _read(fd: int) -> bytes:
    with suppress(OSError):
        return os.read(fd, READ_BYTES)
    return b""


def _typed(half: str) -> str:
    """Return what was typed behind Alt and a key, if *half* is that and not the start of an answer."""
    found = _STRING.fullmatch(half)
    return found[1] if found and not _ANSWER.match(half) else ""


def _is_text(key: str) -> bool:
    return len(key) == 1 and (key in "\t\r\n" or (key >= " " and key != "\x7f"))


def _words(key: Key) -> str:
    return key.text if isinstance(key, Paste) else key if len(key) == 1 or key == NEW_LINE else ""


def _plain(sequence: str) -> str:
    """Return the key that *sequence* names, as a terminal sends it that encodes nothing; empty for what is no key."""
    if found := _OTHER.fullmatch(sequence):
        return _character(int(found["code"]), int(found["code"]), int(found["held"]) - 1)
    if not (found := _ENCODED.fullmatch(sequence)) or not (found["held"] or found["final"] == "u"):
        return _SS3.get(sequence, sequence)
    code, held = int(found["code"]), (int(found["held"] or 1) - 1) & ~_LOCKS
    if found["event"] == _RELEASED:
        return ""
    if found["final"] == "u":
        return _character(code, int(found["latin"] or code), held, found["shifted"])
    start = f"{code};{held + 1}" if held else "" if code == 1 else f"{code}"
    return f"\x1b[{start}{found['final']}"


def _character(code: int, latin: int, held: int, shifted: str | None = None) -> str:
    """
    Return the key of a character.

    Args:
        latin: the code point of the same key on a Latin keyboard.
        held: the modifiers.
        shifted: the code point with Shift, if the terminal says so.
    """
    key = _KEYPAD.get(code, "" if code in _PRIVATE or code > sys.maxunicode else chr(code))
    if held & ~(_SHIFT | _ALT | _CTRL):
        return ""
    if key == "\r":
        return NEW_LINE if held & (_SHIFT | _ALT) else key
    if key == "\t" and held & _SHIFT:
        return "\x1b[Z"
    if held & _CTRL:
        key = _CTRLS.get(chr(latin).upper(), key if key < " " else "")
    elif held & _SHIFT:
        key = chr(int(shifted)) if shifted else key.upper()
    return f"\x1b{key}" if held & _ALT and key else key
