"""Whether a line that holds by the rules may still say something else than the sentences it comes from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cococat.memory import cjk_doubt
from cococat.memory.cjk import written
from cococat.memory.claims import USER, Claim, claims
from cococat.memory.dates import undated
from cococat.memory.negation import in_portuguese
from cococat.memory.own_lines import alone
from cococat.memory.persons import persons
from cococat.memory.roles import first_person
from cococat.memory.statements import plain
from cococat.memory.statements import sentences as split
from cococat.memory.words import (
    TOKEN,
    alike,
    closed,
    content_words,
    fold,
    language,
    months,
    numbers,
    pairs,
    related,
    sequence,
    tokens,
    unspaced,
    weekdays,
)

__all__ = ["doubtful"]

_MANY = 2  # words that say something and are left out
_CLAUSE = re.compile(r"[.;:!()…,]+(?=\D|$)|\s[–—-]\s")  # noqa: RUF001 - the dash of a clause


def doubtful(line: str, sentences: str, *, instead: bool = True) -> str:
    """
    Return what *line* leaves out of the *sentences* it comes from, or has in another order, that could turn what it says.

    Somebody who is named there, a wish, a word that is denied as well, who or what a clause begins with, by whom or when, or much else:
    words alone cannot tell whether it holds without them. Empty when there is nothing of the kind.

    Args:
        instead: they hold so much of *line* that they can stand in its place for no more than what it leaves out.
    """
    if written(line):
        return cjk_doubt.doubtful(line, sentences)
    sentences, line = in_portuguese(sentences, line)
    said = tokens(plain(line))
    people = persons(f"{sentences}\n{line}") | language("kin")
    typed = claims(sentences, people)
    held = {one.clause for one in typed if not closed(one.word) and related(one.word, said)}
    told = {
        one.clause for one in typed if fold(one.word) in language("first")
    }  # of the user, whoever else is in the sentence
    reached = [one for one in typed if any(one.clause <= at for at in held)]
    near = [one for one in reached if one.clause >= min(held) or not held <= told]
    if others := [one.raw for one in near if fold(one.word) in people and not related(one.word, said)]:
        return f"the user spoke of {others[0]!r} there as well"
    words = [one for one in claims(line, people) if not closed(one.word)]
    if moved := _moved(line, words, typed):
        return moved
    if turned := [one.raw for one in words if any(_denied_too(one, other) for other in typed)]:
        return f"the user said {turned[0]!r} with a 'not' and without"
    wishes = language("moods") | language("wishes")
    if (wished := [one.raw for one in typed if fold(one.word) in wishes]) and wishes.isdisjoint(map(fold, said)):
        return f"the user said {wished[0]!r} there"
    if left := [one for one in _turning(near) if fold(one) not in map(fold, said)]:
        return f"the user said {left[0]!r} there"
    if _unowned(line, sentences, [one for one in typed if not closed(one.word) and related(one.word, said)]):
        return "the user's words name nobody"
    if begins := _begins(line, sentences):
        return f"the user's clause begins with {begins!r}"
    return (
        _turned_round(line, sentences)
        or _begun(line, sentences)
        or _mixed(line, sentences)
        or (_left_out(line, sentences) if instead else "")
    )


def _moved(line: str, words: Sequence[Claim], typed: Sequence[Claim]) -> str:
    """Return what *line* tells of somebody else: a verb ahead of all that they did, not the user, or that the user did, not who leads it."""
    first = next(iter(TOKEN.findall(plain(line))), "")
    here = frozenset(map(fold, TOKEN.findall(plain(line))))
    small = language("free") | language("copula") | language("wants")
    places = [one for one in typed if fold(first) not in small and alike(first.casefold(), one.word)]
    beside = {one.clause for one in typed if not closed(one.word) and one not in places and related(one.word, here)}
    alone = beside.isdisjoint(one.clause for one in places)  # "my brother lives in Hull, I in York"
    if not alone and all(one.owner and USER not in one.owner and here.isdisjoint(one.owner) for one in places):
        return f"the user said {places[0].raw!r} of somebody else"
    theirs = [one for one in words if one.led and not one.subject and USER not in one.owner]
    mine = [place.raw for one in theirs for place in typed if not place.led and first_person(place.raw, one.raw)]
    if mine:
        return f"the user said {mine[0]!r} of the user"
    return ""


def _turning(claimed: Sequence[Claim]) -> Iterator[str]:
    """Give the words of *claimed* that say by whom, before what, or which part: what is told without them may say otherwise."""
    folded = [fold(one.word) for one in claimed]
    for at, word in enumerate(folded):
        behind = folded[at + 1 : at + 3]
        fixed = not language("no_agents").isdisjoint((*behind[:1], " ".join(behind)))
        timed = bool(behind) and (behind[0] in weekdays() | months() | numbers() or behind[0].isdigit())
        agent = word in language("agents") and not (fixed or timed)
        if agent or word in language("orders") or word in language("shares"):
            yield claimed[at].raw


def _unowned(line: str, sentences: str, held: Sequence[Claim]) -> bool:
    """Return whether *line* tells something of the user, "Has arthritis", that is said there of nobody: of whom, a reader may tell."""
    opening = next(iter(TOKEN.findall(plain(line))), "")
    asked = not (language("wants") | language("commands")).isdisjoint(map(fold, TOKEN.findall(plain(line))[:2]))
    words = frozenset(map(fold, TOKEN.findall(plain(sentences))))
    tells = not language("northern").isdisjoint(words)  # elsewhere a verb alone says who
    others = (language("third") | language("theirs") | {"him", "them", "ihm", "ihn"}) & words
    headless = fold(opening) not in words or not others.issubset(map(fold, tokens(plain(line))))
    return tells and headless and not asked and bool(held) and not any(one.owner for one in held)


def _denied_too(one: Claim, other: Claim) -> bool:
    said = one.raw.isalpha() and fold(one.word) not in language("not")
    return said and one.denied != other.denied and alike(one.word, other.word)


def _begins(line: str, sentences: str) -> str:
    """Return what stands before the words of *line* in the clause that holds most of them, if it is not the user who does it."""
    wanted = content_words(plain(line))
    clauses = [TOKEN.findall(plain(clause)) for clause in _CLAUSE.split(sentences)]
    held = [
        [at for at, word in enumerate(clause) if any(related(one, frozenset(sequence(word))) for one in wanted)]
        for clause in clauses
    ]
    clause, at = max(zip(clauses, held, strict=True), key=lambda pair: len(pair[1]), default=([], []))
    before = clause[: at[0]] if at else []
    if not (language("first") | language("mine")).isdisjoint(map(fold, before)):
        return ""
    return next((word for word in before if not closed(word) and fold(word) not in language("adverbs")), "")


def _turned_round(line: str, sentences: str) -> str:
    """Return what of *sentences* the words of *line* go back behind; empty when they follow them."""
    typed = TOKEN.findall(plain(sentences))
    forms = [frozenset(sequence(word)) for word in typed]
    parts = [at for at, clause in enumerate(_CLAUSE.split(plain(sentences))) for _ in TOKEN.findall(clause)]
    ends: dict[int, int] = {}
    ordered = {part for part, word in zip(parts, typed, strict=True) if fold(word) in language("orders")}
    for clause in _CLAUSE.split(undated(plain(line))):
        last = 0
        before = dict(ends)
        for word in content_words(clause):
            places = [at for at, one in enumerate(forms) if related(word, one)]
            if places and all(parts[at] in ordered and at < before.get(parts[at], at) for at in places):
                return f"the user said {word!r} before {typed[before[parts[places[-1]]]]!r}"
            ends.update({parts[at]: max(at, ends.get(parts[at], at)) for at in places[:1]})
            if places and places[-1] < last and not _equals(typed[places[-1] + 1 : last], clause):
                return f"the user said {word!r} before {typed[last]!r}"
            last = next((at for at in places if at >= last), last)
    return ""


def _begun(line: str, sentences: str) -> str:
    """Return how *line* tells that something begins, goes on or ends, where no word of *sentences* does."""
    here, said = (frozenset(map(fold, tokens(plain(text)))) for text in (line, sentences))
    for group in pairs("phases"):
        phase = [one for one in group if one in here]
        if phase and said.isdisjoint(group) and not related(phase[0], said):
            return f"the user did not say {phase[0]!r}"
    return ""


def _mixed(line: str, sentences: str) -> str:
    """Return what two clauses of *line* have from each other's sentences: "has a van, the boat is in Hull" for "... boat. ... van"."""
    said = [tokens(plain(one)) for one in split(sentences)]
    mixed: list[str] = []
    for clause in _CLAUSE.split(undated(plain(line))):
        words = content_words(clause)
        held = [[word for word in words if related(word, one)] for one in said]
        best = max(held, key=len, default=[])
        mixed += [word for word in words if word not in best and any(word in one for one in held)][:1]
    return f"the user said {mixed[0]!r} in another sentence" if len(mixed) > 1 else ""


