"""Why an edit of a dream is refused: the model is told what to do instead, the user in a few words what was wrong."""

from __future__ import annotations

from collections.abc import Iterable

from cococat.core.tools import ToolFailure
from cococat.system.text import clip

__all__ = [
    "DELETED", "FULL", "KEPT_BY_YOU", "MORE", "MORE_THAN_OLD", "NOTED", "NO_EDIT", "NO_FACT", "PINNED", "UNFIT", "Refusal", "all_of",
]  # fmt: skip

MAX_LINE = 60  # characters of a line that is named
LINE = "{line}"
MORE = f"{LINE} is more than you wrote"
MORE_THAN_OLD = f"{LINE} is more than the lines say that it replaces"
NO_FACT = f"{LINE} says nothing that you did"
KEPT_BY_YOU = f"nothing that you said is about {LINE}"
UNFIT = f"{LINE} cannot be kept"
DELETED = f"{LINE} was deleted by you before"
NOTED = "it is noted already"
PINNED = "the section Pinned is yours alone"
FULL = "MEMORY.md is full: cococat memory edit, or a larger memory.max_tokens"
NO_WORDS = "no words of yours were named for it"
NO_EDIT = "the model wrote no edit that can be made"


class Refusal(ToolFailure):
    """
    An edit, or a line of one, that is not made.

    Args:
        told: for the model.
        shown: for the user, one of the above.
        line: what it is about, where *shown* names it.
    """

    def __init__(self, told: str, shown: str = NO_WORDS, line: str = "") -> None:
        # repr: a line may hold what a terminal would obey
        super().__init__(told, display=shown.replace(LINE, f'"{clip(repr(line)[1:-1], MAX_LINE)}"'))


def all_of(refused: Iterable[ToolFailure]) -> ToolFailure:
    """Make one of several; the user is told of the first."""
    first, *others = refused
    return ToolFailure("\n".join(map(str, (first, *others))), display=first.display)
