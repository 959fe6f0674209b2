"""Commands of one's own: what `/NAME` and `ask -t NAME` send, of a prompt or a skill."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from cococat.app.input import first_message
from cococat.app.open_session import root_of
from cococat.app.prompting.instructions import project_folders, skill_places
from cococat.app.redactor import redactor
from cococat.app.skills.session import Skills, find_skills, text_for
from cococat.config import Options, Settings, find_folders
from cococat.context.skills import attached, block, present
from cococat.core.messages import User
from cococat.errors import UsageError
from cococat.skills.find import SKILL_FILE
from cococat.skills.prompts import filled, prompt_named, prompt_names

ANY_WINDOW = 1 << 20  # tokens: the model is not known yet, and the user named the skill
PROMPTS = "prompts"  # the folder beside the config file


def from_template(settings: Settings, options: Options, name: str, words: Sequence[str], stdin: TextIO | None) -> User:
    """
    Make the message of `ask -t NAME WORDS`, with piped input and files as context.

    Raises: UsageError: there is no such prompt or skill, or it lacks words, or an input cannot be read.
    """
    folders = find_folders(os.environ)
    config_folder, skills = folders.config_file.parent, None
    if prompt_named(config_folder / PROMPTS, name) is None:
        places = skill_places(config_folder, project_folders(root_of(options)))
        skills = find_skills(places, folders.state, redactor(settings), trusted=options.trust)
    own = own_message(name, " ".join(words), words, config_folder=config_folder, skills=skills, window=ANY_WINDOW)
    message = first_message((own.text,), options.files, stdin)
    return replace(message, attachments=(*own.attachments, *message.attachments), pasted=own.pasted)


def own_names(config_folder: Path, skills: Skills | None) -> list[str]:
    """Name the commands of one's own: the prompts, then the skills, those that wait for the user among them."""
    names = [found.skill.name for found in skills.found] if skills else []
    return list(dict.fromkeys((*prompt_names(config_folder / PROMPTS), *names)))


def own_message(
    name: str, typed: str, words: Sequence[str], *, config_folder: Path, skills: Skills | None, window: int
) -> User:
    """
    Return what a command of one's own says: a prompt filled in, else a skill with what was typed.

    What was not typed now is told apart, as what was pasted and attached is: no dream takes it for the user's words.

    Args:
        typed: what stands behind the name; *words* of it.
    Raises: UsageError: there is no such command, or it lacks words.
    """
    if (prompt := prompt_named(config_folder / PROMPTS, name)) is not None:
        made = filled(name, prompt, typed, words)
        return User(made.text, pasted=made.own)
    skill = skills.usable.get(name) if skills else None
    if skills and not skill and (waiting := [found.file.path for found in skills.found if found.skill.name == name]):
        raise UsageError(f"nobody agreed to {waiting[0]}", "cococat chat asks, --trust uses it once")
    if skills is None or skill is None:
        known = ", ".join(own_names(config_folder, skills))
        where = f"; {config_folder / PROMPTS / f'{name}.md'} would be one" if not known else f"; there are: {known}"
        raise UsageError(f"there is no prompt or skill {name!r}{where}", "cococat skills list")
    line = f"/{name} {typed}".strip()
    if (name, SKILL_FILE) in present(skills.seen()):
        return User(line)
    return User(line, (attached(name, block(name, SKILL_FILE, text_for(skill, SKILL_FILE, window, skills.redact))),))
