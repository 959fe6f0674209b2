"""A list to choose from: which of its rows are meant by what was typed, and how they look."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cococat.safety.terminal import Context
from cococat.ui.lines.columns import cells, cut, cut_start, one_line

WIDE = 60  # columns from which on a row shows where a choice is from
_JOINING = re.compile("[\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")  # joiners, selectors, tones
_FLAGS = {0x1F1E6 + at: chr(ord("A") + at) for at in range(26)}  # half a flag each


@dataclass(frozen=True, slots=True)
class Choice:
    """
    One row, of foreign text that is made harmless where it is shown.

    Args:
        id: what choosing it gives.
        title: what it is called; searched.
        age: how old it is; stands before the title.
        place: the folder it is from; stands behind the title where there is room.
        words: what it began with; searched, and shown of the row that is marked.
        about: more of the row that is marked.
    """

    id: str
    title: str
    age: str = ""
    place: str = ""
    words: str = ""
    about: str = ""


def matcher(choices: Sequence[Choice]) -> Callable[[str], list[Choice]]:
    """
    Return what finds, among *choices*, those that a typed text may mean, the likeliest first.

    Each word stands in the title or the first words: as it is, or at least its letters in their order. Capitals and
    accents make no difference. Equally likely ones keep their order.
    """
    texts = [_fold(f"{choice.title} {choice.words}") for choice in choices]

    def found(typed: str) -> list[Choice]:
        wanted = _fold(typed).split()
        if not wanted:
            return list(choices)
        looks = [(word, _letters(word)) for word in wanted]
        ranks = ((_rank(text, looks), at) for at, text in enumerate(texts))
        return [choices[at] for rank, at in sorted((rank, at) for rank, at in ranks if rank is not None)]

    return found


def row(choice: Choice, width: int) -> str:
    """Return *choice* as one row of *width* columns at most."""
    begin = f"{one_line(choice.age):>9}  "
    room = width - cells(begin)
    title, place = _apart(choice.title) or "(no words)", _apart(choice.place, "exact")
    if width < WIDE or not place:
        return cut(begin + cut(title, room), width)
    place = cut_start(place, max(room // 3, room - cells(title) - 2))
    title = cut(title, room - cells(place) - 2)
    return f"{begin}{title}{' ' * (room - cells(title) - cells(place))}{place}"


def detail(choice: Choice, width: int) -> tuple[str, str]:
    """Return two rows of *width* columns at most: where *choice* is from, and what it began with."""
    about = _apart(choice.about)
    place = cut_start(_apart(choice.place, "exact"), max(width // 2, width - cells(about) - 3))
    return cut(" · ".join(filter(None, (place, about))), width), cut(_apart(choice.words or choice.title), width)


def _apart(text: str, context: Context = "prose") -> str:
    """*text* as one harmless line, without what some terminals draw as one character and others as several."""
    return _JOINING.sub("", one_line(text, context)).translate(_FLAGS)


def _rank(text: str, looks: Sequence[tuple[str, re.Pattern[str]]]) -> int | None:
    """How far the letters of the words stand apart in *text*; None when one of them is missing."""
    apart = 0
    for word, letters in looks:
        if word in text:
            continue
        spans = [hit.end() - hit.start() for hit in letters.finditer(text)]
        if not spans:
            return None
        apart += 1 + min(spans) - len(word)
    return apart


def _letters(word: str) -> re.Pattern[str]:
    """Match the letters of *word* in their order, each at its next place: never two ways, so that no text takes long."""
    first, *rest = map(re.escape, word)
    return re.compile("".join((first, *(f"[^{letter}]*{letter}" for letter in rest))))


def _fold(text: str) -> str:
    folded = text.casefold()
    if folded.isascii():
        return folded
    return "".join(char for char in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(char))
