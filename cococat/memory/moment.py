"""The moment at which something is typed: where somebody is just now and what goes on there, a mood, a mess, a noise next door."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from cococat.memory.words import TOKEN, classes, fold, holds, language, months, weekdays

__all__ = ["of_the_moment"]

_DEGREES = re.compile(r"\b\d{1,2}\s?(?:°|degrees?\b|grad\b|grados\b|degr[eé]s\b|graus\b|gradi\b|градус)|\bминус \d")  # noqa: RUF001 - Russian
_HERE = re.compile(
    r"(?:so |ok |wow |hey |ah )*(?:its|it s|es sind|hace|hacen|il fait|faz|ta|fa|ci sono|qui|у нас|на улице)\b"  # noqa: RUF001 - Russian
)
_AM_AT = re.compile(
    r"(?:so |ok |well |hey |also |ah )*(?:(?:i )?(?:m|am|im) (?:(?:still|currently|just|stuck|sat|sitting|standing|waiting|here) )*(?:in(?! charge\b)|on|at)"
    r"|(?:stuck|sat|sitting|standing|waiting) (?:here )?(?:in|on|at)"
    r"|(?:ich )?(?:bin|sitze?|stehe?|hocke?|warte?) (?:(?:ich|grade?|gerade|jetzt|noch|hier) )*(?:im|in|am|auf|an)"
    r"|(?:ya )?(?:estoy|toy|sigo) (?:(?:aca|aqui|ahora) )?(?:en|por)|(?:eu )?(?:estou|to|tou) (?:aqui )?(?:no|na|num|numa|em)"
    r"|(?:io )?(?:sono|sto) (?:(?:ancora|ora|qui) )?(?:in|sul|sulla|nel|nella|al|alla)|(?:je )?(?:suis|chuis|chui) (?:encore )?(?:dans|sur|au|a)"
    r"|(?:я )?(?:стою|сижу|еду|жду|торчу|застрял|застряла) (?:в|на)) "
)
_AT = re.compile(r"(?:on|at|in|im|en|dans|no(?= meio\b)|na|sul|nel|в|на) ")
_WHAT_A_DAY = re.compile(
    r"(?:what a (?:day|night|shift)|was (?:fur|n) (?:ein |ne )?(?:tag|nacht|schicht)|que (?:dia|noche|noite|turno)|quelle (?:journee|nuit)|che (?:giornata|notte)|ну и (?:день|ночь|смена))\b"
)
_SHIFT = re.compile(
    r"(?:(?:the|my|die|der|el|la|le|il|o|a|ma|mi) )?(?:shift|schicht|dienst|turno|guardia|garde|plantao|смена) (?:was|war|fue|foi|etait|a ete|e stato|e stata|была)\b"
)
_HAVING = re.compile(
    r"\b(?:me estoy|mi sto|to me|estoy me) (?:comiendo|tomando|bebiendo|haciendo|bevendo|mangiando|facendo)\b|\bhab(?:e)? mir (?:grade?|gerade|eben|schnell)\b"
    r"|\b(?:suis en train de) (?:manger|boire|bouffer)\b|\bkettle s? ?on\b"
)
_SAWS = re.compile(r"(?i)\bsäg(?:t|en)\b")  # folded it would "say"
_SINCE_NOW = re.compile(
    r"\b(?:since (?:this|early)|seit (?:heute|stunden|ner stunde|einer stunde|frueh|fruh)|desde (?:cedo|temprano|hoje|hoy|esta)|depuis (?:ce|une heure|des heures)|da (?:stamattina|un ora|ore))\b"
)
_FEW = 3  # words behind "I'm in the" among which the place stands
_SHORT = 6  # words of a clause that is no more than a place, or than one thing of a lazy day


def of_the_moment(clauses: Sequence[str]) -> list[bool]:
    """
    Return for each of the *clauses* of a sentence whether it tells of the moment alone.

    Beside a place, a mood or the weather of now, what is said of nobody in particular is of the moment, too: "on the bus, a man sings".
    """
    words = [[fold(word) for word in TOKEN.findall(clause)] for clause in clauses]
    scenes = [_is_scene(one, words, first=not at) for at, one in enumerate(words)]
    nobody = [any(scenes) and _of_nobody(clause, one) for clause, one in zip(clauses, words, strict=True)]
    return [
        bool(one) and not _lasts(one) and (scene or other or _is_mess(one) or _is_heard(clause, one))
        for clause, one, scene, other in zip(clauses, words, scenes, nobody, strict=True)
    ]


def _is_scene(words: Sequence[str], sentence: Sequence[Sequence[str]], *, first: bool) -> bool:
    """Return whether a clause says where one is, how the weather is, or what mood or day it is."""
    if not words or _lasts(words):
        return False
    text = " ".join(words)
    if _is_hot(words, sentence) or _is_mood(words) or (first and _is_lazy(sentence)):
        return True
    if _SHIFT.match(text) and len(words) <= _FEW + 1:
        return True
    day = _WHAT_A_DAY.match(text) and language("first").isdisjoint(words)
    return bool(day or _HAVING.search(text)) or _is_place(words, text, first=first)


def _is_place(words: Sequence[str], text: str, *, first: bool) -> bool:
    am = _AM_AT.match(text)
    bare = first and len(words) <= _SHORT and _AT.match(text) and language("first").isdisjoint(words)
    found = am or (_AT.match(text) if bare else None)
    rest = text[found.end() :].split() if found else []
    ends = [at for at, word in enumerate(rest[: _FEW + 1]) if word in language("spots")]
    return bool(ends) and (language("free") | {"rn", "lol"}).issuperset(rest[ends[-1] + 1 :][:1])  # "the bus company"


def _is_hot(words: Sequence[str], sentence: Sequence[Sequence[str]]) -> bool:
    text = " ".join(words)
    if not _DEGREES.search(text) or not language("mine").isdisjoint(words):
        return False
    felt = any(holds(one, "feels") for one in sentence)
    return felt or bool(_HERE.match(text)) or not language("here").isdisjoint(words)


def _is_mood(words: Sequence[str]) -> bool:
    return holds(words, "this_day") and holds(words, "humours", "woke")


def _is_lazy(sentence: Sequence[Sequence[str]]) -> bool:
    """Return whether a sentence is no more than a day and what it is made of: "sunday, rain, couch"."""
    words = [word for clause in sentence for word in clause]
    told = language("first") | language("mine") | language("acts")
    brief = max(map(len, sentence)) <= _FEW and not any(map(str.isdigit, words))
    return words[0] in weekdays() and brief and holds(words, "lazing") and told.isdisjoint(words)


def _is_mess(words: Sequence[str]) -> bool:
    """Return whether a clause tells what a pet or a child has done to the house, and nobody to them."""
    done = holds(words, "messes") or (holds(words, "eats_up") and holds(words, "just_now"))
    return done and language("undergone").isdisjoint(words)


def _is_heard(clause: str, words: Sequence[str]) -> bool:
    """Return whether a clause tells of a noise next door, or what a mechanic says."""
    noise = holds(words, "next_door") and (holds(words, "noises") or bool(_SAWS.search(clause)))
    return noise or (holds(words[:_FEW], "repairers") and holds(words, "reckons"))


def _of_nobody(clause: str, words: Sequence[str]) -> bool:
    named = any(word[0].isupper() for word in TOKEN.findall(clause)[1:])
    return _own().isdisjoint(words) and not named


@cache
def _own() -> frozenset[str]:
    """Return the words by which somebody speaks of themselves and theirs."""
    return (language("first") - language("object")) | language("mine") | (language("kin") - language("strangers"))


def _lasts(words: Sequence[str]) -> bool:
    """Return whether a clause names a day, a month, or a word that says that it lasts."""
    words = _SINCE_NOW.sub("", " ".join(words)).split()
    day = not weekdays().isdisjoint(words) and words[0] not in weekdays()
    return day or not _dated().isdisjoint(words) or any(len(word) >= _FEW and word.isdigit() for word in words)


@cache
def _dated() -> frozenset[str]:
    return classes("lasts", "standing") | months()
