"""The tools that run a shell command or Python code, in a session of its own that ends with it."""

from __future__ import annotations

import asyncio
import codecs
import os
import secrets
import shutil
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from cococat.core.tools import FullOutput, Report, Tool, ToolFailure, ToolOutcome, tool
from cococat.safety.secrets import Masked
from cococat.tools.changed_files import changed_files, look
from cococat.tools.child import DRAIN_S, start
from cococat.tools.kept_outputs import MAX_OUTPUT, Outputs, redacted
from cococat.tools.orphans import COMMAND
from cococat.tools.workers import command_env, run_in_daemon

__all__ = ["Commands", "python_tool", "shell_tool"]

MAX_S = 600
MAX_CODE = 100_000  # bytes; one argument of a program may be little more
KEPT_CHARS = 4000  # of the head and of the tail of the output, each
TOLD_S = 1.0  # from which the model is told how long a command took; whole seconds, so that equal results look equal
AROUND = 200  # characters that may stand above an output that is shown
SHOWN_CHARS = 64_000  # of the output that is shown while it comes
# it stands between a command and us, so that a signal to its parent is none to us; its own name is no word of a command
_BETWEEN = 'trap : TERM INT HUP; exec 3>&2 2>/dev/null; "$@" 2>&3 3>&-; exit $?'
SPARE_S = 10  # seconds that the clean-up has before the run's own limit


class _Output:
    """
    The head and the tail of an output of any length; memory stays bounded.

    Args:
        max_held: bytes from the beginning that are held besides.
    """

    def __init__(self, report: Report, max_held: int) -> None:
        self._report = report
        self._max_held = max_held
        self._first: list[bytes] = []
        self._size = 0
        self.chars = 0
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._head = ""
        self._tail: deque[str] = deque()
        self._tail_chars = 0
        self._missing = 0
        self._shown = 0
        self._ended = False

    def add(self, chunk: bytes) -> None:
        if self._ended:
            return
        text = self._decode(chunk)
        self.chars += len(text)
        if held := chunk[: max(0, self._max_held - self._size)]:
            self._first.append(held)
        self._size += len(chunk)
        self._show(text)
        room = KEPT_CHARS - len(self._head)
        self._head += text[:room]
        if rest := text[room:]:
            self._tail.append(rest)
            self._tail_chars += len(rest)
        while self._tail and self._tail_chars - len(self._tail[0]) >= KEPT_CHARS:
            dropped = len(self._tail.popleft())
            self._tail_chars -= dropped
            self._missing += dropped

    def end(self) -> None:
        """Take nothing in any more."""
        self._ended = True

    def _show(self, text: str) -> None:
        if self._shown < SHOWN_CHARS and text:
            self._report(text[: SHOWN_CHARS - self._shown])
            if self._shown + len(text) >= SHOWN_CHARS:
                self._report("\n[more output is not shown while it comes]\n")
        self._shown += len(text)

    def text(self) -> str:
        """Everything that was kept."""
        tail = "".join(self._tail)
        over = max(0, len(tail) - KEPT_CHARS)
        missing = self._missing + over
        return self._head + (f"[truncated {missing} chars]" if missing else "") + tail[over:]

    def keep_all(self, ended: list[bool]) -> Iterator[str]:
        """Everything, as far as it was held, then what is missing and the tail; *ended* stops it."""
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        held = 0
        for chunk in self._first:
            if ended:
                raise InterruptedError
            text = decode(chunk)
            held += len(text)
            yield text
        if rest := self.chars - held:
            tail = "".join(self._tail)[-rest:][-KEPT_CHARS:]
            yield (f"\n[truncated {rest - len(tail)} chars]\n" if rest > len(tail) else "") + tail


@dataclass(frozen=True, slots=True)
class Commands:
    """
    How commands are run.

    Args:
        root: where.
        default_s: seconds a command may take when the model does not say.
        outputs: where an output goes of which the model will not see all; None keeps nothing.
        limit: characters that the model will see.
        mask: finds what of the environment is secret.
        told: the names of the environment that the model knows to be left out.
    """

    root: Path
    default_s: float
    outputs: Outputs | None
    limit: int
    mask: Callable[[str], Masked]
    told: set[str]


def shell_tool(commands: Commands) -> Tool:
    """Make the tool that runs commands of a shell."""

    @tool("runs", about="command", timeout_s=MAX_S + SPARE_S)
    async def run_shell(
        command: str, report: Report, timeout_s: Annotated[int | None, {"minimum": 1, "maximum": MAX_S}] = None
    ) -> ToolOutcome:
        """Run a shell command; it has no terminal and no input."""
        if "\0" in command:
            raise ToolFailure("ValueError: a command cannot hold a NUL character; leave it out")
        if os.name == "nt":
            return await _run(commands, command, timeout_s, report)
        words = [_shell(), "-c", f'export -n {COMMAND}; eval "${COMMAND}"']
        if not words[0].endswith("bash"):
            words[2] = command
        return await _run(commands, words, timeout_s, report, command)

    return run_shell


