"""What an edit of a dream is held against besides its evidence: what is noted, deleted, pinned, and how much there is."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from cococat.core.settings import DreamSettings
from cococat.core.tools import ToolFailure
from cococat.memory.edits import Edit
from cococat.memory.evidence import DELETED, FULL, NOTED, PINNED, Refusal
from cococat.memory.file import pinned
from cococat.memory.plan import at_most
from cococat.memory.words import JOINING, related, same_fact, sequence, similarity, tokens

__all__ = ["check_heading", "check_new", "check_pinned", "check_size"]

MAX_NAMED = 2  # words of the user's in a heading: more of them would say something, and nobody judges it
SAME = 0.85  # similarity from which two lines may say the same
_HEADING = re.compile(r"#{1,6} +\w[\w &/+.,-]{0,39}")
_TOPICS = tokens(
    "notes memory about user profile person personal background preferences preference likes dislikes habits style "
    "people family friends contacts team pets home places travel work job company projects project tools software "
    "hardware environment setup languages language code coding health food drinks hobbies interests sports music books "
    "plans goals decisions dates events education skills other misc"
)


def check_heading(line: str, typed: Mapping[int, str], removed: Sequence[str]) -> None:
    """Refuse a heading that names neither a common topic nor what the user has named."""
    known = frozenset[str]().union(*map(tokens, (*typed.values(), *removed)))
    named = [word for word in sequence(line) if word not in JOINING and not related(word, _TOPICS)]
    fits = _HEADING.fullmatch(line.strip()) and len(named) <= MAX_NAMED
    if not fits or not all(related(word, known) for word in named):
        raise ToolFailure(f"{line!r} is no good heading: use a short and common one, such as '## Preferences'")


def check_pinned(after: str, before: str) -> None:
    """Refuse to touch what belongs to the user."""
    if pinned(after) != pinned(before):
        raise Refusal(f"the section Pinned belongs to the user: {_elsewhere(before)}", PINNED)


def check_new(line: str, edit: Edit, text: str, tombstones: Sequence[str]) -> None:
    """Refuse a line that is there already, or that somebody has deleted."""
    if any(_says(line, gone) for gone in tombstones):
        raise Refusal(f"the user has deleted {line!r} before: leave it out", DELETED, line)
    removed = list(edit.removed)
    for number, old in enumerate(text.split("\n"), 1):
        if old.rstrip() in removed:
            removed.remove(old.rstrip())
        elif old.strip() and _says(line, old):
            raise Refusal(f"already at line {number}: {old!r}; leave it", NOTED)
    if sum(_says(line, other) for other in edit.added) > 1:
        raise Refusal(f"{line!r} is there twice in new_text: write it once", NOTED)


def check_size(after: str, before: str, limits: DreamSettings, count: Callable[[str], int]) -> None:
    """Refuse an edit that leaves the file over its budget, unless it makes it smaller."""
    sizes = (
        ("lines", after.count("\n") + 1, before.count("\n") + 1, limits.max_lines),
        ("bytes", len(after.encode()), len(before.encode()), limits.max_bytes),
    )
    fits = at_most(after, limits.max_tokens, count)
    tokens = () if fits else (("tokens", count(after), count(before), limits.max_tokens),)
    for unit, size, was, most in (*sizes, *tokens):
        if size > most and size >= was:
            raise Refusal(
                f"the file would hold {size:,} {unit}, at most {most:,} are allowed: merge or delete older lines first",
                FULL,
            )


def _says(line: str, other: str) -> bool:
    """Return whether two lines say the same: in the same words, or so nearly that no word, name or number differs."""
    return similarity(line, other) >= SAME and same_fact(line, other)


def _elsewhere(text: str) -> str:
    """Return where else a line could go."""
    own = pinned(text)
    headings = [line for line in text.split("\n") if re.match(r"##+ ", line) and line not in own]
    return f"use another heading as old_text, such as {headings[0]!r}" if headings else "put the line at the end"
