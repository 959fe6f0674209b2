"""`cococat skills`: what there is, one of them, and what is wrong with any."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from cococat.app.open_session import root_of
from cococat.app.output import note, out, report
from cococat.app.prompting.instructions import project_folders, skill_places
from cococat.app.redactor import redactor
from cococat.app.skills.own import PROMPTS
from cococat.app.skills.session import Skills, find_skills
from cococat.config import Folders, Options, Settings
from cococat.errors import UsageError
from cococat.safety.terminal import safe
from cococat.skills.catalog import introduced
from cococat.skills.find import SKILL_FILE, skill_files, text_of
from cococat.skills.prompts import prompt_named, prompt_names, title_of
from cococat.skills.skill import BadSkillError, Skill, parse, unheeded_in
from cococat.system.text import clip
from cococat.system.text_file import read_text
from cococat.ui.prompt.slash import is_name

SHOWN = 100  # characters of a description
BUILT_IN = frozenset(
    [
        "help",
        "new",
        "clear",
        "context",
        "compact",
        "cost",
        "model",
        "mode",
        "resume",
        "sessions",
        "fork",
        "rename",
        "export",
        "copy",
        "undo",
        "retry",
        "memory",
        "dream",
        "tools",
        "mcp",
        "skills",
        "permissions",
        "theme",
        "status",
        "doctor",
        "config",
        "exit",
    ]
)


def list_all(settings: Settings, options: Options, folders: Folders) -> int:
    """Print skills and prompts, a line each."""
    skills = _found(settings, options, folders)
    if lines := listing(skills, folders.config_file.parent):
        report("\n".join(lines))
    else:
        note(f"there are no skills; {folders.config_file.parent}/skills/NAME/{SKILL_FILE} would be one")
    if skills.wrong:
        note(f"{len(skills.wrong)} not used: cococat skills check says why")
    return 0


def listing(skills: Skills | None, config_folder: Path) -> list[str]:
    """Return a line for each skill that is used or waits for the user, and for each prompt."""
    rows: list[tuple[str, str, str]] = []
    for name, skill in (skills.usable if skills else {}).items():
        own = any(found.own for found in skills.found if found.skill is skill) if skills else False
        rows.append((name, "yours" if own else "project", skill.description))
    rows += [
        (found.skill.name, "changed" if found.file.before else "not agreed", found.skill.description)
        for found in (skills.found if skills else ())
        if not found.file.trusted
    ]
    for name in prompt_names(config_folder / PROMPTS):
        try:
            rows.append((name, "prompt", title_of(prompt_named(config_folder / PROMPTS, name) or "")))
        except UsageError as error:
            rows.append((name, "not used", error.message))
    return [f"{name:<24}  {kind:<10}  {clip(text, SHOWN)}" for name, kind, text in sorted(rows)]


def show(settings: Settings, options: Options, folders: Folders, name: str) -> int:
    """
    Print a skill as a model reads it, or a prompt.

    Raises: UsageError: there is none of that name.
    """
    if (prompt := prompt_named(folders.config_file.parent / PROMPTS, name)) is not None:
        out(safe(prompt))
        return 0
    skills = _found(settings, options, folders)
    waiting = {found.skill.name: found.skill for found in skills.found}
    skill = skills.usable.get(name) or waiting.get(name)
    if skill is None:
        raise UsageError(f"there is no skill or prompt {name!r}", "cococat skills list")
    if name not in skills.usable:
        note(f"nobody agreed to {skill.path}: no model reads it before; cococat chat asks")
    out(safe(f"{skill.name}: {skill.description}\n{introduced(skill)}"))
    return 0


def check(settings: Settings, options: Options, folders: Folders, path: Path | None) -> int:
    """
    Print of each skill and prompt whether it is used, what was mended and what is not heeded.

    Args:
        path: a skill, its SKILL.md, or a folder of skills; None: all that a chat here would find.
    Returns: 2 when one is not used.
    Raises: UsageError: there is nothing at *path*.
    """
    skills = _found(settings, options, folders) if path is None else _at(path)
    prompts = [*_of_prompts(folders.config_file.parent / PROMPTS, skills)] if path is None else []
    rows = [row for found in skills.found for row in _of_skill(found.skill, trusted=found.file.trusted)]
    bad = [f"FAIL  {line}" for line in (*skills.wrong, *(line for line, used in prompts if not used))]
    rows += [*(f"note  {line}" for line in skills.clashes), *(line for line, used in prompts if used), *bad]
    report("\n".join(rows) if rows else "there is nothing to check")
    return 2 if bad else 0


def _of_skill(skill: Skill, *, trusted: bool) -> Iterator[str]:
    yield f"{'ok  ' if trusted else 'wait'}  {skill.path}{'' if trusted else ': nobody agreed to it yet; cococat chat asks'}"
    yield from (f"note  {skill.name}: {line}" for line in skill.notes)
    if safe(skill.body) != skill.body:
        yield f"note  {skill.name}: its text holds characters that no screen shows: no model sees them either"
    if skill.name in BUILT_IN or not is_name(skill.name):
        yield f"note  {skill.name}: /{skill.name} is no command: the name is taken, or begins with no letter"


def _of_prompts(folder: Path, skills: Skills) -> Iterator[tuple[str, bool]]:
    for name in prompt_names(folder):
        path = folder / f"{name}.md"
        try:
            prompt_named(folder, name)
        except UsageError as error:
            yield error.message, False
            continue
        yield f"ok    {path}", True
        yield from ((f"note  {name}: {line}", True) for line in unheeded_in(read_text(path)))
        if name in BUILT_IN:
            yield f"note  {name}: /{name} is the command of cococat; ask -t {name} is yours", True
        elif name in skills.usable:
            yield f"note  {name}: /{name} is this prompt, and not the skill of that name", True


def _found(settings: Settings, options: Options, folders: Folders) -> Skills:
    places = skill_places(folders.config_file.parent, project_folders(root_of(options)))
    return find_skills(places, folders.state, redactor(settings), trusted=False)


def _at(path: Path) -> Skills:
    from cococat.app.prompting.instructions import Instruction
    from cococat.app.skills.session import FoundSkill

    if not path.exists():
        raise UsageError(f"there is nothing at {path}", "cococat skills check PATH, of a skill or a folder of skills")
    path = path.absolute()
    if path.is_dir():
        files, wrong = ([path / SKILL_FILE], []) if os.path.lexists(path / SKILL_FILE) else skill_files(path)
    else:
        files, wrong = [path], list[str]()
    found: list[FoundSkill] = []
    for file in files:
        try:
            text = text_of(file)
            found.append(FoundSkill(parse(text, file), Instruction(file, text, trusted=True), own=True))
        except BadSkillError as error:
            wrong.append(f"{file} is not used: {error}")
    if not files:
        raise UsageError(f"there is no {SKILL_FILE} in {path}", f"a skill is a folder with a {SKILL_FILE}")
    return Skills(tuple(found), tuple(wrong))
