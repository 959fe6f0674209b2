"""What dreams did behind the user's back, shown once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cococat.config import Folders
from cococat.errors import StorageError
from cococat.memory.runs import RUNS
from cococat.system.private import open_private, private_dir

if TYPE_CHECKING:
    from cococat.memory.runs import Run

__all__ = ["mark_seen", "unseen"]

SEEN = "seen_dreams"  # how many bytes of the list of runs the user has seen


def unseen(places: Folders) -> tuple[str, ...]:
    """Return what dreams did, or want to do, since the user looked last; each is shown once."""
    try:
        seen, size = _seen(places), _size(places)
        if size == seen:
            return ()
        from cococat.memory import runs, versions

        fresh = runs.runs(places.memory, behind=seen)
        standing = {entry.number for entry in versions.log(places.memory) if not entry.undone}
        # no atomic write: half a number only shows a dream once more
        with open(private_dir(places.state) / SEEN, "w", encoding="ascii", opener=open_private) as file:
            file.write(str(size))
    except (StorageError, OSError):
        return ()
    return tuple(_as_line(run) for run in fresh if (run.dream in standing if run.dream else run.tokens))


def mark_seen(places: Folders) -> None:
    """Note that the user has just seen the receipt of the newest run."""
    unseen(places)


def _as_line(run: Run) -> str:
    return f"since last time: {run.receipt}"


def _size(places: Folders) -> int:
    try:
        return (places.memory / RUNS).stat().st_size
    except FileNotFoundError:
        return 0


def _seen(places: Folders) -> int:
    try:
        return int((places.state / SEEN).read_text("ascii"))
    except (OSError, ValueError):
        return 0
