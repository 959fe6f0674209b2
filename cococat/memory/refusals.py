"""Why an edit of a dream was refused, for the user: what the model is told says besides what to do instead."""

from __future__ import annotations

import re

from cococat.system.text import clip

__all__ = ["in_words"]

MAX_LINE = 60  # characters of a line that is named
_LINE = r"(?P<line>'[^\n]*?'|\"[^\n]*?\")"
_WORDS = (  # the beginning of what the model is told, and what the user is
    (
        rf"the evidence does not support {_LINE}.*it says nothing by itself",
        "{line} is no fact: it says nothing by itself",
    ),
    (rf"the evidence does not support {_LINE}", "{line} is more than you wrote"),
    (rf"{_LINE} cannot be kept", "{line} cannot be kept"),
    (rf"the user has deleted {_LINE}", "{line} was deleted by you before"),
    (r"already at line|this edit was made before|.* is there twice", "it is noted already"),
    (r"the section Pinned", "the section Pinned is yours alone"),
    (r"the file would hold", "MEMORY.md is full"),
    (r"evidence must|there is no record|the user |the quote ", "no words of yours were named for it"),
)
OTHERWISE = "the model wrote no edit that can be made"


def in_words(refusal: str) -> str:
    """Return in a few words why an edit was refused, from what the model was told."""
    for told, words in _WORDS:
        if found := re.match(told, refusal):
            line = clip(found["line"][1:-1], MAX_LINE) if "line" in found.groupdict() else ""
            return words.format(line=f'"{line}"')
    return OTHERWISE
