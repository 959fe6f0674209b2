"""The line that is typed while a turn runs: a text, and where in it the next key goes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

__all__ = ["LineDraft", "edited"]


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
    if edit := _EDITS.get(key):
        return edit(draft)
    return draft.with_text(key) if key == "\t" or (key >= " " and not key.startswith("\x1b")) else draft


def _left(draft: LineDraft) -> LineDraft:
    return replace(draft, at=len(_shortened(draft.text[: draft.at])))


def _right(draft: LineDraft) -> LineDraft:
    at = draft.at + 1
    while at < len(draft.text) and _is_mark(draft.text[at]):
        at += 1
    return replace(draft, at=min(at, len(draft.text)))


def _back(draft: LineDraft) -> LineDraft:
    head = _shortened(draft.text[: draft.at])
    return LineDraft(head + draft.text[draft.at :], len(head))


def _delete(draft: LineDraft) -> LineDraft:
    return LineDraft(draft.text[: draft.at] + draft.text[_right(draft).at :], draft.at)


def _word(draft: LineDraft) -> LineDraft:
    head = re.sub(r"\S*\s*\Z", "", draft.text[: draft.at])
    return LineDraft(head + draft.text[draft.at :], len(head))


def _word_left(draft: LineDraft) -> LineDraft:
    return replace(draft, at=len(re.sub(r"\S*\s*\Z", "", draft.text[: draft.at])))


def _word_right(draft: LineDraft) -> LineDraft:
    found = re.match(r"\s*\S*", draft.text[draft.at :])
    return replace(draft, at=draft.at + (found.end() if found else 0))


def _start(draft: LineDraft) -> LineDraft:
    return replace(draft, at=draft.text.rfind("\n", 0, draft.at) + 1)


def _end(draft: LineDraft) -> LineDraft:
    end = draft.text.find("\n", draft.at)
    return replace(draft, at=end if end >= 0 else len(draft.text))


def _cut_head(draft: LineDraft) -> LineDraft:
    return LineDraft(draft.text[draft.at :], 0)


def _cut_tail(draft: LineDraft) -> LineDraft:
    return LineDraft(draft.text[: draft.at], draft.at)


def _new_line(draft: LineDraft) -> LineDraft:
    return draft.with_text("\n")


_EDITS: Mapping[str, Callable[[LineDraft], LineDraft]] = {
    **dict.fromkeys(("\x1b[D", "\x02"), _left),
    **dict.fromkeys(("\x1b[C", "\x06"), _right),
    **dict.fromkeys(("\x1bb", "\x1b[1;5D", "\x1b[1;3D"), _word_left),
    **dict.fromkeys(("\x1bf", "\x1b[1;5C", "\x1b[1;3C"), _word_right),
    **dict.fromkeys(("\x1b[H", "\x1b[1~", "\x01"), _start),
    **dict.fromkeys(("\x1b[F", "\x1b[4~", "\x05"), _end),
    **dict.fromkeys(("\x7f", "\b"), _back),
    **dict.fromkeys(("\n", "\x1b\r", "\x1b\n"), _new_line),
    "\x1b[3~": _delete,
    "\x17": _word,  # Ctrl-W
    "\x15": _cut_head,  # Ctrl-U
    "\x0b": _cut_tail,  # Ctrl-K
}


def _shortened(text: str) -> str:
    """*text* without its last character and the marks that belong to it."""
    while text and _is_mark(text[-1]):
        text = text[:-1]
    return text[:-1]


def _is_mark(char: str) -> bool:
    return bool(unicodedata.combining(char)) or char in "\ufe0e\ufe0f\u200d"
