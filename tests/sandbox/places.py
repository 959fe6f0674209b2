"""A folder, and the `ask` that runs commands there, on a machine that gives one tier of the box.

Public: TIERS, Place.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from cococat.sandbox.box import find
from tests.sandbox.machines import on
from tests.scripted import Server

TIERS = {"namespaces": "as it is", "bubblewrap": "no namespaces", "landlock": "a container"}  # and where it is the best
PATIENCE_S = 20


class Place:
    """A root, a folder for temporary files, and the `ask` that runs commands there."""

    def __init__(self, base: Path, home: Path, tier: str) -> None:
        self.root, self.temporary = base / "root", base / "temporary"
        self.root.mkdir()
        self.temporary.mkdir()
        self.mounts = Path("/proc/self/mountinfo").read_text()
        self._env = {**os.environ, "COCOCAT_HOME": str(home), "TMPDIR": str(self.temporary)}
        if not find([tier]):
            pytest.skip(f"no {tier} here")
        if not (line := on(TIERS[tier], [sys.executable, "-m", "cococat"])):
            pytest.skip(f"no {tier} here")
        self._line = line

    def ask(self, server: Server, *flags: str) -> subprocess.Popen[str]:
        """Begin a question."""
        words = ("--base-url", server.base_url, "-m", "x", "--mode", "react", "--permission", "edits", *flags, "go")
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([*self._line, "ask", *words], cwd=self.root, env=self._env, text=True, **pipes)

    def running(self) -> list[int]:
        """The processes that are in the root, or hold it in their command line; a command sees it by its path."""
        return [int(entry.name) for entry in Path("/proc").glob("[0-9]*") if self._is_in(entry)]

    def lines(self) -> list[str]:
        """Their command lines."""
        with suppress(OSError):
            return [Path(f"/proc/{number}/cmdline").read_text().replace("\0", " ") for number in self.running()]
        return self.lines()

    def _is_in(self, entry: Path) -> bool:
        try:
            return str(self.root) in f"{(entry / 'cwd').readlink()}{(entry / 'cmdline').read_text()}"
        except OSError:
            return False

    def left(self) -> list[str]:
        """What is in the root and the temporary folder when all has ended that the kernel ends; longer it would not take."""
        until = time.monotonic() + PATIENCE_S
        while self.running() and time.monotonic() < until:
            pass
        assert self.mounts == Path("/proc/self/mountinfo").read_text()
        return [*self.lines(), *(path.name for folder in (self.root, self.temporary) for path in folder.iterdir())]
