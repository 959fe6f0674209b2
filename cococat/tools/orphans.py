"""What a call leaves behind: processes that lost their parent, in a session and an environment of their own, say."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from cococat.safety.secrets import redact
from cococat.system.sealed import adopting
from cococat.system.text import clip

COMMAND = "COCOCAT_COMMAND"  # holds the command, which `pkill -f` would find among the arguments of its own shell

SWEEPS = 100
BETWEEN_SWEEPS_S = 0.003
MAX_NAMED = 5
LOOKS = 10  # at a process without a name
NAME_CHARS = 80
ENDS = 0x4  # PF_EXITING, in the ninth field of /proc/PID/stat


class Orphans:
    """
    The processes that become ours while one call runs, because whoever started them has ended.

    What is new among our children since calls began to run is theirs; of several that run side by side,
    which only read, the last one sees to it. Linux alone lets a process adopt; elsewhere there are none.
    """

    def __init__(self) -> None:
        if not _open:
            _adopting.enter_context(adopting())
        self.others: frozenset[int] = _open[0].others if _open else frozenset(_children())
        _open.append(self)

    def named(self, own: int) -> list[str]:
        """Return the command lines of those that live; *own* is the process of the call itself."""
        names = list(filter(None, map(_name, self.living(own))))
        more = len(names) - MAX_NAMED
        return [*names[:MAX_NAMED], f"{more} more"] if more > 0 else names

    def end(self, own: int) -> None:
        """Kill them, and whatever of theirs is orphaned by that."""

        def kill() -> bool:
            found = self.living(own)
            for number in found:
                with contextlib.suppress(OSError):
                    os.kill(number, signal.SIGKILL)
            return bool(found)

        until_none(kill, SWEEPS)

    def close(self) -> None:
        """Adopt nobody any more; may be called again."""
        if self in _open:
            _open.remove(self)
        if not _open:
            _adopting.close()

    def living(self, own: int) -> list[int]:
        """Return the adopted that live, and let those that have ended go."""
        if len(_open) > 1:
            return []
        numbers = [number for number in _children() if number != own and number not in self.others]
        return [number for number in numbers if not _reaped(number)]


def until_none(kill: Callable[[], bool], looks: int) -> None:
    """Let *kill* end what it finds until two looks in a row find nothing, or after so many *looks*."""
    clean = 0
    for _ in range(looks):
        clean = 0 if kill() else clean + 1
        if clean == 2:  # noqa: PLR2004 - said above
            return
        time.sleep(BETWEEN_SWEEPS_S)


_open: list[Orphans] = []  # of the calls that run now
_adopting = contextlib.ExitStack()  # for as long as there are any: it is a matter of the whole process


def _children() -> Iterator[int]:
    """Return the processes whose parent we are, as far as the system tells."""
    with contextlib.suppress(OSError):
        for file in Path("/proc/self/task").glob("*/children"):
            with contextlib.suppress(OSError):  # a thread that has ended
                yield from map(int, file.read_text().split())


def _reaped(number: int) -> bool:
    try:
        return os.waitpid(number, os.WNOHANG)[0] == number
    except OSError:
        return True


def _name(number: int) -> str:
    """
    Return the command line of process *number*, which it has not in the moment of turning into another program.

    A shell that still is the one of the call says nothing by it: it may turn into another program as well. Empty for a
    process that ends already: the first one of a namespace, such as bwrap's, takes some time over that.
    """
    shell = ""
    for _ in range(LOOKS):
        with contextlib.suppress(OSError):
            line = Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            name = " ".join(redact(line, ()).split())
            shell = "a part of the command" if COMMAND in name else ""
            if name and not shell:
                return clip(name, NAME_CHARS)
            if int(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[6]) & ENDS:
                return ""
        time.sleep(BETWEEN_SWEEPS_S)
    return shell or f"process {number}"
