"""What a text claims, and what it only asks, asks for, or makes up."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import dropwhile

from cococat.memory.asking import asked_for, begins_to_ask, opens_question, owned, told_beside
from cococat.memory.openers import without_openers
from cococat.memory.passing import aside, lasting, put_right
from cococat.memory.requesting import requests, without_denial
from cococat.memory.tales import ahead_of_tale, tells_on
from cococat.memory.words import TOKEN, closed, fold, holds, language, numbers, pairs, weekdays

__all__ = ["Statements", "follows_tale", "plain", "sentences", "statements"]

_MONTHS = "Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez"
_SENTENCE = re.compile(
    r"(?:[^.!?;\n。\uff01\uff1f؟]|[.](?=\w)|(?<=\b[DMdm]r)[.]|(?<=\b[Mm]rs)[.]|(?<=\b[Pp]rof)[.]|(?<=\b[DdSs]ra)[.]|(?<=\b[Ss]r)[.]|(?<=\bSig)[.]|(?<=\bMme)[.]|(?<=\bM)[.]"
    rf"|(?<=\d)[.](?=\s(?i:bis|und|{_MONTHS}))|(?<=\b(?:der|die|das|dem|den|vom|zum|bis) \d)[.](?=\s[a-zäöü])"
    r"|(?<=\b(?:am|ab) \d)[.](?=\s[a-zäöü])|(?<=\b(?:am|ab) \d\d)[.](?=\s[a-zäöü])|(?<=\d)[.](?=\s(?i:lehrjahr|klasse|stock|semester|schuljahr)))+[.!?;\n。\uff01\uff1f؟]*"
)
_ASKS = re.compile(r"[?？؟]")  # noqa: RUF001 - the marks of other scripts
_KEEP = re.compile(r"\b(remember|note|forget|keep in mind|merk|denk\w* da?ran|recuerda|souviens)", re.IGNORECASE)
_PLEASE = r"(?i:\b(?:please|pl[sz]|bitte|stp|svp|por favor|s['\u2019]il (?:te|vous) pla[iî]t|per favore|пожалуйста)\b)"
_ORDERED = re.compile(rf"{_PLEASE}\s*:\s")
_POLITE = re.compile(rf"{_PLEASE}|请")
_MATERIAL = re.compile(r"[^\W\d_]\s*:\s")
_TO = "in|at|on|to|from|im|am|bei|nach|aus|en|a|à|de|chez|di"
_NO = frozenset({"no", "nein", "nee", "non"})
_NO_AND = re.compile(r"\W*\w+\s*(?:[,.!:;–—-]|$)")  # noqa: RUF001 - the dash of a clause
_LEADS = frozenset(
    re.findall(r"\w+", "in on at im am bei it its the que i ich der die das zum to from")
)  # "no que digo", "no its the 7th"
_ANY_WORDS = 6  # of a sentence that only asks for any
_SHORT = 12  # words of a sentence that only says where somebody goes
_ECHO = re.compile(r"\s*[\u3400-\u9fff\u30a1-\u30ffー]{1,6}[?？]\s*")  # noqa: RUF001 - "my ex? in Leeds now": asked by nobody
_URL = re.compile(r"(?:https?://|www\.)\S+")


@dataclass(frozen=True, slots=True)
class Statements:
    """The sentences of a text that claim something, those that ask the assistant to do something, and open questions."""

    stated: str
    wished: str
    inquired: str = ""


@lru_cache(maxsize=512)
def statements(text: str, *, behind_tale: bool = False) -> Statements:
    """Return what *text* claims: no questions, nothing behind the opening of a tale, nor how one goes on that was told before."""
    stated: list[str] = []
    wished: list[str] = []
    inquired: list[str] = []
    asked = asks = False
    told = [one for one in sentences(text) if not (behind_tale and tells_on(plain(one)))]
    for whole in filter(None, (one if _whenever(one) else lasting(one) for one in told)):
        sentence = without_openers(whole)
        words = [fold(word) for word in TOKEN.findall(plain(sentence))]
        command = not language("commands").isdisjoint(words[:4])
        asked, asks = asks, bool(_ASKS.search(sentence))
        asking = asks or opens_question(words)
        request = requests(words, asking=asking)
        if (before := ahead_of_tale(plain(sentence))) is not None:
            stated += [before] if before else []
            break  # what follows belongs to the tale
        if _passes(sentence, words, command=command):
            continue
        if stated and _takes_back(sentence, words):
            stated[-1] = _corrected(stated[-1], sentence)
        if _KEEP.search(sentence) or _whenever(sentence) or (request and holds(words, "standing")):
            stated.append(sentence)
        elif _task(words) or re.match("看一下|翻译|总结", sentence):
            stated += aside(sentence) or owned(sentence)
        elif request or (asks and _POLITE.search(sentence)):
            wished.append(without_denial(plain(sentence)) if holds(words, "requests_denied") else sentence)
            stated += told_beside(sentence)
        elif ": " not in sentence and _questions(words, behind=asked):
            inquired.append(asked_for(sentence))
            stated += told_beside(sentence)
        elif (asking or begins_to_ask(sentence)) and not (whole is not told[-1] and _ECHO.fullmatch(sentence)):
            stated += told_beside(sentence, freely=True)
        else:
            stated.append(put_right(sentence))
    return Statements(*("\n\n".join(found) for found in (stated, wished, inquired)))  # one does not go on in the next


def follows_tale(typed: Mapping[int, str], seq: int) -> bool:
    """Return whether the record before *seq* orders a tale, or says how one is to go on."""
    before = max((one for one in typed if one < seq), default=None)
    if before is None:
        return False
    orders, goes_on = _tale(typed[before])
    return orders or (goes_on and follows_tale(typed, before))


@lru_cache(maxsize=512)
def _tale(text: str) -> tuple[bool, bool]:
    """Return whether *text* orders a tale, and whether it says how one goes on: each line of a batch asks it of each record."""
    told = [plain(one) for one in sentences(text)]
    return any(ahead_of_tale(one) is not None for one in told), any(map(tells_on, told))


def sentences(text: str) -> list[str]:
    """Split *text*; a line that goes on in small letters belongs to the one before, unless one is empty between them."""
    return _SENTENCE.findall(re.sub(r"(?<!\n)[^\S\n]*\n[^\S\n]*(?=[a-zß-ÿа-я])", " ", text))


@lru_cache(maxsize=2048)
def plain(text: str) -> str:
    """Return *text* with its contractions written out; the possessive 's stays a word of its own."""
    text = _URL.sub(" ", unicodedata.normalize("NFKC", text))
    text = re.sub(r"(?i)\b(ca|wo)n['\u2019]?t\b", "can not", text)
    text = re.sub(r"(?i)n['\u2019]t\b", " not", text)
    text = re.sub(
        r"(?i)(\d\.?|\b(?:im|seit|ab|bis|en|de|anfang|ende|mitte)) mai\b|\bmai(?= \d)", r"\1 may", text
    )  # not "never"
    short = {group[0]: group[1] for group in pairs("short", "=")}
    if re.search(r"\bIm [A-ZÄÖÜ]", text) or not ((language("german") - {"im"}) | language("german_too")).isdisjoint(
        text.casefold().split()
    ):
        short.pop("im")  # "in the"
    return re.sub(r"[^\W_]+", lambda word: short.get(word[0].casefold(), word[0]), text)


