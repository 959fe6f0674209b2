"""Japanese grammar that several rules ask for: whether a text is Japanese, and what "A じゃなくて B" takes back."""

from __future__ import annotations

import re

__all__ = ["NOT_THAT", "japanese", "put_right"]

_KANA = re.compile(r"[\u3041-\u3096]")
_NOUN = r"[^\u3041-\u3096\s,、。!?()]+"
NOT_THAT = rf"{_NOUN}(?:の{_NOUN})*(?:から|まで|[にをがで])?(?:では|じゃ|で)な(?:く|い)"  # no "not only"
_NOT_BUT = re.compile(rf"{NOT_THAT}(?<=く)て?[、,\s]*")


def japanese(text: str) -> bool:
    """Return whether *text* holds syllables that Japanese alone is written with."""
    return bool(_KANA.search(text))


def put_right(text: str, line: str) -> str:
    """Return *text* without the "not A but" that *line* leaves out of it: "the meeting is on Thursday"."""
    return text if re.search("(?:では|じゃ|で)なく", line) else _NOT_BUT.sub("", text)
