"""The way of a question, traced while it runs: which files are entered, which functions run, what is imported.

    python bench/way.py            the figures of each way
    python bench/way.py --readme   "How it works" of the README: the files that decide something on the way of `ask`

A file is entered when one of its functions runs; it decides something when such a function has a branch. A child runs the real
command under a profile hook, against a scripted endpoint. `tests/test_shape.py` holds a bar for each figure.

Public: Way, Bar, BARS, MOST_CALLS, WAYS, walk, calls_a_delta, chapter.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

import pexpect

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.scripted import Turn, calls, forever, raw, says, serve  # noqa: E402 - it needs the line above

PACKAGE = ROOT / "cococat"
BRANCHES = (ast.If, ast.IfExp, ast.Match, ast.While, ast.ExceptHandler)
DELTAS = 600  # of an answer
# the child notes what runs, and writes it down as it ends, which is the way that the program always takes
HOOK = """
import json, os, sys, threading
package, ran, count, known = {package!r}, {{}}, 0, {{}}
def note(frame, event, called):
    global count
    if event == "call":
        code = frame.f_code
        name = known.get(code)
        if name is None:
            own = code.co_filename.startswith(package) and code.co_flags & 1  # a function: no module, no class
            name = known[code] = f"{{code.co_filename}}:{{code.co_firstlineno}}" if own else ""
        if name:
            count += 1
            ran[name] = None
    elif event == "c_call" and called is os._exit:
        sys.setprofile(None)
        own = [name for name in sys.modules if name.partition(".")[0] == "cococat"]
        with open({out!r}, "w") as file:
            json.dump([list(ran), own, count], file)
