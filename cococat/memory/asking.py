"""Where a sentence asks, and what it tells beside that: "im allergic to nuts can i eat pesto?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from cococat.memory.passing import AND
from cococat.memory.words import TOKEN, classes, fold, language, pairs

__all__ = ["asked_for", "begins_to_ask", "opens_question", "owned", "told_beside"]

_PART = re.compile(r"[,،、，:：()（）—–]+(?=\D|$)|\s-+\s|\.\.+|…")  # noqa: RUF001 - the marks of other scripts
_ASKS = re.compile(r"[?？؟]")  # noqa: RUF001 - as above
_QUOTED = re.compile(r": |[\"„“«]")
_LEAST = 2  # words of a clause that tells something; three where it begins with "my"
_TAG = 5  # words of a question that only asks whether that is right


def opens_question(words: Sequence[str]) -> bool:
    """Return whether a sentence opens as a question that can be answered by yes or no, although no mark follows: "does my"."""
    if any(" ".join(words[:size]) in language("asks_opening") for size in (1, 2)):
        return True
    match words:
        case [verb, "not", who, *rest]:
            return _inverts([verb, who, *rest])
        case [verb, mine, kin, *_] if mine in language("mine") and kin in language("kin"):
            return verb in _verbs() or (verb.endswith("t") and verb not in language("free"))
        case _:
            return _inverts(words)


def _supposes(words: Sequence[str]) -> bool:
    """Return whether a clause only supposes something: "if i lived in hull", "lets say"."""
    words = _led(words)
    if words[:1] and words[0].startswith(tuple(language("cjk_supposes"))):
        return True
    if len(words) < _LEAST or (words[0] == "se" and not language("reflexive").isdisjoint(words[1:2])):
        return False
    return any(" ".join(words[:size]) in language("supposes") for size in (1, 2, 3))


def begins_to_ask(sentence: str, *, marked: bool = False) -> int:
    """
    Return where in *sentence* a question begins behind what it tells; 0 where it does not.

    Args:
        marked: a question mark stands at its end, so that a bare "what" may begin the question.
    """
    if (opens := sentence.find("¿", 1)) > 0:
        return opens
    found = [*TOKEN.finditer(sentence)]
    words = [fold(word[0]) for word in found]
    at = _question(words, marked=marked)
    if not (at or marked) and _own(words):
        ends = (mark.end() for mark in _PART.finditer(sentence))
        return next((end for end in ends if opens_question(_words(sentence[end:]))), 0)
    return found[at].start() if at else 0


def asked_for(sentence: str) -> str:
    """Return what an open question asks, without what it only supposes or has somebody think."""
    weighed = classes("whether", "weighs", "supposes")
    at = next((word.start() for word in TOKEN.finditer(sentence) if fold(word[0]) in weighed), len(sentence))
    return sentence[:at]


def owned(sentence: str) -> list[str]:
    """Return whom a sentence that states nothing takes for granted all the same: "my brother Gene", "my son who rows"."""
    mine, kin = "|".join(language("mine")), "|".join(language("kin"))
    who = re.compile(rf"(?i:\b(?:{mine}) (?:{kin})\b)(?: [A-ZÀ-ÖØ-Þ]\w+)?")
    return [found[0] + _relative(sentence, found) for found in who.finditer(sentence)]


def told_beside(sentence: str, *, freely: bool = False) -> list[str]:
    """
    Return the clauses of a sentence that asks in which somebody tells something, ahead of what is asked or behind it.

    Args:
        freely: it opens with no question, so that its clauses may tell of anybody; else they are of the user alone.
    """
    if _QUOTED.search(sentence) and not freely:
        return owned(sentence)
    freely = freely and language("opens").isdisjoint(_words(sentence)[:1])
    told: list[str] = []
    asked = kin = False
    parts = _PART.split(sentence)
    for number, part in enumerate(parts, 1):
        words = _words(part)
        behind = _opens(words) or part.lstrip().startswith("¿")
        if not behind and _supposes(words):
            return told + owned(part)
        at = 0 if behind else begins_to_ask(part, marked=not freely or bool(_ASKS.search(sentence)))
        if at and not _only_confirms(words, _words(part[at:])):
            told.append(_alone(part[:at]))
        elif not (at or behind) and _tells(words, last=number == len(parts), freely=freely, asked=asked, kin=kin):
            told.append(_alone(part) if asked else part)
        else:
            told += _granted(part) or owned(part)
        if behind and not classes("weighs", "dictates").isdisjoint(words):
            return told + [one for rest in parts[number:] for one in owned(rest)]
        asked |= bool(behind or at)
        kin |= bool(owned(part))
    return told


def _tells(words: Sequence[str], *, last: bool, freely: bool, asked: bool, kin: bool) -> bool:
    """Return whether a clause without a question tells something beside one: of the user, or of the "kin" named before."""
    if freely and not last:
        return True
    of_kin = kin and not language("third").isdisjoint(words[:1])
    does = not asked and len(words) > _LEAST and len(words[0]) > _LEAST and words[0].endswith("o")  # "corro los martes"
    return (asked or not last) and (_own(words) or of_kin or does)


def _words(text: str) -> list[str]:
    return [fold(word) for word in TOKEN.findall(text)]


def _led(words: Sequence[str]) -> Sequence[str]:
    """Return *words* without what leads on to them: "and", "hi", or a "because" ahead of what is told."""
    while words:
        reason = next((size for size in (2, 1) if " ".join(words[:size]) in classes("reasons", "reasons_first")), 0)
        if reason and _begins_own(words[reason:]):
            return words[reason:]
        if words[0] not in language("leads_on") | language("hails"):
            break
        words = words[1:]
    return words


def _opens(words: Sequence[str]) -> bool:
    """Return whether a clause opens as a question or a request."""
    words = _led(words)
    known = classes("asks", "opens", "requests", "requests_asked", "asks_behind")
    return any(" ".join(words[:size]) in known for size in (1, 2, 3)) or opens_question(words)


def _inverts(words: Sequence[str]) -> bool:
    """Return whether *words* open with a verb and a subject behind it: "can i", "does my"."""
    match words:
        case [verb, who, *rest]:
            denied = not {"nicht", "nich", "kein", "keine", "keinen"}.isdisjoint(rest[:1])  # "fish? mag ich nicht"
            thing = verb in language("asks_modals") and who in language("asks_things")
            return (thing or _of_a_person(verb, who)) and not denied
    return False


def _of_a_person(verb: str, who: str = "") -> bool:
    """Return whether a *verb* is asked of somebody behind it, in one language."""
    english = verb in language("asks_verbs") and who in language("asks_persons")
    return english or (verb in language("asks_verbs_inside") and who in language("asks_persons_inside"))


@cache
def _verbs() -> frozenset[str]:
    return language("asks_verbs") | language("asks_verbs_inside")


def _question(words: Sequence[str], *, marked: bool) -> int:
    """Return the number of the word with which a question begins behind what is told; 0 where none does."""
    begin = len(words) - len(_led(words))
    first = words[begin : begin + 1]
    least = begin + _LEAST + (not language("mine").isdisjoint(first))
    if not language("addresses").isdisjoint(first):
        return 0
    return next((at for at in range(least, len(words)) if _asks_at(words[begin:], at - begin, marked=marked)), 0)


def _asks_at(words: Sequence[str], at: int, *, marked: bool) -> bool:
    before, rest = words[:at], words[at:]
    asks = next((size for size in (3, 2, 1) if " ".join(rest[:size]) in language("asks_behind")), 0)
    known = classes("requests", "requests_asked") if marked else language("requests")
    request = any(" ".join(rest[:size]) in known for size in (3, 2, 2 - marked))
    if not marked:
        verb, who = rest[asks : asks + 1], rest[asks + 1 : asks + 3]
        inverts = not language("asks_verbs").isdisjoint(verb) and not language("asks_persons").isdisjoint(who[:1])
        some = rest[0] == "any" and asks > 1
        verbs = not language("asks_verbs").isdisjoint((*verb, *who)) or rest[0] in ("whats", "wheres", "hows")
        supposed = _supposes(before) and (inverts or some or (asks and verbs) or (_complete(before, rest) and _a(rest)))
        return bool(supposed or (_own(before) and (inverts or some or request)))
    near = before if rest[0] == "any" and asks == 1 else before[-1:]
    if asks and _nots().isdisjoint(near) and f"{before[-1]} {rest[0]}" not in language("reasons"):
        return True
    joined = before[-1] in language("leads_on") and _inverts(rest)
    return request or joined or _of_a_person(*rest[:2]) or (rest[0] in _verbs() and _complete(before, rest))


def _a(words: Sequence[str]) -> bool:
    return words[0] in language("asks_verbs") and not language("given").isdisjoint(words[1:2])


@cache
def _nots() -> frozenset[str]:
    """Return the words that say "not", the short forms of verbs among them, in one word or in two."""
    return language("not") | {"t", *(one for one, long in pairs("short", "=") if long.endswith(" not"))}


def _complete(before: Sequence[str], rest: Sequence[str]) -> bool:
    """Return whether what stands *before* a verb has one already, so that the *rest* is another clause."""
    if (before[-1] in AND and language("given").isdisjoint(rest[1:2])) or not language("mine").isdisjoint(before[-2:]):
        return False
    open_ = language("whether") | _nots() | {"that", "who", "which", "to"}
    verbs = classes("acts", "copula", "speaks") | {"m", "s", "ve", "have", "has", "sind", "i", "we"}
    return before[-1] not in open_ and not (verbs - AND).isdisjoint(before[:-1])


def _only_confirms(words: Sequence[str], question: Sequence[str]) -> bool:
    """Return whether a *question* asks no more than whether what is told is so: "i need a visa is that right?"."""
    return len(question) <= _TAG and not language("true").isdisjoint(question)


def _own(words: Sequence[str]) -> bool:
    """Return whether a clause begins with the user, or what is theirs."""
    return _begins_own(_led(words))


def _begins_own(words: Sequence[str]) -> bool:
    """Return whether *words* begin with somebody's "i" or "my"; "no como" has its "I" in its verb."""
    if not (language("articles_of_mine").isdisjoint(words[:1]) or language("mine").isdisjoint(words[1:2])):
        words = words[1:]
    verb = words[:1] and words[0] in ("no", "nao", "non") and words[1:2] and words[1].endswith(("o", "mos", "iamo"))
    return len(words) >= _LEAST and bool(verb or words[0] in classes("first", "mine", "speaks"))


