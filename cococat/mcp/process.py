"""A server that is a program: started, talked with by lines, ended with everything it started."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from cococat.errors import ServerError
from cococat.mcp.messages import MAX_BYTES, TooLong, shallow, trimmed
from cococat.safety.terminal import safe
from cococat.system.private import private_dir
from cococat.system.sealed import seal
from cococat.system.text import clip

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

MAX_STDERR = 64 << 10  # bytes of it that are kept
MAX_LINE = 200  # characters of a line that is shown
CLOSE_S, TERM_S = 1.0, 0.9  # seconds from the end of its input to TERM, and from that to KILL: 2 at most
EXIT_S = 0.5  # for the exit code of one whose output has ended
HANDED_ON = ("PATH", "HOME", "USER", "SHELL", "TERM", "LANG", "TMPDIR", "SYSTEMROOT")


class Program:
    """
    The program of the server *name*.

    Args:
        argv: an argument that is `.` is handed on as *root*; nothing else is expanded.
        env: names of variables that it gets besides HANDED_ON.
        folder: where it runs, one with nothing in it: what lies in the user's folder starts or configures nothing.
        root: the folder that tools see.
    """

    def __init__(self, name: str, argv: Sequence[str], env: Sequence[str], folder: Path, root: Path) -> None:
        self._name, self._argv = name, [argv[0], *(str(root) if word == "." else word for word in argv[1:])]
        self._variables, self._folder, self._root = env, folder, root
        self._process: Process | None = None
        self._stderr = bytearray()
        self.noise = ""  # the last line of its output that was no message
        self.ended = False  # by itself

    @asynccontextmanager
    async def streams(self) -> AsyncIterator[TransportStreams]:
        """
        Start it and hand its messages on; it is stopped at the end, whatever happens.

        Raises: ServerError: there is no such program, or the one that there is is not run. OSError: it does not start.
        """
        import anyio
        from mcp.shared.message import SessionMessage
        from mcp.types import jsonrpc_message_adapter

        to_client, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outgoing, from_client = anyio.create_memory_object_stream[SessionMessage](0)
        stopping = False
        gone = (anyio.BrokenResourceError, anyio.ClosedResourceError)  # the session ended first
        self._process = process = await self._start()
        assert process.stdin
        assert process.stdout
        reader, writer = process.stdout, process.stdin

        async def read() -> None:
            with suppress(*gone):
                async with to_client:
                    while line := await _line(reader):
                        try:
                            # not `validate_json`, which refuses half a surrogate pair, as a file's name may hold
                            message = jsonrpc_message_adapter.validate_python(json.loads(shallow(line)), by_name=False)
                        except ValueError:
                            self.noise = line.decode("utf-8", "replace").strip() or self.noise
                            continue
                        await to_client.send(trimmed(SessionMessage(message)))
                    self.ended |= not stopping

        async def write() -> None:
            try:
                async with from_client:
                    async for sent in from_client:
                        line = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
                        writer.write(line.encode() + b"\n")
                        await writer.drain()
            except gone:
                pass
            except OSError:
                self.ended = True
                to_client.close()  # it listens no more: whoever waits for an answer must not wait for ever

        async with anyio.create_task_group() as group:
            group.start_soon(read)
            group.start_soon(write)
            group.start_soon(self._keep_stderr, process)
            try:
                yield incoming, outgoing
            finally:
                stopping = True
                with anyio.CancelScope(shield=True):
                    await self._stop(process)
                group.cancel_scope.cancel()
                incoming.close()
                outgoing.close()

    async def exit_code(self) -> int | None:
        """Return its exit code, negative for a signal, once its output has ended; None while it runs."""
        if self._process and self._process.returncode is None:
            await asyncio.wait({asyncio.ensure_future(self._process.wait())}, timeout=EXIT_S)
        return self._process.returncode if self._process else None

    def stderr(self, count: int) -> list[str]:
        """Return the last *count* lines of what it wrote to stderr, harmless and clipped."""
        lines = self._stderr.decode("utf-8", "replace").splitlines()
        return [clip(safe(line).strip(), MAX_LINE) for line in lines if line.strip()][-count:]

    async def _start(self) -> Process:
        env = {name: os.environ[name] for name in (*HANDED_ON, *self._variables) if name in os.environ}
        program, env["PATH"] = self._found(env.get("PATH", os.defpath))
        seal()
        return await asyncio.create_subprocess_exec(
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

    def _found(self, path: str) -> tuple[str, str]:
        """Return the program, and of *path* what does not lead into the folder that is worked in."""
        name, key = self._argv[0], f"mcp.servers.{self._name}.command"
        outside = os.pathsep.join(entry for entry in path.split(os.pathsep) if not self._is_inside(entry))
        found = shutil.which(name, path=outside)
        if found and (Path(name).is_absolute() or not self._is_inside(found)):
            return found, outside
        if inside := found or shutil.which(name, path=path):
            why = f"its program is one of the folder you work in: write {os.path.realpath(inside)} if you mean that one"
            raise ServerError(f"mcp {self._name}: {why}", f"correct {key}")
        raise ServerError(f"mcp {self._name}: there is no program {name!r} on PATH", f"install it, or correct {key}")

    def _is_inside(self, path: str) -> bool:
        """Return whether *path* leads into the folder that is worked in; one that holds the home folder is the user's own."""
        home = Path(os.environ.get("HOME", ""))
        own = [home.resolve(), *home.resolve().parents] if home.is_absolute() else []
        folders = {self._root.resolve(), Path.cwd().resolve()}.difference(own)
        return not Path(path).is_absolute() or any(Path(path).resolve().is_relative_to(folder) for folder in folders)

    async def _stop(self, process: Process) -> None:
        """End it: its input first, then TERM, then KILL to its whole group; 2 seconds at most."""
        try:
            if process.stdin:
                process.stdin.close()
            await _ended_within(process, CLOSE_S)
            if process.returncode is None:
                _signal(process, signal.SIGTERM)
                await _ended_within(process, TERM_S)
        finally:
            _signal(process, signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
            # what it left behind may hold its output open for ever
            process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001 - asyncio has no public way

    async def _keep_stderr(self, process: Process) -> None:
        assert process.stderr is not None
        while data := await process.stderr.read(4096):
            self._stderr += data
            del self._stderr[:-MAX_STDERR]


async def _line(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readline()
    except ValueError:
        raise TooLong from None  # nothing behind it can be read


async def _ended_within(process: Process, seconds: float) -> None:
    """Wait for the end of the process itself: what it started may go on with its output."""
    end = asyncio.get_running_loop().time() + seconds
    while process.returncode is None and asyncio.get_running_loop().time() < end:  # noqa: ASYNC110 - asyncio tells of the end of its output
        await asyncio.sleep(0.01)


def _signal(process: Process, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.terminate()
        else:
            os.killpg(process.pid, number)
