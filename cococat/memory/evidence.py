"""The user's own words behind a line: what counts as evidence, and whether a line rests on it."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cococat.core.tools import ToolFailure
from cococat.memory.claims import denied, statements
from cococat.memory.words import content_words, joining, related, sequence, tokens, unspaced

__all__ = ["AcceptedEdit", "Quote", "how_to", "merges", "plain_heading", "quotes", "unsupported"]

MIN_CHARS = 8  # characters of a quote; the wide ones of a script without spaces count twice
_PLAIN_SIGNS = frozenset("`+=~")  # signs that a line may hold although nobody typed them
_TOPICS = tokens(
    "notes memory about user profile person personal background preferences preference likes dislikes habits style "
    "people family friends contacts team pets home places travel work job company projects project tools software "
    "hardware environment setup languages language code coding health food drinks hobbies interests sports music books "
    "plans goals decisions dates events education skills other misc"
)


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that the user typed in record *seq*."""

    seq: int
    quote: str


@dataclass(frozen=True, slots=True)
class AcceptedEdit:
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
    Return what *line* lacks to rest on its evidence; empty when it does.

    Every word that carries meaning must be the user's own in the quoted records, at least one of them in a quote:
    so no text that was not typed can become a memory, however it reached the model.

    Args:
        removed: lines that it takes the place of; their words may stay, in their order.
    """
    words = content_words(line) or sequence(line)
    if not words:
        return "it holds no words"
    old = [word for one in removed for word in sequence(one)]
    in_quotes = frozenset().union(*(tokens(one.quote) for one in given))
    claimed = "\n".join(statements(typed[seq]) for seq in sorted({one.seq for one in given}))
    said = tokens(claimed)
    new = [word for word in words if word not in old] or words
    if not any(related(word, in_quotes) for word in new):
        return "none of its words is in a quote: quote the words it rests on"
    if foreign := _out_of_order(_not_said(words, said), old):
        named = ", ".join(map(repr, foreign[:5]))
        return f"{named}: no words of the user's there, or only in a question; use only the user's own, untranslated"
    if clause := denied(line, words, claimed):
        return f"the user said {clause!r}: keep the 'not'"
    if signs := _signs(line) - _signs("".join((*removed, *(typed[one.seq] for one in given)))):
        return f"the user did not type {', '.join(map(ascii, sorted(signs)))}"
    return ""


def merges(line: str, removed: Sequence[str]) -> bool:
    """Return whether *line* is nothing but *removed* lines one behind the other: then it needs no new evidence."""
    words = _meaning(line)
    return bool(words) and not _signs(line) - _signs("".join(removed)) and _joined(words, tuple(map(_meaning, removed)))


def plain_heading(line: str, typed: Mapping[int, str], removed: Sequence[str]) -> bool:
    """Return whether a heading names a common topic, or what the user has named."""
    known = _TOPICS.union(*map(tokens, (*typed.values(), *removed)))
    return all(joining(word) or related(word, known) for word in sequence(line)) and not _signs(line)


def how_to(typed: Mapping[int, str], line: str = "") -> str:
    """Return how evidence is given, with the records there are; the example is the record that *line* is nearest to."""
    seqs = [seq for seq, text in typed.items() if text.strip()]
    if not seqs:
        return "no record of this batch holds typed text, so nothing may be added; answer without a call"
    wanted = tokens(line)
    best = max(seqs, key=lambda seq: (len(wanted & tokens(statements(typed[seq]))), seq))
    example = json.dumps([{"seq": best, "quote": _beginning(typed[best])}], ensure_ascii=False)
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
    if _weight(wanted) < MIN_CHARS:
        raise ToolFailure(f"the quote {quote!r} is too short, want {MIN_CHARS} characters or more: {how_to(typed)}")
    if wanted in _folded(typed[seq]):
        return Quote(seq, wanted)
    elsewhere = next((other for other, text in typed.items() if wanted in _folded(text)), None)
    if elsewhere is not None:
        raise ToolFailure(f"the user typed that in record {elsewhere}, not in {seq}: call again with seq {elsewhere}")
    raise ToolFailure(
        f"the user did not type {quote[:80]!r} in record {seq}, which reads {_beginning(typed[seq])!r}: copy the "
        "user's words letter by letter; answers, pasted text and files are no evidence"
    )


def _not_said(words: Sequence[str], said: frozenset[str]) -> list[str]:
    """Return the words that the user did not type; where a script has no spaces, some pairs may be new seams."""
    missing = [word for word in words if not related(word, said)]
    letters = frozenset("".join(filter(unspaced, said)))
    seams = [word for word in missing if unspaced(word) and letters.issuperset(word)]
    if 2 * len(seams) > sum(map(unspaced, words)):
        return missing
    return [word for word in missing if word not in seams]


def _out_of_order(words: Sequence[str], old: Sequence[str]) -> list[str]:
    """Return the words that are not among *old* in the same order: "tea, not coffee" is not "coffee, not tea"."""
    found: list[str] = []
    at = 0
    for word in words:
        if word in old[at:]:
            at = old.index(word, at) + 1
        else:
            found.append(word)
    return found


def _meaning(line: str) -> tuple[str, ...]:
    return tuple(word for word in sequence(line) if not joining(word))


def _joined(words: Sequence[str], lines: Sequence[Sequence[str]], before: Sequence[Sequence[str]] = ()) -> bool:
    """Return whether *words* are some of *lines* in a row; what a line has in common with one before need not come again."""
    if not words:
        return True
    for index, line in enumerate(lines):
        others = (*lines[:index], *lines[index + 1 :])
        for start in {0, *(_shared(line, one) for one in before)}:
            rest = line[start:]
            if (
                rest
                and tuple(words[: len(rest)]) == tuple(rest)
                and _joined(words[len(rest) :], others, (*before, line))
            ):
                return True
    return False


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _signs(text: str) -> frozenset[str]:
    """Return the symbols and combining marks in *text*: they are no words, and may say something all the same."""
    return frozenset(char for char in _folded(text) if unicodedata.category(char)[0] in "MS") - _PLAIN_SIGNS


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _weight(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _beginning(text: str) -> str:
    folded = _folded(text)
    return folded if len(folded) <= 60 else folded[:60].rsplit(" ", 1)[0]  # noqa: PLR2004 - a glimpse
