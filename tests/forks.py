"""The command as a process that need not import everything anew: a warm parent forks one for each run.

Each run is a process of its own with its own streams or terminal, environment, folder, signals and exit
code; what it saves is the 0.5 s in which an interpreter starts and libraries are imported. Tests of
start-up, of locales and of limits start the interpreter itself.

The workers of a run share one parent, which takes 4 s of CPU to get warm: whoever starts them holds it ready.

Public: warm, can_be_warm, share, Parent, Forks, Job, Ended.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple, NoReturn

from tests import launcher, pages
from tests.rehearsal import rehearse

ROOT = Path(__file__).resolve().parent.parent
LIBRARIES = (
    "openai.resources.chat.completions.completions", "openai.resources.chat.chat", "httpcore2", "anyio._backends._asyncio",
    "truststore", "jsonschema", "filelock", "concurrent.futures.thread", "difflib", "sqlite3",
    "prompt_toolkit.shortcuts", "prompt_toolkit.input.vt100", "prompt_toolkit.output.vt100",
    "rich._unicode_data.unicode17-0-0", "rich.markdown", "rich.live",
    "mcp", "mcp.client.streamable_http",
)  # fmt: skip
INTERPRETER = ("PYTHON", "LC_ALL", "LC_CTYPE", "LANG")  # how variables begin that an interpreter reads when it starts
PROGRAM = sys.executable  # in what is forked; see `tests.launcher`
SHARED = "TESTS_FORKS"  # where the parent of the run listens, and of which tree it is
PACKAGES = "PYTHONPATH"  # one of them that a fork can do as well
LATE = (PACKAGES, "PYTHON_KEYRING_BACKEND")  # the other is read by a library that no fork has imported yet


class Ended(NamedTuple):
    """How a run ended: its exit code, negative for a signal, and its streams."""

    code: int
    stdout: bytes
    stderr: bytes


class Job:
    """A process that was forked; its end comes over a connection, since it is no child of ours."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        (self.pid,) = struct.unpack("!i", _exactly(connection, 4))
        self._code: int | None = None

    def wait(self, timeout_s: float | None = None) -> int | None:
        """Return the exit code, negative for a signal; None when it has not ended in time."""
        if self._code is None:
            self._connection.settimeout(timeout_s)
            try:
                (self._code,) = struct.unpack("!i", _exactly(self._connection, 4))
            except (TimeoutError, BlockingIOError):
                return None
            self._connection.close()
        return self._code


class Parent:
    """The warm parent, a process of its own that has no threads; whoever wants a fork connects to *address*."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="cococat-forks-")
        self.address = str(Path(self._folder.name, "jobs"))
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(self.address)
        self._listening.listen(64)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Begin it; who connects before it is warm waits."""
        words = [sys.executable, "-m", "tests.forks", str(self._listening.fileno()), self._folder.name]
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("COCOCAT_", "OPENAI_"))}
        env = {**clean, "PYTHONPATH": str(ROOT)}
        listening = [self._listening.fileno()]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, pass_fds=listening, env=env, cwd=ROOT)
        self._listening.close()  # it alone listens: when it ends, who waits for it is told

    def start_when_asked(self) -> None:
        """Begin it when somebody connects."""

        def wait() -> None:
            with suppress(OSError, ValueError):  # nobody has asked, and the run is over
                select.select([self._listening], [], [])
                self.start()

        threading.Thread(target=wait, daemon=True).start()

    def close(self) -> None:
        """End it, which may still be about to begin."""
        if self._process and self._process.stdin:
            self._process.stdin.close()
            self._process.kill()
            self._process.wait()
        self._listening.close()
        self._folder.cleanup()


