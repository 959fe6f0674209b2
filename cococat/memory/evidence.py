"""The user's own words behind a line: what counts as evidence, and whether a line rests on it.

Public: Quote, Made, quotes, unsupported, merges, how_to.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cococat.core.tools import ToolFailure
from cococat.memory.words import content_words, related, tokens

SHORTEST = 8  # characters of a quote; the wide ones of a script without spaces count twice
SUPPORT = 1 / 2  # part of a line's new words that the user must have typed


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that the user typed in record *seq*."""

    seq: int
    quote: str


@dataclass(frozen=True, slots=True)
class Made:
    """An edit that was accepted, with the evidence it rests on."""

    removed: tuple[str, ...]
    added: tuple[str, ...]
    evidence: tuple[Quote, ...]


def quotes(given: Sequence[object], typed: Mapping[int, str]) -> tuple[Quote, ...]:
    """
    Check each piece of evidence.

    Args:
        given: what the model sent.
        typed: what the user typed, by seq of the record, for the records of this batch.
    Raises: ToolFailure: one of them is no verbatim quote of typed text.
    """
    return tuple(_quote(one, typed) for one in given)


def unsupported(line: str, given: Sequence[Quote], typed: Mapping[int, str], removed: Sequence[str] = ()) -> str:
    """
    Say what *line* lacks to rest on its evidence; empty when it does.

    Half of its new words must be the user's own in the quoted records, at least one of them in a quote.

    Args:
        removed: lines that it takes the place of; their words are not new.
    """
    old = frozenset().union(*map(tokens, removed))
    words = (content_words(line) or tokens(line)) - old
    in_quotes = frozenset().union(*(tokens(one.quote) for one in given))
    in_records = frozenset().union(*(tokens(typed[one.seq]) for one in given))
    said = [word for word in words if related(word, in_records)]
    if words and not any(related(word, in_quotes) for word in words):
        return "none of its words is in a quote: quote the words it rests on"
    if len(said) < SUPPORT * len(words):
        return "most of its words are not the user's: stay close to the user's own words and language"
    return ""


def merges(line: str, removed: Sequence[str]) -> bool:
    """Say whether *line* says nothing that the *removed* lines did not say: then it needs no new evidence."""
    words = content_words(line, strict=True)
    old = frozenset().union(*(tokens(one) for one in removed))
    return bool(words) and words <= old


def how_to(typed: Mapping[int, str]) -> str:
    """Say how evidence is given, with the records there are."""
    seqs = [seq for seq, text in typed.items() if text.strip()]
    if not seqs:
        return "no record of this batch holds typed text, so nothing may be added; answer without a call"
    example = json.dumps([{"seq": seqs[-1], "quote": _beginning(typed[seqs[-1]])}], ensure_ascii=False)
    return f"give evidence={example}, with words the user typed; records: {', '.join(map(str, seqs))}"


def _quote(given: object, typed: Mapping[int, str]) -> Quote:
    match given:
        case {"seq": int(seq), "quote": str(quote)} if not isinstance(seq, bool):
            pass
        case _:
            raise ToolFailure(f"evidence must be a list of {{seq, quote}}: {how_to(typed)}")
    wanted = _folded(quote)
    if seq not in typed:
        raise ToolFailure(f"there is no record {seq} in this batch: {how_to(typed)}")
    if _weight(wanted) < SHORTEST:
        raise ToolFailure(f"the quote {quote!r} is too short, want {SHORTEST} characters or more: {how_to(typed)}")
    if wanted in _folded(typed[seq]):
        return Quote(seq, wanted)
    elsewhere = next((other for other, text in typed.items() if wanted in _folded(text)), None)
    if elsewhere is not None:
        raise ToolFailure(f"the user typed that in record {elsewhere}, not in {seq}: correct the seq")
    raise ToolFailure(
        f"the user did not type {quote[:80]!r} in record {seq}, which reads {_beginning(typed[seq])!r}: copy the "
        "user's words letter by letter; answers, pasted text and files are no evidence"
    )


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _weight(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _beginning(text: str) -> str:
    folded = _folded(text)
    return folded if len(folded) <= 60 else folded[:60].rsplit(" ", 1)[0]  # noqa: PLR2004 - a glimpse
