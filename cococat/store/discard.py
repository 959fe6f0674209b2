"""What becomes of sessions that are no longer wanted: which those are, and how one is deleted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from cococat.errors import StorageError
from cococat.store.ids import find, log_path
from cococat.store.listing import SessionInfo
from cococat.store.log import LogFile

__all__ = ["delete", "outdated"]


def delete(folder: Path, prefix: str, before: Callable[[str], None] | None = None) -> str:
    """
    Delete the session whose id begins with *prefix*, and give its id.

    Args:
        before: deletes what belongs to the session elsewhere; it is called once nobody else can open it.

    Raises:
        UsageError: no such session, or another process writes it.
        StorageError: it cannot be deleted.
    """
    path = log_path(folder, find(folder, prefix))
    file = LogFile(path, new=False)
    try:
        if before and not file.problem:
            before(path.stem)
        file.remove()
    except OSError as error:
        message = f"session {path.stem} cannot be deleted: {error.strerror or error} ({path})"
        raise StorageError(message, f"check who may write there: ls -ld '{folder}'") from error
    finally:
        file.close()
    return path.stem


def outdated(
    infos: Sequence[SessionInfo], *, before: float = 0, keep: int = 0, most: int = 0
) -> tuple[SessionInfo, ...]:
    """
    Choose the sessions that are more than is to be kept.

    Args:
        infos: all of them, the one used last first.
        before: seconds since 1970; those not used since are too old. 0: none is.
        keep: how many may stay; 0: any number.
        most: bytes that those which stay may have together; 0: any size.
    Returns: what one of the limits rules out, oldest first; size alone never rules out the one used last.
    """
    stay = 0
    total = 0
    for info in infos:
        total += info.size
        if info.updated < before or (keep and stay >= keep) or (most and total > most and stay):
            break
        stay += 1
    return tuple(reversed(infos[stay:]))
