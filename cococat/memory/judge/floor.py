"""The floor: what code proves of a line without a language. Whatever a judge says, no word gets in that nobody typed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from datetime import date

from cococat.memory.words import JOINING, TOKEN, related, sequence, tokens, unspaced

MAX_NAMED = 5  # words that a refusal names
_FIGURE = re.compile(r"\d+(?:[.,:/-]\d+)*")
_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")
_ELIDED = re.compile(r"[^\W\d_](?=['\u2019][^\W\d_])")  # "l'école", "d'un": no word
_PLAIN = frozenset("`+=~")  # symbols that a line may hold although nobody typed them
_NEAR_DAYS = 31  # of the record's day: "yesterday", "next Friday"


def untyped(line: str, said: str, days: Sequence[date] = ()) -> tuple[str, ...]:
    """
    Return the words of *line* that stand nowhere in *said*, five at most; empty when it holds nothing that was not typed.

    A word may be another form of one that was typed, which begins alike; a number, and a name within the line, is itself
    alone; in a script without spaces each pair of characters counts.

    Args:
        said: all that the user typed in the records that the line quotes, and the question that an answer confirms.
        days: on which it was typed: a date may follow from them.
    """
    bare, said = (unicodedata.normalize("NFKC", text) for text in (line.lstrip("-*+ "), said))
    figures = frozenset(_FIGURE.findall(said))
    found = [each for each in _FIGURE.findall(bare) if each not in figures and not _follows(each, figures, days)]
    plain, plainly_said = _plain(bare), _plain(said)
    typed = tokens(plainly_said)
    small = frozenset(word.casefold() for word in TOKEN.findall(plainly_said) if word[0].islower())
    for word in TOKEN.finditer(plain):
        name = word.start() > 0 and word[0][0].isupper()
        parts = () if _ELIDED.match(plain, word.start()) else sequence(word[0])
        found += [part for part in parts if not (part.isdigit() or _may_stand(part, typed, small if name else typed))]
    found += sorted(signs(bare) - signs(said))
    return tuple(dict.fromkeys(found))[:MAX_NAMED]


def _may_stand(word: str, typed: Collection[str], forms: Collection[str]) -> bool:
    """Return whether *word* was typed, as it is or as a form of one of *forms*: a name is no form of another name."""
    if word in typed or (len(word) == 1 and unspaced(word) and any(word in form for form in typed)):
        return True
    return word in JOINING or related(word, forms) or any(_glued(word, form) for form in forms)


def _glued(word: str, other: str) -> bool:
    """Return whether one of the two is the other behind one letter: Arabic and Hebrew write "and", "in", "the" so."""
    short, long = sorted((word, other), key=len)
    return len(long) == len(short) + 1 > 3 and "\u05d0" <= long[0] <= "\u06ff" and long.endswith(short)  # noqa: PLR2004 - letters


def _plain(text: str) -> str:
    """Return *text* without the accents that people leave out as they type: "à Noël" is "a Noel"."""
    bare = "".join(char for char in unicodedata.normalize("NFD", text) if not "\u0300" <= char <= "\u036f")
    return unicodedata.normalize("NFC", bare.replace("œ", "oe").replace("Œ", "Oe"))


def _follows(figure: str, figures: Collection[str], days: Sequence[date]) -> bool:
    """Return whether *figure* is a date that may follow from what was typed on one of *days*."""
    found = _DATE.fullmatch(figure)
    if not found:
        return False
    numbers = {int(digits) for some in figures for digits in re.findall(r"\d+", some)}
    year, month, day = (int(part) if part else 0 for part in found.groups())
    if year not in numbers and not any(abs(year - date.year) <= 1 for date in days):
        return False
    try:
        whole = date(year, month or 1, day or 1)
    except ValueError:
        return False
    return not day or day in numbers or any(abs((whole - date).days) <= _NEAR_DAYS for date in days)


def signs(text: str) -> frozenset[str]:
    """Return the symbols and combining marks in *text*: they are no words, and may say something all the same."""
    return frozenset(char for char in text if unicodedata.category(char)[0] in "MS") - _PLAIN
