"""A process in a session of its own, ended together with everything it started."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from cococat.system.sealed import seal
from cococat.tools.orphans import Orphans, until_none

_SET_NAME = 15  # PR_SET_NAME
TERM_S = 1.5  # seconds between TERM and KILL; a cancelled tool has 2 s before the loop leaves it behind
SWEEPS = 8
DRAIN_S = 0.5  # seconds for what is still on its way when a process has ended


class Child(asyncio.SubprocessProtocol):  # the way asyncio tells of a process; nothing else is inherited
    """
    A process in a session of its own.

    Args:
        take: is given each piece of its output.
        mark: an environment entry (`NAME=value`) by which descendants are known that left its group.
    """

    def __init__(self, take: Callable[[bytes], None], mark: str) -> None:
        loop = asyncio.get_running_loop()
        self._take = take
        self._mark = mark.encode()
        self._group_gone = False  # then its number may soon be somebody else's
        self._transport: asyncio.SubprocessTransport | None = None
        self._orphans = Orphans() if mark else None
        self.left: list[str] = []  # the command lines of what it left behind and was ended with it
        self.exited: asyncio.Future[None] = loop.create_future()
        self.drained: asyncio.Future[None] = loop.create_future()  # nobody holds its output open any more
        self._closed: asyncio.Future[None] = loop.create_future()

    @property
    def code(self) -> int | None:
        """Its exit code, negative for a signal; None while it runs."""
        return self._transport.get_returncode() if self._transport else None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep what the process is reached by."""
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:  # noqa: ARG002 - asyncio calls it so
        """Hand on a piece of output."""
        self._take(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio calls it so
        """Note the end of the output."""
        if fd == 1 and not self.drained.done():
            self.drained.set_result(None)

    def process_exited(self) -> None:
        """Note the exit; others may still hold the output open."""
        if not self.exited.done():
            self.exited.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio calls it so
        """Note that nothing is open any more."""
        if not self._closed.done():
            self._closed.set_result(None)

    def feed(self, data: bytes) -> None:
        """Write all of its input."""
        assert self._transport is not None
        pipe = self._transport.get_pipe_transport(0)
        if isinstance(pipe, asyncio.WriteTransport):
            pipe.write(data)
            pipe.close()

    def kill_rest(self) -> None:
        """Kill its group and whatever left the group, the process itself included."""
        own = self._transport.get_pid() if self._transport else 0
        if self._orphans and self.exited.done() and not self.left:
            self.left = self._orphans.named(own)
        if not self._group_gone:
            self._group_gone = self.exited.done()
            self._signal(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
        if self._mark and sys.platform != "win32":
            sweep(self._mark)
        if self._orphans:
            self._orphans.end(own)

    def has_left(self) -> bool:
        """Return whether something that it left behind still runs, as far as the system tells."""
        return bool(self._orphans and self._orphans.living(self._transport.get_pid() if self._transport else 0))

    async def end(self, *, patience_s: float = TERM_S) -> None:
        """
        End it with everything it started: TERM to its group, then KILL, then a sweep.

        Args:
            patience_s: seconds between TERM and KILL; 0 kills at once.
        """
        try:
            if patience_s and not self.exited.done():
                self._signal(signal.SIGTERM)
                await asyncio.wait({self.exited}, timeout=patience_s)
        finally:
            self.kill_rest()
            self.release()
        await asyncio.wait({self._closed}, timeout=DRAIN_S)

    def release(self) -> None:
        """Let go of what is held for it."""
        if self._orphans:
            self._orphans.close()
        if self._transport:
            self._transport.close()

    def _signal(self, number: int) -> None:
        assert self._transport is not None
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._transport.terminate()
            else:
                os.killpg(self._transport.get_pid(), number)


async def start(
    argv: Sequence[str] | str,
    *,
    cwd: Path,
    env: Mapping[str, str],
    take: Callable[[bytes], None],
    stdin: bytes | None = None,
    mark: str = "",
) -> Child:
    """
    Start a process with no terminal; stderr goes with stdout for a shell, nowhere for a worker.

    Args:
        argv: the program and its arguments, or the text of a command for the system's shell (Windows).
        stdin: its input; None marks a command that gets none.
    """
    withdraw()
    child = Child(take, mark)
    starting = asyncio.ensure_future(_spawn(child, argv, cwd, env, stdin))
    try:
        await asyncio.shield(starting)
    except asyncio.CancelledError:  # asyncio would kill the process alone, which may have started others already
        with contextlib.suppress(OSError):
            await starting
            await child.end(patience_s=0)
        raise
    except OSError:
        child.release()
        raise
    if stdin is not None:
        child.feed(stdin)
    return child


async def _spawn(
    child: Child, argv: Sequence[str] | str, cwd: Path, env: Mapping[str, str], stdin: bytes | None
) -> None:
    loop = asyncio.get_running_loop()
    given = DEVNULL if stdin is None else PIPE
    errors = STDOUT if stdin is None else DEVNULL
    if isinstance(argv, str):
        await loop.subprocess_shell(
            lambda: child, argv, cwd=cwd, env=env, stdin=given, stdout=PIPE, stderr=errors, start_new_session=True
        )
    else:
        await loop.subprocess_exec(
            lambda: child, *argv, cwd=cwd, env=env, stdin=given, stdout=PIPE, stderr=errors, start_new_session=True
        )


def withdraw() -> None:
    """Close this process to what it is about to start, where no command line has done so."""
    seal()
    _hide_arguments()


@functools.cache
def _hide_arguments() -> None:
    """Leave nothing of our command line by which `pkill -f WORD` would find us: it holds what the user asked."""
    if sys.platform != "linux":
        return
    import ctypes

    with contextlib.suppress(OSError, ValueError, IndexError):
        fields = Path("/proc/self/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        begin, end = map(int, fields[45:47])  # arg_start and arg_end, the first two fields left out with the name
        name = b"cococat"
        if begin and end - begin > len(name):
            ctypes.memset(begin, 0, end - begin)
            ctypes.memmove(begin, name, len(name))
            ctypes.CDLL(None).prctl(_SET_NAME, name, 0, 0, 0)


def sweep(mark: bytes) -> None:
    """
    Kill what carries *mark* in its environment; needs /proc.

    A process shows no environment in the moment it becomes another program, so one look is not enough.
    """
    until_none(lambda: _kill_marked(mark), SWEEPS)


def _kill_marked(mark: bytes) -> bool:
    """Kill every process that carries *mark*; return whether there was one."""
    own, found = os.getpid(), False
    for entry in Path("/proc").glob("[0-9]*/environ"):
        number = int(entry.parent.name)
        with contextlib.suppress(OSError):
            if number != own and mark in entry.read_bytes().split(b"\0"):
                found = True
                os.kill(number, signal.SIGKILL)
    return found