def _granted(part: str) -> list[str]:
    """Return what a question takes for granted behind a "because", or an "is it normal that"."""
    words = [*TOKEN.finditer(part)]
    folded = [fold(word[0]) for word in words]
    for at in range(1, len(words) - 1):
        for size in (2, 1):
            phrase, because = " ".join(folded[at : at + size]), not language("free").issuperset(folded[:at])
            if (
                not _own(folded[at + size :])
                or not language("weighs").isdisjoint(folded)
                or not (phrase in language("facts_that") or (because and phrase in language("reasons")))
            ):
                continue
            return [_ASKS.sub("", part[words[at + size].start() :])]
    return []


def _relative(sentence: str, found: re.Match[str]) -> str:
    """Return what a "who" behind one of the family tells of them; empty where the question may go on with them."""
    before = [fold(word) for word in TOKEN.findall(sentence[: found.start()])][-1:]
    if not before or before[0] in _no_relative():
        return ""
    who = "|".join(language("who_tells" if before[0] in language("prepositions") else "who"))
    behind = re.match(rf"(?i),?(?: [^\W\d_]+)??,? (?:{who})\b(?:['\u2019]\w+)? [^,.!?;]*", sentence[found.end() :])
    return behind[0] if behind else ""


@cache
def _no_relative() -> frozenset[str]:
    """Return the words behind which somebody is what the question is about: "does my son who", "is it my son who"."""
    return _verbs() | language("third") | language("not") | language("asks_things")


def _alone(text: str) -> str:
    """Return *text* without what leads on to it, or from it to the question behind it."""
    words = [*TOKEN.finditer(text)]
    rest = words[len(words) - len(_led(_words(text))) :]
    while rest and fold(rest[-1][0]) in language("leads_on"):
        rest.pop()
    return text[rest[0].start() : rest[-1].end()] if rest else ""
