"""What files held before a tool changed them, kept so that a change can be taken back.

Only what write_file and edit_file change is kept: what a command of run_shell does to files is not
recorded, and no version control is run behind the user's back.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from cococat.core.tools import ToolFailure
from cococat.permissions.paths import Parts
from cococat.system.below import Folder, folder_below, new_in
from cococat.system.private import open_private, private_dir
from cococat.tools.access import display_path

MAX_FILE = 10 << 20  # bytes of one file
MAX_KEPT = 100 << 20  # bytes of all sessions together
UNDO = "undo"  # the folder below the state folder


@dataclass(frozen=True, slots=True)
class Preimage:
    """
    One change of one file.

    Args:
        turn: the number of the user's question in its session, from 1.
        number: counts the changes of the session, from 1.
        root: the folder that the tools worked in.
        path: below *root*.
        before: sha256 of the bytes before, empty when there was no file.
        after: sha256 of the bytes that were written; only a file that still has it may be put back.
        mode: permission bits before.
    """

    turn: int
    number: int
    root: str
    path: Parts
    before: str
    after: str
    mode: int


class Preimages:
    """
    Keeps pre-images of one turn.

    Args:
        state: the folder of cococat's own state; need not exist.
        session: whose changes these are.
        turn: the number of the question they are made for.
        root: the folder that the tools work in.
    """

    def __init__(self, state: Path, session: str, turn: int, root: Path, *, max_bytes: int = MAX_KEPT) -> None:
        self._state, self._session, self._turn, self._root, self._max_bytes = state, session, turn, str(root), max_bytes

    @contextlib.contextmanager
    def keeping(self, parts: Parts, before: bytes | None, after: bytes, mode: int) -> Iterator[None]:
        """
        Keep *before* while the file is replaced by *after*, and for good when that works.

        Raises: ToolFailure: it cannot be kept; the file must stay as it is.
        """
        try:
            name = self._keep(parts, before, after, mode)
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise ToolFailure(
                f"what {display_path(parts)} holds cannot be kept for an undo ({why}); nothing is changed"
            ) from error
        try:
            yield
        except BaseException:
            with contextlib.suppress(OSError), folder_below(self._state, (UNDO, self._session)) as folder:
                folder.remove(name)
            raise

    def _keep(self, parts: Parts, before: bytes | None, after: bytes, mode: int) -> str:
        if before is not None and len(before) > MAX_FILE:
            raise OSError(0, f"larger than {MAX_FILE >> 20} MiB")
        private_dir(self._state / UNDO / self._session)
        with folder_below(self._state, (UNDO, self._session)) as folder:
            number = max((number for _, number in _names(folder)), default=0) + 1
            held = "" if before is None else _sha(before)
            image = Preimage(self._turn, number, self._root, parts, held, _sha(after), mode & 0o777)
            name = f"{image.turn:06}-{image.number:06}"
            with new_in(folder, name) as file:
                file.write(json.dumps(asdict(image)).encode() + b"\n" + (before or b""))
                file.flush()
                os.fsync(file.fileno())
        self._drop_oldest()
        return name

    def _drop_oldest(self) -> None:
        """Make room: the oldest go first, the newest always stays."""
        found = []
        for entry in _entries(self._state / UNDO, folders=True):
            for file in _entries(Path(entry.path)):
                with contextlib.suppress(OSError):
                    status = file.stat(follow_symlinks=False)
                    found.append((status.st_mtime_ns, file.name, file.path, status.st_size))
        total = sum(size for *_, size in found)
        for _, _, path, size in sorted(found)[:-1]:
            if total <= self._max_bytes:
                return
            with contextlib.suppress(OSError):
                Path(path).unlink()
            total -= size


def kept_preimages(state: Path, session: str) -> tuple[tuple[Preimage, bytes | None], ...]:
    """Return the changes of *session*, oldest first, each with the bytes before it; damaged ones are left out."""
    found = []
    with contextlib.suppress(OSError), folder_below(state, (UNDO, session)) as folder:
        for turn, number in sorted(_names(folder), key=lambda one: one[1]):
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                found.append(_read(folder, f"{turn:06}-{number:06}"))
    return tuple(found)


def forget(state: Path, session: str, turn: int | None = None) -> None:
    """
    Delete what is kept of *session*, of one turn or of all.

    Raises: OSError: some of it is still there.
    """
    with contextlib.suppress(FileNotFoundError), folder_below(state, (UNDO, session)) as folder:
        for taken, number in _names(folder):
            if turn in (None, taken):
                folder.remove(f"{taken:06}-{number:06}")
    if turn is None:
        with contextlib.suppress(FileNotFoundError):
            (state / UNDO / session).rmdir()


def _read(folder: Folder, name: str) -> tuple[Preimage, bytes | None]:
    with os.fdopen(open_private(folder.name(name), os.O_RDONLY, folder=folder.fd), "rb") as file:
        head, data = json.loads(file.readline()), file.read()
    image = Preimage(**{**head, "path": tuple(head["path"])})
    if image.before and _sha(data) != image.before:
        raise ValueError(name)
    return image, data if image.before else None


def _names(folder: Folder) -> list[tuple[int, int]]:
    """Turn and number of every pre-image in *folder*."""
    pairs = [entry.name.split("-") for entry in folder.entries()]
    return [(int(pair[0]), int(pair[1])) for pair in pairs if len(pair) == 2 and all(map(str.isdecimal, pair))]  # noqa: PLR2004 - TURN-NUMBER


def _entries(path: Path, *, folders: bool = False) -> list[os.DirEntry[str]]:
    """Files in *path*, or folders; never links."""
    with contextlib.suppress(OSError), os.scandir(path) as found:
        return [e for e in found if (e.is_dir if folders else e.is_file)(follow_symlinks=False)]
    return []


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
