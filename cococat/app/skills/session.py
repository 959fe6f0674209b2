"""The skills of a run: found, agreed to where a repository brings them, and offered by a tool."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import TypeAlias

from cococat.app.prompting.instructions import Instruction, Place, agreed_texts
from cococat.context.micro import CHARS_A_TOKEN, SKILL
from cococat.context.skills import block, is_block, present
from cococat.core.messages import Message
from cococat.core.tools import Arguments, FullOutput, Report, Tool, ToolFailure, ToolOutcome
from cococat.permissions.paths import secret
from cococat.safety.terminal import safe
from cococat.skills.catalog import catalog, introduced, page
from cococat.skills.find import MAX_SKILLS, SKILL_FILE, file_of, skill_files, text_of
from cococat.skills.skill import BadSkillError, Skill, parse
from cococat.system.text_file import NoTextError

Observe: TypeAlias = Callable[[str, str, FullOutput | None], str]
ABOUT = "Read the instructions of a skill, or a file that they name."
WINDOW_PART = 8  # part of the window that one page of a skill may fill, as a divisor
_FILE = re.compile(r"(.*?)(?::([1-9]\d{0,6}))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FoundSkill:
    """
    A skill where it was found.

    Args:
        file: its SKILL.md, as it may guide the model or not.
        own: the user's, all of it; of a repository's the files beside SKILL.md are data, as nobody agreed to them.
    """

    skill: Skill
    file: Instruction
    own: bool


@dataclass(slots=True)
class Skills:
    """
    Those of a run.

    Args:
        found: of two of one name the later one is used, if it may be.
        wrong: what is not used, and why, a line each.
        redact: takes secrets out of what is read.
        seen: gives what the model has before it.
    """

    found: tuple[FoundSkill, ...]
    wrong: tuple[str, ...]
    redact: Callable[[str], str] = str
    seen: Callable[[], Sequence[Message]] = field(default=tuple)

    @property
    def usable(self) -> Mapping[str, Skill]:
        """The skills that may guide the model, by name."""
        used = {found.skill.name: found.skill for found in self.found if found.file.trusted}
        return {name: used[name] for name in sorted(used)}

    @property
    def clashes(self) -> Iterator[str]:
        """Say which of two skills of one name is used."""
        used = self.usable
        for found in self.found:
            if found.file.trusted and (other := used[found.skill.name]) is not found.skill:
                yield f"skill {found.skill.name}: {other.path} is used, and not {found.skill.path}"

    def questions(self) -> Iterator[tuple[Instruction, ...]]:
        """Return what the user has to agree to: the new files together, each changed one alone."""
        waiting = [found.file for found in self.found if not found.file.trusted]
        if new := tuple(file for file in waiting if not file.before):
            yield new
        yield from ((file,) for file in waiting if file.before)

    def agree(self, files: Sequence[Instruction]) -> None:
        """Use what the user agreed to."""
        self.found = tuple(
            replace(found, file=replace(found.file, trusted=True)) if found.file in files else found
            for found in self.found
        )

    def lines(self, tools: Sequence[Tool], window: int) -> str:
        """Return what the system prompt says of them where their tool is among *tools*; else nothing."""
        return catalog([*self.usable.values()], window) if any(tool.name == SKILL for tool in tools) else ""

    def observer(self, observe: Observe) -> Observe:
        """Show what tools give as *observe* does, and the text of a skill as it is: what a hook made of it is data."""

        def shown(source: str, text: str, full: FullOutput | None) -> str:
            return text if source == SKILL and is_block(text) else observe(source, text, full)

        return shown

    def tools(self, window: int) -> tuple[Tool, ...]:
        """Return the tool that reads one, if there are any."""
        if not (skills := self.usable):
            return ()
        own = [found.skill.path for found in self.found if found.own]

        async def run(arguments: Arguments, report: Report) -> ToolOutcome:
            del report
            name, file = str(arguments["name"]), str(arguments.get("file") or SKILL_FILE)
            if (name, file) in present(self.seen()):
                return ToolOutcome(f"{file} of {name} is in this conversation already, see above", "read before")
            text = text_for(skills[name], file, window, self.redact)
            lines = text.count("\n") + 1
            guides = skills[name].path in own or file.partition(":")[0] == SKILL_FILE
            return ToolOutcome(block(name, file, text) if guides else text, f"{lines} line{'s' * (lines != 1)}")

        parameters = {
            "type": "object",
            "properties": {
                "name": {"type": "string", "enum": [*skills]},
                "file": {"type": "string", "description": "default SKILL.md; FILE:LINE goes on at a line"},
            },
            "required": ["name"],
            "additionalProperties": False,
        }
        return (Tool(SKILL, ABOUT, parameters, run, "reads", concurrent=False),)


def text_for(skill: Skill, file: str, window: int, redact: Callable[[str], str]) -> str:
    """
    Return one page of a skill, or of a file of it, as the model reads it.

    Raises: ToolFailure: there is no such file, or it is no text.
    """
    found = _FILE.fullmatch(file)
    assert found
    path, start = found[1], int(found[2] or 1)
    if path == SKILL_FILE:
        text = introduced(skill)
    elif secret(PurePath(path).parts):
        raise ToolFailure(f"PermissionError: {path} may hold secrets; read_file asks the user")
    else:
        try:
            text = file_of(skill.path.parent, path)
        except NoTextError as error:
            raise ToolFailure(f"FileError: {path} of skill {skill.name}: {error}") from error
    if start > text.count("\n") + 1:
        raise ToolFailure(f"IndexError: {path} of skill {skill.name} has no line {start}")
    return page(redact(safe(text)), start, CHARS_A_TOKEN * window // WINDOW_PART, path)


def find_skills(places: Sequence[Place], state: Path, redact: Callable[[str], str], *, trusted: bool) -> Skills:
    """
    Find what is in *places*, those of the user first.

    Args:
        state: the folder that knows what the user agreed to.
        trusted: the user agrees to what repositories bring, for this once.
    Raises: UsageError: there is one, and the extra is not installed.
    """
    found: list[FoundSkill] = []
    wrong: list[str] = []
    known, left = agreed_texts(state) if any(top for _, top in places) else {}, MAX_SKILLS
    for folder, top in places:
        paths, unseen = skill_files(folder, top)
        wrong += unseen
        if len(paths) > left:
            wrong.append(f"{folder}: {len(paths) - left} skills too many, {MAX_SKILLS} are used")
        for path in paths[:left]:
            try:
                text = text_of(path, top)
                skill = parse(text, path)
            except BadSkillError as error:
                wrong.append(f"{path} is not used: {error}")
                continue
            file = Instruction(path, "", trusted=True)  # what is the user's own nobody is asked about
            if top:
                shown, before = redact(safe(text)), known.get(str(path), "")
                file = Instruction(path, shown, trusted or before == shown, "" if before == shown else before)
            found.append(FoundSkill(replace(skill, description=redact(skill.description)), file, own=top is None))
        left = max(0, left - len(paths))
    return Skills(tuple(found), tuple(wrong), redact)
