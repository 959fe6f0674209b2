"""Lines of the memory that rest on nothing but what was taken back: named at once, and asked about in a review."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from cococat.app.dream.memory import counter, forget_prompts
from cococat.config import Folders
from cococat.core.events import DreamFinished
from cococat.errors import StorageError
from cococat.memory.dream import retract
from cococat.memory.file import journal
from cococat.system.text import clip
from cococat.ui.lines.theme import Theme, colour
from cococat.ui.prompt.turn_keys import KeyWatch

SHOWN = 60  # characters of a line
SHOWN_LINES = 20  # rows of a list of lines, until Ctrl-O asks for the rest


def unfounded(folders: Folders, *, review: str = "cococat dream --review", rm: str = "cococat memory rm") -> list[str]:
    """
    Return one line for the user about the lines of the memory that what was taken back leaves without a ground.

    Args:
        review, rm: the commands that ask about them, and that delete one.
    Returns: nothing when there are none.
    """
    try:
        found = retract.unfounded(folders.memory)
    except StorageError as error:  # what was taken back is out of the way of dreams all the same
        return [f"what rests on it in the memory is not known: {error.message}; {error.hint}"]
    if not found:
        return []
    if len(found) == 1:
        line = clip(found[0].line, SHOWN)
        return [
            f'line {found[0].number} of the memory rests on it alone: "{line}"; to forget it: {rm} {found[0].number}'
        ]
    return [f"{len(found)} lines of the memory rest on nothing else; to be asked about them: {review}"]


async def offer(folders: Folders) -> DreamFinished | None:
    """
    Ask whether to forget those lines; what is kept is not asked about again.

    Returns: what became of them; None when there are none, or none was to be forgotten.
    Raises: StorageError: the memory could not be read or written.
    """
    lines = [found.line for found in retract.unfounded(folders.memory)]
    if not lines:
        return None
    count = f"{len(lines)} line{'' if len(lines) == 1 else 's'} of the memory"
    gone = await _chosen(f"{count} rest{'s' if len(lines) == 1 else ''} on what was taken back: forget?", lines)
    retract.keep_retracted(folders.memory, [line for line in lines if line not in gone])
    if not gone:
        return None
    finished = journal.forget(folders.memory, gone, now=datetime.now(UTC), count=counter(folders))
    forget_prompts(folders)
    return finished


async def _chosen(question: str, lines: Sequence[str]) -> list[str]:
    """Return the lines to forget: all, none, or those that a question each finds out."""
    from cococat.ui.prompt.confirm import confirm

    several = ("yes", "no", "each") if len(lines) > 1 else ("yes", "no")
    theme: Theme | None = "dark" if colour("auto", sys.stderr, os.environ) else None
    with KeyWatch() as keys:
        reply = await confirm(question, "\n".join(lines), several, keys=keys, rows=SHOWN_LINES, theme=theme)
    if reply.answer == "each":
        return [line for each in lines for line in await _chosen("forget this line?", [each])]
    return list(lines) if reply.answer == "yes" else []
