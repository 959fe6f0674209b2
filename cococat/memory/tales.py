"""Where a text orders a tale, or a part to play: nothing that stands there or behind it is a fact about who orders it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from cococat.memory.passing import AND, CLAUSE
from cococat.memory.words import TOKEN, fold, holds, language, months, pairs, weekdays

__all__ = ["ahead_of_tale", "of_the_user", "tells_on"]

_PART = re.compile(r"([,;:]\s+|\s+(?:but|aber|pero|mais|mas|ma|но)\s+)", re.IGNORECASE)
_ASKS = re.compile(r"[?？؟]")  # noqa: RUF001 - the marks of other scripts
_OPENING = 4  # words of a clause among which an order stands
_WANTING = 8  # words ahead of a tale among which somebody wants it
_NEAR = 3  # words behind an order that say for whom, or "a"
_KOREAN = re.compile("이야기|얘기|단편|소설|동화|시나리오|대본|콩트|가사|삼행시|역할극|상황극|롤플레이")
_KOREAN_OWN = re.compile(r"(?:^|\s)(?:제|내|우리|저희)\s(?:\S+\s)?\S*$")
_KOREAN_ORDER = re.compile(r"(?:써|지어|만들어|들려|해|짜|하)\s?(?:줘|주세요|줄래|볼래|보자|봐|자)")


def ahead_of_tale(sentence: str) -> str | None:
    """Return what *sentence* says ahead of the tale that it orders, "I'm Dana, write me a story"; None where it orders none."""
    if _casts(_words(sentence)) or holds(_words(sentence), "once_upon"):
        return ""
    if not (_fictions(_words(sentence)) or _korean(sentence)):
        return None
    parts = _PART.split(sentence)
    for at, part in enumerate(parts):
        back = not language("referring").isdisjoint(_words(part))  # "nice story, but make it longer"
        ordered = _orders(_words(part), first=not at or back)
        if ordered and (back or _fictions(_words("".join(parts[at:])))):
            return "" if not at or back else "".join(parts[: at - 1])
    return "" if _asked(sentence) or _told_of_it(_words(sentence)) else None


def tells_on(sentence: str) -> bool:
    """Return whether *sentence*, typed right behind a tale, only says how that is to go on: "now he lives in Hull", "make her older"."""
    words = _words(sentence)
    if not _of_life().isdisjoint(words) or holds(words, "standing") or any(map(str.isdigit, words)):
        return False
    return any(map(_goes_on, CLAUSE.split(sentence)))


@cache
def _of_life() -> frozenset[str]:
    """Return the words by which somebody speaks of themselves and theirs, and of when."""
    own = (language("first") - language("object") - {"am"}) | language("mine") | (language("kin") - {"mate"})
    return own | weekdays() | language("lasts") | months()


def _goes_on(clause: str) -> bool:
    words = [word for word in _words(clause) if word not in language("leads_on") | language("agrees")]
    match words:
        case [who, does, *_] if who in language("third") and does in language("should"):
            return True
    return holds(words[:_OPENING], "goes_on")


def _casts(words: Sequence[str]) -> bool:
    """Return whether *words* give parts to play: "you're my landlord and I'm a goat", "I'm a knight", "let's play, I'm the cook"."""
    text = f" {' '.join(words)} "
    if _has(text, "called_you") or _gives_part(words) or _plays(words) or _rehearses(words):
        return True
    called = re.search(rf" (?:{_phrases('i_am')}|{_phrases('i_am_called')}) ", text)
    if called and _has(text[: called.end()], "lets_play"):
        return True
    if not re.search(rf" (?:{_phrases('i_am')}) ", text):
        return False
    beings = "|".join(language("beings"))
    fabled = re.search(rf" (?:{_phrases('i_am')}) (?:\w+ ){{0,2}}(?:{beings}) ", text)
    yours = _has(text, "you_are") and language("thanks").isdisjoint(words)
    return bool(fabled or yours)


def _has(text: str, name: str) -> bool:
    """Return whether one of the groups of *name* stands in *text*, words between spaces."""
    return any(f" {' '.join(one)} " in text for one in pairs(name))


def _gives_part(words: Sequence[str]) -> bool:
    """Return whether *words* open with "play the angry customer"."""
    at = next((at for at, word in enumerate(words[:_OPENING]) if word in language("parts_verbs")), None)
    others = language("first") | language("third") | language("kin") | language("mine")
    if at is None or not others.isdisjoint(words[:at]):
        return False
    return not language("parts").isdisjoint(words[at : at + 2 + _NEAR])


def _rehearses(words: Sequence[str]) -> bool:
    """Return whether *words* say what to rehearse and who "you" are in it: "can we practise, you be the judge"; "I practise" does not."""
    at = next((at for at in range(len(words)) if _opens(words[at:], "rehearses")), None)
    return at is not None and words[at - 1 : at] != ["i"] and _has(f" {' '.join(words[at:])} ", "your_part")


def _plays(words: Sequence[str]) -> bool:
    """Return whether *words* name a game of parts, and not as one that the user plays."""
    games = (at for at in range(len(words)) if _opens(words[at:], "played"))
    return any(language("first").isdisjoint(words[max(0, at - _NEAR) : at]) for at in games)


@cache
def _phrases(name: str) -> str:
    return "|".join(" ".join(one) for one in pairs(name))


def of_the_user(said: str, line: str) -> str:
    """Return *said* without what it tells of the hero of a tale, "is a nurse", unless *line* speaks of them or of the tale."""
    return "\n".join(_without_heroes(one, line) for one in said.split("\n"))


def _without_heroes(sentence: str, line: str) -> str:
    parts = CLAUSE.split(sentence)
    left, hero = "", False
    for joint, clause in zip(("", *parts[1::2]), parts[::2], strict=True):
        same = hero and joint.strip() in AND  # "and is a nurse"
        hero = not same and holds(_words(clause), "heroes") and not _speaks_of(line, clause)
        left += "" if same or hero else joint + clause
    return left


def _speaks_of(line: str, clause: str) -> bool:
    """Return whether *line* names the hero, "my novel" or somebody that a *clause* tells of."""
    words = _words(clause)
    work = next((words[at + 1 : at + 3] for at, word in enumerate(words) if word in language("mine")), [])
    about = language("heroes") | (frozenset(work) - language("free"))
    return not about.isdisjoint(_words(line)) or _leads(line, clause)


def _leads(line: str, clause: str) -> bool:
    """Return whether *line* opens with a name of *clause*: "Vera is a nurse"."""
    opening = TOKEN.search(line)
    return bool(opening and re.search(rf"(?<=\s){re.escape(opening[0])}\b", clause))


def _words(text: str) -> list[str]:
    return [fold(word) for word in TOKEN.findall(text)]


def _fictions(words: Sequence[str]) -> list[int]:
    """Return where *words* name a tale that is not the user's own work: "my novel", "I tell"."""
    found = [at for at in range(len(words)) if _opens(words[at:], "fiction")]
    own = (language("first") - language("object")) | language("tells")
    found = [at for at in found if own.isdisjoint(words[:at][-1:])]
    one = {"a", "an"}  # "machst ma a gschicht": nothing of mine is "a" thing
    return [at for at in found if words[at - 1] in one or language("mine").isdisjoint(words[:at][-2:])]


