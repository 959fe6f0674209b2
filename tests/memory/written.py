"""One line that a dream adds, backed by one message: how the memory reads afterwards, and what the model is told.

Public: READINGS, TEXT, written.
"""

import asyncio
import tomllib
from datetime import date
from pathlib import Path

from cococat.core.settings import DreamSettings
from cococat.core.tools import ToolFailure
from cococat.memory.confirmations import answered, confirmed
from cococat.memory.dream_tools import DreamTools
from cococat.memory.rules import Rules

READINGS = tomllib.loads(Path(__file__).with_name("readings.toml").read_text("utf-8"))  # rows for tables of the tests
TEXT = "# Memory\n\n## Pinned\n\n## Preferences\n- Writes Python\n"


def written(typed, line, asked="", *, day=date(2026, 5, 11), behind=()):
    """
    Add *line* with all of *typed* as its quote; return the memory after it, and what the model is told.

    Args:
        asked: the question with which the assistant had ended its answer before.
        day: on which it was typed.
        behind: messages that came after it.
    """
    said = dict(enumerate((typed, *behind), 1))
    taken, answer = confirmed(typed, asked), answered(typed, asked)
    rules = Rules(
        said,
        DreamSettings(),
        asked={1: taken} if taken else {},
        answers={1: (asked, answer)} if answer else {},
        days=dict.fromkeys(said, day),
    )
    box = DreamTools(TEXT, rules)
    given = {"path": "MEMORY.md", "old_text": "- Writes Python\n", "new_text": f"- Writes Python\n- {line}\n"}
    edit = box.tools()[1].run({**given, "evidence": [{"seq": 1, "quote": typed}]}, lambda text: None)
    try:
        told = asyncio.run(edit).output
    except ToolFailure as refusal:
        told = str(refusal)
    return box.text, told
