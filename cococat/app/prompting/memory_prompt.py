"""What is remembered of the user, and whether more will be, as the next request holds it."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from cococat.app.output import note
from cococat.config import Folders, Settings
from cococat.context.budget import Count
from cococat.core.agent import estimate_tokens
from cococat.errors import StorageError
from cococat.prompts import prompt

if TYPE_CHECKING:
    from cococat.memory.file.document import Memory

WARNED = "blocked_lines"  # in the state's folder: hashes of the lines of which a user was warned
SHOWN_LINES = 5  # line numbers that a warning names


def memory_prompt(settings: Settings, folders: Folders, *, quiet: bool = False) -> tuple[str, str]:
    """
    Return the memory as it enters a prompt, and what of MEMORY.md is in there.

    Trouble with it is told and never stops the chat, nor do lines left out.
    """
    if settings.memory.mode == "off" or not os.path.lexists(folders.memory / "MEMORY.md"):
        return "", ""
    from cococat.memory.file.document import blocked, read
    from cococat.memory.file.quoting import quoted

    try:
        memory = read(folders.memory)
        if not quiet and blocked(memory):
            _warn_blocked(memory, folders.state)
        count = _counter(settings, folders, memory.text)
        found = quoted(memory, datetime.now(UTC).astimezone().date(), settings.memory, count)
        if found.left_out and not quiet:
            size = f"{count(memory.text):,} of {settings.memory.max_tokens:,} tokens"
            note(f"MEMORY.md is over its budget ({size}): {found.left_out:,} lines are in no prompt; cococat dream")
        return found.block, found.text
    except StorageError as error:
        note(f"memory is not used: {error.message}; {error.hint}")
        return "", ""


def remembering(mode: str, *, saved: bool, dreams: bool) -> str:
    """
    Return what a model is told of whether the user's words will be remembered.

    Args:
        mode: of the memory.
        saved: the session is; without one no record is kept for a dream either.
        dreams: they may begin by themselves in this run.
    """
    rows = dict(line.split(": ", 1) for line in prompt("remembering").splitlines())
    return rows["off" if not saved else "later" if mode in ("auto", "confirm") and not dreams else mode]


def _counter(settings: Settings, folders: Folders, text: str) -> Count:
    """Count exactly only where the budget is near: the vocabulary takes time to load."""
    if estimate_tokens(text) * 2 <= settings.memory.max_tokens:
        return estimate_tokens
    from cococat.model.tokens import count

    return lambda part: count(part, settings.model.name, folder=folders.cache)


def _warn_blocked(memory: Memory, state: Path) -> None:
    """Name the lines that were left out of the prompt because they fail the scan; each is named once."""
    from cococat.memory.file.document import blocked
    from cococat.system.private import open_private, private_dir

    rows, warned = memory.text.split("\n"), _warned(state)
    marks = {number: sha256(rows[number - 1].encode()).hexdigest()[:16] for number in blocked(memory)}
    numbers = [number for number, mark in marks.items() if mark not in warned]
    if numbers:
        with suppress(OSError), open(private_dir(state) / WARNED, "w", encoding="ascii", opener=open_private) as file:
            file.write("\n".join(marks.values()))
        named = ", ".join(map(str, numbers[:SHOWN_LINES])) + (" …" if len(numbers) > SHOWN_LINES else "")
        one = len(numbers) == 1
        lines = f"line {named} looks like an attack and stays" if one else f"lines {named} look like attacks and stay"
        note(f"MEMORY.md: {lines} out of the prompt; see why: cococat memory show")


def _warned(state: Path) -> Collection[str]:
    try:
        return (state / WARNED).read_text("ascii").split("\n")
    except (OSError, ValueError):
        return ()
