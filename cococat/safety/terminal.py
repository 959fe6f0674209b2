"""What may reach a terminal: foreign text with every control sequence made visible and harmless."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

Context: TypeAlias = Literal["prose", "exact"]

MAX_CHARS = 4096  # characters of one control string; what follows is shown as text
SHOWN = 20  # characters that stand for one control sequence

_STRING = "(?:\x1b[\\]PX^_]|[\x90\x98\x9d-\x9f])"  # OSC, DCS, SOS, PM, APC; 7 and 8 bit
_BODY = "[^\x07\x18\x1a\x1b\x9c]"
_CSI = "(?:\x1b\\[|\x9b)[0-?]{0,64}[ -/]{0,8}"
_SHORT = "\x1b[ -/]{0,8}"
_BASE = (  # what a joiner or an emoji selector may follow
    "\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_ZERO_WIDTH = "\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
_SELECTORS = "\u200d\ufe00-\ufe0f\U000e0000-\U000e0fff"
_PRIVATE = "\ue000-\uf8ff\U000f0000-\U0010ffff"

_DIRTY = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff{_ZERO_WIDTH}{_SELECTORS}{_PRIVATE}]")
_TOKEN = re.compile(
    f"(?P<control>{_STRING}{_BODY}{{0,{MAX_CHARS}}}(?:\x07|\x1b\\\\|\x9c)?|{_CSI}[@-~]?|{_SHORT}[0-~]?)"
    "|(?P<newline>\r\n)"
    f"|(?P<emoji>(?<=[{_BASE}])\ufe0f|(?<=[#*0-9])\ufe0f(?=\u20e3)"
    f"|(?<=[{_BASE}\ufe0f])\u200d(?=[{_BASE}]))"
    "|(?P<symbol>[\x00-\x08\x0b-\x1f\x7f-\x9f])"
    "|(?P<surrogate>[\ud800-\udfff])"
    f"|(?P<hidden>[{_ZERO_WIDTH}{_SELECTORS}{_PRIVATE}])"
)
_OPEN = re.compile(  # what the next chunk may go on with
    f"(?:{_STRING}{_BODY}{{0,{MAX_CHARS}}}\x1b?|{_CSI}|{_SHORT}|\r|(?<=[#*0-9])\ufe0f|\u200d)\\Z"
)
_CONTEXT = 2  # characters before a chunk that decide what its first ones mean


def safe(text: str, context: Context = "prose") -> str:
    r"""
    Make *text* harmless for a terminal; clean text comes back as it is.

    Args:
        context: in "prose" invisible characters are removed; in "exact" (commands, diffs, file
            names, questions of consent) they are written as `\u{...}`.
    Returns: text whose only control characters are line feeds and tabs.
    Source: docs/reliability.md, 3.6 rules 2 and 3.
    """
    if not _DIRTY.search(text):
        return text
    return _TOKEN.sub(_exact if context == "exact" else _prose, text)


class SafeStream:
    """The same as `safe` over chunks: a sequence that is split over chunks is held until it ends."""

    def __init__(self, context: Context = "prose") -> None:
        self._context = context
        self._held = ""
        self._before = ""

    def feed(self, chunk: str) -> str:
        """Return what is harmless and decided of the text so far."""
        text = self._held + chunk
        if not _DIRTY.search(text):
            self._before = (self._before + text)[-_CONTEXT:]
            self._held = ""
            return text
        whole, start = self._before + text, len(self._before)
        unfinished = _OPEN.search(whole, start)
        return self._clean(whole, start, unfinished.start() if unfinished else len(whole))

    def flush(self) -> str:
        """Return what is still held; the text ends here."""
        whole = self._before + self._held
        return self._clean(whole, len(self._before), len(whole))

    def _clean(self, whole: str, start: int, end: int) -> str:
        """Return the harmless form of `whole[start:end]`; what is before *start* decides, but is done."""
        self._held = whole[end:]
        self._before = whole[max(0, end - _CONTEXT) : end]
        replace = _exact if self._context == "exact" else _prose
        done: list[str] = []
        for match in _TOKEN.finditer(whole, start, end):
            done += whole[start : match.start()], replace(match)
            start = match.end()
        return "".join(done) + whole[start:end]


def _exact(match: re.Match[str]) -> str:
    if match.lastgroup == "hidden":
        return f"\\u{{{ord(match[0]):x}}}"
    return _prose(match)


def _prose(match: re.Match[str]) -> str:
    found = match[0]
    match match.lastgroup:
        case "control":
            return _visible(found)
        case "newline":
            return "\n"
        case "emoji":
            return found
        case "symbol":
            return _symbol(found)
        case "surrogate":
            return "\ufffd"
        case _:
            return "\n" if found in "\u2028\u2029" else ""


def _visible(sequence: str) -> str:
    """One short mark for a whole control sequence, with the part of it that can be read."""
    body = re.sub(r"[^!-~]", "", sequence)
    room = SHOWN - len("␛[]")
    return f"␛[{body if len(body) <= room else body[: room - 1] + '…'}]"


def _symbol(char: str) -> str:
    code = ord(char)
    if code < 0x20:  # noqa: PLR2004 - the first printable character
        return chr(0x2400 + code)
    return "\u2421" if char == "\x7f" else f"\\x{code:x}"
