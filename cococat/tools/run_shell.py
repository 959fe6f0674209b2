"""The tools that run a shell command or Python code, in a session of its own that ends with it."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from cococat.core.tools import FullOutput, Report, Tool, ToolFailure, ToolOutcome, tool
from cococat.safety.secrets import Masked
from cococat.system.gitignore import files_below
from cococat.tools.access import display_path
from cococat.tools.background import Background, Running, begin, check_name, stop
from cococat.tools.child import DRAIN_S, start
from cococat.tools.kept_outputs import MAX_OUTPUT, Outputs, redacted
from cococat.tools.orphans import COMMAND
from cococat.tools.output import Output
from cococat.tools.workers import command_env, run_in_daemon

MAX_S = 600
OUTSIDE = "leave the box: network, or files to be yours to touch; the user is asked"
MAX_CODE = 100_000  # bytes; one argument of a program may be little more
TOLD_S = 1.0  # from which the model is told how long a command took; whole seconds, so that equal results look equal
AROUND = 200  # characters that may stand above an output that is shown
# it stands between a command and us, so that a signal to its parent is none to us; its own name is no word of a command
_BETWEEN = 'trap : TERM INT HUP; exec 3>&2 2>/dev/null; "$@" 2>&3 3>&-; exit $?'
# the exit code of a pipe is that of its last part: of the first that failed, where the last did not; 141: its reader left
_PIPED = """export -n COMMAND; eval "$COMMAND
_s=(\\"\\${PIPESTATUS[@]}\\")"; _r=$?
for _c in "${_s[@]}"; do _r=$_c; done
[ "$_r" = 0 ] && for _c in "${_s[@]}"; do [ "$_c" = 0 ] || [ "$_c" = 141 ] || { _r=$_c; break; }; done
[ "$_r" = 0 ] || [ "${#_s[@]}" -lt 2 ] || printf '\\n[exit codes along the pipe: %s]' "${_s[*]}"
exit "$_r\""""
COMMANDS = "other commands of this session alone, to no browser"
_UNBUFFERED = {"PYTHONUNBUFFERED": "1"}  # or a server would seem silent
SPARE_S = 10  # seconds that the clean-up has before the run's own limit
SECONDS = 0.15
MAX_FILES = 3000
MAX_NAMED = 10

Outside: TypeAlias = Literal["network", "files"] | None  # what a call asks to reach beyond the box


@dataclass(frozen=True, slots=True)
class Enclosed:
    """
    One command in its box.

    Args:
        words: what runs.
        end: clears up when it has ended, which may take a moment; returns a line about that, or nothing.
        wall: of the exit code of a command that failed and what it printed: what held it, if that was the box; or nothing.
        alone: nothing in it sees a process of ours, and what runs ends when this one is killed.
        joins: it has a loopback of its own, which other commands of the session can share.
    """

    words: Sequence[str]
    end: Callable[[], str]
    wall: Callable[[int, str], str]
    alone: bool = False
    joins: bool = False


# how to run a command, and the process of the background, or 0, whose loopback it shares
Enclose: TypeAlias = Callable[[Sequence[str], Outside, int], Enclosed | None]
Look: TypeAlias = Mapping[str, tuple[int, int]]  # path below the root -> time of the last change, size


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
        background: the commands that run on beside the calls.
        enclose: makes the box of a command; None where there is none.
    """

    root: Path
    default_s: float
    outputs: Outputs | None
    limit: int
    mask: Callable[[str], Masked]
    told: set[str]
    background: Background
    enclose: Enclose | None = None


def shell_tool(commands: Commands) -> Tool:
    """Make the tool that runs commands of a shell."""

    def check(
        command: str, timeout_s: int | None = None, background: str | None = None, outside: Outside = None
    ) -> None:
        if "\0" in command:
            raise ToolFailure("ValueError: a command cannot hold a NUL character; leave it out")
        if background and command.strip():
            check_name(commands.background, background)

    @tool("runs", about="command", timeout_s=MAX_S + SPARE_S, check=check)
    async def run_shell(
        command: Annotated[str, "of the shell"],
        report: Report,
        timeout_s: Annotated[int | None, {"minimum": 1, "maximum": MAX_S}] = None,
        background: Annotated[str | None, "name: runs on in the session; up to 4; empty command ends"] = None,
        outside: Annotated[Outside, OUTSIDE] = None,
    ) -> ToolOutcome:
        """Run a shell command without terminal or input."""
        check(command, timeout_s, background)
        if background and not command.strip():
            return await stop(commands.background, background)
        words = command if os.name == "nt" else _words(command)
        started = await run_in_daemon(lambda: _started(commands, words, outside, command))
        if background:
            return await _run_on(commands, started, background, report)
        return await _run(commands, started, timeout_s, report)

    return _offered(run_shell, commands)


def python_tool(commands: Commands) -> Tool:
    """Make the tool that runs Python code by the interpreter of the project."""

    @tool("runs", timeout_s=MAX_S + SPARE_S)
    async def run_python(
        code: Annotated[str, "up to 100 kB"],
        report: Report,
        timeout_s: Annotated[int | None, {"minimum": 1, "maximum": MAX_S}] = None,
        outside: Annotated[Outside, OUTSIDE] = None,
    ) -> ToolOutcome:
        """Run code in the project's Python; print what you need."""
        if "\0" in code or len(code.encode("utf-8", "replace")) > MAX_CODE:
            raise ToolFailure(f"ValueError: code holds a NUL or more than {MAX_CODE} bytes; write a file and run that")
        words = [_python(commands.root), "-c", code]
        started = await run_in_daemon(lambda: _started(commands, words, outside))
        return await _run(commands, started, timeout_s, report)

    return _offered(run_python, commands)


