"""The process of a server: lines in, lines out, what it wrote to stderr; ended with everything it started."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

from cococat.safety.terminal import safe
from cococat.system.private import private_dir
from cococat.system.sealed import seal
from cococat.system.text import clip

__all__ = ["MAX_BYTES", "Inside", "Program", "TooLong"]

MAX_BYTES = 8 << 20  # of one message
MAX_STDERR = 64 << 10  # bytes of it that are kept
MAX_LINE = 200  # characters of a line that is shown
CLOSE_S, TERM_S = 1.0, 0.9  # seconds from the end of its input to TERM, and from that to KILL: 2 at most
EXIT_S = 0.5  # for the exit code of one whose output has ended
HANDED_ON = ("PATH", "HOME", "USER", "SHELL", "TERM", "LANG", "TMPDIR", "SYSTEMROOT")


class TooLong(Exception):
    """A message of more than MAX_BYTES bytes."""


class Inside(Exception):
    """The program is found in the folder that is worked in, and nowhere else; its message is the path."""


class Program:
    """
    A server that is a program.

    Args:
        argv: an argument that is `.` is handed on as *root*; nothing else is expanded.
        env: names of variables that it gets besides HANDED_ON.
        folder: where it runs, one with nothing in it: what lies in the user's folder starts or configures nothing.
        root: the folder that tools see.
    """

    def __init__(self, argv: Sequence[str], env: Sequence[str], folder: Path, root: Path) -> None:
        self._argv = [argv[0], *(str(root) if word == "." else word for word in argv[1:])]
        self._names, self._folder, self._root = env, folder, root
        self._process: Process | None = None
        self._stderr = bytearray()
        self._reading: asyncio.Task[None] | None = None
        self.noise = ""  # the last line of its output that was no message

    async def start(self) -> None:
        """
        Start it.

        Raises:
            FileNotFoundError: there is no such program. Inside: the one that there is is not run.
            OSError: it cannot be started.
        """
        environ: Mapping[str, str] = os.environ
        env = {name: environ[name] for name in (*HANDED_ON, *self._names) if name in environ}
        program, env["PATH"] = self._found(env.get("PATH", os.defpath))
        seal()
        self._process = await asyncio.create_subprocess_exec(
            program,
            *self._argv[1:],
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            cwd=private_dir(self._folder),
            env=env,
            start_new_session=True,
            limit=MAX_BYTES,
        )
        self._reading = asyncio.create_task(self._keep_stderr(self._process))

    def _found(self, path: str) -> tuple[str, str]:
        """
        Return the program, and of *path* what does not lead into the folder that is worked in.

        Raises: FileNotFoundError, Inside: see `start`.
        """
        name = self._argv[0]
        outside = os.pathsep.join(entry for entry in path.split(os.pathsep) if not self._is_inside(entry))
        found = shutil.which(name, path=outside)
        if found and (Path(name).is_absolute() or not self._is_inside(found)):
            return found, outside
        if inside := found or shutil.which(name, path=path):
            raise Inside(os.path.realpath(inside))
        raise FileNotFoundError(name)

    def _is_inside(self, path: str) -> bool:
        """Return whether *path* leads into the folder that is worked in; one that holds the home folder is the user's own."""
        home = Path(os.environ.get("HOME", ""))
        own = [home.resolve(), *home.resolve().parents] if home.is_absolute() else []
        folders = {self._root.resolve(), Path.cwd().resolve()}.difference(own)
        return not Path(path).is_absolute() or any(Path(path).resolve().is_relative_to(one) for one in folders)

    async def lines(self) -> AsyncIterator[bytes]:
        """
        Read what it says, line by line, until it ends.

        Raises: TooLong: a line is, and nothing behind it can be read.
        """
        assert self._process is not None
        assert self._process.stdout is not None
        while True:
            try:
                line = await self._process.stdout.readline()
            except ValueError:
                raise TooLong from None
            if not line:
                return
            yield line

    async def write(self, line: bytes) -> None:
        """
        Say a line.

        Raises: OSError: it does not listen any more.
        """
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(line + b"\n")
        await self._process.stdin.drain()

    async def exit_code(self) -> int | None:
        """Return its exit code, negative for a signal, once its output has ended; None while it runs."""
        if self._process and self._process.returncode is None:
            await asyncio.wait({asyncio.ensure_future(self._process.wait())}, timeout=EXIT_S)
        return self._process.returncode if self._process else None

    def stderr(self, count: int) -> list[str]:
        """Return the last *count* lines of what it wrote to stderr, harmless and clipped."""
        lines = self._stderr.decode("utf-8", "replace").splitlines()
        return [clip(safe(line).strip(), MAX_LINE) for line in lines if line.strip()][-count:]

    async def stop(self) -> None:
        """End it: its input first, then TERM, then KILL to its whole group; 2 seconds at most."""
        process = self._process
        if process is None:
            return
        try:
            if process.stdin:
                process.stdin.close()
            await self._ended_within(process, CLOSE_S)
            if process.returncode is None:
                self._signal(process, signal.SIGTERM)
                await self._ended_within(process, TERM_S)
        finally:
            self._signal(process, signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
            if self._reading:
                self._reading.cancel()
            # what it left behind may hold its output open for ever
            process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001 - asyncio has no public way

    async def _ended_within(self, process: Process, seconds: float) -> None:
        """Wait for the end of the process itself: what it started may go on with its output."""
        end = asyncio.get_running_loop().time() + seconds
        while process.returncode is None and asyncio.get_running_loop().time() < end:  # noqa: ASYNC110 - asyncio tells of the end of its output
            await asyncio.sleep(0.01)

    def _signal(self, process: Process, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                process.terminate()
            else:
                os.killpg(process.pid, number)

    async def _keep_stderr(self, process: Process) -> None:
        assert process.stderr is not None
        while data := await process.stderr.read(4096):
            self._stderr += data
            del self._stderr[:-MAX_STDERR]
