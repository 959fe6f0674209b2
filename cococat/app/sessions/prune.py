"""Commands that change the sessions on disk: delete, prune, repair.

Deleting a session deletes its log, what was set aside of it, what its tools kept of files and outputs, and
its text in the caches. `delete` takes back what was said in it, too: no dream reads it any more, and lines of the memory
that rest on it alone are named. `prune` is housekeeping: what was said stays for the next dream.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from cococat.app.dream.orphaned_lines import unfounded
from cococat.app.output import agree, note, out
from cococat.app.sessions.browse import local_minute
from cococat.config import Folders, Settings, find_folders
from cococat.errors import CococatError, StorageError, UsageError
from cococat.memory.dream.retract import retract_session
from cococat.store import full_text, sessions
from cococat.store.ids import find
from cococat.store.listing import SessionInfo, list_sessions, unlist
from cococat.system.atomic import sweep
from cococat.tools import kept_outputs, preimages
from cococat.ui.lines.columns import cut, one_line
from cococat.ui.screen.progress import Bars, progress

DAY_S = 86_400
SHOWN = 20  # sessions that are named before a question
TITLE = 50  # columns


@dataclass(frozen=True, slots=True)
class Keep:
    """What `prune` leaves; 0 sets no limit, None leaves it to the settings."""

    days: float | None = None
    count: int | None = None
    bytes: int | None = None

    def or_of(self, settings: Settings) -> Keep:
        """Take what is not given from the settings."""
        own = settings.sessions
        return Keep(
            own.keep_days if self.days is None else self.days,
            own.keep_count if self.count is None else self.count,
            own.keep_bytes if self.bytes is None else self.bytes,
        )


def delete(folders: Folders, wanted: Sequence[str], *, yes: bool) -> int:
    """
    Delete sessions.

    Raises:
        UsageError: there is no such session, or it is open; those named before it are gone.
        ConsentError: nobody agreed.
        StorageError: one cannot be deleted.
    """
    ids = list(dict.fromkeys(find(folders.sessions, prefix) for prefix in wanted))
    known = {info.id: info for info in list_sessions(folders.sessions, folders.cache)}
    if not yes:
        rows = [_row(known[name]) if name in known else name for name in ids]
        _ask(rows, f"delete {_sessions(len(ids))} for good?")
    done: list[str] = []
    try:
        done.extend(
            sessions.delete(folders.sessions, name, partial(_take_back, folders)) for name in ids
        )  # as far as it gets
    finally:
        _forget(folders, done)
    out("\n".join(f"deleted {name}" for name in done))
    for line in unfounded(folders):
        note(line)
    return 0


def prune(settings: Settings, keep: Keep, *, dry_run: bool, yes: bool, bars: Bars = progress) -> int:
    """
    Delete the sessions that are more than is to be kept.

    Raises:
        UsageError: nothing says how much that is.
        ConsentError: nobody agreed.
        StorageError: one cannot be deleted.
    """
    folders = find_folders(os.environ)
    limits = keep.or_of(settings)
    if not (limits.days or limits.count or limits.bytes):
        fix = "give --older-than 30d, --keep 100 or --max-bytes 500MB, or set sessions.keep_days and its like"
        raise UsageError("nothing says what to prune", fix)
    old = _outdated(folders, limits)
    if not old:
        note("no session is more than is to be kept")
        return 0
    total = _megabytes(info.size for info in old)
    if dry_run:
        out("\n".join(map(_row, old)))
        note(f"{_sessions(len(old))} with {total} would be deleted")
        return 0
    if not yes:
        _ask([_row(info) for info in old], f"delete {_sessions(len(old))} with {total} for good?")
    done, kept = _prune(folders, old, bars)
    out(f"deleted {_sessions(len(done))} with {_megabytes(info.size for info in done)}")
    for reason in kept:
        note(f"kept: {reason}")
    return 0


def tidy(settings: Settings, folders: Folders) -> str:
    """
    Prune what the settings rule out, when they do; say so in one line, empty when there was nothing to do.

    What killed runs left half written in the cache goes as well: here, as every chat comes by, however fast it was.
    """
    sweep(folders.cache)
    limits = Keep().or_of(settings)
    if not (limits.days or limits.count or limits.bytes):
        return ""
    try:
        done, _ = _prune(folders, _outdated(folders, limits), progress)
    except CococatError as error:
        return f"old sessions cannot be deleted: {error.message}"
    return f"deleted {_sessions(len(done))}, more than [sessions] in the config keeps" if done else ""


def repair(folders: Folders, session_id: str) -> int:
    """Fix a session's log as a resume would, and print what there was to fix."""
    name = find(folders.sessions, session_id)
    notes = sessions.repair_log(folders.sessions, name)
    out("\n".join(f"{name}: {one_line(text)}" for text in notes or ("nothing to fix",)))
    return 0


