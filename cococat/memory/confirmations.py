"""A short answer to the assistant's own question: "yes, both" takes its words from the question that it answers."""

from __future__ import annotations

import re

from cococat.memory.words import TOKEN, asks, sequence

__all__ = ["closing_question", "confirmed"]

MAX_WORDS = 12  # of an answer that is read with its question; pairs of characters where no spaces are written
MAX_CHARS = 300  # of a question
_LAST = re.compile(
    r"(?:[^.!?;\n\u3002\uff01\uff1f]|[.](?=\S)|(?<=\d)[.](?= [^\W\d_A-Z]))+[?\uff1f\u061f][\s*_)\"'\u00bb\u201d]*$"
)


def closing_question(answer: str) -> str:
    """Return the question that *answer* ends with; empty when it ends otherwise, or is too long to be one."""
    found = _LAST.search(answer.strip())
    question = " ".join(found[0].split()) if found else ""
    return question if len(question) <= MAX_CHARS else ""


def confirmed(typed: str, asked: str) -> str:
    """Return *asked*, whose words a short answer lends to a line; empty where *typed* is none. What it agrees to is for a judge to say."""
    said = TOKEN.search(typed) and len(sequence(typed)) <= MAX_WORDS and not asks(typed)
    return asked if said else ""
