"""One skill: what the frontmatter of a SKILL.md says, what of it is not taken, and the text behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from cococat.errors import UsageError
from cococat.safety.terminal import safe

NAME = re.compile(r"(?=.{1,64}\Z)[a-z0-9]+(-[a-z0-9]+)*")
MAX_FRONTMATTER = 8 << 10  # bytes
MAX_DESCRIPTION = 1024  # characters
MAX_DEPTH = 10  # of what frontmatter holds
SHOWN = 60  # characters of what is quoted in a sentence
_FENCE = re.compile(r"---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_PLAIN = re.compile(r"^([A-Za-z][\w-]*):[ \t]+(?![|>])(\S.*)")
_COMMAND = re.compile(r"!`[^`\n]+`")
_DEAD = {  # fields that other programs act on
    "allowed-tools": "allowed-tools allows nothing here: each call is asked about as any other",
    "hooks": "hooks are never run",
}


class BadSkillError(Exception):
    """A SKILL.md is no skill; the message says why, in words that go on after its path."""


@dataclass(frozen=True, slots=True)
class Skill:
    """
    A skill.

    Args:
        name: by which it is called.
        description: in one line; what it is for.
        path: of its SKILL.md.
        body: the text behind the frontmatter.
        notes: what was mended, and what is not heeded.
    """

    name: str
    description: str
    path: Path
    body: str
    notes: tuple[str, ...] = ()


def parse(text: str, path: Path) -> Skill:
    """
    Read the *text* of the SKILL.md at *path*; its frontmatter without what would hide, its body as it is.

    Raises: BadSkillError: it is none. UsageError: the extra is not installed.
    """
    front, body = split(text.replace("\r\n", "\n"))
    if not front:
        raise BadSkillError("it has no frontmatter: name and description between two lines of ---")
    notes: list[str] = []
    fields = _fields(safe(front), notes)
    about = fields.get("description")
    description = " ".join(about.split()) if isinstance(about, str) else ""
    if not description:
        raise BadSkillError("it has no description")
    if len(description) > MAX_DESCRIPTION:
        notes.append(f"its description has {len(description):,} characters: cut at {MAX_DESCRIPTION:,}")
    name = _name(str(fields.get("name") or ""), path.parent.name, notes)
    notes += _unheeded(fields, body)
    return Skill(name, description[:MAX_DESCRIPTION], path, body, tuple(notes))


def split(text: str) -> tuple[str, str]:
    """Return the frontmatter of a text, empty where there is none, and what stands behind it."""
    found = _FENCE.match(text)
    return (found[1], text[found.end() :].strip()) if found else ("", text.strip())


def _unheeded(fields: Mapping[str, object], body: str) -> Iterator[str]:
    """Say what others would act on and we do not."""
    yield from (why for field, why in _DEAD.items() if field in fields)
    if found := _COMMAND.search(body):
        yield f"{found[0][:SHOWN]} stays text: no command is run for it"


def unheeded_in(prompt: str) -> list[str]:
    """Say the same of the *prompt* of a file, as far as its frontmatter can be read."""
    front, body = split(prompt)
    fields: dict[str, object] = {}
    with suppress(BadSkillError, UsageError):
        fields = _fields(front, []) if front else {}
    return [*_unheeded(fields, body)]


def _name(name: str, folder: str, notes: list[str]) -> str:
    """Return the name of a skill: what it says, or its folder, or what can be made of either."""
    if NAME.fullmatch(name):
        if name != folder:
            notes.append(f"its name {name!r} is not that of its folder")
        return name
    for word in (folder, name):
        if made := "-".join(re.findall("[a-z0-9]+", word.lower()))[:64].strip("-"):
            why = f"its name {name[:SHOWN]!r} is none" if name else "it has no name"
            notes.append(f"{why} (a-z, 0-9 and single hyphens, 64 at most): called {made}")
            return made
    raise BadSkillError("neither it nor its folder has a name with a letter a-z or a digit")


def _fields(front: str, notes: list[str]) -> dict[str, object]:
    """Read frontmatter; plain values that YAML stumbles over, for a colon mostly, are taken as they stand."""
    if find_spec("yaml") is None:
        raise UsageError("skills need a library that is not installed", "pip install 'cococat[skills]'")
    if len(front.encode()) > MAX_FRONTMATTER:
        raise BadSkillError(f"its frontmatter has more than {MAX_FRONTMATTER >> 10} KiB")
    import yaml

    try:
        return _loaded(front)
    except yaml.YAMLError as error:
        # the value becomes a block that ends where the next key begins, so that what follows it goes on below
        mended = "\n".join(_PLAIN.sub(r"\1: >1-\n \2", line) for line in front.split("\n"))
        try:
            fields = _loaded(mended)
        except yaml.YAMLError:
            why = str(getattr(error, "problem", "") or "it cannot be read")
            mark = getattr(error, "problem_mark", None)
            at = f" in line {mark.line + 2}" if mark else ""
            raise BadSkillError(f"its frontmatter is no YAML{at}: {why}; quote the value") from error
        notes.append("a value in its frontmatter should be in quotes")
        return fields


def _loaded(front: str) -> dict[str, object]:
    """Load YAML in which nothing stands for something else, and nothing is deep."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    depth = 0
    for event in yaml.parse(front, Loader=loader):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise BadSkillError("its frontmatter has an anchor or an alias (& or *), which are not read")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise BadSkillError(f"its frontmatter is deeper than {MAX_DEPTH} levels")
    try:
        fields = yaml.load(front, Loader=loader)  # noqa: S506 - one of the two safe loaders
    except (ValueError, TypeError, RecursionError) as error:  # a date that is none, a key that is a list
        raise BadSkillError(f"its frontmatter is no YAML: {error}") from error
    if not isinstance(fields, dict):
        raise BadSkillError("its frontmatter has no fields")
    return {str(key): value for key, value in fields.items()}
