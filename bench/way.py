"""The way of a question, traced while it runs: which files are entered, which functions run, what is imported.

    python bench/way.py            the figures of each way
    python bench/way.py --readme   "How it works" of the README: the files that decide something on the way of `ask`

A file is entered when one of its functions runs; it decides something when such a function has a branch. A child runs the real
command under a profile hook, against a scripted endpoint. `tests/test_shape.py` holds a bar for each figure.

Public: Way, BARS, walk, ways, calls_a_delta, chapter.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pexpect

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.scripted import Turn, calls, forever, says, serve  # noqa: E402 - it needs the line above

PACKAGE = ROOT / "cococat"
BRANCHES = (ast.If, ast.IfExp, ast.Match, ast.While, ast.ExceptHandler)
FEW, MANY = 300, 600  # deltas of an answer
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
            own = code.co_filename.startswith(package) and code.co_name != "<module>"
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


# files entered, own modules imported, functions run: a way may become shorter
BARS: Mapping[str, tuple[int, int, int]] = {
    "ask": (130, 177, 843),
}


def walk(*commands: Sequence[str], turns: Sequence[Turn] = ()) -> Way:
    """Run *commands* in a folder and a home of their own, where a model gives *turns* and then answers; trace the last."""
    with tempfile.TemporaryDirectory() as folder, serve(*turns, forever(says("hello"))) as server:
        home, out = Path(folder, "home"), Path(folder, "out.json")
        home.mkdir()
        Path(folder, "notes.txt").write_text("a note\n")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("COCOCAT_", "OPENAI_"))}
        env = {**kept, "HOME": str(home), "COCOCAT_HOME": str(home), "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "k"}
        env |= {"COCOCAT_BASE_URL": server.base_url, "COCOCAT_MODEL": "scripted"}
        for words in commands:
            hook = HOOK.format(package=f"{PACKAGE}{os.sep}", out=str(out))
            command = [sys.executable, "-c", hook, *words]
            shown = _talk(command, folder, env) if words[0] == "chat" else _run(command, folder, env)
            if not out.exists():
                raise SystemExit(f"{' '.join(words)} went no way:\n{shown}")
        functions, modules, count = json.loads(out.read_text())
    return Way([Path(name).relative_to(PACKAGE).as_posix() for name in functions], sorted(modules), count)


def _run(command: Sequence[str], folder: str, env: Mapping[str, str]) -> str:
    ran = subprocess.run(command, cwd=folder, env=env, input="", capture_output=True, text=True, check=False)
    return ran.stdout + ran.stderr


def _talk(command: Sequence[str], folder: str, env: Mapping[str, str]) -> str:
    """Say one thing in a terminal, and leave."""
    terminal = pexpect.spawn(command[0], [*command[1:]], cwd=folder, env=dict(env), encoding="utf-8", timeout=60)
    for heard, key in (("> ", "hi\r"), ("hello", "\x04")):
        terminal.expect_exact(heard)
        terminal.send(key)
    terminal.expect(pexpect.EOF)
    return str(terminal.before)


def ways() -> dict[str, Way]:
    """Walk each way that has a bar."""
    edit = {"path": "MEMORY.md", "old_text": "## About the user", "new_text": "## About the user\n- Lives in Berlin"}
    notes = calls(("edit_file", json.dumps({**edit, "evidence": [{"seq": 1, "quote": "I live in Berlin"}]})))
    reads = calls(("read_file", '{"path": "notes.txt"}'))
    return {
        "ask": walk(("ask", "--no-dream", "hi")),
        "ask --mode react": walk(("ask", "--no-dream", "--mode", "react", "hi")),
        "one tool call": walk(("ask", "--no-dream", "--mode", "react", "hi"), turns=(reads,)),
        "a turn of chat": walk(("chat", "--no-dream")),
        "a dream": walk(("ask", "--no-dream", "I live in Berlin"), ("dream",), turns=(says("hello"), notes)),
    }


def calls_a_delta() -> float:
    """Return how many of our functions are called for each further delta of an answer, off a terminal."""
    few, many = (walk(("ask", "--no-dream", "hi"), turns=(says(*["word "] * count),)) for count in (FEW, MANY))
    return (many.calls - few.calls) / (MANY - FEW)


def main() -> None:
    """Print the figures, or the chapter."""
    for name, way in ways().items():
        print(f"{name:<18} {len(way.files):>4} files  {len(way.modules):>4} modules  {len(way.functions):>5} functions")
    print(f"one more delta of an answer: {calls_a_delta():.1f} calls")


if __name__ == "__main__":
    main()
