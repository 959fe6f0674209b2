"""Prompts of the user's own, `CONFIG/prompts/NAME.md`: a text with places for what is typed behind the name."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cococat.errors import UsageError
from cococat.skills.skill import split
from cococat.system.text import clip
from cococat.system.text_file import NoTextError, read_text

MAX_PROMPTS = 200
MAX_BYTES = 64 << 10
TITLE = 60  # characters
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")  # what can be typed behind a slash
_PLACE = re.compile(r"\$(ARGUMENTS\b|[1-9]\d?(?!\d))")


@dataclass(frozen=True, slots=True)
class Filled:
    """
    What a prompt comes to.

    Args:
        own: the parts of *text* that are the prompt's own, in order; what is between them was typed now.
    """

    text: str
    own: tuple[str, ...]


def prompt_names(folder: Path) -> tuple[str, ...]:
    """Name the prompts in *folder*; none where there is no such folder."""
    with suppress(OSError):
        names = [name.removesuffix(".md") for name in os.listdir(folder) if name.endswith(".md")]  # noqa: PTH208 - names
        return tuple(sorted(filter(_NAME.fullmatch, names))[:MAX_PROMPTS])
    return ()


def prompt_named(folder: Path, name: str) -> str | None:
    """
    Return the text of a prompt, without its frontmatter if it has some; None where there is none.

    Raises: UsageError: it cannot be read, or is empty.
    """
    if not _NAME.fullmatch(name) or not os.path.lexists(path := folder / f"{name}.md"):
        return None
    try:
        text = split(read_text(path))[1]
    except NoTextError as error:
        raise UsageError(f"{path} cannot be read: {error.reason}", error.hint) from error
    if not text or len(text.encode()) > MAX_BYTES:
        what = "says nothing" if not text else f"has more than {MAX_BYTES >> 10} KiB"
        raise UsageError(
            f"{path} {what}", "a prompt is a text, with $ARGUMENTS or $1 for what is typed behind its name"
        )
    return text


def title_of(prompt: str) -> str:
    """Return what a prompt begins with, in one line."""
    return clip(prompt.split("\n", 1)[0].lstrip("# ").strip(), TITLE)


def words_of(typed: str) -> list[str]:
    """Return the arguments in a line, which quotes hold together; an apostrophe is none."""
    try:
        return shlex.split(typed)
    except ValueError:
        return typed.split()


def filled(name: str, prompt: str, typed: str, words: Sequence[str]) -> Filled:
    """
    Put what was typed into *prompt*; behind it where it has no place. What is put there is not looked at again.

    Args:
        typed: takes the place of $ARGUMENTS; *words* of it that of $1 and so on.
    Raises: UsageError: there are fewer words than places.
    """
    places = [found[1] for found in _PLACE.finditer(prompt)]
    wanted = max((int(place) for place in places if place.isdigit()), default=0)
    if wanted > len(words):
        blanks = " ".join(f"WORD{number}" for number in range(1, wanted + 1))
        raise UsageError(f"{name} wants {wanted} word{'s' * (wanted != 1)}, got {len(words)}", f"{name} {blanks}")
    if not places and typed:
        return Filled(f"{prompt}\n\n{typed}", (prompt,))
    text = _PLACE.sub(lambda found: typed if found[1] == "ARGUMENTS" else words[int(found[1]) - 1], prompt).strip()
    own = (part.strip() for part in _PLACE.split(prompt)[::2])
    return Filled(text, tuple(part for part in own if part))
