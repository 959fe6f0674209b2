"""What a model is told of skills before it reads one, and how much of one it reads at a time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate

from cococat.skills.find import MAX_LISTED, bundled
from cococat.skills.skill import Skill
from cococat.system.text import clip

LINES = (120, 100, 80, 60)  # characters of a description, fewer where all skills have room for no more
MAX_TOKENS = 600
WINDOW_PART = 10  # part of the window that the lines may fill, as a divisor
MAX_PAGE = 32 << 10  # bytes
_PIECE = re.compile(r"[a-z]{1,7}|[A-Z]{1,3}[a-z]{0,5}|\d{1,3}|[^\sa-zA-Z0-9]")
INTRODUCTION = (
    "Skills that the user installed. Where one fits the task, read it with `skill` first and follow it. It allows no call"
    " that is not permitted, and what the user says comes first."
)


def catalog(skills: Sequence[Skill], window: int) -> str:
    """Return a line a skill, as many as have room in a *window* of tokens, and say how many have none."""
    room = min(MAX_TOKENS, window // WINDOW_PART) - _tokens(INTRODUCTION)
    for most in LINES:
        lines = [f"{skill.name}: {clip(skill.description, most)}" for skill in skills]
        sizes = [*accumulate(map(_tokens, lines))]
        if sizes[-1] <= room:
            break
    shown = [line for line, size in zip(lines, sizes, strict=True) if size <= room]
    more = [f"and {len(lines) - len(shown)} more, whose names `skill` knows"] if len(shown) < len(lines) else []
    return "\n".join([INTRODUCTION, *shown, *more])


def _tokens(line: str) -> int:
    """Return about how many tokens a line of prose takes, rather too many; always the same, so that prompts are, too."""
    return 1 + len(_PIECE.findall(line)) + sum(char > "\uffff" for char in line)


def introduced(skill: Skill) -> str:
    """Return the text of a skill below what it needs to know of its folder."""
    names = bundled(skill.path.parent)
    more = ", …" if len(names) > MAX_LISTED else ""
    files = f"; `skill` reads its files: {', '.join(names[:MAX_LISTED])}{more}" if names else ""
    return f"[in {skill.path.parent}{files}]\n\n{skill.body}"


def page(text: str, start: int, most: int, file: str) -> str:
    """
    Return whole lines of *text* from line *start*, and how to go on.

    Args:
        most: bytes.
        file: what is read, as the tool names it.
    """
    lines, kept, left = text.split("\n"), list[str](), min(most, MAX_PAGE)
    for line in lines[start - 1 :]:
        left -= len(line.encode()) + 1
        if left < 0 and kept:
            break
        if left < 0:
            start_of_it = line.encode()[: min(most, MAX_PAGE)].decode("utf-8", "ignore")
            kept.append(f"{start_of_it}[line {start} is longer than a page: the rest of it is not shown]")
            break
        kept.append(line)
    end = start + len(kept) - 1
    if end < len(lines):
        kept.append(f'[lines {start}-{end} of {len(lines)}; next: file="{file}:{end + 1}"]')
    return "\n".join(kept)