def _passes(sentence: str, words: Sequence[str], *, command: bool) -> bool:
    """Return whether a sentence holds nothing that lasts: where somebody goes now, or what a text they order is to say."""
    if _KEEP.search(sentence):
        return False
    ordered = _ORDERED.search(sentence) or (command and _MATERIAL.search(sentence))
    return (bool(ordered) and not holds(words, "standing")) or (
        holds(words, "leaving") and len(words) <= _SHORT and not (re.search(r"\d", sentence) or holds(words, "lasts"))
    )


def _whenever(sentence: str) -> bool:
    """Return whether *sentence* says how things are to be each time: "if I ever ask you for", "any quote you write for me"."""
    words = [fold(word) for word in TOKEN.findall(plain(sentence))]
    every = words[:1] == ["any"] and words[2:3] in (["you"], ["u"]) and len(words) > _ANY_WORDS
    return (every and words[1] not in language("any_ideas")) or holds(words, "whenever")


def _questions(words: Sequence[str], *, behind: bool) -> bool:
    """Return whether a sentence opens as a question does: "also how do I"; "y como" only *behind* one, for it says "and I eat"."""
    asks = language("asks")
    first = tuple(words[:2]) in pairs("asks_first") or not asks.isdisjoint(words[:1])
    rest = list(dropwhile(lambda word: word in language("leads_on"), words))
    return first or (behind and not asks.isdisjoint(rest[:1]))


def _task(words: Sequence[str]) -> bool:
    """Return whether a sentence orders one thing to be done with one text: "translate this", not "explain things simply"."""
    rest = words[1:] if words[:1] in (["please"], ["can"]) else words
    return not language("tasks").isdisjoint(rest[:1]) and not language("this").isdisjoint(rest[:3])


def _takes_back(sentence: str, words: Sequence[str]) -> bool:
    """Return whether a sentence opens as one that puts the one before right: "no wait", "no, in Dresden", not "no puedo"."""
    if language("corrections").isdisjoint(words[:1]):
        return False
    again = language("corrections") | language("relative_after") | weekdays() | numbers()
    leads = any(word in again | _LEADS or word.isdigit() for word in words[1:2])
    return words[0] not in _NO or leads or bool(_NO_AND.match(sentence))


def _corrected(before: str, sentence: str) -> str:
    """Return the sentence *before* with what "no wait, in Dresden" puts right."""
    place = re.search(rf"\b({_TO}) ([^\W\d]\w*)", sentence)
    number = re.search(r"(?:([^\W\d]+) )?(\d+)", sentence)
    if place and not closed(place[2]):
        before = re.sub(rf"\b{place[1]} ([^\W\d]\w*)", lambda one: one[0] if closed(one[1]) else place[0], before)
    if not number:
        return before
    day = rf"(?:{'|'.join(weekdays())}) (?=\d+(?!.*\d))" if number[1] and fold(number[1]) in weekdays() else "$^"
    before = re.sub(day, f"{number[1]} ", before, flags=re.IGNORECASE)
    return re.sub(r"\d+(?!.*\d)", number[2], before)
