"""One chat process on a pseudo-terminal, what it prints, and how it and its dream are killed.

Public: Chat, MAX_S, children, dreams.
"""

from __future__ import annotations

import os
import re
import signal
import termios
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self

from tests import launcher
from tests.forks import warm

ROOT = Path(__file__).resolve().parents[2]
MAX_S = 60.0  # what does nothing for so long is stuck; on a busy machine a dream takes 15 s to import what it needs
FOOTER = re.compile(rb"steps? \xc2\xb7 [\d.,]+k? tokens \xc2\xb7 [\d.]+ s")
PROMPT = re.compile(
    rb"\x1b\[\?2004h(?:\x1b\[\?1l)?\x1b\[\?25l"
)  # what the editor writes when it begins, and only then reads


class Chat:
    """
    A chat on a terminal of its own; a thread reads what it prints.

    Args:
        home: its COCOCAT_HOME.
        work: its root and working folder.
        session: to go on with; empty begins one.
    """

    def __init__(self, home: Path, work: Path, base_url: str, session: str) -> None:
        words = ["chat", "--base-url", base_url, "-m", "soak", "--allow", "run_shell"]
        words += ["--permission", "auto", "--root", str(work)] + (["-r", session] if session else [])
        env = {**os.environ, "COCOCAT_HOME": str(home), "PYTHONPATH": str(ROOT), "TERM": "xterm"}
        env["PROMPT_TOOLKIT_NO_CPR"] = "1"
        env.pop(launcher.VARIABLE, None)  # who dreams is a child, and can be seen and killed as one
        self.home = str(home)
        self.fd, end = os.openpty()
        termios.tcsetwinsize(end, (40, 150))
        self.job = warm().start(words, (end, end, end), env, work, terminal=True)
        self.pid = self.job.pid
        os.close(end)
        self.printed = b""
        self.changed = threading.Condition()
        self.over = False
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Kill it. A reader that outlived its terminal would take what the next chat prints: the number is used again."""
        _kill(self.pid)
        self.job.wait(MAX_S)
        self.reader.join(MAX_S)
        if self.reader.is_alive():
            raise RuntimeError("a chat was killed, and something still has its terminal open")
        os.close(self.fd)

    @property
    def footers(self) -> int:
        """Turns whose last line is on the screen."""
        return len(FOOTER.findall(self.printed))

    @property
    def prompts(self) -> int:
        """Prompts that were drawn."""
        return len(PROMPT.findall(self.printed))

    def enter(self, line: str) -> None:
        """Type *line* and Enter."""
        with suppress(OSError):
            os.write(self.fd, f"{line}\r".encode())

    def until(self, seen: Callable[[], bool]) -> bool:
        """Wait until *seen*, or until the process is over, which is what it says."""
        with self.changed:
            self.changed.wait_for(lambda: self.over or seen(), MAX_S)
        return self.over

    def kill(self, *, dream: bool) -> None:
        """Kill the process with -9; *dream*: what it has started goes first, as when a machine goes down."""
        for pid in children(self.pid) if dream else ():
            _kill(pid)
        _kill(self.pid)

    def _read(self) -> None:
        while True:
            try:
                piece = os.read(self.fd, 65536)
            except OSError:
                piece = b""
            with self.changed:
                self.printed += piece
                self.over = not piece
                self.changed.notify_all()
            if not piece:
                return


def children(pid: int) -> list[int]:
    """Return the processes that the main thread of *pid* has started and that still run."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def dreams(home: Path) -> list[int]:
    """Return the processes that dream for *home*, whoever has started them."""
    wanted = f"COCOCAT_HOME={home}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if b"dream" in words and wanted in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
