"""What dreams did behind the user's back, shown once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cococat.config import Folders
from cococat.core.events import DreamFinished
from cococat.errors import StorageError
from cococat.memory.file.versions import RUNS
from cococat.system.private import open_private, private_dir

if TYPE_CHECKING:
    from cococat.memory.file.versions import PastRun

_LATE = 1 << 14  # bytes of the list of runs that the newest ones fill
SEEN = "seen_dreams"  # how many bytes of the list of runs the user has seen


def take_unread(folders: Folders) -> tuple[str, ...]:
    """Return what dreams did, or want to do, since the user looked last; each is shown once."""
    try:
        seen, size = _seen(folders), _size(folders)
        if size == seen:
            return ()
        from cococat.memory.file import versions

        fresh = versions.runs(folders.memory, behind=seen)
        standing = {entry.number for entry in versions.log(folders.memory) if not entry.undone}
        # no atomic write: half a number only shows a dream once more
        with open(private_dir(folders.state) / SEEN, "w", encoding="ascii", opener=open_private) as file:
            file.write(str(size))
    except (StorageError, OSError):
        return ()
    shown = [run for run in fresh if (run.dream in standing if run.dream else run.tokens)]
    return tuple(line for run in shown for line in _as_lines(run, folders))


def mark_seen(folders: Folders) -> None:
    """Note that the user has just seen the receipt of the newest run."""
    take_unread(folders)


def with_facts(folders: Folders, finished: DreamFinished) -> DreamFinished:
    """Return *finished* with what it changed, fact by fact, beside the user's own words."""
    from cococat.memory.file.find_lines import facts_of

    if finished.outcome != "changed" or not finished.dream:
        return finished
    first = next((run.first for run in _newest(folders) if run.dream == finished.dream), 0)
    return replace(finished, facts=facts_of(folders.memory, finished.dream, first))


def _newest(folders: Folders) -> list[PastRun]:
    """Return the runs of late, the newest first."""
    from cococat.memory.file import versions

    try:
        return list(reversed(versions.runs(folders.memory, behind=max(0, _size(folders) - _LATE))))
    except (StorageError, OSError):
        return []


def _as_lines(run: PastRun, folders: Folders) -> list[str]:
    from cococat.memory.file.find_lines import facts_of
    from cococat.ui.lines import format as fmt

    facts = facts_of(folders.memory, run.dream, run.first) if run.outcome == "changed" else ()
    return [f"since last time: {run.receipt}", *map(fmt.plain, fmt.facts(facts, 0 if run.first else run.dream))]


def _size(folders: Folders) -> int:
    try:
        return (folders.memory / RUNS).stat().st_size
    except FileNotFoundError:
        return 0


def _seen(folders: Folders) -> int:
    try:
        return int((folders.state / SEEN).read_text("ascii"))
    except (OSError, ValueError):
        return 0