def _opens(words: Sequence[str], name: str) -> bool:
    """Return whether *words* open with one of a list, of up to three words."""
    return any(" ".join(words[:size]) in language(name) for size in (1, 2, 3))


def _orders(words: Sequence[str], *, first: bool) -> bool:
    """Return whether a clause opens with an order; behind another clause it says for whom, or "a": "I row, write poems"."""
    verbs = language("commands") | language("makes")
    at = next(
        (at for at in range(min(_OPENING, len(words))) if verbs & {words[at], " ".join(words[at : at + 2])}), None
    )
    if at is None:
        return False
    others = (language("first") - language("object")) | language("third") | language("mine") | language("kin")
    if not (others | language("unordered")).isdisjoint(words[:at]):
        return False
    return first or not language("given").isdisjoint(words[at : at + 1 + _NEAR])


def _korean(sentence: str) -> bool:
    """Return whether a Korean sentence orders a tale that is not the writer's own work."""
    tales = (one for one in _KOREAN.finditer(sentence) if not _KOREAN_OWN.search(sentence[: one.start()]))
    return any(_KOREAN_ORDER.search(sentence, one.end()) for one in tales)


def _asked(sentence: str) -> bool:
    words = _words(sentence)
    wanted = not (language("commands") | language("makes")).isdisjoint(words) or any(
        at < _OPENING for at in _fictions(words)
    )
    asks = (_ASKS.search(sentence) and wanted) or holds(words, "requests") or _wanted(words) or _korean(sentence)
    opened = ":" in sentence and _fictions(_words(sentence.partition(":")[0])[:_OPENING])
    return bool(asks or opened)


def _wanted(words: Sequence[str]) -> bool:
    """Return whether somebody "wants a" tale, or *words* are no more than the title of one: "short story for Ella about a fox"."""
    tales = [at for at in _fictions(words) if language("tale_things").isdisjoint(words[at : at + 2])]
    return any(_behind_want(words[:at][-_WANTING:], words[at]) or _is_title(words, at) for at in tales)


def _behind_want(before: Sequence[str], tale: str) -> bool:
    """Return whether a "wants a" stands *before* a *tale*; a language without articles has none."""
    wants = (at for at, word in enumerate(before) if word in language("tale_wants"))
    given = language("given") | language("tale_small")
    return any(not (tale.isascii() and given.isdisjoint(before[at:])) for at in wants)


def _is_title(words: Sequence[str], at: int) -> bool:
    given = language("given") | language("tale_small")
    about = not language("tale_about").isdisjoint(words[at : at + 1 + _NEAR])
    return given.issuperset(words[:at]) and about


def _told_of_it(words: Sequence[str]) -> bool:
    """Return whether a sentence says what is to happen in a tale: "in the story I'm a baker", "I should be one in it"."""
    if (language("first") | language("mine")).isdisjoint(words):
        return False
    there = any(_inside(words[:at]) for at in _fictions(words))
    return there or not (language("should").isdisjoint(words) or language("therein").isdisjoint(words))


def _inside(words: Sequence[str]) -> bool:
    """Return whether *words* end in "in the", and not in the "in" of "in history"."""
    match words:
        case [*_, into, the] if the in language("tale_the") and into in language("tale_in"):
            return True
        case [*_, into]:
            return into in language("tale_in_the")
    return False
