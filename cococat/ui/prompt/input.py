"""What a user entered: one line, and which parts of it were pasted rather than typed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TypeAlias

INLINE_CHARS = 2000  # a longer paste is shown as a placeholder
INLINE_LINES = 12
MIN_CHARS = 12  # characters of an edited paste that are still recognised as pasted
_WORDS = re.compile(r"\s+|\w+|[^\w\s]+")
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI: colours, cursor movement
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS and their kin
    r"|\x1b[ -/]*[0-~]?"
)
_NEVER_MEANT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls but tab and newline
    "\u202a-\u202e\u2066-\u2069"  # bidi overrides, isolates: plain RTL text needs none of them
    "\ufff9-\ufffb\U000e0000-\U000e007f]"  # tags: text that no screen shows
)
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class InputLine:
    """A text the user sent; *pasted* are the parts of it, verbatim and in order, that were not typed."""

    text: str
    pasted: tuple[str, ...] = ()

    @property
    def typed(self) -> str:
        """The text without its pasted parts."""
        return "".join(_without(self.text, self.pasted))


@dataclass(frozen=True, slots=True)
class Leave:
    """The user wants to leave, or a signal says so; *code* is the exit code."""

    code: int = 0


@dataclass(frozen=True, slots=True)
class Nothing:
    """A blank line: there is nothing to send."""


@dataclass(frozen=True, slots=True)
class Idle:
    """No user has typed for a while, and there is something to do meanwhile."""


Entered: TypeAlias = InputLine | Leave | Nothing | Idle


def behind(before: InputLine, lines: Sequence[str]) -> InputLine:
    """Put *lines* behind *before*: they count as typed, as pastes are marked only while the terminal is read."""
    return InputLine(before.text + clean("\n".join(lines)), before.pasted)


def clean(text: str) -> str:
    """
    Keep what a user can have meant to enter.

    Terminal sequences and control characters go, as do characters that hide or reorder text;
    line ends become newlines, lone surrogates U+FFFD. Joiners and direction marks stay: Persian,
    Arabic, Hebrew and emoji need them.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATE.sub("\ufffd", _NEVER_MEANT.sub("", _SEQUENCE.sub("", text)))


def placeholder(number: int, block: str) -> str:
    """Return what stands on the screen for a paste; nothing when it is short enough to be shown itself."""
    lines = block.removesuffix("\n").count("\n") + 1
    if len(block) <= INLINE_CHARS and lines <= INLINE_LINES:
        return ""
    return f"[pasted #{number}: {lines:,} line{'s' * (lines != 1)}, {len(block):,} characters]"


def shortened(text: str, pasted: Iterable[str]) -> str:
    """Return *text* with placeholders for its long pastes, as the prompt showed it."""
    number = 1
    for block in pasted:
        if stands := placeholder(number, block):
            text = text.replace(block, stands, 1)
            number += 1
    return text


def pasted_parts(text: str, blocks: Iterable[str]) -> tuple[str, ...]:
    """Return the parts of *text* that stem from *blocks*; of a block that was edited, the runs that are left."""
    found: dict[int, str] = {}
    for block in sorted({block for block in blocks if block.strip()}, key=len, reverse=True):
        for start, piece in _places(text, block) or _runs(text, block):
            if not any(s < start + len(piece) and start < s + len(known) for s, known in found.items()):
                found[start] = piece
    return tuple(found[start] for start in sorted(found))


def _places(text: str, block: str) -> list[tuple[int, str]]:
    """Where *block* stands in *text*; a short one only once, as its copies may well be typed."""
    found: list[tuple[int, str]] = []
    at = text.find(block)
    while at >= 0 and (not found or len(block) >= MIN_CHARS):
        found.append((at, block))
        at = text.find(block, at + len(block))
    return found


def _runs(text: str, block: str) -> Iterator[tuple[int, str]]:
    """Runs of words that *block* and *text* share, long enough to be no accident."""
    ours, theirs = _WORDS.findall(text), _WORDS.findall(block)
    offsets = [0]
    for word in ours:
        offsets.append(offsets[-1] + len(word))
    for match in SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks():
        piece = "".join(ours[match.a : match.a + match.size])
        if len(piece.strip()) >= MIN_CHARS:
            yield offsets[match.a], piece


def _without(text: str, parts: Iterable[str]) -> Iterator[str]:
    """The pieces of *text* around *parts*."""
    for part in parts:
        before, found, after = text.partition(part)
        if found:
            yield before
            text = after
    yield text
