"""A folder, and the `ask` that runs commands there, on a machine that gives one tier of the box.

Public: TIERS, Place, begin_on.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from cococat.sandbox.box import find
from tests.begun import Begun, begin, eventually
from tests.scripted import Server

TIERS = {"namespaces": "as it is", "bubblewrap": "no namespaces", "landlock": "a container"}  # and where it is the best
MACHINES = "tests.sandbox.machines"


def begin_on(machine: str, *words: object, **options: Any) -> Begun:
    """Begin `cococat WORDS` on *machine*; a skip where this one cannot play it."""
    if not _can_be(machine):
        pytest.skip(f"this machine cannot be made to {machine!r}")
    return begin(machine, *words, module=MACHINES, **options)


@cache
def _can_be(machine: str) -> bool:
    """Whether this machine can be made to *machine*."""
    with begin(machine, "--version", module=MACHINES) as tried:
        return tried.ended()[0] == 0


class Place:
    """A root, a folder for temporary files, and the `ask` that runs commands there."""

    def __init__(self, base: Path, home: Path, tier: str) -> None:
        self.root, self.temporary = base / "root", base / "temporary"
        self.root.mkdir()
        self.temporary.mkdir()
        self.mounts = Path("/proc/self/mountinfo").read_text()
        self._env = {"COCOCAT_HOME": str(home), "TMPDIR": str(self.temporary)}
        self._machine = TIERS[tier]
        if not find([tier]):
            pytest.skip(f"no {tier} here")

    def ask(self, server: Server, *flags: str) -> Begun:
        """Begin a question."""
        words = ("--base-url", server.base_url, "-m", "x", "--mode", "react", "--permission", "edits", *flags, "go")
        return begin_on(self._machine, "ask", *words, cwd=self.root, env=self._env)

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
        """What is in the root and the temporary folder when all has ended that the kernel ends."""
        eventually(lambda: not self.running(), self.lines)
        assert self.mounts == Path("/proc/self/mountinfo").read_text()
        return [path.name for folder in (self.root, self.temporary) for path in folder.iterdir()]
