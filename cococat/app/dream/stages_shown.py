"""How far a dream has come: a bar beside what is printed, or lines of JSON for the chat that looks on from outside."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TextIO, TypeAlias

from cococat.core.events import Emit, Event, Notice
from cococat.ui.lines.theme import write_now
from cococat.ui.screen.progress import Bars, Tell, stages

Show: TypeAlias = Callable[[str, int, int], bool]  # what is done, how much of it, of how much (0: nobody knows); shown
TYPE = "stage"  # of a line that no event makes: this process and its child alone use it


@contextmanager
def stages_beside(emit: Emit, *, shown: bool = True) -> Iterator[tuple[Show, Emit]]:
    """Give what shows a dream's stages as a bar, and *emit* so that the bar is out of its way."""
    with stages("dreaming", shown=shown) as bar:

        def emit_alone(event: Event) -> None:
            if isinstance(event, Notice):
                with bar.aside():
                    emit(event)
                return
            bar.hide()
            emit(event)

        yield bar.show, emit_alone


def as_lines(out: TextIO) -> Show:
    """Return what writes each stage as a line on *out*, between those of the events; from any thread."""

    def show(what: str, done: int, total: int) -> bool:
        write_now(out, json.dumps({"type": TYPE, "what": what, "done": done, "total": total}) + "\n")
        return True

    return show


def shown_line(row: Mapping[str, object], show: Show) -> bool:
    """Show the stage that *row* tells of; return whether it does."""
    match row:
        case {"type": "stage", "what": str(what), "done": int(done), "total": int(total)}:
            show(what, done, total)
            return True
        case _:
            return False


def bars_of(show: Show) -> Bars:
    """Return bars that are stages to *show*."""

    @contextmanager
    def bars(what: str, *, shown: bool = True) -> Iterator[Tell]:
        del shown
        show(what, 0, 0)
        yield lambda done, total: show(what, done, total)

    return bars