def _left_out(line: str, sentences: str) -> str:
    """Return what of *sentences* the *line* leaves out, dates apart where it has its own; empty where that is little."""
    own = language("first") | language("mine")
    if near := alone(sentences, line):
        clauses = (near, sentences.replace(near, " "))
        owned = all(not own.isdisjoint(map(fold, TOKEN.findall(one))) for one in clauses)
        sentences = near if owned else sentences
    said, dated = tokens(plain(line)), line != undated(line)
    words = content_words(plain(undated(sentences) if dated else sentences))
    free = own | language("adverbs") | {word for word in words if unspaced(word) or (dated and _of_date(word))}
    left = [word for word in words if not (related(word, said) or fold(word) in free)]
    return f"the user said {left[0]!r} there as well" if len(left) >= _MANY else ""


def _of_date(word: str) -> bool:
    return word.isdigit() or fold(word) in weekdays()


def _equals(between: Sequence[str], clause: str) -> bool:
    """Return whether two words with these *between* them may change places: "my boss is Ann", "Ann is the boss"."""
    said = tokens(clause)
    joins = (
        language("copula").intersection(map(fold, between)),
        language("copula") & set(map(fold, TOKEN.findall(clause))),
    )
    return all(joins) and all(closed(word) or related(fold(word), said) for word in between)
