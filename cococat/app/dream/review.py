"""Asking a user about each place that a dream would change."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from cococat.app.dream.memory import counter, forget_prompts
from cococat.app.dream.unread_receipts import mark_seen, with_facts
from cococat.app.output import can_ask, note
from cococat.config import Folders
from cococat.core.events import DreamFinished
from cococat.errors import ConsentError
from cococat.memory.dream.review import ProposedChange, decide, waiting
from cococat.ui.lines.format import changes
from cococat.ui.lines.theme import ColourFlag, Theme, ansi, colour
from cococat.ui.prompt.turn_keys import KeyWatch

SHOWN_FACTS = 20  # rows of a list of facts, until Ctrl-O asks for the rest


def asks_now(folders: Folders, finished: DreamFinished | None = None) -> bool:
    """
    Return whether facts wait that compacting would lose: whoever sits at the terminal is asked at once.

    Args:
        finished: how a dream has just ended.
    """
    if not can_ask() or (finished and (finished.outcome != "held" or not finished.dream)):
        return False
    proposal = waiting(folders.memory)
    return bool(proposal and proposal.lost)


def needs_terminal(folders: Folders) -> ConsentError:
    """Return the error of a review that nobody can answer."""
    held = waiting(folders.memory)
    what = f"dream {held.number} waits for a yes or a no" if held else "a review asks about each change"
    look = f"; cococat dream diff {held.number} shows the change" if held else ""
    return ConsentError(f"{what}, and there is no terminal to ask on", f"cococat dream --review, in a terminal{look}")


async def review(folders: Folders, flag: ColourFlag = "auto") -> DreamFinished | None:
    """
    Ask about each place of the change that waits, and make what was agreed to; None when nothing waits.

    Cancelled in between, nothing is decided and the change goes on waiting.

    Args:
        flag: of --color.
    Raises: StorageError: the memory could not be read or written.
    """
    proposal = waiting(folders.memory)
    if proposal is None:
        return None
    theme: Theme | None = "dark" if colour(flag, sys.stderr, os.environ) else None
    agreed = await _all_at_once(proposal, theme) if proposal.lost else None
    agreed = await _one_by_one(proposal, theme) if agreed is None else agreed
    finished = decide(folders.memory, agreed, now=datetime.now(UTC), count=counter(folders))
    mark_seen(folders)
    forget_prompts(folders)
    return with_facts(folders, finished)


async def _all_at_once(proposal: ProposedChange, theme: Theme | None) -> Sequence[int] | None:
    """Ask about the facts that would be lost, in one question; None when each is to be asked about."""
    from cococat.ui.prompt.confirm import confirm

    count = f"{len(proposal.lost)} fact{'' if len(proposal.lost) == 1 else 's'}"
    with KeyWatch() as keys:
        question = f"to be shorter, MEMORY.md would lose {count}: forget them?"
        lost, answers = "\n".join(proposal.lost), ("yes", "no", "each")
        reply = await confirm(question, lost, answers, keys=keys, rows=SHOWN_FACTS, theme=theme)
    if reply.answer == "each":
        return None
    return range(len(proposal.hunks)) if reply.answer == "yes" else ()


async def _one_by_one(proposal: ProposedChange, theme: Theme | None) -> Sequence[int]:
    """Ask about every place by itself."""
    from cococat.ui.prompt.confirm import confirm

    note(f"dream {proposal.number} {proposal.told}; n turns a change down for good, Ctrl-C decides later")
    agreed: list[int] = []
    for index, hunk in enumerate(proposal.hunks):
        under = f" under {hunk.section!r}" if hunk.section else ""
        question = f"change {index + 1} of {len(proposal.hunks)}{under}: make it?"
        with KeyWatch() as keys:
            lines = (*(f"-{line}" for line in hunk.removed), *(f"+{line}" for line in hunk.added))
            reply = await confirm(question, "\n".join(lines), keys=keys, paint=_painted, theme=theme)
        agreed += [index] if reply.answer == "yes" else []
    return agreed


def _painted(row: str, _: str) -> str:
    from cococat.ui.lines.paint import paint

    return "".join(ansi(paint(line)) for line in changes(row))