threading.setprofile(note)
sys.argv[0] = "cococat"
from cococat.__main__ import main
sys.setprofile(note)
main()
"""


@dataclass(frozen=True, slots=True)
class Way:
    """
    What one run went through.

    Args:
        functions: "file:line" of each that ran, below the package, as they were entered.
        modules: of ours, imported by its end.
        calls: of our functions.
    """

    functions: Sequence[str]
    modules: Sequence[str]
    calls: int

    @property
    def files(self) -> list[str]:
        """What was entered, in order."""
        return list(dict.fromkeys(name.rpartition(":")[0] for name in self.functions))

    def counts(self) -> Bar:
        """How much it was."""
        memory = sum(name.startswith("memory/") for name in self.files)
        return Bar(len(self.files), len(self.modules), len(self.functions), memory)


class Bar(NamedTuple):
    """The most that a way may enter, import and run, and enter of the memory; each only becomes less."""

    files: int
    modules: int
    functions: int
    memory: int


BARS: Mapping[str, Bar] = {
    "ask": Bar(102, 158, 647, 3),
    "ask --mode react": Bar(114, 170, 687, 3),
    "one tool call": Bar(125, 178, 885, 3),
    "a turn of chat": Bar(143, 225, 950, 3),
    "ask, and is a dream due?": Bar(107, 169, 700, 8),
    "a dream": Bar(101, 150, 909, 26),
}
MOST_CALLS = 90.0  # of our functions for one more delta of an answer


def walk(*commands: Sequence[str], turns: Sequence[Turn] = ()) -> Way:
    """Run *commands* in a folder and a home of their own, where a model gives *turns* and then answers; trace the last."""
    with tempfile.TemporaryDirectory() as folder, serve(*turns, forever(says("hello"))) as server:
        home, out = Path(folder, "home"), Path(folder, "out.json")
        home.mkdir()
        Path(folder, "notes.txt").write_text("a note\n")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("COCOCAT_", "OPENAI_"))}
        env = {**kept, "HOME": str(home), "COCOCAT_HOME": str(home), "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "k"}
        env |= {"COCOCAT_BASE_URL": server.base_url, "COCOCAT_MODEL": "scripted", "TERM": "xterm-256color"}
        for words in commands[:-1]:
            _run([sys.executable, "-m", "cococat", *words], folder, env)
        hook = HOOK.format(package=f"{PACKAGE}{os.sep}", out=str(out))
        command = [sys.executable, "-c", hook, *commands[-1]]
        shown = _talk(command, folder, env) if commands[-1][0] == "chat" else _run(command, folder, env)
        if not out.exists():
            raise SystemExit(f"{' '.join(commands[-1])} went no way:\n{shown}")
        functions, modules, count = json.loads(out.read_text())
    return Way([Path(name).relative_to(PACKAGE).as_posix() for name in functions], sorted(modules), count)


def _run(command: Sequence[str], folder: str, env: Mapping[str, str]) -> str:
    ran = subprocess.run(command, cwd=folder, env=env, input="", capture_output=True, text=True, check=False)
    return ran.stdout + ran.stderr


def _talk(command: Sequence[str], folder: str, env: Mapping[str, str]) -> str:
    """Say one thing in a terminal, and leave once the prompt is back: a turn still on its way takes that key another way."""
    terminal = pexpect.spawn(command[0], [*command[1:]], cwd=folder, env=dict(env), encoding="utf-8", timeout=60)
    for heard, key in (("> ", "hi\r"), ("1 step", ""), ("> ", "\x04")):
        terminal.expect_exact(heard)
        terminal.send(key)
    terminal.expect(pexpect.EOF)
    return str(terminal.before)


_EDIT = {"path": "MEMORY.md", "old_text": "## About the user", "new_text": "## About the user\n- Lives in Berlin"}
_NOTES = calls(("edit_file", json.dumps({**_EDIT, "evidence": [{"seq": 1, "quote": "I live in Berlin"}]})))
_READS = calls(("read_file", '{"path": "notes.txt"}'))
_SLOWLY = says("hel", 0.5, "lo")  # the screen's clock always ticks within it
WAYS: Mapping[str, Callable[[], Way]] = {
    "ask": cache(partial(walk, ("ask", "--no-dream", "hi"))),
    "ask --mode react": partial(walk, ("ask", "--no-dream", "--mode", "react", "hi")),
    "one tool call": partial(walk, ("ask", "--no-dream", "--mode", "react", "hi"), turns=(_READS,)),
    "a turn of chat": partial(walk, ("chat", "--no-dream"), turns=(_SLOWLY,)),
    "ask, and is a dream due?": partial(walk, ("ask", "hi")),
    "a dream": partial(walk, ("ask", "--no-dream", "I live in Berlin"), ("dream",), turns=(says("hello"), _NOTES)),
}


def calls_a_delta() -> float:
    """
    Return how many of our functions are called for each further delta of an answer, off a terminal.

    All are sent at once, or how busy the machine is would say how many are read at once; and none says the
    same as another, or the guard against repetition would end the answer.
    """
    deltas = (
        b'data: {"choices": [{"index": 0, "delta": {"content": "w%d "}}]}\n\n' % number for number in range(DELTAS)
    )
    more = walk(("ask", "--no-dream", "hi"), turns=(raw(b"".join(deltas)) + says("hello"),))
    return (more.calls - WAYS["ask"]().calls) / DELTAS


def chapter(way: Way) -> str:
    """Write the files of *way* that decide something, room by room, as each is entered first."""
    deciding: dict[str, list[str]] = {}
    for name in dict.fromkeys(file for file in way.files if _branches(way, file)):
        room, _, file = name.rpartition("/")
        deciding.setdefault(room or "cococat", []).append(file.removesuffix(".py"))
    count = sum(map(len, deciding.values()))
    head = (
        f'`cococat ask "hi"` enters {len(way.files)} files, of which {count} have a branch on the way and so may decide\n'
        "something. Room by room, in the order in which they are entered:\n"
    )
    rows = [fill(f"- `{room}`: {', '.join(files)}", 118, subsequent_indent="  ") for room, files in deciding.items()]
    return "\n".join([head, *rows, ""])


def _branches(way: Way, file: str) -> bool:
    """Return whether one of the functions of *file* that ran has a branch."""
    ran = {int(name.rpartition(":")[2]) for name in way.functions if name.startswith(f"{file}:")}
    functions = (node for node in ast.walk(ast.parse((PACKAGE / file).read_text("utf-8"))) if _begins(node) in ran)
    return any(isinstance(part, BRANCHES) for node in functions for part in ast.walk(node))


def _begins(node: ast.AST) -> int:
    """Return the first line of a function as its code has it, decorators included; 0 for what is none."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return 0
    marks = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return min([node.lineno, *(mark.lineno for mark in marks)])


def main() -> None:
    """Print the figures, or the chapter."""
    if "--readme" in sys.argv[1:]:
        print(chapter(WAYS["ask"]()), end="")
        return
    for name, trace in WAYS.items():
        print(f"{name:<26}", *(f"{count:>5} {what}" for what, count in trace().counts()._asdict().items()))
    print(f"one more delta of an answer {calls_a_delta():.1f} calls")


if __name__ == "__main__":
    main()
