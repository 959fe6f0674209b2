"""`skills`: instructions that a model reads when a task calls for them, and prompts."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from cococat.cli.flags import Command, Invocation, Job, folders_of, options_of, settings_of, shared, text_of

__all__ = ["SKILLS"]

CHECK = """
Say of each skill and prompt whether it is used, and what of it is not heeded.

PATH is a skill or a folder of skills; without it, all that a chat in this folder finds. The exit code is 2 when one is not
used.
"""


def _list(given: Invocation) -> Job:
    from cococat.app.skills import commands

    return partial(commands.list_all, settings_of(given), options_of(given), folders_of(given))


def _show(given: Invocation) -> Job:
    from cococat.app.skills import commands

    return partial(commands.show, settings_of(given), options_of(given), folders_of(given), text_of(given.words[0]))


def _check(given: Invocation) -> Job:
    from cococat.app.skills import commands

    path = Path(given.words[0]) if given.words else None
    return partial(commands.check, settings_of(given), options_of(given), folders_of(given), path)


FLAGS = shared("root", "config")
SKILLS = Command(
    "Skills, which a model reads when a task calls for them, and prompts of yours.",
    examples=("cococat skills list", "cococat skills show pdf", "cococat skills check"),
    below={
        "list": Command(
            "List them.",
            _list,
            FLAGS,
            examples=(
                "cococat skills list",
                "cococat skills list --root .",
                "cococat skills list | grep prompt",
            ),
        ),
        "show": Command(
            "Print one, as a model reads it.",
            _show,
            FLAGS,
            ["NAME"],
            1,
            examples=("cococat skills show pdf", "cococat skills show review", "cococat skills show pdf | less"),
        ),
        "check": Command(
            CHECK,
            _check,
            FLAGS,
            ["PATH"],
            examples=(
                "cococat skills check",
                "cococat skills check ~/.agents/skills/pdf",
                "cococat skills check .agents/skills",
            ),
        ),
    },
)
