"""What a sentence says in passing: a trouble of today, the weather, what would be, and what somebody else was heard to say."""

from __future__ import annotations

import re

from cococat.memory.words import fold, language

__all__ = ["JOINTS", "aside", "lasting", "put_right"]

JOINTS = "and|but|und|aber|y|pero|et|mais|e|ma|mas|и|а|но"  # noqa: RUF001 - Russian; words between two clauses
_CLAUSE = re.compile(rf"([,;]\s+|\s+(?:so|{JOINTS})\s+)", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_SAID = re.compile(
    r"(?i)\b(?:says?|said|goes|went|wrote|writes|was like|meint|meinte|sagt|sagte|schreibt|schrieb|dice|dijo|dit|disse|diz|говорит|сказала?)"
    r"\b[^\"„“«.]{0,20}([\"„“«][^\"”“»]*[\"”“»])"
)
_WOULD = re.compile(
    r"(?i)\bif (?:i|we) (?:won|had|were|was|could|ever|got)\b|\bwenn ich (?:mal |irgendwann |erst mal )?(?:rentner|rentnerin|in rente|reich|alt|groß|hätte|wäre|könnte)"
    r"|\bsi (?:yo )?\w+(?:ara|iera|ase|iese)\b|\bsi (?:j['\u2019]|je )\w+ais\b|\bse (?:io )?\w+ss[ei]\b|\bse (?:eu )?\w+sse\b|\bесли бы\b"  # noqa: RUF001 - Russian
)
_PUT_RIGHT = re.compile(
    r"(?i)^\s*(?:(?:no|nein|nee|ne|nö|non|não|нет|ой|oops|sorry|wait|warte)[,\s]+)*(?:(?:i|ich|je|yo|eu)\s+)?"
    r"(?:meant?|meinte|voulais dire|quise decir|quería decir|quis dizer|intendevo|volevo dire|имела? в виду)\s+"
    r"|^\s*(?:(?:no|nein|nee|ne|nö|non|não|нет|ой),\s+|(?:no|nein|nee)\s+(?=no\b|nein\b|nee\b|it['\u2019]?s\b))+(?=(?:\S+\s+){3})"
)


def lasting(sentence: str) -> str:
    """Return *sentence* without its clauses that tell a trouble of today, and without what another was heard to say."""
    if _WOULD.search(sentence):
        return ""
    sentence = _SAID.sub(lambda found: found[0].removesuffix(found[1]), sentence)
    parts = _CLAUSE.split(sentence)
    kept = [at for at in range(0, len(parts), 2) if not _passes(parts[at])]
    if len(kept) == len(parts[::2]):
        return sentence
    return "".join("".join(parts[max(0, at - 1) if at != kept[0] else at : at + 1]) for at in kept)


def put_right(sentence: str) -> str:
    """Return *sentence* without a "no, I meant" before it, which denies nothing of it."""
    return _PUT_RIGHT.sub("", sentence)


def aside(sentence: str) -> list[str]:
    """Return what somebody tells of themself behind an order: "fix it, I live in Lisbon"."""
    if re.search(r"[?:\"„“«]", sentence):
        return []
    parts = _CLAUSE.split(sentence)
    mine = [at for at in range(2, len(parts), 2) if _of_me(parts[at])]
    return ["".join(parts[mine[0] :])] if mine else []


def _of_me(clause: str) -> bool:
    words = [fold(word) for word in _WORD.findall(clause)[:1]]
    return not words or not (language("first") | language("mine") | {"im"}).isdisjoint(words)


def _passes(clause: str) -> bool:
    words = frozenset(fold(word) for word in _WORD.findall(clause))
    if not words.isdisjoint(language("lasts")) or any(word.isdigit() for word in words):
        return False
    broken = not words.isdisjoint(language("devices")) and not words.isdisjoint(language("troubles"))
    ill = "mir" in words and not words.isdisjoint({"schlecht", "ubel", "schwindlig"})
    return broken or ill or not words.isdisjoint(language("ailments") | language("weather"))
