"""How people begin to say something, "by the way", "como te dije": words that belong to nothing behind them."""

from __future__ import annotations

import re
from functools import cache

from cococat.memory.words import TOKEN, fold, language, simple

__all__ = ["without_openers"]

_MOST, _CHARS = 7, 80  # words of an opening, and characters that they stand in
_GAP = r"[\s,.:;…!~，、。：！～〜–—-]*"  # noqa: RUF001 - the marks of other scripts, and the dash of a clause


def without_openers(sentence: str) -> str:
    """Return *sentence* without what only leads up to it, and a greeting; whole where nothing else is said."""
    rest = sentence.lstrip()
    while (at := _opening(rest)) and TOKEN.search(rest, at):
        rest = rest[at:]
    return rest if len(rest) < len(sentence.lstrip()) else sentence


def _opening(text: str) -> int:
    """Return where the first opening of *text* ends with the marks behind it; 0 where it begins with none."""
    if found := _unspaced().match(simple(text)):
        return found.end()
    words = [*TOKEN.finditer(text, 0, _CHARS)][:_MOST]
    if not words or words[0].start():
        return 0
    for size in range(len(words), 0, -1):
        phrase = " ".join(fold(word[0]) for word in words[:size])
        end = words[size - 1].end()
        marked = text[end : end + 1] in tuple(",.:;!…") or text[end:].startswith((" -", " –", " —"))  # noqa: RUF001 - as above
        if phrase in language("openers") or (marked and phrase in language("marked_openers")):
            return len(text) - len(re.sub(f"^{_GAP}", "", text[end:]))
    return 0


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(f"(?:{'|'.join(sorted(language('cjk_openers'), key=len, reverse=True))}){_GAP}")
