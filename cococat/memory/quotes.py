"""The user's own words: what may be quoted as evidence, and which of them come nearest to a line."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cococat.memory.refusals import Refusal
from cococat.memory.statements import plain, statements
from cococat.memory.words import content_words, related, tokens, unspaced

__all__ = ["MIN_CHARS", "Quote", "folded", "how_to", "nearest", "quotes", "weight"]

MIN_CHARS = 8  # of a quote, by `weight`
_GLIMPSE = 60  # characters of a record that are shown
_CLAUSE = re.compile(r"[.!?;:\n。！？；：]+(?=\s|$)|[。！？；]")  # noqa: RUF001 - the marks of other scripts


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that the user typed in record *seq*."""

    seq: int
    quote: str


def quotes(given: Sequence[object], typed: Mapping[int, str]) -> tuple[Quote, ...]:
    """
    Check each piece of evidence.

    Args:
        given: what the model sent.
        typed: what the user typed, by seq of the record, for the records of this batch.
    Returns: the quotes; beside one that is long enough, a short one is taken with the clause it stands in.
    Raises: Refusal: one of them is no verbatim quote of typed text, or none is long enough.
    """
    found = [_quote(one, typed) for one in given]
    short = [one for one in found if weight(one.quote) < MIN_CHARS and one.quote != folded(typed[one.seq])]
    if short and len(short) == len(found):
        raise Refusal(f"the quote {short[0].quote!r} is too short, want {MIN_CHARS}+ characters: {how_to(typed)}")
    return tuple(_wider(one, typed[one.seq]) if one in short else one for one in found)


def nearest(line: str, given: Sequence[Quote], said: Mapping[int, str]) -> tuple[Quote, ...]:
    """
    Return those of the quotes *given* for several lines that have the words of *line*, as few as hold them; all where none does.

    Args:
        said: all that a record says, by its seq; it counts where no quote has a word.
    """
    left, chosen, whole = list(content_words(plain(line))), list[Quote](), tokens(plain(line))
    words = {one: (tokens(one.quote), tokens(plain(said[one.seq]))) for one in given}

    def nearness(one: Quote) -> tuple[int, int, int]:
        quoted, record = words[one]
        return _held(left, quoted), _held(left, record), _held(whole, quoted)  # "work" and "live" are small words

    for _ in given:
        best = max(given, key=nearness)
        rest = [word for word in left if not any(related(word, some) for some in words[best])]
        if len(rest) == len(left):
            break
        chosen.append(best)
        left = rest
    return tuple(one for one in given if one in chosen) or tuple(given)


def _held(words: Iterable[str], said: frozenset[str]) -> int:
    return sum(related(word, said) for word in words)


def _wider(short: Quote, text: str) -> Quote:
    edge = "" if any(map(unspaced, short.quote)) else r"\b"
    words = re.compile(f"{edge}{re.escape(short.quote)}{edge}")
    clause = next((part for part in _CLAUSE.split(folded(text)) if words.search(part)), "")
    if not short.quote or not clause:
        raise Refusal(f"the quote {short.quote!r} is too short: quote the words around it as well")
    return Quote(short.seq, clause.strip())


def how_to(typed: Mapping[int, str], line: str = "", given: Sequence[Quote] = ()) -> str:
    """Return how evidence is given, by the words nearest to *line* that are not *given* yet; and the records there are."""
    seqs = [seq for seq, text in typed.items() if text.strip()]
    if not seqs:
        return "no record of this batch holds typed text, so nothing may be added; answer without a call"
    wanted, known = tokens(line), {one.quote for one in given}
    quotes_ = [(seq, quote) for seq in seqs for quote in _clauses(typed[seq]) if quote not in known]
    quotes_ = quotes_ or [(seq, quote) for seq in seqs if (quote := _beginning(typed[seq])) not in known]
    records = f"records: {', '.join(map(str, seqs))}"
    if not quotes_:
        return f"nothing else was typed that could support it: leave it out; {records}"
    seq, quote = max(quotes_, key=lambda one: (len(wanted & tokens(one[1])), one[0]))
    example = json.dumps([{"seq": seq, "quote": quote}], ensure_ascii=False)
    return f"give evidence={example}, with words the user typed; {records}"


def _quote(given: object, typed: Mapping[int, str]) -> Quote:
    match given:
        case {"seq": int(seq), "quote": str(quote)} if not isinstance(seq, bool):
            pass
        case _:
            raise Refusal(f"evidence must be a list of {{seq, quote}}: {how_to(typed)}")
    wanted = folded(quote)
    others: list[int] = []
    for same in (wanted, wanted[:1].swapcase() + wanted[1:]):  # small models begin a quote as a sentence
        if seq in typed and same in folded(typed[seq]):
            return Quote(seq, same)
        holding = [other for other, text in typed.items() if same in folded(text)] if weight(same) >= MIN_CHARS else []
        if len(holding) == 1:
            return Quote(holding[0], same)  # the words say where they were typed: the number was a slip
        others += holding
    if others:
        raise Refusal(f"the user typed {quote[:80]!r} in records {others}, not in {seq}: name the one you mean")
    if seq not in typed:
        raise Refusal(f"there is no record {seq} in this batch: {how_to(typed)}")
    raise Refusal(
        f"the user did not type {quote[:80]!r} in record {seq}, which reads {_beginning(typed[seq])!r}: copy the "
        "user's words letter by letter; answers, pasted text and files are no evidence"
    )


def folded(text: str) -> str:
    """Return *text* in the form in which quotes are compared with it: composed, and every blank space a single one."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def weight(text: str) -> int:
    """Return the characters of *text*; the wide ones of a script without spaces count twice."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _clauses(text: str) -> list[str]:
    """Return the clauses of *text* that state something and could be quoted; the beginning where they are too long."""
    stated = statements(folded(text)).stated
    parts = [part.strip() for part in _CLAUSE.split(stated) if part.strip()]
    fitting = [part for part in parts if weight(part) >= MIN_CHARS and len(part) <= _GLIMPSE]
    return fitting or [_beginning(text)][: len(parts)]


def _beginning(text: str) -> str:
    whole = folded(text)
    return whole if len(whole) <= _GLIMPSE else whole[:_GLIMPSE].rsplit(" ", 1)[0]
