"""Lines of memory as words: when two of them say the same, and which words carry the meaning."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Any

__all__ = [
    "TOKEN", "alike", "classes", "closed", "content_words", "fold", "holds", "joining", "key", "language", "months", "numbers", "pairs", "related", "sequence", "similarity", "simple", "tokens", "unspaced", "weekdays",
]  # fmt: skip

SAME = 0.85  # similarity from which two lines say the same
LANGUAGES = ("english", "german", "spanish", "french", "portuguese", "italian", "russian")
TOKEN = re.compile(r"[^\W_]+")  # a word, in any script
_DATE = re.compile(r"\b\d{4}-\d\d(?:-\d\d)?\b")
_UNIT = re.compile(r"(?<=\d)(?=[a-zà-ÿа-я]{2})")  # "16km" is "16 km"
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_CONNECTIVES = frozenset(
    ["a", "an", "the", "and", "or", "also", "with", "of", "to", "in", "on", "at", "for", "by", "as", "is", "are", "was", "it", "its",
     "this", "that", "user"]
)  # fmt: skip
_COMPOUND = 8  # letters a word of two words has at least
_UMLAUTS = str.maketrans("äöü", "aou")
_SHIFTS = str.maketrans("iu", "eo")  # "stirbt", "sterbe"; "durmo", "dorme"
_LONG = 7  # letters of a word in which a slip of the finger is forgiven
_SHORT = 3  # letters a stem has at least, where the words are not equal


def key(line: str) -> str:
    """Return *line* without case, punctuation, width and spacing: equal keys mean the same line."""
    folded = unicodedata.normalize("NFKC", line).casefold()
    return " ".join(TOKEN.findall(folded)) or folded.strip(" -*\t")


@lru_cache(maxsize=8192)
def fold(word: str) -> str:
    """Return *word* without case and accents, in simple characters, as the lists of `language` have it."""
    plain = unicodedata.normalize("NFKD", word.casefold().replace("œ", "oe").replace("æ", "ae"))
    return simple(unicodedata.normalize("NFC", "".join(char for char in plain if not "\u0300" <= char <= "\u036f")))


def simple(text: str) -> str:
    """Return *text* with one character for each that has two, whether its script is the traditional one or not."""
    return text if text.isascii() else text.translate(_simple())


@cache
def language(name: str) -> frozenset[str]:
    """Return a list of closed classes by *name*, those of all languages where it has one for each."""
    found = _lists()[name]
    text = found if isinstance(found, str) else " ".join(found.values())
    return frozenset(fold(word.replace("_", " ")) for word in text.split())


@cache
def classes(*names: str) -> frozenset[str]:
    """Return the words of several lists: a text asks for them word by word."""
    return frozenset[str]().union(*map(language, names))


def holds(words: Sequence[str], *names: str) -> bool:
    """Return whether up to three of *words*, folded, in a row stand in one of the lists of these *names*."""
    return not classes(*names).isdisjoint(_rows(tuple(words)))


@lru_cache(maxsize=256)
def _rows(words: tuple[str, ...]) -> frozenset[str]:
    """Return *words*, and each two and three of them in a row: many lists are asked about one clause."""
    return frozenset(" ".join(words[at : at + size]) for at in range(len(words)) for size in (1, 2, 3))


@cache
def closed(word: str) -> bool:
    """Return whether *word*, in any of its forms, is of a class that a line may take from anywhere."""
    one = fold(word)
    if one in language("free") or one in language("light"):
        return True
    return any(len(stem) > _SHORT and stem in _light(name, stem[0]) for name, stem in _stems(one))


@cache
def _light(name: str, letter: str) -> frozenset[str]:
    """Return the stems of a language that begin with *letter*: no stem begins otherwise than its word, and each takes a while."""
    stem = dict(_stemmers())[name]
    return frozenset(stem(word) for word in map(fold, _lists()["light"][name].split()) if word.startswith(letter))


@cache
def pairs(name: str, between: str = " ") -> tuple[tuple[str, ...], ...]:
    """Return a list of groups by *name*: they are parted by commas, their words by *between*."""
    return tuple(
        tuple(fold(word) for word in group.split(between)) for group in map(str.strip, _lists()[name].split(","))
    )


def sequence(line: str) -> tuple[str, ...]:
    """Return the words of *line* in order; runs of a script without spaces become pairs of characters."""
    return tuple(part for word in key(line).split() for piece in _UNIT.sub(" ", word).split() for part in _split(piece))


@lru_cache(maxsize=1024)
def tokens(line: str) -> frozenset[str]:
    """Return the words of *line* whatever their order."""
    return frozenset(sequence(line))


def similarity(one: str, other: str) -> float:
    """Return how much two lines share, 0 (nothing) to 1 (the same words in any order)."""
    first, second = tokens(one), tokens(other)
    if not first or not second:
        return float(key(one) == key(other))
    return 2 * len(first & second) / (len(first) + len(second))


def content_words(line: str) -> tuple[str, ...]:
    """Return the words that carry the meaning of *line*, in order; dates as YYYY-MM-DD are left out."""
    return tuple(word for word in sequence(_DATE.sub(" ", line)) if not closed(word))


def joining(word: str) -> bool:
    """Return whether *word* only joins others."""
    return word in _CONNECTIVES


def related(word: str, others: frozenset[str]) -> bool:
    """Return whether *word* or another form of it is among *others* ("prefers" and "prefer")."""
    return word in others or any(_same(word, other) for other in others) or _compound(word, others)


@lru_cache(maxsize=1 << 16)
def alike(word: str, other: str) -> bool:
    """Return whether *word* is *other* or another form of it: each word of a line is held against each that was typed."""
    return related(word, frozenset({other}))


def unspaced(word: str) -> bool:
    """Return whether *word* is of a script that puts no spaces between words."""
    return bool(_UNSPACED.fullmatch(word))


@cache
def _same(word: str, other: str) -> bool:
    if not _forms(word).isdisjoint(_forms(other)):
        return True
    if fold(word) in numbers() or fold(other) in numbers():
        return False
    plain = fold(word), fold(other)
    vowels = tuple(
        form.replace("ie", "e").replace("ue", "o").translate(_SHIFTS) for form in plain
    )  # "cierra", "cerramos"
    long = min(map(len, plain)) > _SHORT
    return _typo(word, other) or _inflected(*plain) or (long and _inflected(*vowels))


def _inflected(one: str, two: str) -> bool:
    """Return whether both words have most of their letters in common, and ends that inflect."""
    start = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False)))
    long = start >= max(_SHORT, (max(len(one), len(two)) - 1) / 2)
    return long and language("endings").issuperset(filter(None, (one[start:], two[start:])))


def _typo(word: str, other: str) -> bool:
    """Return whether two long words differ by one letter that is left out, or by two that changed places; no number does."""
    short, long = sorted((word, other), key=len)
    if len(short) < _LONG or any(map(str.isdigit, short + long)):
        return False
    return sorted(short) == sorted(long) or any(short == long[:at] + long[at + 1 :] for at in range(len(long)))


@cache
def numbers() -> frozenset[str]:
    """Return the words that are numbers, in letters and digits."""
    return frozenset(word for group in pairs("same") if any(map(str.isdigit, group)) for word in group)


@cache
def weekdays() -> frozenset[str]:
    """Return the names of the days of the week."""
    return frozenset(word for group in pairs("weekdays") for word in group)


@cache
def months() -> frozenset[str]:
    """Return the names of the months."""
    return frozenset(word for group in pairs("months") for word in group)


def _compound(word: str, others: frozenset[str]) -> bool:
    """Return whether *word* is put together of two of *others* ("garden" and "neighbour", as German writes them)."""
    if len(word) < _COMPOUND or not word.isalpha():
        return False
    heads = (len(one) for one in others if len(one) >= _SHORT and word.startswith(one))
    return any(len(word) - at > _SHORT and related(word[at:], others) for head in heads for at in (head, head + 1))


@cache
def _lists() -> dict[str, Any]:
    import tomllib  # `key` alone needs no lists, and a prompt needs `key` alone

    return tomllib.loads(Path(__file__).with_name("language.toml").read_text("utf-8"))


@cache
def _simple() -> dict[int, str]:
    return str.maketrans({pair[0]: pair[1] for pair in _lists()["simple"].split()})


@cache
def _irregular() -> dict[str, frozenset[str]]:
    groups: dict[str, set[str]] = {}
    for group in (*pairs("same"), *pairs("alike")):
        for word in group:
            groups.setdefault(word, set()).add(group[0] + "*")
    return {word: frozenset(names) for word, names in groups.items()}


@cache
def _stemmers() -> tuple[tuple[str, Callable[[str], str]], ...]:
    import snowballstemmer  # the dream alone pays for it

    return tuple((name, snowballstemmer.stemmer(name).stemWord) for name in LANGUAGES)


@lru_cache(maxsize=8192)
def _stems(word: str) -> tuple[tuple[str, str], ...]:
    """Return the stem of *word* by language."""
    return tuple((name, stem(word)) for name, stem in _stemmers())


@cache
def _forms(word: str) -> frozenset[str]:
    """Return what *word* has in common with its other forms: a stem for each language, and the irregular ones."""
    found = {word} | _irregular().get(fold(word), frozenset())
    if word.isalpha():
        participle = re.fullmatch(r"ge(\w{2,}(?:t|en))", word)
        forms = (word, participle[1]) if participle else (word,)
        stems = [one for form in forms for one in _stems(form)]
        stems += [
            ("german", form.translate(_UMLAUTS).removesuffix("t").removesuffix("e")) for form in forms
        ]  # what its stemmer leaves
        found |= {f"{name} {stem}" for name, stem in stems if len(stem) >= _SHORT}
        found = found.union(*(_irregular().get(fold(stem), ()) for _, stem in stems if fold(stem) not in numbers()))
    return frozenset(found)


def _split(word: str) -> list[str]:
    parts: list[str] = []
    end = 0
    for run in _UNSPACED.finditer(word):
        text = run.group()
        parts += [word[end : run.start()], *(text[at : at + 2] for at in range(max(1, len(text) - 1)))]
        end = run.end()
    return [part for part in (*parts, word[end:]) if part]
