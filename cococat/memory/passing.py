"""What a sentence says in passing: a trouble of today, the weather, what would be, and what somebody else was heard to say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile

from cococat.memory.moment import of_the_moment
from cococat.memory.words import TOKEN, fold, holds, language

__all__ = ["AND", "CLAUSE", "JOINTS", "aside", "lasting", "put_right"]

JOINTS = "and|but|und|aber|y|pero|et|mais|e|ma|mas|и|а|но"  # noqa: RUF001 - Russian; words between two clauses
AND = frozenset(JOINTS.split("|"))
CLAUSE = re.compile(rf"([,;]\s+|\s+(?:so|{JOINTS})\s+)", re.IGNORECASE)
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
_TROUBLES = (("devices", "troubles"), ("vehicles", "mishaps"))
_DATED = re.compile(r"\b\d+\b(?!\s*(?:%|h\b|hrs?\b|hours?\b|std\b|stunden?\b|horas?\b|ore\b|heures?\b|час))")
_NIGHT = re.compile(r"(?i)\brunning on\b.*\b(?:sleep|coffee|caffeine|fumes)\b")
_HAPPENED = re.compile(r"se (?:\w+(?:io|aron|ieron)|fue|corto|quemo|apago|cayo)\b")  # Spanish: no "if"
_BRIEF = 8  # words of a clause that says no more than how somebody feels
_FEW = 3  # words that are no clause of their own
_KOREAN = re.compile(
    r"(?:프린터|컴퓨터|노트북|인터넷|와이파이|휴대폰|폰|화면).*(?:고장|먹통|끊|멈췄|안\s?(?:돼|되|켜))|(?:타이어|차|버스|지하철|기차).*(?:펑크|놓쳤|놓치|막혀|늦|고장)"
    r"|(?:머리|배|목|허리|이|속)[가도은는]?\s?(?:너무\s)?(?:아프|아파|쓰려)|(?:비|눈)[가도]?\s(?:\S+\s)?(?:와|오네|온다|내려)|(?:배고파|배고프|졸려|졸리|피곤|추워|더워)"
    r"|(?:밖에|만)\s(?:못\s)?(?:잤|자서|잠)"
)
_KOREAN_LASTS = re.compile("부터|마다|년째|달째|항상|자주|매[일주달년]|때")


def lasting(sentence: str) -> str:
    """Return *sentence* without its clauses that tell a trouble of today, and without what another was heard to say."""
    if _WOULD.search(sentence):
        return ""
    sentence = _SAID.sub(lambda found: found[0].removesuffix(found[1]), sentence)
    parts = CLAUSE.split(sentence)
    now = of_the_moment(parts[::2])
    passing = [_passes(part) or now[at] for at, part in enumerate(parts[::2])]
    for at, part in enumerate(parts[2::2], 1):  # "4h sleep and coffee"
        passing[at] |= passing[at - 1] and parts[2 * at - 1].strip() in AND and len(part.split()) < _FEW
    kept = [2 * at for at, passes in enumerate(passing) if not passes]
    return "".join(parts[at] if at == kept[0] else parts[at - 1] + parts[at] for at in kept)


def put_right(sentence: str) -> str:
    """Return *sentence* without a "no, I meant" before it, which denies nothing of it."""
    return _PUT_RIGHT.sub("", sentence)


def aside(sentence: str) -> list[str]:
    """Return what somebody tells of themself behind an order: "fix it, I live in Lisbon"."""
    if re.search(r"[?:\"„“«]", sentence):
        return []
    told = "".join(dropwhile(lambda part: not _of_me(part), CLAUSE.split(sentence)))
    return [told] if told else []


def _of_me(clause: str) -> bool:
    words = [fold(word) for word in TOKEN.findall(clause)[:1]]
    return not (language("first") | language("mine") | {"im"}).isdisjoint(words)


def _passes(clause: str) -> bool:
    words = [fold(word) for word in TOKEN.findall(clause)]
    if _lasts(words) or _DATED.search(clause):
        return False
    troubled = any(holds(words, thing) and holds(words, trouble) for thing, trouble in _TROUBLES)
    battery = holds(words, "devices") and "%" in clause
    ill = "mir" in words and not {"schlecht", "ubel", "schwindlig"}.isdisjoint(words)
    cold = not language("impersonal").isdisjoint(words[:2]) and holds(words, "climate")
    cold |= bool(_NIGHT.search(clause))
    now = holds(words, "ailments", "weather", "slept", "outages") or (len(words) <= _BRIEF and holds(words, "feels"))
    return bool(
        troubled or battery or ill or cold or now or (_KOREAN.search(clause) and not _KOREAN_LASTS.search(clause))
    )


def _lasts(words: Sequence[str]) -> bool:
    """Return whether a word says that it lasts: "if", no Spanish "se me"; "every", no "all the" morning."""
    if words[:1] == ["se"] and language("reflexive").isdisjoint(words[:2]) and not _HAPPENED.match(" ".join(words)):
        return True
    return any(
        word in language("lasts") and not (word in ("toda", "todo") and behind in language("all_the"))
        for word, behind in zip(words, (*words[1:], ""), strict=False)
    )