def _outdated(folders: Folders, limits: Keep) -> tuple[SessionInfo, ...]:
    before = time.time() - limits.days * DAY_S if limits.days else 0
    listed = list_sessions(folders.sessions, folders.cache)
    infos = [replace(info, size=info.size + _beside(folders.sessions / f"{info.id}.files")) for info in listed]
    return sessions.outdated(infos, before=before, keep=limits.count or 0, most=limits.bytes or 0)


def _beside(files: Path) -> int:
    """Return the bytes of the pictures that a session keeps in *files*, beside its log."""
    with suppress(OSError), os.scandir(files) as found:  # most have none, and another process may delete them
        return sum(file.stat().st_size for file in found)
    return 0


def _prune(folders: Folders, old: Sequence[SessionInfo], bars: Bars) -> tuple[list[SessionInfo], list[str]]:
    """Delete all of *old* but those that are open; return those that are gone, and why others are not."""
    done: list[SessionInfo] = []
    kept: list[str] = []
    with bars("deleting sessions") as tell:
        try:
            for at, info in enumerate(old, 1):
                try:
                    sessions.delete(folders.sessions, info.id, partial(_empty, folders.state))
                    done.append(info)
                except UsageError as error:  # open, or gone since
                    kept.append(error.message)
                tell(at, len(old))
        finally:
            _forget(folders, [info.id for info in done])
    return done, kept


def _take_back(folders: Folders, session_id: str) -> None:
    """Take back what was said in a session, and delete what tools kept for it."""
    retract_session(folders.memory, session_id, now=datetime.now(UTC))
    _empty(folders.state, session_id)


def _empty(state: Path, session_id: str) -> None:
    """Delete what tools kept for a session."""
    kept_outputs.forget(state, session_id)
    preimages.forget(state, session_id)


def _forget(folders: Folders, ids: Sequence[str]) -> None:
    """
    Take deleted sessions out of the caches.

    Raises: StorageError: their text is still there.
    """
    if not ids:
        return
    try:
        full_text.forget(folders.cache, ids)
        unlist(folders.cache, ids)
    except OSError as error:
        message = f"the sessions are deleted, but their text is still in the cache: {error.strerror or error}"
        raise StorageError(message, f"delete the folder {folders.cache}") from error


def _ask(rows: Sequence[str], question: str) -> None:
    more = [f"… and {len(rows) - SHOWN} more"] if len(rows) > SHOWN else []
    agree(question, "nothing was deleted", "delete", (*rows[:SHOWN], *more))


def _row(info: SessionInfo) -> str:
    return f"{info.id}  {local_minute(info.updated)}  {_megabytes([info.size]):>9}  {cut(one_line(info.title), TITLE)}"


def _sessions(count: int) -> str:
    return f"{count:,} session{'' if count == 1 else 's'}"


def _megabytes(sizes: Iterable[int]) -> str:
    return f"{sum(sizes) / 1e6:,.1f} MB"
