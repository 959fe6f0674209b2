"""Wrapping of our own lines: at words, with what follows below the column that it began in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cococat.ui.lines.columns import cells
from cococat.ui.lines.format import Line, plain

INDENT = 2
MIN_ROOM = 20  # columns below which the terminal itself wraps
_JOINTS = "/?&=_-"  # behind these a word is broken that is wider than a row
# no row begins with what closes the one before it, nor ends with what opens the next
_CLOSERS = frozenset(".,;:!?)]}…、。」』】〉》\uff0c\uff0e\uff01\uff1f\uff1a\uff1b\uff09")
_OPENERS = frozenset(" 「『【〈《\uff08")
# scripts without blanks between their words: they break at any character
_SPACED = re.compile(r"[^ \u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\uff00-\uff60\U00020000-\U0003ffff]+")
_UNSPACED = re.compile(r"[\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\uff00-\uff60\U00020000-\U0003ffff]")


def wrap_line(line: Line, column: int, width: int) -> tuple[Line, ...]:
    """Return *line* as rows of at most *width* cells; all but the first are indented by *column*."""
    from rich.cells import cell_len

    if width - column < MIN_ROOM or cell_len(plain(line)) <= width:
        return (line,)
    found = list(wrap_points(plain(line), column, width, keep=column))
    return tuple(
        (*(((" " * column, ""),) if start else ()), *_slice(line, start, end)) for start, end in found if start < end
    )


def lead(line: Line) -> int:
    """Return the column below which a line of no columns goes on: that of its words, else two."""
    words = plain(line)
    return len(words) - len(words.lstrip(" ")) or INDENT


def wrap_rows(text: str, column: int, width: int) -> list[str]:
    """Return one line of text as rows, as `wrap_line` does; the rows are as wide as they must be where there is hardly room."""
    return [plain(row) for row in wrap_line(((text, ""),), column, width)]


def wrap_columns(row: str, width: int) -> list[str]:
    """
    Return a row of a report broken at words, below the last of its columns that leaves half of the screen and room for each word.

    A word that is wider than that, a path say, is left to the terminal: what is copied of it has no break.
    """
    if cells(row) <= width:
        return [row]
    ends = (gap.end() for gap in re.finditer(r"(?<=\S) {2,}(?=\S)", row))
    columns = sorted({lead(((row, ""),)), *(end for end in ends if cells(row[:end]) <= width // 2)}, reverse=True)
    for column in columns:
        if all(cells(word) <= width - cells(row[:column]) for word in row[column:].split()):
            return [part.rstrip() for part in wrap_rows(row, column, width)]
    return [row]


def wrap_whole(text: str, column: int, width: int) -> list[str]:
    """Return one line of text as rows that are broken at blanks alone: what is too wide, a path say, can be copied."""
    rows = [""]
    for word in text.split(" "):
        row = f"{rows[-1]} {word}" if rows[-1].strip() or not word else f"{rows[-1]}{word}"
        if rows[-1].strip() and cells(row) > width:
            rows.append(" " * column + word)
        else:
            rows[-1] = row
    return rows


def wrap_points(text: str, column: int, width: int, used: int = 0, keep: int = 0) -> Iterator[tuple[int, int]]:
    """
    Yield where the rows of *text* start and end; the blank at which it is broken belongs to none.

    Args:
        column: where all rows but the first begin.
        used: cells of the first row that are taken.
        keep: characters at the beginning that no row ends in.
    """
    if text.isascii():
        yield from _ascii_places(text, column, width, used, keep)
        return
    from rich.cells import get_character_cell_size

    start, gap, begun, unspaced = 0, -1, used > 0, False
    for at, char in enumerate(text):
        cells = get_character_cell_size(char)
        before, unspaced = unspaced, cells == 2 and bool(_UNSPACED.match(char))  # noqa: PLR2004 - columns
        apart = char == " " or ((unspaced or before) and text[at - 1] not in _OPENERS)
        if apart and char not in _CLOSERS and at >= keep and (at > start or used):
            gap = at
        if used + cells > width and char != " ":
            if gap > start and text[gap] != " " and _is_lonely(text, start, gap, width - column):
                begun, end = False, _within(text, gap, at)
            else:
                end = gap if gap >= start else start if begun else _within(text, start, at)
            begun = False
            yield start, end
            start = end + (text[end] == " ")
            used = column + sum(get_character_cell_size(left) for left in text[start:at])
            gap = -1
        used += cells
    yield start, len(text)


def _ascii_places(text: str, column: int, width: int, used: int, keep: int) -> Iterator[tuple[int, int]]:
    """The same where a character is a cell: as fast as finding blanks."""
    start, room, begun = 0, width - used, used > 0
    while len(text) - start > room:
        end = text.rfind(" ", max(start + (not begun), keep), start + room + 1)
        if end < 0:
            end = start if begun else _within(text, start, start + max(room, 1))
            yield start, end
            start = end
        else:
            yield start, end
            start = end + len(text[end:]) - len(text[end:].lstrip(" "))
        room, begun = width - column, False
    yield start, len(text)


def _is_lonely(text: str, start: int, gap: int, room: int) -> bool:
    """Return whether a break at *gap* leaves a row half empty, and what follows there is broken anyway."""
    word = _SPACED.match(text, gap)
    return cells(text[start:gap]) * 2 < room and word is not None and cells(word[0]) > room


def _within(text: str, start: int, end: int) -> int:
    """Return where a word is broken of which a row holds no more than from *start* to *end*."""
    half = (start + end) // 2
    end = max((at + 1 for mark in _JOINTS if (at := text.rfind(mark, half, end)) >= 0), default=end)
    while end > max(half, start + 1) and text[end] in _CLOSERS:
        end -= 1
    return end


def _slice(line: Line, start: int, end: int) -> Line:
    """The pieces of *line* from one character to another."""
    pieces: list[tuple[str, str]] = []
    at = 0
    for text, style in line:
        part = text[max(0, start - at) : max(0, end - at)]
        pieces += [(part, style)] if part else []
        at += len(text)
    return tuple(pieces)
