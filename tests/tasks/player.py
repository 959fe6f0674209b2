"""A task, and the model that plays its transcript: it reads what it was given before it takes its next step.

Public: Task, Player, tasks, lay_out.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.screens import asked, ready
from tests.scripted import Turn, calls, says
from tests.tasks.generated import TREES

FOLDER = Path(__file__).resolve().parent
LONG_AGO = 1_700_000_000  # seconds since 1970
_MORE = re.compile(r"^(?:\[.*\n)*(\S+): lines .*next: start_line=(\d+)", re.MULTILINE)
NOTES = "## Task\n{task}\n\n## State\n{state}\n\n## Findings\n{found}\n\n## Next steps\nGo on behind the last of these."


@dataclass(frozen=True, slots=True)
class Round:
    """A thought and calls; *sees* are words that must stand in the results before it."""

    says: str
    calls: tuple[tuple[str, Mapping[str, Any]], ...]
    sees: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """
    One task.

    Args:
        allow: the rules that `ask` needs for it.
        check: the project's own test; empty: there is none.
        final: the answer.
        after: words that a file must hold afterwards, by its path.
        gone: words that no file may hold afterwards.
    """

    name: str
    prompt: str
    files: Mapping[str, str]
    rounds: tuple[Round, ...]
    final: str
    sees: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    check: str = ""
    after: Mapping[str, str] = field(default_factory=dict)
    gone: tuple[str, ...] = ()

    def is_done(self, root: Path) -> bool:
        """Return whether every file is as it should be, and the project's own test passes."""
        texts = {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in root.rglob("*.py")}
        left = any(words in text for words in self.gone for text in texts.values())
        made = all(words in texts.get(name, "") for name, words in self.after.items())
        return made and not left and (not self.check or self.passes(root))

    def passes(self, root: Path) -> bool:
        """Run the project's own test in *root*."""
        words = [sys.executable, *shlex.split(self.check)[1:]]
        ran = subprocess.run([words[0], "-B", *words[1:]], cwd=root, capture_output=True, check=False)
        return ran.returncode == 0


def tasks() -> dict[str, Task]:
    """Every task by its name."""
    return {path.stem: _read(path) for path in sorted(FOLDER.glob("*.toml"))}


def _read(path: Path) -> Task:
    told = tomllib.loads(path.read_text("utf-8"))
    rounds = tuple(
        Round(one["says"], tuple((name, given) for name, given in one["calls"]), tuple(one.get("sees", ())))
        for one in told["round"]
    )
    files = {**TREES.get(path.stem, dict)(), **told.get("files", {})}
    return Task(
        path.stem, told["prompt"], files, rounds, told["final"], tuple(told.get("sees", ())),
        tuple(told.get("allow", ())), told.get("check", ""), told.get("after", {}), tuple(told.get("gone", ())),
    )  # fmt: skip


def lay_out(task: Task, root: Path) -> None:
    """Write the task's project into *root*."""
    for name, text in task.files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        os.utime(path, (LONG_AGO, LONG_AGO))  # or an edit in the same second meets the byte code of what was there


class Player:
    """
    The model of one task: give it to the scripted server with `forever`.

    It does what a good model does: it obeys a prompt that wants two calls at most, and reads a file on that it was
    shown a page of, unless a page was what it wanted. `unseen` are words that it should have been shown and was not.
    """

    def __init__(self, task: Task) -> None:
        self.task, self.unseen, self.answered = task, list[str](), False
        self._left = list(task.rounds)
        self._held: list[tuple[str, Mapping[str, Any]]] = []
        self._shown = ""
        self._whole: set[str] = set()  # files that it wants to read to their end

    def __call__(self, body: dict[str, Any]) -> Turn:
        """Take the next step."""
        fresh = _results(body["messages"])
        self._shown += "\n".join(fresh)
        most = 2 if "two at most" in str(body["messages"][0]["content"]) else 50
        pages = [match for text in fresh if (match := _MORE.search(text)) and match[1] in self._whole]
        self._held += [("read_file", {"path": page[1], "start_line": int(page[2])}) for page in pages]
        if self._held:
            return self._call(most, "")
        if not self._left:
            self._check(self.task.sees)
            self.answered = True
            return says(self.task.final, usage=None)
        step = self._left.pop(0)
        self._check(step.sees)
        self._held = list(step.calls)
        self._whole = {
            str(given["path"]) for name, given in step.calls if name == "read_file" and "end_line" not in given
        }
        return self._call(most, step.says)

    def agree(self, terminal: Any) -> int:
        """Say yes to each question of consent on *terminal* until the answer is there; return how many there were."""
        count = 0
        while asked(terminal.until(lambda text: asked(text) or (self.answered and ready(text)))):
            terminal.press("y")
            count += 1
            terminal.until(lambda text: not asked(text))
        return count

    def _call(self, most: int, thought: str) -> Turn:
        now, self._held = self._held[:most], self._held[most:]
        return calls(*now, text=thought, usage=None)

    def _check(self, words: tuple[str, ...]) -> None:
        self.unseen += [word for word in words if word not in self._shown]
        self._shown = ""


def _results(messages: list[dict[str, Any]]) -> list[str]:
    """The results that came with the newest round."""
    found: list[str] = []
    for message in reversed(messages):
        if message["role"] == "assistant":
            break
        if message["role"] == "tool":
            found.insert(0, message["content"])
    return found
