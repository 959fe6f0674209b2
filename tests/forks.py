"""The command as a process that need not import everything anew: a warm parent forks one for each run.

Each run is a process of its own with its own streams, environment, folder, signals and exit code; what it
saves is the 0.5 s in which an interpreter starts and libraries are imported. Tests of start-up, of locales
and of terminals start the interpreter itself.

Public: Forks, Ended.
"""

from __future__ import annotations

import io
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
WARM = (
    "cococat.__main__", "cococat.cli.main", "cococat.cli.parse", "cococat.app.one_shot", "cococat.app.talk",
    "cococat.app.opening", "cococat.app.dreaming", "cococat.app.dream_command", "cococat.app.dreams",
    "cococat.app.archive", "cococat.model.client", "cococat.memory.dream", "cococat.ui.plain", "cococat.ui.jsonl",
    "cococat.tools.registry", "cococat.store.sessions", "openai", "jsonschema", "rapidfuzz.process",
)  # fmt: skip


class Ended(NamedTuple):
    """How a run ended: its exit code, negative for a signal, and its streams."""

    code: int
    stdout: bytes
    stderr: bytes


class Forks:
    """The warm parent, a process of its own that has no threads."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket = ours
        words = [sys.executable, "-m", "tests.forks", str(theirs.fileno())]
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("COCOCAT_", "OPENAI_"))}
        env = {**clean, "PYTHONPATH": str(ROOT)}
        self._parent = subprocess.Popen(words, pass_fds=[theirs.fileno()], env=env, cwd=ROOT)
        theirs.close()

    def run(
        self, words: Sequence[str], stdin: bytes | None, env: Mapping[str, str], cwd: Path, timeout_s: float
    ) -> Ended:
        """
        Run `cococat WORDS` to its end.

        Raises: subprocess.TimeoutExpired: it did not end in time and was killed.
        """
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            source = _source(stdin)
            job = json.dumps({"words": list(words), "env": dict(env), "cwd": str(cwd)}).encode()
            socket.send_fds(self._socket, [struct.pack("!I", len(job))], [source, out.fileno(), err.fileno()])
            os.close(source)
            self._socket.sendall(job)
            code = self._code(words, timeout_s)
            out.seek(0)
            err.seek(0)
            return Ended(code, out.read(), err.read())

    def _code(self, words: Sequence[str], timeout_s: float) -> int:
        (pid,) = struct.unpack("!i", _exactly(self._socket, 4))
        self._socket.settimeout(timeout_s)
        try:
            (code,) = struct.unpack("!i", _exactly(self._socket, 4))
        except TimeoutError:
            os.kill(pid, 9)
            self._socket.settimeout(None)
            _exactly(self._socket, 4)
            raise subprocess.TimeoutExpired(list(words), timeout_s) from None
        self._socket.settimeout(None)
        return int(code)

    def close(self) -> None:
        """End the parent."""
        self._socket.close()
        self._parent.wait(10)


def _source(stdin: bytes | None) -> int:
    """A descriptor to read *stdin* from: a pipe, as in a shell; None reads nothing."""
    if stdin is None:
        return os.open(os.devnull, os.O_RDONLY)
    source, sink = os.pipe()

    def write() -> None:
        with suppress(BrokenPipeError), os.fdopen(sink, "wb") as file:
            file.write(stdin)

    threading.Thread(target=write, daemon=True).start()
    return source


def _exactly(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        piece = connection.recv(size - len(data))
        if not piece:
            raise ConnectionError("the warm parent is gone")
        data += piece
    return data


def _serve(connection: socket.socket) -> None:
    """Fork once for each job, and tell its process id and its end."""
    while True:
        head, descriptors, _, _ = socket.recv_fds(connection, 4, 3)
        if not head:
            return
        (size,) = struct.unpack("!I", head)
        job = json.loads(_exactly(connection, size))
        pid = os.fork()
        if pid == 0:
            connection.close()
            _become(job, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        connection.sendall(struct.pack("!i", pid))
        _, status = os.waitpid(pid, 0)
        connection.sendall(struct.pack("!i", os.waitstatus_to_exitcode(status)))


def _become(job: Mapping[str, list[str]], descriptors: Sequence[int]) -> None:
    """Be the command; this never returns."""
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(str(job["cwd"]))
    os.environ.clear()
    os.environ.update(job["env"])  # type: ignore[arg-type] # a mapping, as the other side wrote it
    time.tzset()
    sys.argv = ["cococat", *job["words"]]
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, "r", closefd=False)), encoding="utf-8")
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w", closefd=False)), encoding="utf-8")
    err = io.BufferedWriter(io.FileIO(2, "w", closefd=False))
    sys.stderr = io.TextIOWrapper(err, encoding="utf-8", errors="backslashreplace", line_buffering=True)
    from cococat.__main__ import main

    try:
        main()
    finally:
        sys.stderr.flush()
        os._exit(99)


def _warm() -> None:
    import importlib

    for name in WARM:
        importlib.import_module(name)


if __name__ == "__main__":
    _warm()
    _serve(socket.socket(fileno=int(sys.argv[1])))
