"""What somebody says to a question, clause by clause: yes, no, what of it they take up, and what they add to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from cococat.memory.statements import plain
from cococat.memory.words import classes, fold, key, language, pairs, unspaced

__all__ = ["Clause", "clauses", "parts"]

_UNIT = 7  # letters from which a word of grammar may be a noun as well
_STEM = 5  # letters that tell one word from another
_SEGMENT = re.compile(
    r"[,;.!:()\u2026\n\u3001\u3002\uff01\uff0c\uff1b]+|\s+[-\u2013\u2014]+\s+"
    r"|(?<!tutte)(?<!tutti)\s+(?:but|and|aber|und|pero|y|mais|et|ma|e|но|а|и)\s+(?!другое)"  # noqa: RUF001 - Russian
)
_CJK = r"\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af"
_PIECE = re.compile(
    rf"[\u30a1-\u30fa\u3400-\u9fff\uac00-\ud7af]|(?:(?![{_CJK}])[^\W_])+"
)  # no endings of Japanese words
_CJK_NO = re.compile("[不没否嫌违]|别(?![的件])|な[くい]|いらん|なし|まだ|やめ|ちが|ううん|いや|いえ|もういい")
_TOLD = "我你您"  # who speaks to whom
_CJK_SPLIT = re.compile(r"\s+|(?<=[^\s不没别要可])(?=(?:不要|不用|不是|没|别)[^\s了的吧呀啊]{2})")
_ENDING = "谢谢|想想|です|ます|でし|した|[吧呢啦了的呀啊嘛哦地よねなでをはがのにとも是就那个选]"
_CJK_ORDINALS = ((0, "第一个?|最初|前者|[1一]つ目"), (1, "第二个?|后者|後者|[2二]つ目"))
_LISTS = ("agrees", "fine", "with_yes", "all_of_it", "evades", "limits", "declines", "refuses", "not")
_THUMB = re.compile("[\U0001f44d\U0001f44c\u2705\u2714\U0001f197\U0001f4af]")  # thumb up, ok hand, check marks, OK, 100


@dataclass(frozen=True, slots=True)
class Clause:
    """
    A clause of an answer.

    Args:
        names: what of the question it takes up, as `parts` gives it.
        adds: what it says that the question does not, so.
        agrees, denied: it holds a yes, a no; a denied one agrees to nothing.
        open: it leaves open what it says.
        limits: "only", "unless": where it takes up nothing, the yes beside it holds for something else alone.
        both: it speaks of all that was asked.
        at: the number of the one of which it speaks, "the second one"; -1 for the last; None where it counts none.
        says: it has a subject or a verb of its own.
    """

    names: frozenset[str]
    adds: frozenset[str]
    agrees: bool = False
    denied: bool = False
    open: bool = False
    limits: bool = False
    both: bool = False
    at: int | None = None
    says: bool = False

    @property
    def bare(self) -> bool:
        """Whether it says no, and nothing else."""
        return self.denied and not (self.names or self.adds or self.both) and self.at is None


def clauses(typed: str, asked: str) -> tuple[Clause, ...]:
    """Return the clauses of the answer *typed* to *asked*; a thumb up is one."""
    known = parts(asked)
    found = tuple(_read(words, known) for words in _split(typed))
    if _THUMB.search(typed):
        return (Clause(frozenset(), frozenset(), agrees=True), *found)
    return found


def parts(text: str) -> frozenset[str]:
    """Return what tells the words of *text* that mean something: five letters, or a character of a script without spaces."""
    return frozenset(word[:_STEM] for word in map(fold, _PIECE.findall(key(text))) if word not in _small())


@cache
def _small() -> frozenset[str]:
    """Return the words that mean nothing by themselves; "minutes" may be those of a meeting."""
    free = frozenset(word for word in language("free") if len(word) < _UNIT)
    return free | classes("cjk_free", "not", "refuses") | {*_TOLD}


def _split(typed: str) -> Iterator[list[str]]:
    """Give the words and phrases of each clause of *typed*: one ends where a mark does, and around a yes or no."""
    if typed.strip(" .!").casefold() in ("y", "s", "j"):
        yield ["yes"]
        return
    polar = classes("agrees", "not", "refuses", "declines")
    for segment in filter(None, map(str.strip, _SEGMENT.split(typed))):
        if any(map(unspaced, segment)):
            yield from ([one] for one in _CJK_SPLIT.split(segment) if one)
            continue
        words = _phrases([fold(word) for word in key(plain(segment)).split()])
        if words[1:] and words[0] in language("nays"):
            yield [words.pop(0)]
        turns = [at for at, word in enumerate(words) if word in polar]
        if turns and turns[0] and turns[-1] == len(words) - 1:  # "the list yes the bins no"
            ends = [at + 1 for at in turns]
        else:
            ends = [*(at for at in turns if at and at - 1 not in turns), len(words)]
        yield from (words[start:end] for start, end in zip([0, *ends], ends, strict=False) if words[start:end])


def _phrases(words: Sequence[str]) -> list[str]:
    """Return *words* with those in a row that a list has as one, "why not", as one."""
    found, at = list[str](), 0
    while at < len(words):
        size = next((size for size in (4, 3, 2) if " ".join(words[at : at + size]) in classes(*_LISTS)), 1)
        found.append(" ".join(words[at : at + size]))
        at += size
    return found


def _read(words: Sequence[str], known: frozenset[str]) -> Clause:
    if any(map(unspaced, words[0])):
        return _unspaced(fold(words[0]), known)
    held = frozenset(words)
    denied = not classes("not", "refuses", "declines").isdisjoint(held)
    counted = [(at, names) for at, names in _ordinals() if not names.isdisjoint(held)]
    empty = classes(*_LISTS).union({"one"} if counted else (), *(names for _, names in counted))
    left = parts(" ".join(word for word in words if word not in empty))
    verbs = classes("first", "third", "acts", "copula", "are") - language("object")
    return Clause(
        left & known,
        left - known,
        agrees=not (denied or classes("agrees", "fine").isdisjoint(held)),
        denied=denied,
        open=not language("evades").isdisjoint(held),
        limits=not language("limits").isdisjoint(held),
        both=not language("all_of_it").isdisjoint(held),
        at=next((at for at, _ in counted), None),
        says=not verbs.isdisjoint(held) and words[0] not in language("agrees"),
    )


def _unspaced(text: str, known: frozenset[str]) -> Clause:
    """Return a clause in Chinese or Japanese; a word of a yes counts where nothing but what was asked stands beside it."""
    rest = re.sub(_listed("cjk_no_no"), "", text)
    no = bool(_CJK_NO.search(rest))
    counted = [(at, one) for at, one in _CJK_ORDINALS if re.search(one, text)]
    for one in (_listed("cjk_agrees"), *(one for _, one in counted), _ENDING):
        rest = re.sub(one, "", rest)
    left = frozenset(map(fold, _PIECE.findall(key(rest)))) - language("cjk_free") - {*_TOLD}
    return Clause(
        left & known,
        left - known,
        agrees=not no
        and bool(re.search(rf"\A(?:{_listed('cjk_agrees')})|(?:{_listed('cjk_agrees')})(?:{_ENDING})*\Z", text)),
        denied=no,
        open=bool(re.search(_listed("cjk_evades"), text)),
        limits=bool(re.search("[只仅除]|だけ|のみ|以外|しか", text)),
        both=bool(re.search("都(?!可以|行|好|成|无所)|[两俩]|どっちも|どちらも|両方|全部|ぜんぶ", text)),
        at=next((at for at, _ in counted), None),
        says=False,
    )


@cache
def _ordinals() -> tuple[tuple[int, frozenset[str]], ...]:
    return tuple((at, frozenset(group)) for at, group in zip((0, 1, 2, -1), pairs("ordinals"), strict=True))


@cache
def _listed(name: str) -> str:
    return "|".join(sorted(language(name), key=len, reverse=True))
