"""The way of a question, traced while it runs: which files are entered, which functions run, what is imported.

    python bench/way.py            the figures of each way
    python bench/way.py --files    README's "How it works": what decides something on the way of `ask`, in order

A file is entered when one of its functions runs; it decides something when a branch in it is reached. A child process runs the
real command under a profile hook, against a scripted endpoint; a bar of each figure is held by `tests/test_shape.py`.

Public: Way, WAYS, walk, chapter.
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

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.scripted import Turn, calls, forever, says, serve  # noqa: E402 - it needs the line above

PACKAGE = ROOT / "cococat"
BRANCHES = (ast.If, ast.IfExp, ast.Match, ast.While, ast.Try, ast.BoolOp)
# in the child: what runs is noted, and written down at the very end
HOOK = """
import json, os, sys, threading
package, found, seen = {package!r}, {{}}, set()
def note(frame, event, called):
    code = frame.f_code
    if event == "c_call" and called is os._exit:  # the way that it ends
        write()
    if event == "call" and code not in seen:
        seen.add(code)
        if code.co_filename.startswith(package) and code.co_name != "<module>":
            found[f"{{code.co_filename}}:{{code.co_firstlineno}}"] = code.co_name
def write():
    sys.setprofile(None)
    own = [name for name in sys.modules if name.partition(".")[0] == "cococat"]
    with open({out!r}, "w") as file:
        json.dump([list(found), own], file)
threading.setprofile(note)
sys.argv[0] = "cococat"
from cococat.__main__ import main
sys.setprofile(note)
sys.exit(main())
"""


@dataclass(frozen=True, slots=True)
class Way:
    """
    What one run went through.

    Args:
        functions: "file:line" of each that ran, below the package, in the order in which they were entered first.
        modules: of ours, imported by its end.
    """

    functions: Sequence[str]
    modules: Sequence[str]

    @property
    def files(self) -> list[str]:
        """What was entered, in order."""
        return list(dict.fromkeys(name.rpartition(":")[0] for name in self.functions))

    def counts(self) -> tuple[int, int, int]:
        """Return files entered, own modules imported, functions run."""
        return len(self.files), len(self.modules), len(self.functions)


READS = calls(("read_file", '{"path": "notes.txt"}'))
WAYS: Mapping[str, tuple[Sequence[str], Sequence[Turn]]] = {
    "ask": (("ask", "--no-dream", "hi"), ()),
    "ask --mode react": (("ask", "--no-dream", "--mode", "react", "hi"), ()),
    "one tool call": (("ask", "--no-dream", "--mode", "react", "hi"), (READS,)),
}


def walk(words: Sequence[str], turns: Sequence[Turn] = ()) -> Way:
    """Run a command in a folder and a home of its own, against an endpoint that gives *turns* and then answers."""
    with tempfile.TemporaryDirectory() as folder, serve(*turns, forever(says("hello")), usage=(10, 5)) as server:
        home, out = Path(folder, "home"), Path(folder, "out.json")
        home.mkdir()
        Path(folder, "notes.txt").write_text("a note\n")
        keep = {name: value for name, value in os.environ.items() if not name.startswith(("COCOCAT_", "OPENAI_"))}
        env = {**keep, "HOME": str(home), "COCOCAT_HOME": str(home), "PYTHONPATH": str(ROOT)}
        env |= {"COCOCAT_BASE_URL": server.base_url, "COCOCAT_MODEL": "scripted", "OPENAI_API_KEY": "k"}
        code = HOOK.format(package=f"{PACKAGE}{os.sep}", out=str(out))
        ran = subprocess.run(
            [sys.executable, "-c", code, *words],
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if not out.exists() or "hello" not in ran.stdout:
            raise SystemExit(f"{' '.join(words)}: {ran.returncode}\n{ran.stdout}{ran.stderr}")
        functions, modules = json.loads(out.read_text())
    return Way([str(Path(name).relative_to(PACKAGE).as_posix()) for name in functions], sorted(modules))


def main() -> None:
    for name, (words, turns) in WAYS.items():
        way = walk(words, turns)
        print(name, *way.counts())


if __name__ == "__main__":
    main()
