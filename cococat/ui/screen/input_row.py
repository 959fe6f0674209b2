"""The input row below a turn that runs: what is queued, and the draft with its cursor."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rich.text import Text

from cococat.safety.terminal import safe
from cococat.ui.lines.columns import cut, one_line
from cococat.ui.lines.paint import paint
from cococat.ui.screen.draft import LineDraft
from cococat.ui.screen.region import rows_of

PROMPT = "> "
HINT = "typed now, Enter queues it"  # stands in an empty row
MAX_ROWS = 5  # of a draft
QUEUED = 3  # lines of the queue that are shown


@dataclass(frozen=True, slots=True)
class InputRow:
    """
    Rows for the foot of the live rows.

    Args:
        up: how many rows above the last one the cursor stands.
        column: where it stands in its row, in cells.
        begun: something was typed.
    """

    rows: tuple[Text, ...]
    up: int = 0
    column: int = 0
    begun: bool = True


def input_row(
    draft: LineDraft, queued: Iterable[str], width: int, behind: Iterable[str] = (), toolbar: str = ""
) -> InputRow:
    """Return the rows of *draft*, of the lines that wait before and *behind* it, and the *toolbar*, for *width* cells."""
    waiting = list(queued)
    below = [f"  then     {one_line(text)}" for text in behind][:QUEUED] + ([toolbar] if toolbar.strip() else [])
    foot = [paint(((cut(text, width), "dim"),)) for text in below]
    rows = [paint(((cut(f"  queued   {one_line(text)}", width), "dim"),)) for text in waiting[-QUEUED:]]
    if not draft.text:
        empty = paint(((PROMPT, "tool"), (cut(HINT, width - len(PROMPT)), "dim")))
        return InputRow((*rows, empty, *foot), len(foot), len(PROMPT), begun=False)
    room = max(1, width - len(PROMPT))
    shown = [row.plain for line in safe(draft.text).split("\n") for row in rows_of(Text(line), room)]
    before = [row for line in safe(draft.text[: draft.at]).split("\n") for row in rows_of(Text(line), room)]
    place, column = len(before) - 1, before[-1].cell_len
    if column >= room and place + 1 < len(shown):
        place, column = place + 1, 0
    first = max(0, min(place - MAX_ROWS + 1 + 1, len(shown) - MAX_ROWS))
    part = shown[first : first + MAX_ROWS]
    marks = [(PROMPT, "tool") if not first + at else (" " * len(PROMPT), "") for at in range(len(part))]
    drawn = [paint((mark, (words, ""))) for mark, words in zip(marks, part, strict=True)]
    up = len(foot) + len(part) - 1 - (place - first)
    return InputRow((*rows, *drawn, *foot), up, min(len(PROMPT) + column, width - 1))
