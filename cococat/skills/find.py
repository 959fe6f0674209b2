"""Where skills lie: the SKILL.md files below a folder, within bounds, and one file of a skill."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from cococat.safety.terminal import safe
from cococat.skills.skill import BadSkillError
from cococat.system.text_file import NoTextError, read_text

SKILL_FILE = "SKILL.md"
MAX_SKILLS = 64  # of all folders together
MAX_DEPTH = 4  # of a skill below the folder of skills
MAX_ENTRIES = 2000  # of a folder and all below it that are looked at
MAX_BYTES = 256 << 10  # of a SKILL.md
MAX_LISTED = 40  # files of a skill that are named
PASSED_OVER = frozenset({"node_modules", "__pycache__"})


def skill_files(place: Path, top: Path | None = None) -> tuple[list[Path], list[str]]:
    """
    Find the SKILL.md files below *place*, by name; what lies inside of a skill is none.

    Args:
        top: links to folders are followed where they stay below it; None: anywhere.
    Returns: the files, and for what was left unseen a line each.
    """
    found: list[Path] = []
    unseen: list[str] = []
    seen, left, waiting, deeper = {os.path.realpath(place)}, MAX_ENTRIES, [(place, 0)], False
    while waiting:
        folder, depth = waiting.pop()
        entries = _entries(folder, left + 1)
        left -= len(entries)
        if left < 0:
            unseen.append(f"{place} holds more than {MAX_ENTRIES:,} names: the rest of it is not looked at")
            break
        if depth and any(entry.name == SKILL_FILE for entry in entries):
            found.append(folder / SKILL_FILE)
            continue
        for entry in entries:
            real = os.path.realpath(entry.path)
            hidden = entry.name.startswith(".") or entry.name in PASSED_OVER
            if hidden or real in seen or not _is_folder(entry):
                continue
            if top and not Path(real).is_relative_to(os.path.realpath(top)):
                unseen.append(f"{folder / entry.name} is not used: it is a link out of the repository")
                continue
            if depth == MAX_DEPTH:
                deeper = True
                continue
            seen.add(real)
            waiting.append((folder / entry.name, depth + 1))
    if deeper:
        unseen.append(f"{place}: nothing deeper than {MAX_DEPTH} folders is looked at")
    return sorted(found), unseen


def text_of(path: Path, top: Path | None = None) -> str:
    """
    Read a SKILL.md as it is.

    Args:
        top: a folder that it must lie in, whatever links say; None for any.
    Raises: BadSkillError: it is no such text, or too long.
    """
    try:
        text = read_text(path, top)
    except NoTextError as error:
        raise BadSkillError(error.reason) from error
    if (size := len(text.encode())) > MAX_BYTES:
        raise BadSkillError(f"it has {-(-size // 1024):,} KiB, at most {MAX_BYTES >> 10} are read")
    return text


def bundled(folder: Path) -> list[str]:
    """Name the files beside a SKILL.md, as many as are listed, one more where there are more."""
    return list(islice(_files(folder), MAX_LISTED + 1))


def file_of(folder: Path, name: str) -> str:
    """
    Read one file of a skill.

    Raises: NoTextError: it is none, or leads out of the folder, or is no text.
    """
    parts = Path(name).parts
    if not parts or Path(name).is_absolute() or ".." in parts:
        raise NoTextError(f"{name!r} is outside of the skill", "name a file below its folder")
    return read_text(folder / name, folder)


def _files(folder: Path) -> Iterator[str]:
    left, waiting = MAX_ENTRIES, [folder]
    while waiting:
        entries = sorted(_entries(here := waiting.pop(0), left), key=lambda entry: entry.name)
        left -= len(entries)
        for entry in entries:
            if entry.name.startswith(".") or entry.name in PASSED_OVER or entry.is_symlink():
                continue
            if entry.is_dir():
                waiting.append(here / entry.name)
            elif entry.is_file() and (name := (here / entry.name).relative_to(folder).as_posix()) != SKILL_FILE:
                yield safe(name, "exact").replace("\n", "?")


def _entries(folder: Path, most: int) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(islice(entries, most))
    except OSError:
        return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
