"""Prose in rows: broken at words, each row but the first behind what the line began with."""

from __future__ import annotations

from rich.text import Text

from cococat.ui.hang import MIN_ROOM, places
from cococat.ui.inline import join
from cococat.ui.theme import STYLES

__all__ = ["wrapped"]


def wrapped(text: Text, prefix: str, width: int, used: int = 0, keep: int = 0) -> list[Text]:
    """
    Return the rows of *text*, each of at most *width* cells unless there is hardly room.

    Args:
        prefix: what the rows behind the first begin with.
        used: cells of the first row that are taken.
        keep: characters at the beginning in which no row ends.
    """
    if used + text.cell_len <= width or width - len(prefix) < MIN_ROOM:
        return [text]
    rows: list[Text] = []
    for start, end in places(text.plain, len(prefix), width, used, keep):
        row = Text(end="\n")
        if rows and prefix:
            row.append(prefix, STYLES["dim"])
        join(row, _slice(text, start, end))
        if row.cell_len > width:
            row.rstrip()
        rows.append(row)
    rows[-1].end = text.end
    return rows


def _slice(text: Text, start: int, end: int) -> Text:
    part = Text(text.plain[start:end], style=text.style, end="")
    for span in text.spans:
        if span.start < end and span.end > start:
            part.stylize(span.style, max(0, span.start - start), min(end, span.end) - start)
    return part


def broken(text: Text, width: int, prefix: str = "") -> list[Text]:
    """Return *text* in rows of at most *width* cells, however narrow, none of which has an end of its own."""
    rows: list[Text] = []
    for start, end in places(text.plain, len(prefix), width) if text.cell_len > width else [(0, len(text.plain))]:
        row = Text(prefix if rows else "", end="")
        join(row, _slice(text, start, end))
        rows.append(row)
    return rows
