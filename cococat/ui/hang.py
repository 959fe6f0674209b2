"""Wrapping of our own lines: at words, with what follows below the column that it began in."""

from __future__ import annotations

from collections.abc import Iterator

from cococat.ui.format import Line, plain

__all__ = ["hang"]

MIN_ROOM = 20  # columns below which the terminal itself wraps


def hang(line: Line, column: int, width: int) -> tuple[Line, ...]:
    """Return *line* as rows of at most *width* cells; all but the first are indented by *column*."""
    from rich.cells import cell_len

    if width - column < MIN_ROOM or cell_len(plain(line)) <= width:
        return (line,)
    places = list(_places(plain(line), column, width))
    return tuple(
        (*(((" " * column, ""),) if start else ()), *_slice(line, start, end)) for start, end in places if start < end
    )


def _places(text: str, column: int, width: int) -> Iterator[tuple[int, int]]:
    """Where the rows of *text* start and end; the blanks at which it is broken belong to none."""
    from rich.cells import get_character_cell_size

    start, used, blank = 0, 0, -1
    for at, char in enumerate(text):
        cells = get_character_cell_size(char)
        if char == " " and at >= column and at > start:
            blank = at
        if used + cells > width and char != " ":
            end = blank if blank > start else at
            yield start, end
            start = end + 1 if end == blank else end
            used = column + sum(get_character_cell_size(left) for left in text[start:at])
            blank = -1
        used += cells
    yield start, len(text)


def _slice(line: Line, start: int, end: int) -> Line:
    """The pieces of *line* from one character to another."""
    pieces: list[tuple[str, str]] = []
    at = 0
    for text, style in line:
        part = text[max(0, start - at) : max(0, end - at)]
        pieces += [(part, style)] if part else []
        at += len(text)
    return tuple(pieces)
