"""Whether a line that holds by the rules may still say something else than the sentences it comes from."""

from __future__ import annotations

import re

from cococat.memory.cjk import written
from cococat.memory.claims import Claim, claims, persons
from cococat.memory.negation import in_portuguese
from cococat.memory.statements import TOKEN, plain
from cococat.memory.words import alike, closed, content_words, fold, language, related, sequence, tokens

__all__ = ["doubtful"]

_CLAUSE = re.compile(r"[.;:!()…,]+(?=\D|$)|\s[–—-]\s")  # noqa: RUF001 - the dash of a clause


def doubtful(line: str, sentences: str) -> str:
    """
    Return what *line* leaves out of the *sentences* it comes from that could turn what it says; empty when nothing.

    Somebody who is named there, a wish, a word that is denied as well, or who or what a clause begins with: words alone cannot tell
    whether it holds without them.
    """
    if written(line):
        return ""  # its rules look at the whole sentence
    sentences, line = in_portuguese(sentences, line)
    said = tokens(plain(line))
    people = persons(f"{sentences}\n{line}") | language("kin")
    typed = claims(sentences, people)
    held = {one.clause for one in typed if not closed(one.word) and related(one.word, said)}
    told = {
        one.clause for one in typed if fold(one.word) in language("first")
    }  # of the user, whoever else is in the sentence
    first = min(held, default=0)
    near = [one for one in typed if one.clause in held or (one.clause < first and not held <= told)]
    if others := [one.raw for one in near if fold(one.word) in people and not related(one.word, said)]:
        return f"the user spoke of {others[0]!r} there as well"
    words = [one for one in claims(line, people) if not closed(one.word)]
    if turned := [one.raw for one in words if any(_denied_too(one, other) for other in typed)]:
        return f"the user said {turned[0]!r} with a 'not' and without"
    wishes = language("moods") | language("wishes")
    if (wished := [one.raw for one in typed if fold(one.word) in wishes]) and wishes.isdisjoint(map(fold, said)):
        return f"the user said {wished[0]!r} there"
    begins = _begins(line, sentences)
    return f"the user's clause begins with {begins!r}" if begins else ""


def _denied_too(one: Claim, other: Claim) -> bool:
    return one.denied != other.denied and one.raw.isalpha() and alike(one.word, other.word)


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
