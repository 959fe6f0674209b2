"""The facts in a text: which of them another text would lose, and the lines that only repeat one."""

from __future__ import annotations

import re
import unicodedata
from calendar import monthrange
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache, lru_cache

from cococat.memory.claims import claims
from cococat.memory.evidence import AcceptedEdit, Heard, plain_heading, unsupported
from cococat.memory.file import heading_level, pinned
from cococat.memory.quotes import Quote
from cococat.memory.scan import urls
from cococat.memory.words import fold, key, language, related, tokens

__all__ = ["Fact", "agreed", "inherited", "lost", "outlived", "restored", "without_repeats"]

_BULLET = re.compile(r"[-*+] \S")
_FENCE = re.compile(r"\s*(```|~~~)")
_FIGURE = re.compile(r"\d+(?:[.,:/-]\d+)+|[^\W_]+(?:\+\+|[+#])")  # 1.5, 2026-03-02, C++
_OWNER = re.compile(r"(\w+)['\u2019]s\b")
_DAY = re.compile(r"(?<![\d-])((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?(?![\d-])")
_ARTICLES = tokens(
    "a an the user der die das den dem ein eine einen el la los las un una le les une il lo gli o os as um uma"
)
_OPINIONS = frozenset({"likes", "dislikes", "like", "dislike", "avoids"})  # a heading that says something of its lines
_CLAUSE = re.compile(r"[.!?;\n\u3002\uff01\uff1f]")
_FORGET = re.compile(
    r"\b(forget|delete|remove|drop|erase|vergiss|l(?:ö|oe)sch\w*|entfern\w*|olvida|borra|elimina|oublie|efface|supprime"
    r"|dimentica|cancella|esque[cç]a|apaga|remova)\b|забудь|удали|忘|删|忘れ|消し",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Fact:
    """
    A line that says something.

    Args:
        at: its number in the text, from 0.
        words: what carries its meaning, each with whether it is denied.
        above: words of the headings and lines that it stands under, as far as they say something of it.
        order: its words stand in an order that matters.
        alone: a bullet that no line hangs on.
    """

    line: str
    at: int
    words: tuple[tuple[str, bool], ...]
    above: frozenset[str] = frozenset()
    order: bool = False
    alone: bool = False


def lost(
    before: str, after: str, made: Sequence[AcceptedEdit] = (), kept: Callable[[str], bool] = lambda _: False
) -> tuple[Fact, ...]:
    """
    Return the facts of *before* that *after* does not hold: no single line has all of their words.

    Args:
        made: edits; a line may be split, so the new lines that were made from it count together.
        kept: whether a line may go all the same.
    """
    standing = _facts(after)
    same = {(fact.line, fact.above) for fact in standing}
    by_key: dict[str, list[Fact]] = {}
    for fact in standing:
        by_key.setdefault(key(fact.line), []).append(fact)
    children: dict[str, list[Fact]] = {}
    for edit in made:
        new = [fact for line in edit.added for fact in by_key.get(key(line), [])]
        for old in edit.removed:
            children.setdefault(key(old), []).extend(new)
    found = []
    for fact in _facts(before):
        if (fact.line, fact.above) in same or not _meaning(fact.line) or kept(fact.line):
            continue
        near = (other for other in standing if _near(other, fact))
        if not any(_covers(other, fact) for other in near) and not _split(children.get(key(fact.line), ()), fact):
            found.append(fact)
    return tuple(found)


def restored(before: str, after: str, gone: Collection[Fact]) -> str:
    """
    Return *after* with the facts *gone* of *before* put back behind what they stood behind.

    New lines that say nothing but what one of them says go.
    """
    old = before.split("\n")
    known = {line.strip() for line in old}
    fresh = [new for new in _facts(after) if new.line not in known]
    needless = {new.line for new in fresh if any(_near(fact, new) and _covers(fact, new) for fact in gone)}
    out = [line for line in after.split("\n") if line.strip() not in needless]
    for fact in sorted(gone, key=lambda one: one.at):
        above = next((line for line in reversed(old[: fact.at]) if line.strip() and line in out), None)
        at = len(out) - out[::-1].index(above) if above is not None else 0
        out.insert(at, old[fact.at])
    return "\n".join(out)


def without_repeats(text: str) -> tuple[str, tuple[AcceptedEdit, ...]]:
    """
    Drop the bullets of *text* that say no more than one before them, word by word.

    Articles, case and punctuation make no difference; a number, a name, a "not", a symbol or the place does.
    """
    own = pinned(text)
    first: dict[object, Fact] = {}
    drop: dict[int, AcceptedEdit] = {}
    for fact in _facts(text):
        name = (tuple(one for one in fact.words if one[0] not in _ARTICLES), fact.above)
        if not name[0] or not (fact.alone or fact.line in own):
            continue
        if name in first and fact.line not in own and fact.alone:
            drop[fact.at] = AcceptedEdit((fact.line, first[name].line), (first[name].line,), ())
        first.setdefault(name, fact)
    lines = [line for at, line in enumerate(text.split("\n")) if at not in drop]
    return "\n".join(lines), tuple(drop.values())


def inherited(line: str, pool: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """
    Return the lines of *pool* that *line* is made of, and what it says that they do not; empty when it may take their place.

    Args:
        pool: lines that go.
    """
    own = _meaning(line)
    sharing = [old for old in pool if any(_said(word, own) for word in _meaning(old))]
    whole = [old for old in sharing if all(_said(word, own) for word in _meaning(old))]
    parents = whole if not _unsaid(own, whole) else sharing
    if not parents or (new := _unsaid(own, parents)):
        named = ", ".join(map(repr, new[:5])) if parents else "its words"
        return (), f"{line!r}: {named} stand in none of the lines that it replaces; say it in their words"
    if owners := set(_OWNER.findall(line)) - set(_OWNER.findall("\n".join(parents))):
        return (), f"{line!r}: the lines that it replaces do not say {min(owners)}'s"
    heard = Heard({at: old.lstrip("-*+ ") for at, old in enumerate(parents)})
    why = unsupported(line, [Quote(at, text) for at, text in heard.typed.items()], heard)
    return tuple(parents), f"{line!r}: {why}".replace("the user", "the notes") if why else ""


def outlived(line: str, learned: date | None, today: date) -> bool:
    """Return whether *line* told of a day to come when it was *learned*, and the day is over: its own date has passed."""
    ends = [_over(year, month, day) for year, month, day in _DAY.findall(line)]
    return bool(ends) and learned is not None and all(end is not None and learned < end <= today for end in ends)


def agreed(line: str, typed: str) -> bool:
    """Return whether the user asked, somewhere in *typed*, to forget what *line* tells."""
    words = _meaning(line)
    wishes = [part for part in _CLAUSE.split(typed) if _FORGET.search(part)]
    said = [frozenset(fold(word) for word, _ in _words(_FORGET.sub(" ", wish))) for wish in wishes]
    return any(related(word, one) for word in words for one in said)


def _facts(text: str) -> tuple[Fact, ...]:
    """Return the facts of *text* in order, headings left out."""
    found: list[Fact] = []
    headings: list[tuple[int, frozenset[str]]] = []
    parents: list[tuple[int, frozenset[str]]] = []
    lines, fenced = text.split("\n"), False
    for at, line in enumerate(lines):
        fenced ^= bool(_FENCE.match(line))
        if not line.strip():
            continue
        if level := 0 if fenced else heading_level(line):
            headings = [one for one in headings if one[0] < level]
            headings.append((level, _heading_words(line)))
            parents = []
            continue
        indent = len(line) - len(line.lstrip())
        parents = [one for one in parents if one[0] < indent]
        words = _words(line)
        above = frozenset().union(*(one[1] for one in (*headings, *parents)))
        below = lines[at + 1] if at + 1 < len(lines) else ""
        alone = bool(_BULLET.match(line)) and not fenced and not below[:1].isspace()
        order = any(no or word in language("direction") for word, no in words)
        found.append(Fact(line.strip(), at, words, above, order, alone))
        parents.append((indent, frozenset(word for word, _ in words)))
    return tuple(found)


def _heading_words(line: str) -> frozenset[str]:
    """Return what a heading says of the lines under it; nothing where it only names a common topic."""
    words = frozenset(word for word, _ in _words(line.lstrip("# ")))
    neutral = plain_heading(line, {0: "pinned"}, ()) and words.isdisjoint(_OPINIONS)
    return frozenset() if neutral else words


@lru_cache(maxsize=4096)
def _words(line: str) -> tuple[tuple[str, bool], ...]:
    """Return all words of *line* in order, folded, each with whether it is denied; symbols and addresses as well."""
    words = [(fold(claim.word), claim.denied) for claim in claims(line.strip().lstrip("-*+ "))]
    signs = [char for char in line if unicodedata.category(char) in ("So", "Sc", "Sm") and char not in "+|=~<>"]
    return (*words, *((one, False) for one in (*urls(line), *map(str.casefold, _FIGURE.findall(line)), *signs)))


@lru_cache(maxsize=4096)
def _meaning(line: str) -> frozenset[str]:
    return frozenset(word for word, _ in _words(line) if _means(word))


def _unsaid(words: Collection[str], lines: Sequence[str]) -> list[str]:
    """Return those of *words* that none of *lines* holds, in any form."""
    known = frozenset(word for line in lines for word, _ in _words(line))
    return sorted(word for word in words if not _said(word, known))


def _means(word: str) -> bool:
    """Return whether *word* carries meaning; a verb does, too."""
    return word not in _closed()


@cache
def _closed() -> frozenset[str]:
    return language("free") | language("copula") | language("wants") | _ARTICLES


def _said(word: str, known: frozenset[str]) -> bool:
    return word in known if not word.isalpha() else related(word, known)


def _near(one: Fact, other: Fact) -> bool:
    """Return whether *one* shares a word with *other*, so that it is worth a closer look."""
    return not _meaning(one.line).isdisjoint(_meaning(other.line))


def _covers(one: Fact, other: Fact) -> bool:
    """Return whether *one* says all that *other* says, of the same thing."""
    return _of_the_same(one, other) and _tells(one.words, other)


def _split(parts: Sequence[Fact], whole: Fact) -> bool:
    """Return whether *parts* say together all that *whole* says; one that tells of something else is none of them."""
    return _tells([word for one in parts if _of_the_same(one, whole) for word in one.words], whole)


def _of_the_same(one: Fact, other: Fact) -> bool:
    """Return whether what *one* stands under makes it tell of what *other* tells of."""
    said, told = (frozenset(word for word, _ in fact.words) for fact in (one, other))
    return other.above <= one.above | said and one.above <= other.above | told


def _tells(words: Sequence[tuple[str, bool]], other: Fact) -> bool:
    """Return whether *words* say all that *other* says."""
    own = {no: frozenset(word for word, denied in words if denied == no) for no in (True, False)}
    if not all(_said(word, own[no]) for word, no in other.words if _means(word)):
        return False
    return not other.order or _in_order(other.words, words)


def _in_order(words: Sequence[tuple[str, bool]], line: Sequence[tuple[str, bool]]) -> bool:
    """Return whether what carries the meaning of *words* stands in *line* in the same order."""
    rest = iter(word for word, _ in line)
    wanted = [word for word, _ in words if _means(word)]
    return all(any(_said(word, frozenset({one})) for one in rest) for word in wanted)


def _over(year: str, month: str, day: str) -> date | None:
    """Return the first day after the date or month; None for no date."""
    try:
        last = int(day) if day else monthrange(int(year), int(month))[1]
        return date(int(year), int(month), last) + timedelta(days=1)
    except ValueError:
        return None