class Forks:
    """What has commands forked: a connection to a warm parent."""

    def __init__(self, address: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(address)

    def start(
        self,
        words: Sequence[str],
        streams: tuple[int, int, int],
        env: Mapping[str, str],
        cwd: Path | str,
        *,
        module: str = "cococat",
        terminal: bool = False,
    ) -> Job:
        """Begin `python -m MODULE WORDS`; *terminal*: the streams are one, and it will be the process's own."""
        ours, theirs = socket.socketpair()
        what = {"words": [module, *words], "env": dict(env), "cwd": str(cwd), "terminal": terminal}
        text = json.dumps(what).encode()
        socket.send_fds(self._socket, [struct.pack("!I", len(text))], [*streams, theirs.fileno()])
        self._socket.sendall(text)
        theirs.close()
        return Job(ours)

    def run(
        self,
        words: Sequence[str],
        stdin: bytes | None,
        env: Mapping[str, str],
        cwd: Path,
        timeout_s: float,
        *,
        meanwhile: Callable[[int], None] | None = None,
    ) -> Ended:
        """
        Run `cococat WORDS` to its end; *meanwhile* is called with its pid.

        Raises: subprocess.TimeoutExpired: it did not end in time and was killed.
        """
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            source = _source(stdin)
            job = self.start(words, (source, out.fileno(), err.fileno()), env, cwd)
            os.close(source)
            if meanwhile:
                meanwhile(job.pid)
            code = job.wait(timeout_s)
            if code is None:
                os.kill(job.pid, signal.SIGKILL)
                job.wait()  # or its connection would be found open in the middle of another test
                raise subprocess.TimeoutExpired(list(words), timeout_s)
            out.seek(0)
            err.seek(0)
            return Ended(code, out.read(), err.read())


def can_be_warm(env: Mapping[str, str]) -> bool:
    """Return whether a run that a test gives *env* needs no interpreter of its own."""
    return hasattr(os, "fork") and not any(name.startswith(INTERPRETER) and name not in LATE for name in env)


@cache
def warm() -> Forks:
    """Return the one connection of this process to a warm parent: to that of the run, else to one that ends with it."""
    if hasattr(os, "fork") and (shared := os.environ.get(SHARED, "")).endswith(f" {ROOT}"):
        return Forks(shared.partition(" ")[0])
    parent = Parent()
    atexit.register(parent.close)
    parent.start()
    return Forks(parent.address)


def share() -> Parent:
    """Hold a warm parent ready for the processes that this one starts; to be closed."""
    parent = Parent()
    parent.start_when_asked()
    os.environ[SHARED] = f"{parent.address} {ROOT}"
    return parent


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


def _serve(jobs: socket.socket, dreams: socket.socket) -> None:
    """Fork each job, and what the programs of jobs ask for, and tell the end to whoever began it; until stdin ends."""
    asking: list[socket.socket] = []  # the connections that jobs come over
    told: dict[int, socket.socket] = {}  # where the end of each process is told
    ended, wake = socket.socketpair()
    ended.setblocking(False)
    wake.setblocking(False)
    signal.set_wakeup_fd(wake.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)  # it only ends the wait below
    while True:
        ready, _, _ = select.select([0, jobs, ended, dreams, *asking], [], [])
        if 0 in ready:  # whoever began this one is gone
            return
        if ended in ready:
            ended.recv(4096)
            _tell(told)
        if jobs in ready:
            asking.append(jobs.accept()[0])
        own = (jobs, ended, wake, dreams, *asking)
        if dreams in ready:
            _begin(*launcher.asked(dreams), told, own)
        for connection in [one for one in asking if one in ready]:
            if job := _asked(connection):
                _begin(*job, told, own)
            else:
                asking.remove(connection)
                connection.close()


def _asked(connection: socket.socket) -> tuple[dict[str, object], list[int]] | None:
    """Return the job that comes over *connection*, and its descriptors; None when who asked is gone."""
    with suppress(ConnectionError):
        head, descriptors, _, _ = socket.recv_fds(connection, 4, 4)
        if head:
            (size,) = struct.unpack("!I", head)
            return json.loads(_exactly(connection, size)), descriptors
    return None


def _begin(
    what: Mapping[str, object],
    descriptors: Sequence[int],
    told: dict[int, socket.socket],
    own: Sequence[socket.socket],
) -> None:
    """Fork the process of a job, which has nothing of ours open."""
    *streams, teller = descriptors
    pid = os.fork()
    if pid == 0:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for one in (*own, *told.values()):
            one.close()
        os.close(teller)
        _become(what, streams)
    for stream in streams:
        os.close(stream)
    told[pid] = socket.socket(fileno=teller)
    with suppress(OSError):
        told[pid].sendall(struct.pack("!i", pid))


def _tell(told: dict[int, socket.socket]) -> None:
    """Bury what has ended, and say how."""
    for pid in [*told]:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            with told.pop(pid) as connection, suppress(OSError):
                connection.sendall(struct.pack("!i", os.waitstatus_to_exitcode(status)))


def _become(what: Mapping[str, object], streams: Sequence[int]) -> NoReturn:
    """Be the command."""
    if what["terminal"] or what.get("alone"):
        os.setsid()
    if what["terminal"]:
        import fcntl
        import termios

        fcntl.ioctl(streams[0], termios.TIOCSCTTY, 0)
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
    for descriptor in set(streams):
        os.close(descriptor)
    os.chdir(str(what["cwd"]))
    os.environ.clear()
    os.environ.update(what["env"])  # type: ignore[call-overload] # a mapping, as the other side wrote it
    if os.environ.get(launcher.VARIABLE):
        sys.executable = PROGRAM
    time.tzset()
    tempfile.tempdir = None  # it is found anew, as the environment says
    sys.path[1:1] = [
        folder for folder in os.environ.get(PACKAGES, "").split(os.pathsep) if folder not in ("", *sys.path)
    ]
    sys.argv = [*what["words"]]  # type: ignore[misc] # as above
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, "r", closefd=False)), encoding="utf-8")
    sys.stdout, sys.stderr = _writer(1), _writer(2)
    code = 99
    try:
        if sys.argv[0] == "cococat":
            importlib.import_module("cococat.__main__").main()  # it ends the process itself
        runpy.run_module(sys.argv[0], run_name="__main__")
        code = 0
    except (Exception, KeyboardInterrupt):  # noqa: BLE001 - as an interpreter does
        traceback.print_exc()
        code = 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _writer(number: int) -> io.TextIOWrapper:
    lines = number == 2 or os.isatty(number)
    errors = "backslashreplace" if number == 2 else "strict"
    buffer = io.BufferedWriter(io.FileIO(number, "w", closefd=False))
    return io.TextIOWrapper(buffer, encoding="utf-8", errors=errors, line_buffering=lines)


if __name__ == "__main__":
    ours = pkgutil.walk_packages(importlib.import_module("cococat").__path__, "cococat.")
    for module in (*(one.name for one in ours), *LIBRARIES):
        with suppress(ImportError):  # of an extra that is not installed
            importlib.import_module(module)
    rehearse()
    gc.collect()
    gc.freeze()  # what is imported is for good: no child looks through it, nor copies its pages
    pages.enlarge()
    listening, PROGRAM = launcher.listen(Path(sys.argv[2]))
    _serve(socket.socket(fileno=int(sys.argv[1])), listening)
