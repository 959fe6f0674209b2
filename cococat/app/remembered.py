"""What is remembered of the user, and whether more will be, as the next request holds it."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from cococat.app.output import note
from cococat.config import Folders, Settings
from cococat.context.budget import Count
from cococat.core.agent import estimate_tokens
from cococat.errors import StorageError
from cococat.prompts import prompt

__all__ = ["remembered", "remembering"]


def remembered(settings: Settings, places: Folders, *, quiet: bool = False) -> tuple[str, str]:
    """
    Return the memory as it enters a prompt, and what of MEMORY.md is in there.

    Trouble with it is told and never stops the chat, nor do lines left out.
    """
    if settings.memory.mode == "off" or not os.path.lexists(places.memory / "MEMORY.md"):
        return "", ""
    from cococat.memory.file.document import blocked, read
    from cococat.memory.file.quoting import quoted

    try:
        memory = read(places.memory)
        if not quiet and blocked(memory):
            from cococat.app.dream.memory import warn_blocked

            warn_blocked(memory, places.state)
        count = _counter(settings, places, memory.text)
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


def _counter(settings: Settings, places: Folders, text: str) -> Count:
    """Count exactly only where the budget is near: the vocabulary takes time to load."""
    if estimate_tokens(text) * 2 <= settings.memory.max_tokens:
        return estimate_tokens
    from cococat.model.tokens import count

    return lambda part: count(part, settings.model.name, folder=places.cache)
