"""A program in a real pseudo-terminal, and what its user sees."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import pexpect
import pyte

from tests import canary
from tests.forks import can_be_warm, warm
from tests.screens import screen_rows
from tests.ui.reflow import ReflowScreen

ROOT = Path(__file__).resolve().parent.parent.parent
PATIENCE_S = 60  # a machine may be busy with three other runs of the suite


class Forked:
    """A program on a terminal of its own, forked from the warm parent; what pexpect gives of a program it starts."""

    def __init__(self, module: str, words: list[str], env: Mapping[str, str], size: tuple[int, int]) -> None:
        self.child_fd, end = os.openpty()
        self.setwinsize(*size)
        self._job = warm().start(words, (end, end, end), env, Path.cwd(), module=module, terminal=True)
        os.close(end)
        self.pid = self._job.pid
        self.closed = False

    @property
    def exitstatus(self) -> int | None:
        """The exit code; None while it runs, and where a signal ended it."""
        code = self._job.wait(0.001)
        return code if code is None or code >= 0 else None

    @property
    def signalstatus(self) -> int | None:
        """The signal that ended it, if one did."""
        code = self._job.wait(0.001)
        return -code if code is not None and code < 0 else None

    def setwinsize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.child_fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def send(self, keys: str | bytes) -> None:
        os.write(self.child_fd, keys.encode() if isinstance(keys, str) else keys)

    def read_nonblocking(self, size: int, timeout: float) -> bytes:
        if not select.select([self.child_fd], [], [], timeout)[0]:
            raise pexpect.TIMEOUT("nothing was printed")
        try:
            chunk = os.read(self.child_fd, size)
        except OSError:  # how Linux tells the end of a terminal
            chunk = b""
        if not chunk:
            raise pexpect.EOF("it is over")
        return chunk

    def isalive(self) -> bool:
        return self._job.wait(0.001) is None

    def kill(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def wait(self) -> int | None:
        return self._job.wait(PATIENCE_S)

    def close(self, force: bool = False) -> None:
        """Hang up and wait for the end; *force* does not rely on its good will."""
        if not self.closed:
            os.close(self.child_fd)
            self.closed = True
        if self._job.wait(0.001 if force else PATIENCE_S) is None:
            self.kill(signal.SIGKILL)
            self.wait()


def _child(module: str, words: list[str], env: Mapping[str, str], size: tuple[int, int], cold: bool) -> Any:
    whole = {**os.environ, "PYTHONPATH": str(ROOT), **env}
    if not cold and can_be_warm(env):
        return Forked(module, words, whole, size)
    child = pexpect.spawn(sys.executable, ["-m", module, *words], env=whole, dimensions=size, timeout=PATIENCE_S)
    child.delaybeforesend = None
    child.ptyproc.delayafterclose = 0
    return child


class PseudoTerminal:
    """Runs `python -m MODULE WORDS` and answers its questions about the cursor, as terminals do; *cold*: from scratch."""

    def __init__(
        self,
        module: str,
        *words: object,
        env: Mapping[str, str] | None = None,
        rows: int = 24,
        columns: int = 160,
        cold: bool = False,
    ) -> None:
        self.raw = b""
        self.screen = ReflowScreen(columns, rows, history=2000)
        self.screen.write_process_input = lambda text: self.child.send(text.encode())
        self._stream = pyte.ByteStream(self.screen)
        given = {"TERM": "xterm-256color", **(env or {})}
        self.child = _child(module, [*map(str, words)], given, (rows, columns), cold)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.child.isalive():
            self.child.kill(signal.SIGKILL)  # at once: the polite way takes half a second a test
            self.child.wait()
        self.child.close()

    @property
    def text(self) -> str:
        """The rows of the screen, right-stripped."""
        return "\n".join(screen_rows(self.screen)).rstrip()

    def resize(self, columns: int) -> None:
        """Make the window narrower or wider: its rows are broken anew, then the program is told."""
        self.screen.reflow(columns)
        self.child.setwinsize(self.screen.lines, columns)

    def press(self, keys: str | bytes) -> None:
        self.child.send(keys)

    def until(self, wanted: str | Callable[[str], bool]) -> str:
        """Read until the screen shows *wanted*; gives the screen."""
        seen = wanted if callable(wanted) else lambda text: wanted in text
        deadline = time.monotonic() + PATIENCE_S
        while not seen(self.text):
            if time.monotonic() > deadline or not self._read():
                raise AssertionError(f"never saw {wanted!r}; the screen is:\n{self.text}")
        return self.text

    def leave(self) -> int:
        """Read to the end and give the exit code."""
        while self._read():
            pass
        self.child.close()
        return self.child.exitstatus if self.child.exitstatus is not None else 128 + self.child.signalstatus

    def _read(self) -> bool:
        try:
            chunk = self.child.read_nonblocking(65536, timeout=PATIENCE_S)
        except (pexpect.EOF, pexpect.TIMEOUT):
            return False
        canary.absent("what the terminal was sent", self.raw[-99:] + chunk)
        self.raw += chunk
        self._stream.feed(chunk)
        return True
