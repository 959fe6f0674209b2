"""Names of sessions: ULIDs, which sort by time and never become a path unchecked."""

from __future__ import annotations

import os
import re
from pathlib import Path

from cococat.errors import StorageError, UsageError

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LENGTH = 26
_WORD = re.compile("[0-9A-HJKMNP-TV-Z]{1,26}")
_NAMED = 5  # sessions named in a message


def new_id(now_s: float) -> str:
    """Return a ULID: 48 bits of milliseconds since 1970, then 80 bits of chance."""
    milliseconds = min(max(int(now_s * 1000), 0), (1 << 48) - 1)
    number = milliseconds << 80 | int.from_bytes(os.urandom(10), "big")
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(5 * (_LENGTH - 1), -1, -5))


def log_path(folder: Path, session_id: str) -> Path:
    """
    Return where the log of *session_id* is.

    Raises: UsageError: it is no id.
    """
    if len(session_id) != _LENGTH or not _WORD.fullmatch(session_id):
        raise UsageError(f"{session_id[:80]!a} is no session id", "list them: cococat sessions list")
    return folder / f"{session_id}.jsonl"


def all_ids(folder: Path) -> list[str]:
    """
    Return the ids of every log in *folder*, oldest first.

    Raises: StorageError: the folder cannot be read.
    """
    try:
        found = os.listdir(folder)  # noqa: PTH208 - a Path for each of 10,000 names takes ten times as long
    except FileNotFoundError:
        return []
    except OSError as error:
        message = f"the sessions cannot be read: {error.strerror} ({folder})"
        raise StorageError(message, f"check the folder: ls -ld '{folder}'") from error
    return sorted(filter(_WORD.fullmatch, (name[:_LENGTH] for name in found if name[_LENGTH:] == ".jsonl")))


def find(folder: Path, prefix: str) -> str:
    """
    Return the id of the one session whose id begins with *prefix*, in capitals or not.

    Raises: UsageError: none or several do; the message names them, or the nearest.
    """
    wanted = prefix.strip().upper()
    if not _WORD.fullmatch(wanted):
        message = f"{prefix[:80]!a} is no session id: 1 to {_LENGTH} of the characters {_ALPHABET}"
        raise UsageError(message, "list them: cococat sessions list")
    ids = all_ids(folder)
    match [name for name in ids if name.startswith(wanted)]:
        case [one]:
            return one
        case []:
            raise UsageError(f"no session begins with {wanted}{_nearest(wanted, ids)}", "cococat sessions list")
        case several:
            names = ", ".join(several[-_NAMED:])
            more = f" and {len(several) - _NAMED} more" if len(several) > _NAMED else ""
            raise UsageError(f"{len(several)} sessions begin with {wanted}: {names}{more}", "give more of the id")


def _nearest(wanted: str, ids: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(wanted, {name[: len(wanted)] for name in ids}, n=3, cutoff=0.7)
    full = [name for name in ids if name[: len(wanted)] in near]
    return f"; did you mean {' or '.join(full[-3:])}?" if full else ""
