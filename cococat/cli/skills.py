"""`skills`: instructions that a model reads when a task calls for them, and prompts."""

from __future__ import annotations

from pathlib import Path

from cococat.cli.flags import Command, Invocation, calls, folders_of, options_of, settings_of, shared, text_of

CHECK = """
Say of each skill and prompt whether it is used, and what of it is not heeded.

PATH is a skill or a folder of skills; without it, all that a chat in this folder finds. The exit code is 2 when one is not
used.
"""


def _name(given: Invocation) -> str:
    return text_of(given.words[0])


def _path(given: Invocation) -> Path | None:
    return Path(given.words[0]) if given.words else None


FLAGS = shared("root", "config")
SKILLS = Command(
    "Skills, which a model reads when a task calls for them, and prompts of yours.",
    examples=("cococat skills list", "cococat skills show pdf", "cococat skills check"),
    below={
        "list": Command(
            "List them.",
            calls("skills.commands.list_all", settings_of, options_of, folders_of),
            FLAGS,
            examples=("cococat skills list", "cococat skills list --root .", "cococat skills list | grep prompt"),
        ),
        "show": Command(
            "Print one, as a model reads it.",
            calls("skills.commands.show", settings_of, options_of, folders_of, _name),
            FLAGS,
            ["NAME"],
            1,
            examples=("cococat skills show pdf", "cococat skills show review", "cococat skills show pdf | less"),
        ),
        "check": Command(
            CHECK,
            calls("skills.commands.check", settings_of, options_of, folders_of, _path),
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
