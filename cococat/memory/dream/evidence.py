"""What a line rests on: words that the user typed, quoted letter for letter."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from cococat.core.tools import ToolFailure
from cococat.memory.file.edits import Quote
from cococat.memory.judge.floor import signs
from cococat.memory.judge.sentences import sentence_around, sentences
from cococat.memory.words import JOINING, NOT, asks, content, related, sequence, tokens
from cococat.system.text import clip

MIN_CHARS = 8  # of a quote, by `weight`
_GLIMPSE = 60  # characters of a record that are shown
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


class EditRefusal(ToolFailure):
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


def quotes(given: Sequence[object], typed: Mapping[int, str]) -> tuple[Quote, ...]:
    """
    Check each piece of evidence.

    Args:
        given: what the model sent.
        typed: what the user typed, by seq of the record, for the records of this batch.
    Returns: the quotes; beside one that is long enough, a short one is taken with the sentence it stands in.
    Raises: Refusal: one of them is no verbatim quote of typed text, or none is long enough.
    """
    found = [_quote(quote, typed) for quote in given]
    short = [quote for quote in found if weight(quote.quote) < MIN_CHARS and quote.quote != folded(typed[quote.seq])]
    if short and len(short) == len(found):
        raise EditRefusal(f"the quote {short[0].quote!r} is too short, want {MIN_CHARS}+ characters: {how_to(typed)}")
    return tuple(
        Quote(quote.seq, sentence_around(quote.quote, folded(typed[quote.seq]))) if quote in short else quote
        for quote in found
    )


def nearest(line: str, given: Sequence[Quote], said: Mapping[int, str]) -> tuple[Quote, ...]:
    """
    Return those of the quotes *given* for several lines that have the words of *line*, as few as hold them; all where none does.

    Args:
        said: all that a record says, by its seq; it counts where no quote has a word.
    """
    left, chosen = content(line), list[Quote]()
    words = {quote: (tokens(quote.quote), tokens(said[quote.seq])) for quote in given}
    for _ in given:
        best = max(given, key=lambda one: [sum(related(word, some) for word in left) for some in words[one]])
        rest = {word for word in left if not any(related(word, some) for some in words[best])}
        if len(rest) == len(left):
            break
        chosen.append(best)
        left = frozenset(rest)
    return tuple(quote for quote in given if quote in chosen) or tuple(given)


def how_to(typed: Mapping[int, str], line: str = "") -> str:
    """Return how evidence is given, by the sentence nearest to *line*; and the records there are."""
    seqs = [seq for seq, text in typed.items() if text.strip()]
    if not seqs:
        return "no record of this batch holds typed text, so nothing may be added; answer without a call"
    wanted = content(line)
    said = [(seq, typed[seq][start:end]) for seq in seqs for start, end in sentences(typed[seq])]
    said = [sentence for sentence in said if not asks(sentence[1])] or said
    seq, quote = max(said or [(seqs[-1], typed[seqs[-1]])], key=lambda one: (len(wanted & tokens(one[1])), one[0]))
    example = json.dumps([{"seq": seq, "quote": _beginning(quote)}], ensure_ascii=False)
    return f"give evidence={example}, with words the user typed; records: {', '.join(map(str, seqs))}"


def merges(line: str, removed: Sequence[str]) -> bool:
    """Return whether *line* is nothing but *removed* lines one behind the other: then it needs no new evidence."""
    words = _telling(line)
    return bool(words) and not signs(line) - signs("".join(removed)) and _joined(words, tuple(map(_telling, removed)))


def holds(line: str, other: str) -> bool:
    """Return whether *line* says all of *other*, word for word in a row."""
    words, part = _telling(line), _telling(other)
    return bool(part) and any(words[at : at + len(part)] == part for at in range(len(words) - len(part) + 1))


def _telling(line: str) -> tuple[str, ...]:
    return tuple(word for word in sequence(line) if word not in JOINING or word in NOT)


def _joined(words: Sequence[str], lines: Sequence[Sequence[str]]) -> bool:
    """Return whether *words* are some of *lines* in a row, each whole."""
    if not words:
        return True
    return any(
        line
        and tuple(words[: len(line)]) == tuple(line)
        and _joined(words[len(line) :], (*lines[:at], *lines[at + 1 :]))
        for at, line in enumerate(lines)
    )


def _quote(given: object, typed: Mapping[int, str]) -> Quote:
    match given:
        case {"seq": int(seq), "quote": str(quote)} if not isinstance(seq, bool):
            pass
        case _:
            raise EditRefusal(f"evidence must be a list of {{seq, quote}}: {how_to(typed)}")
    wanted = folded(quote)
    others: list[int] = []
    for same in (wanted, wanted[:1].swapcase() + wanted[1:]):  # small models begin a quote as a sentence
        if seq in typed and same and same in folded(typed[seq]):
            return Quote(seq, same)
        holding = [other for other, text in typed.items() if same in folded(text)] if weight(same) >= MIN_CHARS else []
        if len(holding) == 1:
            return Quote(holding[0], same)  # the words say where they were typed: the number was a slip
        others += holding
    if others:
        raise EditRefusal(f"the user typed {quote[:80]!r} in records {others}, not in {seq}: name the one you mean")
    if seq not in typed:
        raise EditRefusal(f"there is no record {seq} in this batch: {how_to(typed)}")
    raise EditRefusal(
        f"the user did not type {quote[:80]!r} in record {seq}, which reads {_beginning(typed[seq])!r}: copy the "
        "user's words letter by letter; answers, pasted text and files are no evidence"
    )


def folded(text: str) -> str:
    """Return *text* in the form in which quotes are compared with it: composed, and every blank space a single one."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def weight(text: str) -> int:
    """Return the characters of *text*; the wide ones of a script without spaces count twice."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _beginning(text: str) -> str:
    whole = folded(text)
    return whole if len(whole) <= _GLIMPSE else whole[:_GLIMPSE].rsplit(" ", 1)[0]
