"""Commands that go on running between the calls of a session: known by a name, few at a time, gone with the session."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from cococat.core.tools import Report, ToolFailure, ToolOutcome
from cococat.tools.child import sweep, withdraw
from cococat.tools.output import Output
from cococat.tools.workers import run_in_daemon, worker_words

MAX_RUNNING = 4
MAX_KNOWN = 8  # those that have ended among them, whose outputs can still be read
MAX_HELD = 1 << 20  # bytes of one output; of what comes after them, the newest few thousand characters
FIRST_WORD_S = 2.0  # that a call waits for its command to say something, or to end
MORE_S = 0.3  # that it waits for the rest of that
END_S = 5.0  # that a keeper has to end its command, which takes it 2 s where that ignores TERM
CHUNK = 1 << 16
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")  # a letter first: `output:7` is the seventh output


class Running:
    """
    A command that runs under a keeper of ours, which ends it as soon as nobody holds the other end of a pipe.

    Args:
        words: the command, as the keeper is to start it.
        env: of both; an entry of it is *mark* (`NAME=value`), by which what they started is known.
        joins: other commands can share the loopback of its box.
    """

    def __init__(
        self, words: Sequence[str], cwd: Path, env: Mapping[str, str], mark: str, *, joins: bool = False
    ) -> None:
        withdraw()
        self._mark, self.joins = mark, joins
        self._output = Output(lambda _: None, MAX_HELD)
        self._lock = threading.Lock()
        self._heard, self._over = threading.Event(), threading.Event()
        self._process = subprocess.Popen(
            [*worker_words("cococat.tools.keeper"), *words],
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        threading.Thread(target=self._read, daemon=True, name="cococat-background").start()

    @property
    def code(self) -> int | None:
        """The exit code of the command; None while it runs."""
        return self._process.poll()

    @property
    def first(self) -> int:
        """The process that the keeper started; 0 where there is none any more."""
        keeper = self._process.pid
        with contextlib.suppress(OSError, IndexError):
            return int(Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split()[0])
        return 0

    def text(self) -> str:
        """Whether it runs, and what was kept of all that it printed."""
        with self._lock:
            printed = "".join(self._output.keep_all([]))
        return f"[{'running' if self.code is None else f'exit {self.code}'}]\n{printed}".replace("\0", "\ufffd")

    def gist(self) -> str:
        """The head and the tail of what it printed."""
        with self._lock:
            return self._output.text()

    def listen(self) -> None:
        """Wait until it has ended, has said something, or is only silent."""
        if self._heard.wait(FIRST_WORD_S):
            self._over.wait(MORE_S)

    def hang_up(self) -> None:
        """Let its keeper end it, with everything that it started."""
        assert self._process.stdin
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def see_off(self) -> None:
        """Wait for the end; where no keeper is left to bring it about, kill what is found."""
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(END_S)
        if os.name != "nt" and (self.code is None or self.code < 0):
            sweep(self._mark.encode())

    def _read(self) -> None:
        """Take what it prints, also between two turns, while no loop runs: a full pipe would halt it."""
        assert self._process.stdout
        with self._process.stdout as pipe:
            while chunk := os.read(pipe.fileno(), CHUNK):
                with self._lock:
                    self._output.add(chunk)
                self._heard.set()
        self._process.wait()
        self._over.set()
        self._heard.set()


Background: TypeAlias = dict[str, Running]  # by name, the oldest first


def check_name(background: Background, name: str) -> None:
    """
    Find out whether a command may begin to run as *name*.

    Raises: ToolFailure: it may not, and why.
    """
    if not _NAME.fullmatch(name):
        raise ToolFailure("ValueError: background is a name: a letter, then at most 31 letters, digits, - or _")
    running = [each for each, one in background.items() if one.code is None]
    if name in running:
        raise ToolFailure(f"ValueError: {name} is running already; {_hint(name)}")
    if len(running) >= MAX_RUNNING:
        raise ToolFailure(
            f"ValueError: {MAX_RUNNING} commands run in the background, which is the most: {', '.join(running)}; "
            f'end one: command="" background="{running[0]}"'
        )


async def begin(background: Background, name: str, one: Running, report: Report) -> ToolOutcome:
    """Let *one* be known by *name*; tell how far it came in a moment. Cancelled meanwhile, it ends."""
    background.pop(name, None)
    ended = [each for each, other in background.items() if other.code is not None]
    for each in ended[: max(0, len(background) + 1 - MAX_KNOWN)]:
        del background[each]
    background[name] = one
    try:
        await run_in_daemon(one.listen)
    except asyncio.CancelledError:
        one.hang_up()
        raise
    said = one.gist()
    report(said)
    if one.code is not None:
        said = f"\n{said}" if said else ", no output"
        return ToolOutcome(f"exit {one.code}{said}", f"exit {one.code}", {"exit_code": one.code})
    said = f"{said.rstrip()}\n" if said else ""
    told = f"running in the background as {name}, until this session ends\n{said}[{_hint(name)}]"
    return ToolOutcome(told, f"runs in the background as {name}", {"background": name})


async def stop(background: Background, name: str) -> ToolOutcome:
    """
    End the command called *name*; what it printed can still be read.

    Raises: ToolFailure: none is called so.
    """
    if not (one := background.get(name)):
        known = ", ".join(background) or "none was started, or its session is over"
        raise ToolFailure(f"ValueError: no command of the background is called {name!r}; there are: {known}")
    if one.code is not None:
        return ToolOutcome(f"{name} had ended by itself: exit {one.code}", f"had ended: exit {one.code}")
    await run_in_daemon(lambda: end({name: one}))
    return ToolOutcome(f'{name} was ended; read_file path="output:{name}" still shows what it printed', "ended")


def end(background: Mapping[str, Running]) -> None:
    """End all of them, side by side; this takes a moment."""
    for command in background.values():
        command.hang_up()
    for command in background.values():
        command.see_off()


def _hint(name: str) -> str:
    return f'read_file path="output:{name}" shows what it prints; run_shell command="" background="{name}" ends it'
