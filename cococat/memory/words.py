"""Lines of memory as words: when two of them say the same, and which words carry the meaning."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["content_words", "joining", "key", "related", "sequence", "similarity", "tokens", "unspaced"]

SAME = 0.85  # similarity from which two lines say the same
_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_DATE = re.compile(r"\b\d{4}-\d\d(?:-\d\d)?\b")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_CONNECTIVES = frozenset(
    _WORD.findall("a an the and or also with of to in on at for by as is are was it its this that user")
)
# words that only tie a user to a fact: a line may hold them although nobody typed them
_LINKING = _CONNECTIVES | frozenset(
    _WORD.findall(
        "be been has have had users he she they his her their i my me we our you your about from s m re ve prefers "
        "prefer likes like wants want uses use name named called works work working lives live living based since until "
        "der die das dem den und im mit auf von zu ist hat heisst wohnt lebt arbeitet mag nutzt "
        "el la los las y en del con es su vive trabaja prefiere usa se llama gusta "
        "le les et du des au avec est habite vit travaille préfère utilise aime appelle "
        "o os e em do da no na mora trabalha prefere il lo di abita lavora preferisce si chiama "
        "и в на с из живёт живет работает любит предпочитает использует зовут"  # noqa: RUF001 - Russian
    )
)
_STEM = 4  # letters that two forms of a word must share at the start; other alphabets: one less
_ENDING = 3  # letters by which two forms of a word differ at most


def key(line: str) -> str:
    """Return *line* without case, punctuation, width and spacing: equal keys mean the same line."""
    folded = unicodedata.normalize("NFKC", line).casefold()
    return " ".join(_WORD.findall(folded)) or folded.strip(" -*\t")


def sequence(line: str) -> tuple[str, ...]:
    """Return the words of *line* in order; runs of a script without spaces become pairs of characters."""
    return tuple(part for word in key(line).split() for part in _split(word))


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
    return tuple(word for word in sequence(_DATE.sub(" ", line)) if word not in _LINKING)


def joining(word: str) -> bool:
    """Return whether *word* only joins others."""
    return word in _CONNECTIVES


def related(word: str, others: frozenset[str]) -> bool:
    """Return whether *word* or another form of it is among *others* ("prefers" and "prefer")."""
    return word in others or any(_same_stem(word, other) for other in others)


def unspaced(word: str) -> bool:
    """Return whether *word* is of a script that puts no spaces between words."""
    return bool(_UNSPACED.fullmatch(word))


def _same_stem(word: str, other: str) -> bool:
    stem = _STEM if word.isascii() else _STEM - 1
    short, long = sorted((len(word), len(other)))
    if short < stem or unspaced(word) or not (word.isalpha() and other.isalpha()):
        return False
    common = _common_start(word, other)
    return common >= max(stem, short - 1) and long - common <= _ENDING


def _common_start(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _split(word: str) -> list[str]:
    parts: list[str] = []
    end = 0
    for run in _UNSPACED.finditer(word):
        text = run.group()
        parts += [word[end : run.start()], *(text[at : at + 2] for at in range(max(1, len(text) - 1)))]
        end = run.end()
    return [part for part in (*parts, word[end:]) if part]
