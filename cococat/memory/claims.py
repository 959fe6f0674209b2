"""A text word by word: in which clause a word stands, who is the subject there, and whether it is denied."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise, takewhile

from cococat.memory.negation import AND, denials_of
from cococat.memory.statements import plain, sentences
from cococat.memory.words import TOKEN, classes, fold, language, sequence, weekdays

__all__ = ["SOMEONE", "USER", "Claim", "claims"]

USER, SOMEONE = "<user>", "<someone>"  # "I", and a "he" of whom only the text before tells who it is
_PART = re.compile(r"[,،、，:：()（）—–]+(?=\D|$)")  # noqa: RUF001 - the marks of other scripts
_AGE = re.compile(r"\s*\(((?:\w+\s)?\d+)\),?")  # "Cian (12) and Oisin (8)"
_NOT_CJK = re.compile(r"[不没沒别別非]")
_NOT_JA = re.compile(r"ません|ない|なかった|않|안 ")


@dataclass(frozen=True, slots=True)
class Claim:
    """
    A word in its clause.

    Args:
        raw: as it was typed.
        at: its number in the text, from 0.
        owner: the words of the subject it belongs to, `USER` or `SOMEONE`; empty where the text names none.
        denied: it stands in the scope of a "not".
        clause, segment: numbers of its clause, and of the part of it between commas and "and"s; later ones have higher ones.
        subject: it is part of the subject itself.
        led: its clause has a subject of its own.
        own: "I am" ("is") or "I" ("does") leads to it.
        against: there is a "not" in its clause.
    """

    word: str
    raw: str
    at: int
    owner: frozenset[str]
    denied: bool
    clause: int
    segment: int
    subject: bool = False
    led: bool = False
    own: str = ""
    against: bool = False


def claims(text: str, names: frozenset[str] = frozenset(), small: frozenset[str] | None = None) -> tuple[Claim, ...]:
    """
    Return the words of *text* in order.

    Args:
        names: words that are names wherever they stand; see `persons`.
        small: for a line of memory, the words that were typed in small letters; typed text is None, and there "his" is never
            of the user.
    """
    found: list[Claim] = []
    people: list[str] = []
    third = language("third")
    if not language("northern").isdisjoint(map(fold, TOKEN.findall(text))):
        third -= language("romance_third")
    clause = segment = 0
    for sentence in sentences(_AGE.sub(r" \1,", plain(text))):
        owner, alone, begin = frozenset[str](), False, len(found)
        said: list[str] = []
        clause += 1  # so that neighbours within a sentence differ by one
        for words in _clauses(sentence, names, third):
            folded = [fold(word) for word in words]
            clause, segment = clause + 1, segment + 1
            subject = _subject(words, folded, names, third)
            at = int(folded[0] in AND and len(words) > 1)
            itself = (
                not subject and (small is None or folded[at] in small) and _names_itself(words[at:], folded[at:], third)
            )
            if itself:
                subject = frozenset({folded[at]})
            if found and folded[0] in _RELATIVES and fold(found[-1].word) in names | language("kin"):
                subject = frozenset({fold(found[-1].word)})  # "my mother, who has"
            if SOMEONE in subject:
                subject = subject.union(people if small is None else ())
            only = bool(subject) and all(one in subject or one in language("free") for one in folded)
            if (alone and (only or folded[0] in AND)) or (only and USER not in subject | owner):
                # "Sabrina, my daughter, looks"; "Doris and I"; "our neighbour in the garden, Mrs Lee, ..."
                subject |= owner
                found[begin:] = [replace(one, owner=subject) if one.owner == owner else one for one in found[begin:]]
            owner, alone = subject or owner, only
            people += [one for one in (*folded, *subject) if one in names or one in language("kin")]
            me, begun = False, not subject
            said = [] if subject else said
            denials = denials_of(folded)
            told = said + words
            for at, (word, denied) in enumerate(zip(words, denials, strict=True)):
                segment += folded[at] in AND
                whose = owner | {USER} if me else owner
                me = me or (begun and folded[at] in classes("first", "mine") and (word == "I" or not word.istitle()))
                begun = begun or folded[at] in subject or folded[at] in third
                for piece, no in _pieces(word, no=denied):
                    found.append(
                        Claim(
                            piece, word, len(found), whose, no, clause, segment,
                            subject=folded[at] in subject,
                            led=bool(subject),
                            own=_own(told, len(said) + at),
                            against=any(denials),
                        )
                    )  # fmt: skip
            said = told
            owner = frozenset() if itself else owner
    return tuple(found)


def _clauses(sentence: str, names: frozenset[str], third: frozenset[str]) -> Iterator[list[str]]:
    """Split a sentence where a clause ends, or where a new subject begins behind an "and"."""
    for piece in _PART.split(sentence):
        words = TOKEN.findall(piece)
        start = 0
        for at, word in enumerate(words):
            one, behind = fold(word), fold(words[at + 1]) if at + 1 < len(words) else ""
            whose = one in _RELATIVES and fold(words[at - 1]) in names | language("kin")
            if at > start and (
                whose
                or (one in language("ends") and not _denies(words[at:]))
                or (one in language("joins") and (_opens(behind, names, third) or _tells(one, words[at + 1 :])))
                or (one in AND and behind in _ARTICLES and not names.isdisjoint(map(fold, words[at : at + 3])))
            ):
                yield words[start:at]
                start = at
        if words[start:]:
            yield words[start:]


def _denies(words: Sequence[str]) -> bool:
    """Return whether *words* only take back the clause before them: "but not", "aber noch nicht"."""
    folded = [fold(word) for word in words]
    return all(word in classes("free", "not") for word in folded) and folded[-1] in language("not")


def _tells(joins: str, behind: Sequence[str]) -> bool:
    """Return whether what stands *behind* an "and" is said of "I", which need not come first: "and since May I lead it"."""
    rest = list(takewhile(lambda word: word not in AND, map(fold, behind)))
    return joins in AND and not _I.isdisjoint(rest)


def _opens(word: str, names: frozenset[str], third: frozenset[str]) -> bool:
    return word in names or word in third or word in _subjects() or word in classes("mine", "kin")


def _subject(
    words: Sequence[str], folded: Sequence[str], names: frozenset[str], third: frozenset[str]
) -> frozenset[str]:
    """Return the words of the subject of a clause; empty where it has none that this could see."""
    if any(verb in language("acts") and one in _INVERTED for verb, one in pairwise(folded)):
        return frozenset({SOMEONE})  # "im Mai wird sie operiert"
    if len(folded) == 1 and folded[0] in _HIM:
        return frozenset({SOMEONE})  # "can't stand sheep, him"
    for at, one in enumerate(folded):
        french = one == "il" and not language("french").isdisjoint(folded)
        verb = len(folded) > 1 and (folded[1] in language("acts") or folded[1].endswith("t"))
        this = at == 0 and one in ("der", "die") and verb and words[1].islower()  # "die arbeitet"
        if one in third or french or this:
            return frozenset({SOMEONE})
        if one in names or one in classes("mine", "theirs", "kin"):
            return _group(words[at:], folded[at:], names)
        if one in classes("first", "direction", "beside", "acts") or one not in language("free"):
            break
    me = folded[0] == "am" or any(one != "am" and one in _subjects() for one in folded)  # "am" is German, too
    return frozenset({USER}) if me or _THERE_IS.search(" ".join(folded)) else frozenset()


def _names_itself(words: Sequence[str], folded: Sequence[str], third: frozenset[str]) -> bool:
    """Return whether a clause opens with somebody in small letters, or something, and what they do: "dana goes home"."""
    one, *behind = folded
    if not behind or one.isdigit() or one in classes("not", "commands", "asks", "hails") or one in weekdays():
        return False
    if one in language("free") and one not in language("romance_third") - third:
        return False
    german = not classes("german", "german_too").isdisjoint(folded)
    verb = behind[0]
    acts = verb in language("acts") or (verb == "s" and language("acts").isdisjoint(behind))
    return acts or (german and words[1].islower() and verb.endswith("t") and verb not in language("free"))


def _group(words: Sequence[str], folded: Sequence[str], names: frozenset[str]) -> frozenset[str]:
    """Return the words a subject is made of: "my sister Mia", and "Mia" again in "my sister is called Mia"."""
    behind = folded[2] if folded[1:2] == ["s"] and folded[2:] else ""
    if behind and behind not in classes("free", "naming") and not _STATE.search(behind):  # "Dev's sister": the sister
        return _group(words[2:], folded[2:], names)
    begin = int(
        folded[0] in language("mine") | language("theirs") and folded[0] not in language("kin") and len(words) > 1
    )
    begin += int(begin and len(words) > begin + 1 and bool(_QUALITY.fullmatch(folded[begin])))
    who = folded[begin]
    if who in language("free") and who not in names | language("kin"):
        return frozenset()
    own, named = [who], False
    for word, one, before in zip(words[begin + 1 :], folded[begin + 1 :], folded[begin:], strict=False):
        named = named or before in language("naming")
        if one in language("first"):
            own.append(USER)
        elif one in language("kin") or one in names or (word[0].isupper() and (named or before in language("kin"))):
            own.append(one)
        elif one not in AND | language("copula") | language("naming") | {"s"} or one in _ARTICLES:
            break
    return frozenset(own)


_QUALITY = re.compile(
    r"new|old|next|first|last|(?:neu|alt|letzt|erst|nachst|klein|gross|jung)e[rsnm]?"
)  # "my new boss"
_THERE_IS = re.compile(r"\b(?:gibt es|es gibt|there (?:is|are)|hay|il y a)\b")  # tells of where the user is
_STATE = re.compile(r"\d|(?:ly|ed|ing)$")  # behind "'s" it is what somebody is: "Fly's fully retired"
_HIM = frozenset({"him", "her", "them", "lui", "elle", "lei", "ihn"})
_RELATIVES = frozenset({"who", "que", "qui", "che", "кто", "который", "которая"})
_INVERTED = frozenset({"er", "sie"})  # subjects behind their verb
_I = frozenset({"i", "we", "ich", "wir", "yo", "je", "nous", "noi", "eu", "я", "мы"})
_AM = frozenset({"am", "bin", "soy", "sou", "sono", "suis"})
_ARTICLES = frozenset({"he", "the", "a", "an", "o", "der", "die", "das", "la", "el"})


def _own(words: Sequence[str], end: int) -> str:
    """Return "is" for word *end* if "I am" leads to it, "does" behind "I": but names, only closed classes between."""
    at = end
    while at and (
        fold(words[at - 1]) in _between()
        or (words[at - 1][0].isupper() and not _AM.isdisjoint(map(fold, words[at - 2 : at])))
    ):
        at -= 1
    if not at or fold(words[at - 1]) not in _subjects():
        return ""
    return "does" if _being().isdisjoint(map(fold, words[at - 1 : end])) else "is"


@cache
def _subjects() -> frozenset[str]:
    """Return the forms of "I" that do something."""
    return language("first") - language("object")


@cache
def _between() -> frozenset[str]:
    return language("free") - language("first")


@cache
def _being() -> frozenset[str]:
    return language("copula") | _AM


def _pieces(word: str, *, no: bool) -> Iterator[tuple[str, bool]]:
    at = (found.start() if (found := _NOT_CJK.search(word)) else len(word)) - 1
    for number, piece in enumerate(sequence(word)):
        yield piece, no or bool(_NOT_JA.search(word)) or number > at
