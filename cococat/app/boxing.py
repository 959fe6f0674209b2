"""The box of a session's commands: found once, made for each command, looked after when it has ended."""

from __future__ import annotations

import errno
import math
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from cococat.config import Folders, Settings
from cococat.errors import UsageError
from cococat.tools.run_shell import Enclosed, Outside

if TYPE_CHECKING:
    from cococat.sandbox.bounds import Bounds
    from cococat.sandbox.box import Box
    from cococat.sandbox.survey import Survey

_ERRORS = ("EACCES", "EPERM", "EROFS", "ENETUNREACH", "ECONNREFUSED")
_WALLS = (  # what a program prints that has met one: by words, by names as node and others do, as getaddrinfo and curl
    *(os.strerror(getattr(errno, name)) for name in _ERRORS),
    *(*_ERRORS, "EAI_AGAIN", "ENOTFOUND"),
    *("Temporary failure in name resolution", "Could not resolve host", "Couldn't connect to server"),
)
_WORD = re.compile(r"[\w.+-]+")
NOT_FOUND = 127  # exit code of a shell that finds no such program
LAST = 300  # characters in which it names it
MAX_ENTRIES = 50_000  # of a folder that is looked through before a command; behind it there may be more
PRIVATE = "cococat-box-"  # how the names of folders begin that commands see as /tmp
JUST_NOW_S = 60
INSIDE = "in the box: it writes only below this folder and in /tmp, and reads no other files of the user"


@dataclass(slots=True)
class Boxing:
    """
    What lasts from one command to the next.

    What a command made that would make other programs run goes to `aside` in the folder of the state.
    """

    settings: Settings
    folders: Folders
    root: Path
    _box: Box | None = None
    _private: Path | None = None
    _lock: int = -1  # of that folder, so that others know it is in use
    _holds: bool | None = None

    @property
    def box(self) -> Box:
        """The box that there is here, as the settings want it; looked for once."""
        if self._box is None:
            from cococat.sandbox.box import NONE, find

            self._box = NONE if self.settings.sandbox.mode == "off" else find(place=self._temporary())
        return self._box

    @property
    def word(self) -> str:
        """How commands run here, in a few words."""
        if self.settings.sandbox.mode == "off":
            return "off; commands run as you would run them"
        if not self.holds():
            return "none here; commands run as you would run them, and ask"
        return f"{self.box.tier}; commands run in it, and in `edits` and `auto` they do not ask"

    def require(self) -> None:
        """
        Find out whether there is a box, where one is required.

        Raises: UsageError: there is none, and why.
        """
        if self.settings.sandbox.mode == "require" and not self.holds():
            failed = (
                "; ".join(f"{tier}: {why}" for tier, why in self.box.failed) or f"{self.root} cannot be held in one"
            )
            raise UsageError(
                f"no box for commands here: {failed}", "`cococat doctor` tells what mends it; or --no-sandbox"
            )

    @property
    def is_known_to_hold(self) -> bool:
        """Whether `holds` was asked, and said yes."""
        return bool(self._holds)

    def holds(self) -> bool:
        """Return whether a command of this folder runs in a box; looked at once."""
        if self._holds is None:
            seen = self._survey() if self.box else None
            self._holds = seen is not None and self._bounds(seen, self.root, network=False) is not None
        return self._holds

    def __call__(self, argv: Sequence[str], outside: Outside, beside: int) -> Enclosed | None:
        """Return how to run *argv* in the box; None where it runs outside, as the user agreed to or wants it."""
        if outside == "files" or not self.holds():
            return None
        from cococat.permissions.unasked import names_no_program
        from cococat.sandbox.aside import put_aside

        network = self.settings.sandbox.network or outside == "network"
        before = self._survey()
        here = self._bounds(before, self._tmp(), network=network) if before else None
        if before is None or here is None:
            words = ["/bin/sh", "-c", "echo 'this folder no longer fits into the box' >&2; exit 125"]
            return Enclosed(words, str, lambda *_: "")

        def end() -> str:
            after = self._survey(math.inf)
            place, held = self.folders.state / "aside", self.box.tier != "landlock"
            return put_aside(self.root, before, after, place, names_no_program, held=held) if after else ""

        def wall(code: int, text: str) -> str:
            told = f"{INSIDE}{'' if network else '; no network but a loopback of its own'}"
            unseen = _unseen(text[-LAST:], here.root, *here.read) if code == NOT_FOUND else ""
            return unseen or (told if any(mark in text for mark in _WALLS) else "")

        alone, joins = self.box.tier in ("namespaces", "bubblewrap"), self.box.tier == "namespaces" and not network
        words = self.box.words(replace(here, beside=beside if joins else 0), argv)
        return Enclosed(words, end, wall, alone, joins)

    def close(self) -> None:
        """Remove what commands kept in their /tmp."""
        if self._private:
            shutil.rmtree(self._private, ignore_errors=True)
            os.close(self._lock)
            self._private = None

    def _tmp(self) -> Path:
        if self._private is None:
            import fcntl

            place = self._temporary()
            for left in place.glob(f"{PRIVATE}*"):
                _remove_left(left)
            self._private = Path(os.path.realpath(tempfile.mkdtemp(prefix=PRIVATE, dir=place)))
            self._lock = os.open(self._private, os.O_RDONLY)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        return self._private

    def _temporary(self) -> Path:
        """Where temporary files go; where the system has only the user's folder for that, or none, below the state."""
        with suppress(FileNotFoundError):
            if (place := Path(tempfile.gettempdir())) != Path.cwd():
                return place
        with suppress(OSError):  # who makes a folder in it says what is wrong
            (self.folders.state / "tmp").mkdir(0o700, parents=True, exist_ok=True)
        return self.folders.state / "tmp"

    def _bounds(self, seen: Survey, private: Path, *, network: bool) -> Bounds | None:
        """What a command may touch; None where the box cannot keep that."""
        from cococat.sandbox.bounds import bounds

        folders, own = self.folders, self.settings.sandbox
        ours = (folders.sessions, folders.memory, folders.state, folders.cache, folders.config_file.parent)
        here = bounds(self.root, seen, ours, private, network=network, read=own.read, write=own.write)
        return here if here and self.box.holds(here) else None

    def _survey(self, most: float = MAX_ENTRIES) -> Survey | None:
        from cococat.permissions.paths import secret, triggers
        from cococat.sandbox.survey import survey

        return survey(self.root, secret, triggers, most)


def _remove_left(folder: Path) -> None:
    """Remove the /tmp of a session that was killed: nobody holds it, and it was not made just now."""
    import fcntl

    with suppress(OSError):
        seen = folder.lstat()
        if not stat.S_ISDIR(seen.st_mode) or seen.st_uid != os.geteuid() or time.time() - seen.st_mtime < JUST_NOW_S:
            return
        handle = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder)
        finally:
            os.close(handle)


def _unseen(text: str, *seen: str) -> str:
    """Tell of a program that *text* misses though there is one, where the box does not look: in none of the folders *seen*."""
    from cococat.sandbox.bounds import is_below

    programs = {name: shutil.which(name) for name in sorted({*_WORD.findall(text)})}
    unseen = {name: file for name, file in programs.items() if file and not is_below(os.path.realpath(file), seen)}
    return f"in the box, which does not show {', '.join(unseen.values())}" if unseen else ""
