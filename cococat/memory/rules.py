"""What the edits of one run are held against."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date

from cococat.core.settings import DreamSettings

__all__ = ["Rules"]


@dataclass(frozen=True, slots=True)
class Rules:
    """
    What the edits of one run are held against.

    Args:
        typed: what the user typed, by seq of the record; the only evidence there is.
        tombstones: lines that somebody deleted.
        redact: takes secrets out of a text.
        count: tokens of a text.
        asked: the assistant's question that a short answer confirms, by seq of the answer.
        days: when the records were made, by their seq.
        unsure: seqs of answers to a question that foreign text may have brought up.
        compacts: nothing new comes in; a line rests on the lines that it takes the place of.
        hidden: lines that this run does not show: they are another part's.
    """

    typed: Mapping[int, str]
    settings: DreamSettings
    tombstones: tuple[str, ...] = ()
    redact: Callable[[str], str] = str
    count: Callable[[str], int] = len
    asked: Mapping[int, str] = field(default_factory=dict)
    days: Mapping[int, date] = field(default_factory=dict)
    unsure: frozenset[int] = frozenset()
    compacts: bool = False
    hidden: frozenset[str] = frozenset()
