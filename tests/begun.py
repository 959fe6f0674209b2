"""A command that runs while a test does something else, forked from the warm parent; its face is that of `subprocess.Popen`.

Public: begin, Begun, eventually, living, working_in.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Self

from tests.forks import warm

PATIENCE_S = 60


class Begun:
    """`cococat WORDS` that reads *stdin* or nothing, its stdout a pipe or *stdout*, its stderr kept until the end."""

    def __init__(
        self,
        words: list[str],
        env: Mapping[str, str],
        *,
        cwd: Path | None,
        stdout: int | None,
        stdin: int | None,
        module: str,
    ) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with this
        source, sink = os.pipe()
        nothing = os.open(os.devnull, os.O_RDONLY)
        streams = (nothing if stdin is None else stdin, sink if stdout is None else stdout, self._errors.fileno())
        self._job = warm().start(words, streams, env, cwd or Path.cwd(), module=module)
        os.close(nothing)
        os.close(sink)
        self.stdout: IO[bytes] = os.fdopen(source, "rb")
        self.pid = self._job.pid
        self.returncode: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.returncode is None:
            self.kill()
            self.wait()
        self.stdout.close()
        self._errors.close()

    @property
    def stderr(self) -> bytes:
        """What it has written there so far."""
        return os.pread(self._errors.fileno(), 1 << 20, 0)

    def send_signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float = PATIENCE_S) -> int:
        """Return the exit code, negative for a signal."""
        if self.returncode is None:
            self.returncode = self._job.wait(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout)
        return self.returncode

    def ended(self) -> tuple[int, bytes, bytes]:
        """Wait for its end; return the exit code and the rest of its streams."""
        out = self.stdout.read()
        return self.wait(), out, self.stderr


def begin(
    *words: object,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    stdout: int | None = None,
    stdin: int | None = None,
    module: str = "cococat",
) -> Begun:
    """Begin `cococat WORDS`, or another module, in this environment, and *env*."""
    whole = {**os.environ, **(env or {})}
    return Begun([*map(str, words)], whole, cwd=cwd, stdout=stdout, stdin=stdin, module=module)


def eventually(seen: Callable[[], object], shown: Callable[[], object] = str) -> None:
    """Look until it is so, as nobody tells of it, and leave the machine to whom is waited for; fails after a long while."""
    deadline = time.monotonic() + PATIENCE_S
    while not seen():
        assert time.monotonic() < deadline, f"it never was so; {shown()}"
        time.sleep(0.01)


def living(mark: str) -> list[str]:
    """Command lines of the processes that hold *mark* in theirs, zombies left out; of Linux."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        found += [line] if mark in line else []
    return found


def working_in(folder: Path) -> list[int]:
    """The processes that have *folder* for theirs; of Linux."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            found += [int(entry.name)] if (entry / "cwd").readlink() == folder else []
    return found
