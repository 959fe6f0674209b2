"""The line that is typed while a turn runs: a text, and where in it the next key goes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class LineDraft:
    """
    A line that is not complete.

    Args:
        at: characters before the cursor; 0 <= at <= len(text).
    """

    text: str = ""
    at: int = 0

    def with_text(self, more: str) -> LineDraft:
        """Return it with *more* at the cursor."""
        return LineDraft(self.text[: self.at] + more + self.text[self.at :], self.at + len(more))


def edited(draft: LineDraft, key: str) -> LineDraft:
    """Return *draft* after *key*, as a terminal sends it; the same one when it means nothing here."""
    text, at = draft.text, draft.at
    if move := _MOVES.get(key):
        return replace(draft, at=move(text, at))
    if move := _CUTS.get(key):
        start, end = sorted((at, move(text, at)))
        return LineDraft(text[:start] + text[end:], start)
    if key in _NEW_LINES:
        return draft.with_text("\n")
    return draft.with_text(key) if key == "\t" or (key >= " " and not key.startswith("\x1b")) else draft


def _left(text: str, at: int) -> int:
    while at and _is_mark(text[at - 1]):
        at -= 1
    return max(0, at - 1)


def _right(text: str, at: int) -> int:
    at += 1
    while at < len(text) and _is_mark(text[at]):
        at += 1
    return min(at, len(text))


def _is_mark(char: str) -> bool:
    """Return whether *char* belongs to the one before it."""
    return bool(unicodedata.combining(char)) or char in "\ufe0e\ufe0f\u200d"


def _word_left(text: str, at: int) -> int:
    return len(re.sub(r"\S*\s*\Z", "", text[:at]))


def _word_right(text: str, at: int) -> int:
    found = _WORD.match(text, at)
    return found.end() if found else at


def _start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _end(text: str, at: int) -> int:
    return end if (end := text.find("\n", at)) >= 0 else len(text)


_WORD = re.compile(r"\s*\S*")
_Move: TypeAlias = Callable[[str, int], int]  # from one place in a text to another
_MOVES: Mapping[str, _Move] = {
    **dict.fromkeys(("\x1b[D", "\x02"), _left),
    **dict.fromkeys(("\x1b[C", "\x06"), _right),
    **dict.fromkeys(("\x1bb", "\x1b[1;5D", "\x1b[1;3D"), _word_left),
    **dict.fromkeys(("\x1bf", "\x1b[1;5C", "\x1b[1;3C"), _word_right),
    **dict.fromkeys(("\x1b[H", "\x1b[1~", "\x01"), _start),
    **dict.fromkeys(("\x1b[F", "\x1b[4~", "\x05"), _end),
}
_CUTS: Mapping[str, _Move] = {  # what lies on the way is taken out
    **dict.fromkeys(("\x7f", "\b"), _left),
    "\x1b[3~": _right,
    "\x17": _word_left,  # Ctrl-W
    "\x15": lambda *_: 0,  # Ctrl-U
    "\x0b": lambda text, _: len(text),  # Ctrl-K
}
_NEW_LINES = ("\n", "\x1b\r", "\x1b\n")
