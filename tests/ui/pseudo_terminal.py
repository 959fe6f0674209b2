"""A program in a real pseudo-terminal, and what its user sees."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self

import pexpect
import pyte

ROOT = Path(__file__).resolve().parent.parent.parent
PATIENCE_S = 20


class PseudoTerminal:
    """Runs `python -m MODULE WORDS` and answers its questions about the cursor, as terminals do."""

    def __init__(
        self, module: str, *words: object, env: Mapping[str, str] | None = None, rows: int = 24, columns: int = 160
    ) -> None:
        self.raw = b""
        self.screen = pyte.HistoryScreen(columns, rows, history=2000)
        self.screen.write_process_input = lambda text: self.child.send(text.encode())
        self._stream = pyte.ByteStream(self.screen)
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", module, *map(str, words)],
            env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **(env or {})},
            dimensions=(rows, columns),
            timeout=PATIENCE_S,
        )
        self.child.delaybeforesend = None
        self.child.ptyproc.delayafterclose = 0

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
        return "\n".join(row.rstrip() for row in self.screen.display).rstrip()

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
        self.raw += chunk
        self._stream.feed(chunk)
        return True
