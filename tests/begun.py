"""A command that runs while a test does something else, forked from the warm parent; its face is that of `subprocess.Popen`.

Public: begin, Begun, living.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Self

from tests.forks import warm

PATIENCE_S = 60


class Begun:
    """`cococat WORDS` that reads *stdin* or nothing, its stdout a pipe or *stdout*, its stderr kept until the end."""

    def __init__(
        self, words: list[str], env: Mapping[str, str], cwd: Path | None, stdout: int | None, stdin: int | None
    ) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with this
        source, sink = os.pipe()
        nothing = os.open(os.devnull, os.O_RDONLY)
        streams = (nothing if stdin is None else stdin, sink if stdout is None else stdout, self._errors.fileno())
        self._job = warm().start(words, streams, env, cwd or Path.cwd())
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
) -> Begun:
    """Begin `cococat WORDS` in this environment, and *env*."""
    return Begun([*map(str, words)], {**os.environ, **(env or {})}, cwd, stdout, stdin)


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
