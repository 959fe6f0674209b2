"""What the embedded model can do with tools: ten questions about a small project, in react mode.

    python bench/embedded.py [--verbose]

The answers are judged by patterns, so read them as well; the model is small and this is no benchmark of it.
Everything runs as `cococat ask --mode react` does: the same loop, tools, permissions and JSON decisions.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from cococat.app.conversation import Conversation  # noqa: E402 - the path comes first
from cococat.app.open_session import open_conversation  # noqa: E402 - as above
from cococat.config import Options, load  # noqa: E402 - as above
from cococat.core.events import Event, ToolPending  # noqa: E402 - as above
from cococat.core.messages import User  # noqa: E402 - as above

FILES = {
    "README.md": "# Harbour\n\nA small tide table.\n\nRun the tests with `make test`.\n",
    "notes.txt": "The launch is on Friday at 10.\nDana brings the cake.\n",
    "Makefile": "test:\n\tpython -m unittest\n",
    "src/tide.py": '"""Tides."""\n\n\ndef height(hour):\n    """Metres above the chart datum."""\n    return 2.1 + hour % 12 / 10\n',
    "src/ports.py": '"""Ports."""\n\nPORTS = ["Dover", "Brest"]\n\n\ndef nearest(name):\n    return PORTS[0] if name < "C" else PORTS[1]\n',
    "config.toml": 'port = 8080\nunits = "metres"\n',
}


class Asked(NamedTuple):
    """A question and what a right answer holds."""

    question: str
    pattern: str


QUESTIONS = (
    Asked("List the files here", r"README\.md.*notes\.txt|notes\.txt.*README\.md"),
    Asked("What does notes.txt say?", r"Friday|Dana"),
    Asked("Which file mentions the launch?", r"notes\.txt"),
    Asked("Which file defines the function height?", r"tide\.py"),
    Asked("Where is the function nearest defined?", r"ports\.py"),
    Asked("Which port is set in config.toml?", r"8080"),
    Asked("Who brings the cake? See notes.txt", r"Dana"),
    Asked("Which file here says how to run the tests?", r"README\.md|Makefile"),
    Asked("What is the capital of France?", r"Paris"),
    Asked("Which Python files are there?", r"tide\.py[\s\S]*ports\.py|ports\.py[\s\S]*tide\.py"),
)


class Row(NamedTuple):
    """One line of the table."""

    right: bool
    question: str
    calls: str
    answer: str
    seconds: float


async def rows(questions: Sequence[Asked], files: Mapping[str, str], env: Mapping[str, str]) -> AsyncIterator[Row]:
    """
    Ask every question in a session of its own; the weights and what was read of the prompt are shared.

    Args:
        files: path and text of what lies in the folder.
        env: names the settings, such as COCOCAT_GGUF.
    """
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder), files)
        options = Options(root=Path(folder), session=False, dream=False, quiet=True)
        conversation = await open_conversation(load(None, env, {}), options, "react")
        try:
            for asked in questions:
                conversation.history = ()
                yield await _row(conversation, asked)
        finally:
            await conversation.connection.close()


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


async def _row(conversation: Conversation, asked: Asked) -> Row:
    calls: list[str] = []

    def note(event: Event) -> None:
        if isinstance(event, ToolPending):
            calls.append(f"{event.name}{event.arguments}")

    start = time.monotonic()
    turn = await conversation.turn(User(asked.question), note)
    right = bool(re.search(asked.pattern, turn.answer))
    return Row(right, asked.question, "; ".join(calls), turn.answer, time.monotonic() - start)


def line(row: Row) -> str:
    """Write one line of the table."""
    answer = " ".join(row.answer.split())[:70]
    return f"{'right' if row.right else 'WRONG'}  {row.seconds:5.1f} s  {row.question:<44} {answer}"


async def main() -> None:
    """Print the table."""
    os.environ.setdefault("COCOCAT_HOME", str(Path(tempfile.gettempdir(), "cococat-bench")))
    right = 0
    async for row in rows(QUESTIONS, FILES, os.environ):
        right += row.right
        print(line(row), flush=True)
        if "--verbose" in sys.argv and row.calls:
            print(f"                {row.calls[:150]}")
    print(f"{right} of {len(QUESTIONS)} right")


if __name__ == "__main__":
    asyncio.run(main())
