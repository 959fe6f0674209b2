"""What six tasks cost: steps, requests and prompt tokens, by the vocabulary of the tokenizer, on recorded requests.

    python bench/tasks.py [--tree DIR] [--window N] [TASK…]
    python bench/tasks.py --questions [TASK…]

The model is scripted (tests/tasks), so the numbers are the product's: what it offers, shows and sends again. --tree runs
the command of another working tree, with that tree's own environment, to compare with. --questions does them in a chat
on a real terminal and counts what the user is asked: as a chat begins, and in `edits` and `auto` without and with the box.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from cococat.model.tokens import count  # noqa: E402 - the path comes first
from tests.screens import ready  # noqa: E402 - as above
from tests.scripted import forever, serve  # noqa: E402 - as above
from tests.tasks.player import Player, Task, lay_out, tasks  # noqa: E402 - as above
from tests.ui.pseudo_terminal import PseudoTerminal  # noqa: E402 - as above

MOST_STEPS = 50


class Ran(NamedTuple):
    """One task as it went; *right*: answered, with the files as they should be."""

    right: bool
    steps: int
    requests: int
    tokens: int


def main(words: Sequence[str]) -> int:
    """Run the tasks and print a line for each."""
    parser = argparse.ArgumentParser("python bench/tasks.py")
    parser.add_argument("names", nargs="*", metavar="TASK", help="only these")
    parser.add_argument("--tree", type=Path, default=ROOT, metavar="DIR", help="whose command is run")
    parser.add_argument("--window", type=int, default=128_000, metavar="N", help="tokens the model takes")
    parser.add_argument("--questions", action="store_true", help="count what a user is asked")
    given = parser.parse_args(words)
    if given.questions:
        return ask_everything(given.names)
    print(f"{'task':<10}{'right':>7}{'steps':>7}{'requests':>10}{'prompt tokens':>15}{'a step':>9}")
    wrong = 0
    for name, task in tasks().items():
        if name in (given.names or [name]):
            one = run(task, given.tree, given.window)
            wrong += not one.right
            row = f"{name:<10}{'yes' if one.right else 'NO':>7}{one.steps:>7}{one.requests:>10}"
            print(f"{row}{one.tokens:>15,}{one.tokens // max(1, one.steps):>9,}", flush=True)
    return 1 if wrong else 0


def ask_everything(names: Sequence[str]) -> int:
    """Print how many questions each task has in each of five ways."""
    ways = {
        "ask-first": (),
        "edits, no box": ("--permission", "edits", "--no-sandbox"),
        "edits, box": ("--permission", "edits"),
        "auto, no box": ("--permission", "auto", "--no-sandbox"),
        "auto, box": ("--permission", "auto"),
    }
    print(f"{'task':<10}" + "".join(f"{way:>15}" for way in ways))
    for name, task in tasks().items():
        if name in (names or [name]):
            print(f"{name:<10}" + "".join(f"{questions(task, flags):>15}" for flags in ways.values()), flush=True)
    return 0


def questions(task: Task, flags: Sequence[str]) -> int:
    """Do *task* in a chat, say yes to everything, and return how often."""
    player = Player(task)
    with tempfile.TemporaryDirectory() as folder, serve(forever(player)) as server:
        root = Path(folder).resolve() / "project"
        lay_out(task, root)
        words = ["chat", "--base-url", server.base_url, "-m", "scripted", "--mode", "react", "--no-dream", *flags]
        env = {"PWD": str(root), "COCOCAT_HOME": f"{folder}/home"}
        with PseudoTerminal("cococat", *words, "--root", root, env=env, rows=40, columns=200) as terminal:
            terminal.until(ready)
            terminal.press(f"{task.prompt}\r")
            return player.agree(terminal)


def run(task: Task, tree: Path, window: int) -> Ran:
    """Do *task* with the command of *tree*."""
    player = Player(task)
    with tempfile.TemporaryDirectory() as folder, serve(forever(player)) as server:
        root = Path(folder) / "project"
        lay_out(task, root)
        rules = [word for rule in task.allow for word in ("--allow", rule)]
        words = ["ask", "--base-url", server.base_url, "-m", "scripted", "--mode", "react", "--output-format", "json"]
        limits = ["--max-steps", str(MOST_STEPS), "--no-dream", "--root", str(root)]
        env = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("COCOCAT_", "OPENAI_"))},
            "COCOCAT_HOME": f"{folder}/home",
            "COCOCAT_MODEL_CONTEXT_WINDOW": str(window),
            "PYTHONPATH": str(tree),
        }
        python = tree / ".venv" / "bin" / "python"
        started = subprocess.run(
            [python, "-m", "cococat", *words, *limits, *rules, task.prompt],
            cwd=root, env=env, capture_output=True, stdin=subprocess.DEVNULL, text=True, check=False,
        )  # fmt: skip
        result = json.loads(started.stdout)
        right = result["answer"] == task.final and task.is_done(root)
        return Ran(right, result["steps"], len(server.requests), sum(map(tokens, server.requests)))


def tokens(request: dict[str, Any]) -> int:
    """Tokens of what a request holds: messages and tools, as they are written."""
    texts = [json.dumps(request["messages"], ensure_ascii=False), json.dumps(request.get("tools", []))]
    return sum(map(count, texts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
