"""What dreams did behind the user's back, shown once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cococat.config import Folders
from cococat.core.events import DreamFinished
from cococat.errors import StorageError
from cococat.memory.state import read_state
from cococat.system.private import open_private, private_dir

if TYPE_CHECKING:
    from cococat.memory.versions import Entry

__all__ = ["mark_seen", "unseen"]

SEEN = "last_seen_dream"


def unseen(places: Folders) -> tuple[str, ...]:
    """Return what dreams did, or want to do, since the user looked last; each is shown once."""
    try:
        seen = _seen(places)
        if read_state(places.memory).dreams <= seen:
            return ()
        from cococat.memory import versions

        entries = versions.log(places.memory)
        if entries and entries[-1].number > seen:
            # no atomic write: half a number only shows a dream once more
            target = private_dir(places.state) / SEEN
            with open(target, "w", encoding="ascii", opener=open_private) as file:
                file.write(str(entries[-1].number))
    except (StorageError, OSError):
        return ()
    fresh = (entry for entry in entries if entry.number > seen and entry.kind in ("dream", "held"))
    return tuple(_as_line(entry) for entry in fresh if not entry.undone)


def mark_seen(places: Folders, finished: DreamFinished) -> None:
    """Note that the user has just seen the receipt of this dream."""
    if finished.dream:
        unseen(places)


def _as_line(entry: Entry) -> str:
    from cococat.memory.receipt import difference

    counts = f"{difference(entry.added, entry.removed)} lines"
    cost = f"{entry.steps} steps · {entry.tokens:,} tokens"
    if entry.kind == "held":
        return f"a dream would change the memory: {counts} · {cost} · look and decide: cococat dream --review"
    return f"remembered since last time: {counts} · {cost} · undo: cococat dream undo {entry.number}"


def _seen(places: Folders) -> int:
    try:
        return int((places.state / SEEN).read_text("ascii"))
    except (OSError, ValueError):
        return 0
