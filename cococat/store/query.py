"""What is looked for in what was said, and where a text holds it.

Words, "phrases in quotes" and the beginnings of words (`word*`), which a message must hold all; capitals,
accents and full width make no difference. A word is found as a whole, signs that belong to it included
(`C++`, `a.b`). Scripts that set no spaces between words (Chinese, Japanese, Korean, Thai, those of India)
are found anywhere. Every text is a query; one that holds nothing to look for has no terms.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import combining, normalize

from cococat.system.text import apart

Span = tuple[int, int]

# letters and vowel signs of scripts whose words stand side by side; their punctuation is left out
_RUN = (
    "\u0900-\u0963\u0966-\u10ff\u1100-\u11ff\u1780-\u17d3\u3005-\u3007\u3041-\u309f\u30a1-\u30fa\u30fc-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua980-\uabff\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
_LETTER = f"[^\\W_{_RUN}]"  # of a word
_TOKEN = re.compile(f"[{_RUN}]+|{_LETTER}+")
_IS_RUN = re.compile(f"[{_RUN}]")
_IS_LETTER = re.compile(_LETTER)
_WORDS = re.compile(r'"([^"]*)"?|([^\s"]+)')
_ALPHABETS = "\u0590"  # before it: letters that keep their meaning without accents
_MARKS = "\u0900"  # before it: combining marks may be left out
_MAX_TERMS = 32  # terms; more make no search narrower


@dataclass(frozen=True, slots=True)
class Term:
    """One thing to be found: *literal* is folded, *opens* lets a longer word begin with it."""

    literal: str
    pattern: re.Pattern[str]
    opens: bool


@dataclass(frozen=True, slots=True)
class Query:
    """What a message must hold, all of it."""

    terms: tuple[Term, ...]

    def within(self, text: str) -> bool:
        """Return whether *text* holds every term."""
        folded = fold(text)
        return bool(self.terms) and all(term.pattern.search(folded) for term in self.terms)

    def spans(self, text: str) -> tuple[Span, ...]:
        """Return where *text* holds the terms, in order and without overlaps."""
        folded, places = _placed(text)
        found = sorted(match.span() for term in self.terms for match in term.pattern.finditer(folded))
        return tuple((places[begin], places[end]) if places else (begin, end) for begin, end in apart(found))


def parse(text: str) -> Query:
    """Read what a user typed; whatever it is, it is no error."""
    terms: dict[tuple[str, bool], Term] = {}
    for phrase, word in _WORDS.findall(text):
        said = phrase or word
        opens = bool(word) and len(word) > 1 and word.endswith("*")
        literal = " ".join(fold(said[:-1] if opens else said).split())
        if literal:
            terms[literal, opens] = Term(literal, _pattern(literal, opens=opens), opens)
    return Query(tuple(terms.values())[:_MAX_TERMS])


def fold(text: str) -> str:
    """Return *text* without the differences that do not matter."""
    return text.lower() if text.isascii() else "".join(map(_folded, text))


def grams(text: str) -> str:
    """Return folded *text* as ASCII and other words with spaces between them; a run of signs as its overlapping pairs."""
    if text.isascii():
        return text
    return " ".join(" ".join(_pairs(token)) for token in _TOKEN.findall(text))


def expression(query: Query) -> str:
    """
    Write *query* for an index of `grams`: it finds every text that the query does, and perhaps more.

    Returns: empty when an index cannot help, as there are signs alone to look for.
    """
    return " AND ".join(filter(None, map(_phrase, query.terms)))


def _phrase(term: Term) -> str:
    tokens = _TOKEN.findall(term.literal)
    if not tokens:
        return ""
    words = [word for token in tokens for word in _pairs(token)]
    opens = term.opens
    if _IS_RUN.match(tokens[-1]):  # in the text the run may go on
        opens = len(tokens[-1]) == 1
        words = words if opens else words[:-1]
    return f'"{" ".join(words)}"{" *" if opens else ""}'


def _pairs(token: str) -> list[str]:
    if not _IS_RUN.match(token):
        return [token]
    return [token[at : at + 2] for at in range(len(token))]


def _pattern(literal: str, *, opens: bool) -> re.Pattern[str]:
    begin = f"(?<!{_LETTER})" if _IS_LETTER.match(literal) else ""
    end = f"(?!{_LETTER})" if _IS_LETTER.match(literal[-1]) and not opens else ""
    return re.compile(begin + r"\s+".join(map(re.escape, literal.split())) + end)


@lru_cache(1 << 16)
def _folded(char: str) -> str:
    """One character without its accent, width and case; empty for an accent alone."""
    if "\uac00" <= char <= "\ud7a3":
        return char  # taken apart, a Korean syllable would be three letters
    if char < _MARKS and combining(char):
        return ""
    parts = normalize("NFKD", char)
    if parts[0] < _ALPHABETS:
        return "".join(part for part in parts if not combining(part)).casefold()
    return normalize("NFKC", char).casefold()


def _placed(text: str) -> tuple[str, list[int]]:
    """Fold *text*; say for each character of the result, and for its end, where it was; empty where nothing moved."""
    if text.isascii():
        return text.lower(), []
    pieces = list(map(_folded, text))
    places = [at for at, piece in enumerate(pieces) for _ in piece]
    return "".join(pieces), [*places, len(text)]