def _offered(tool: Tool, commands: Commands) -> Tool:
    """Return *tool* with its default time, and without the argument that leaves the box where there is none."""
    known = tool.parameters["properties"]
    assert isinstance(known, dict)
    timeout = {**known["timeout_s"], "description": f"seconds; default {commands.default_s:g}"}
    properties = {**known, "timeout_s": timeout}
    if not commands.enclose:
        del properties["outside"]
    return replace(tool, parameters={**tool.parameters, "properties": properties})


async def _kept(commands: Commands, output: Output) -> FullOutput | None:
    """Keep *output* where the model will not see all of it, and say where; None when it is short, or cannot be kept."""
    outputs, ended = commands.outputs, list[bool]()
    if outputs is None or output.chars + AROUND <= commands.limit:
        return None
    full = await run_in_daemon(
        lambda: outputs.write(redacted(output.keep_all(ended), outputs.redact)), stop=lambda: ended.append(True)
    )
    return replace(full, missing=output.chars - len(output.text())) if full else None


@dataclass(frozen=True, slots=True)
class _Started:
    """
    How a process is started.

    Args:
        mark: the entry of *env* by which its descendants are known.
        missing: names of the environment that are kept from it.
        box: what it runs inside of.
    """

    words: str | Sequence[str]
    env: Mapping[str, str]
    mark: str
    missing: Sequence[str]
    box: Enclosed | None


def _started(commands: Commands, words: str | Sequence[str], outside: Outside, command: str = "") -> _Started:
    """Return how to run *words*, with *command* in the environment: its arguments are for everybody to see."""
    name, value = "COCOCAT_CALL", secrets.token_hex(8)
    env, missing = command_env(os.environ, commands.mask)
    beside = next((running.first for running in commands.background.values() if running.joins and running.first), 0)
    box = commands.enclose(words, outside, beside) if commands.enclose and not isinstance(words, str) else None
    inner = box.words if box else words
    return _Started(
        inner if isinstance(words, str) or (box and box.alone) else ["/bin/sh", "-c", _BETWEEN, "sh", *inner],
        {**env, name: value, **({COMMAND: command} if command else {})},
        f"{name}={value}",
        missing,
        box,
    )


def _untold(commands: Commands, started: _Started) -> str:
    """Say once in a session what of the environment no command sees."""
    untold = [each for each in started.missing if each not in commands.told]
    commands.told.update(untold)
    return f"[kept from commands, as they look secret: {', '.join(untold)}]" if untold else ""