def python_tool(commands: Commands) -> Tool:
    """Make the tool that runs Python code by the interpreter of the project."""

    @tool("runs", timeout_s=MAX_S + SPARE_S)
    async def run_python(
        code: str, report: Report, timeout_s: Annotated[int | None, {"minimum": 1, "maximum": MAX_S}] = None
    ) -> ToolOutcome:
        """Run Python code with the project's interpreter; print what you want to see."""
        if "\0" in code or len(code.encode("utf-8", "replace")) > MAX_CODE:
            raise ToolFailure(f"ValueError: code holds a NUL or more than {MAX_CODE} bytes; write a file and run that")
        return await _run(commands, [_python(commands.root), "-c", code], timeout_s, report)

    return run_python


@dataclass(frozen=True, slots=True)
class _Keep:
    """Keeps outputs of which the model will not see all."""

    outputs: Outputs | None
    limit: int

    async def __call__(self, output: _Output) -> FullOutput | None:
        """Keep *output*, and say where; None when it is short, or cannot be kept."""
        outputs, ended = self.outputs, list[bool]()
        if outputs is None or output.chars + AROUND <= self.limit:
            return None
        full = await run_in_daemon(
            lambda: outputs.write(redacted(output.keep_all(ended), outputs.redact)), stop=lambda: ended.append(True)
        )
        return replace(full, missing=output.chars - len(output.text())) if full else None


async def _run(
    commands: Commands, words: str | Sequence[str], timeout_s: int | None, report: Report, command: str = ""
) -> ToolOutcome:
    name, value = "COCOCAT_CALL", secrets.token_hex(8)
    root, seconds, outputs = commands.root, timeout_s or commands.default_s, commands.outputs
    output, keep = _Output(report, MAX_OUTPUT if outputs else 0), _Keep(outputs, commands.limit)
    env, missing = command_env(os.environ, commands.mask)
    before = await run_in_daemon(lambda: look(root))
    child = await start(
        words if isinstance(words, str) else ["/bin/sh", "-c", _BETWEEN, "sh", *words],
        cwd=root,
        env={**env, name: value, **({COMMAND: command} if command else {})},
        take=output.add,
        mark=f"{name}={value}",
    )
    began = time.monotonic()
    try:
        done, _ = await asyncio.wait({child.exited}, timeout=seconds)
        if not done:
            output.end()  # a shell says of each command in it that it was ended
            await child.end()
            late = f"TimeoutError: ended after {seconds:g} s; a larger timeout_s may help. Output:\n{output.text()}"
            raise ToolFailure(late, await keep(output))
        child.kill_rest()  # what it left in the background would hold its output open
        await asyncio.wait({child.drained}, timeout=DRAIN_S)
        code = child.code or 0
        took = time.monotonic() - began
    finally:
        await child.end()
    changed = changed_files(before, await run_in_daemon(lambda: look(root))) if before is not None else ""
    outcome = _outcome(code, output.text(), child.left, took if took >= TOLD_S else 0)
    untold = [each for each in missing if each not in commands.told]
    commands.told.update(untold)
    more = [f"[kept from commands, as they look secret: {', '.join(untold)}]"] if untold else []
    if lines := [*([changed] if changed else []), *more]:
        outcome = replace(outcome, output="\n".join((outcome.output.rstrip(), *lines)))
    return replace(outcome, full_output=await keep(output))


def _outcome(code: int, text: str, left: Sequence[str], took: float) -> ToolOutcome:
    end = f"exit {code}" if code >= 0 else f"ended by signal {-code}"
    first = f"{end} after {took:.0f} s" if took else end
    output = f"{first}\n{text}" if text else f"{first}, no output"
    if not left:
        return ToolOutcome(output, end, {"exit_code": code})
    ended = f"[left running and ended with this call: {'; '.join(left)}]"
    return ToolOutcome(f"{output.rstrip()}\n{ended}", f"{end}, what it left running was ended", {"exit_code": code})


def _shell() -> str:
    """The shell by its full path: what PATH names may lie in the folder."""
    return next((path for path in ("/bin/bash", "/usr/bin/bash") if Path(path).exists()), "/bin/sh")


def _python(root: Path) -> str:
    """The interpreter of the project's environment where it has one, else of the system, else our own."""
    own = ("Scripts/python.exe",) if os.name == "nt" else ("bin/python",)
    for name in (f"{folder}/{python}" for folder in (".venv", "venv") for python in own):
        if os.access(root / name, os.X_OK):
            return str(root / name)
    found = shutil.which("python3") or ""
    return found if Path(found).is_absolute() and not Path(found).is_relative_to(root) else sys.executable