async def _run(commands: Commands, started: _Started, timeout_s: int | None, report: Report) -> ToolOutcome:
    root, seconds = commands.root, timeout_s or commands.default_s
    output = Output(report, MAX_OUTPUT if commands.outputs else 0)
    before = await run_in_daemon(lambda: note_files(root))
    child = await start(started.words, cwd=root, env=started.env, take=output.add, mark=started.mark)
    began = time.monotonic()
    try:
        done, _ = await asyncio.wait({child.exited}, timeout=seconds)
        if not done:
            output.end()  # a shell says of each command in it that it was ended
            await child.end()
            late = f"TimeoutError: ended after {seconds:g} s; a larger timeout_s may help. Output:\n{output.text()}"
            raise ToolFailure(late, await _kept(commands, output))
        child.kill_rest()  # what it left in the background would hold its output open
        await asyncio.wait({child.drained}, timeout=DRAIN_S)
        code = child.code or 0
        took = time.monotonic() - began
    finally:
        await child.end()
    aside = await run_in_daemon(started.box.end) if started.box else ""
    changed = changed_files(before, await run_in_daemon(lambda: note_files(root))) if before is not None else ""
    text = output.text()
    # all of such a box ends with its command, and what is seen of it a moment later is on its way out
    left = () if started.box and started.box.alone else child.left
    outcome = _outcome(code, text, left, took if took >= TOLD_S else 0)
    wall = f"[{told}]" if started.box and code and (told := started.box.wall(code, text)) else ""
    lines = (changed, aside, wall, _untold(commands, started))
    return replace(_with_lines(outcome, *lines), full_output=await _kept(commands, output))


async def _run_on(commands: Commands, started: _Started, name: str, report: Report) -> ToolOutcome:
    words = [started.words] if isinstance(started.words, str) else started.words
    box = started.box
    running = Running(words, commands.root, {**started.env, **_UNBUFFERED}, started.mark, joins=bool(box and box.joins))
    ports = f"[in the box: its ports are open to {COMMANDS if running.joins else 'nothing else'}]" if box else ""
    return _with_lines(await begin(commands.background, name, running, report), ports, _untold(commands, started))


def _with_lines(outcome: ToolOutcome, *lines: str) -> ToolOutcome:
    """Add those of *lines* that say something."""
    said = list(filter(None, lines))
    return replace(outcome, output="\n".join((outcome.output.rstrip(), *said))) if said else outcome


def _outcome(code: int, text: str, left: Sequence[str], took: float) -> ToolOutcome:
    end = f"exit {code}" if code >= 0 else f"ended by signal {-code}"
    first = f"{end} after {took:.0f} s" if took else end
    output = f"{first}\n{text}" if text else f"{first}, no output"
    if not left:
        return ToolOutcome(output, end, {"exit_code": code})
    ended = f"[left running and ended with this call: {'; '.join(left)}]"
    return ToolOutcome(f"{output.rstrip()}\n{ended}", f"{end}, what it left running was ended", {"exit_code": code})


def _words(command: str) -> list[str]:
    """The shell that runs *command*, by its full path: what PATH names may lie in the folder."""
    shell = next((path for path in ("/bin/bash", "/usr/bin/bash") if Path(path).exists()), "/bin/sh")
    if not shell.endswith("bash"):
        return [shell, "-c", command]
    if "|" in command:
        from cococat.permissions.shell_split import commands

        if isinstance(commands(command), tuple):
            return [shell, "-c", _PIPED.replace("COMMAND", COMMAND)]
    return [shell, "-c", f'export -n {COMMAND}; eval "${COMMAND}"']


def _python(root: Path) -> str:
    """The interpreter of the project's environment where it has one, else of the system, else our own."""
    own = ("Scripts/python.exe",) if os.name == "nt" else ("bin/python",)
    for name in (f"{folder}/{python}" for folder in (".venv", "venv") for python in own):
        if os.access(root / name, os.X_OK):
            return str(root / name)
    found = shutil.which("python3") or ""
    return found if Path(found).is_absolute() and not Path(found).is_relative_to(root) else sys.executable


def note_files(root: Path) -> Look | None:
    """Note every file that git would look at; None for a folder too large for a quick look."""
    until, found = time.monotonic() + SECONDS, dict[str, tuple[int, int]]()
    try:
        for file in files_below(root, ()):
            if len(found) >= MAX_FILES or time.monotonic() > until:
                return None
            status = root.joinpath(*file.parts).lstat()
            found[display_path(file.parts)] = (status.st_mtime_ns, status.st_size)
    except OSError:
        return None
    return found


def changed_files(before: Look | None, after: Look | None) -> str:
    """Return one line that names what is new, changed or gone; empty for nothing, and where a look is missing."""
    if before is None or after is None:
        return ""
    new = [f"{path} (new)" for path in after if path not in before]
    changed = [path for path in after if path in before and before[path] != after[path]]
    gone = [f"{path} (gone)" for path in before if path not in after]
    every = sorted([*new, *changed, *gone])
    more = f" and {len(every) - MAX_NAMED} more" if len(every) > MAX_NAMED else ""
    return f"[files changed: {', '.join(every[:MAX_NAMED])}{more}]" if every else ""
