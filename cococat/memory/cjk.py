"""A Chinese or Japanese text clause by clause: who acts at each place in it, what is denied, and which numbers stand there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from itertools import pairwise
from typing import TypeVar

from cococat.memory.cjk_dates import Day, days_in
from cococat.memory.cjk_passing import happens_now, kind_of, leaves, orders_tale, without_owner
from cococat.memory.cjk_people import ANYONE, ASSISTANT, SOMEONE, USER, Mention, People
from cococat.memory.cjk_spelling import HAN, canonical
from cococat.memory.japanese import NOT_THAT
from cococat.memory.words import language

__all__ = ["Clause", "Number", "clauses", "spots", "written"]

_LETTER = re.compile(rf"[{HAN}]")
_WORD = re.compile(rf"[^\W\d_{HAN}]+")
_SENTENCE = re.compile(r"(?:[^!?;。\n]|[!?;](?=[a-z\d]))+[!?;。\n]*")
_CUT = re.compile(
    r"(?!:(?:没有?|无|なし|无し|ない|いない|ありません|いません)$)"  # "pets: none" denies the pets
    rf"(?:(?<!\d)[,:]+|(?<=[\u3041-\u3096])、|、(?=[^、\s]{{1,8}}[はが])|[,:]+(?!\d)|[()—\u2013…~]+|(?<=[\d{HAN}])\s+(?=[{HAN}])|(?<=[{HAN}])\s+(?=\d)|(?<=\S)[.](?=\s|$)|、(?=[^、]*(?:では|じゃ)な[くい])|(?<=なくて)|(?<=[はゃ]なく)(?!て))"
)
_NUMBER = re.compile(
    r"(?<![a-z])(\d+(?:\.\d+)?)(个月|个?小时|分钟|点半|公斤|公里|厘米|毫米|平米?|年级|岁|点|天|周|年|级|次|分|元|斤|克|米|层|楼|页|行|字|节|首|度|寸|期|号|时|周间|回|円|%|[a-z]+)?"
)
_BECAUSE = re.compile(
    r"(?<=[たるいだ])から|ので|のに|けど|けれど|だけで(?!は?な)|くて"
)  # a "not" does not reach over it
_BEHIND = frozenset({"是", "由", "归", "就", "は", "が", "成", "为"})  # "the one who leads it is Bob"
_BAD = ("行", "好")  # "is not well" denies nothing of what is not well
_IF = re.compile("[我他她]?(?:要是|如果|假如|万一|要不是)|もし")
_THEN = re.compile("那?(?:我|你|他|她)?们?(?:就|才|会|也)")
_TURNS = "而是|(?<![要别用能会])[改换]成?|只(?=[要吃喝用])|[,、]?(?:要|是|得)(?!不)"  # what a "not" does not reach
_VERB = 2  # characters of a verb that stands alone behind its "not"
_RETRACTS = re.compile(
    r"^(?:啊|哦|诶|噢|等等|等下|抱歉|不好意思)*(?:不对|不是$|说错了?|打错了?|写错了?|记错了?|搞错了?|错了|更正|口误|いや|违う|违った|违います|じゃなくて|订正)(?:了|啊|哈|,)*"
)
_NOT_THAT = re.compile(
    rf"(?<!是)不是(?:(?!而?是).)*|{NOT_THAT}|[^、]*[\u3041-\u3096](?<!から)(?<!まで)(?:では|じゃ)な(?:く|い)"
)
_NOT_BUT = re.compile(f"{NOT_THAT}(?<=く)て?$")  # nothing of what stands before it is denied
_COUNTERS = frozenset("个只条匹头本人辆台家")  # each says no more than that things are counted
_COUNTED = frozenset({"岁", "点", "年级", "级", "次", "分", "%", "楼", "期", "号"})
_NOT_ME = re.compile(r"^(?:那|这|其实|可|但)*不是我(?:啊|呀|哦|哈)*$")
_THING = re.compile(r"[^\W\d_]{1,8}は")


@dataclass(frozen=True, slots=True)
class Number:
    """A number with its unit; *unit* is empty where it only counts things."""

    start: int
    end: int
    value: float
    unit: str

    @property
    def vague(self) -> bool:
        """Whether it says no more than "a" does."""
        return self.value == 1 and self.unit not in _COUNTED


Told = TypeVar("Told", Number, Day)


@dataclass(frozen=True, slots=True)
class Clause:
    """
    What stands between two commas, or two conjunctions.

    Args:
        text: as `canonical` writes it.
        people: who is named in it, in order.
        before: of whom it speaks where it names nobody.
        denied, past, hoped: for each character whether a "not", a "formerly" or a "wants to" goes with it.
        kind: "stated", "supposed", "wished" (of the assistant), "standing" (wished for good) or "asked".
        group: number of the sentence; of clauses that stand together.
    """

    text: str
    people: tuple[Mention, ...]
    numbers: tuple[Number, ...]
    days: tuple[Day, ...]
    denied: tuple[bool, ...]
    past: tuple[bool, ...]
    hoped: tuple[bool, ...]
    before: frozenset[str]
    kind: str
    record: int

    def actor(self, at: int) -> frozenset[str]:
        """Return who does or is what stands at *at*."""
        led = [one for one in self.people if one.leads and one.end <= at]
        if re.search("被(?!迫)", self.text[led[-1].end if led else 0 : at]):
            return frozenset({SOMEONE})  # it "was stolen"
        if led:
            first = max(number for number, one in enumerate(led) if not one.beside)
            return frozenset().union(*(one.who for one in led[first:]))
        behind = [one.who for one in self.people if one.mark in _BEHIND and one.start > at]
        return frozenset().union(*behind) or self.before


def written(text: str) -> bool:
    """Return whether *text* is Chinese or Japanese, most of it at least."""
    own = len(_LETTER.findall(text))
    return own > 1 and own >= len(_WORD.findall(text))


def clauses(
    text: str, people: People, record: int = 0, *, note: bool = False, day: date | None = None, context: str = ""
) -> tuple[Clause, ...]:
    """
    Return the clauses of *text*.

    Args:
        note: a line of memory, which speaks of the user where it names nobody.
        day: when it was typed.
        context: what was typed before, whose persons this text may go on about.
    """
    found: list[Clause] = []
    named = [
        one for one in people.mentions(canonical(context), frozenset(), note=False) if _spoken_of([one]) - {SOMEONE}
    ]
    others = _spoken_of(named[-1:])
    retracts = False
    before, tale = others | {USER}, not note and leaves(canonical(text), [*_all_parts(canonical(text))])
    for sentence in _SENTENCE.findall(canonical(text)):
        telling = sentence.rstrip("!?;。\n ")
        parts, asks = [*_parts(telling)], "?" in sentence[len(telling) :]
        before |= {USER} if note else frozenset()
        tale |= orders_tale(sentence) and (asks or not note)
        depends = False
        for number, part in enumerate(map(without_owner, parts)):
            if not note and (wrong := _RETRACTS.match(part)):
                retracts = True
                if not (part := part[wrong.end() :]):
                    continue
            if retracts:
                _retract(found, part)
                retracts = False
            if found and _NOT_ME.match(part):
                found[-1] = replace(found[-1], before=frozenset({SOMEONE}))
            mentions = people.mentions(part, before if note else others, note=note)
            if _THING.match(part) and not mentions:
                before |= {USER}  # "the soup is ..." speaks of nobody anew
            kind = "stated" if note else kind_of(part, asked=asks and number == len(parts) - 1)
            kind = "asked" if not note and happens_now(parts, number) else kind
            days = tuple(_meant(part, days_in(part, day), note=note))
            depends = not note and bool(_IF.match(part) or (depends and (not mentions or _THEN.match(part))))
            kind = "supposed" if depends and kind == "stated" else kind
            clause = Clause(
                part, mentions, tuple(_meant(part, _numbers(part, days), note=note)), days, _scope(part, "cjk_not", mentions), _scope(part, "cjk_past", mentions),
                _scope(part, "cjk_hope", mentions), before, "asked" if tale else kind, record,
            )  # fmt: skip
            found.append(clause)
            before = _after(clause)
            theirs = any(one.endswith("'") for mention in mentions for one in mention.who)
            others = _spoken_of(mentions) | (others if theirs else frozenset()) or others
    if retracts:
        _retract(found, "")
    return tuple(found)


def _meant(part: str, found: Iterable[Told], *, note: bool) -> Iterator[Told]:
    """Yield the numbers, or the dates, that are not put right here: "not the 3rd but the 5th"."""
    wrong = None if note else _NOT_THAT.search(part)
    return (one for one in found if not (wrong and wrong.start() <= one.start < wrong.end()))


def _spoken_of(mentions: Sequence[Mention]) -> frozenset[str]:
    return frozenset[str]().union(*(one.who for one in mentions)) - {USER, ASSISTANT, ANYONE}


def _after(clause: Clause) -> frozenset[str]:
    """Return of whom the next clause speaks where it names nobody."""
    named = frozenset[str]().union(*(one.who for one in clause.people))
    return named if any(one.leads or one.mark in ("是", "说") for one in clause.people) else named | clause.before


def _all_parts(text: str) -> Iterator[str]:
    return (part for sentence in _SENTENCE.findall(text) for part in _parts(sentence))


def _parts(sentence: str) -> Iterator[str]:
    ends = "|".join(sorted(language("cjk_ends"), key=len, reverse=True))
    for piece in _CUT.split(sentence):
        yield from (part.strip() for part in re.split(f"(?={ends})", piece) if part.strip())


def _scope(part: str, name: str, people: Sequence[Mention]) -> tuple[bool, ...]:
    """Return for each character whether it stands behind a word of that *name*, up to the next one who acts."""
    found = [False] * len(part)
    if name == "cjk_not" and (behind := [one.start() for one in _not_behind().finditer(part)]):
        begin = right.start() if (right := _NOT_BUT.search(part)) else 0
        for start, end in pairwise([begin, *(one.end() for one in _BECAUSE.finditer(part, begin)), len(part)]):
            found[start:end] = [any(start <= at < end for at in behind)] * (end - start)
        return tuple(found)
    stops = sorted(
        {one.start for one in people if one.mark in ("", "は", "が")}
        | {one.start() for one in re.finditer(_TURNS if name == "cjk_not" else "现在|后来|改成?|换成?", part)}
    )
    for one in spots(name, part):
        if part[one.end() : one.end() + 1] in part[: one.start()][-1:] and one.end() < len(
            part
        ):  # "can you or not" asks
            continue
        verb = part[one.end() :].rstrip("了的啊呀吧过")
        alone = name == "cjk_not" and len(verb) <= _VERB and verb not in _BAD and part[one.start() :] != "不了"
        if alone and (not verb or verb[0] not in part[: one.start()]):
            first = max((who.end for who in people if who.end < one.start()), default=0)
            found[first : one.start()] = [True] * (one.start() - first)
        end = next((stop for stop in stops if stop > one.end()), len(part))
        found[one.start() : end] = [True] * (end - one.start())
    return tuple(found)


def _numbers(part: str, days: Sequence[Day]) -> Iterator[Number]:
    for one in _NUMBER.finditer(part):
        if any(day.start <= one.start() < day.end for day in days if day.firm):
            continue
        if part[max(0, one.start() - 1)] == "周":
            yield Number(one.start() - 1, one.end(1), float(one[1]), "周")
            continue
        unit = (one[2] or "").removesuffix("半").removeprefix("个")
        unit = unit or "个" * (part[one.end() : one.end() + 1] in _COUNTERS)
        yield Number(one.start(), one.end(1), float(one[1]), unit)


def _retract(found: list[Clause], right: str) -> None:
    """Take back what "3岁, 不对, 4岁" puts right: the number with its unit, what stands behind the same word, or the clause."""
    if not found:
        return
    last = found[-1]
    units = {number.unit for number in _numbers(right, ())} | {day.shape for day in days_in(right, None)}
    wrong = [(one.start, one.end) for one in last.numbers if one.unit in units]
    wrong += [(one.start, one.end) for one in last.days if one.shape in units]
    mark = re.match("[在是叫姓去到给跟从]", right)
    if not wrong and mark and mark[0] in last.text:
        wrong = [(last.text.rindex(mark[0]), len(last.text))]
    if not wrong:
        wrong = [(last.people[-1].end if last.people else 0, len(last.text))]
    text = last.text
    for start, end in wrong:
        text = text[:start] + "\0" * (end - start) + text[end:]
    found[-1] = replace(
        last, text=text,
        numbers=tuple(one for one in last.numbers if text[one.start] != "\0"),
        days=tuple(one for one in last.days if text[one.start] != "\0"),
        people=tuple(one for one in last.people if text[one.start] != "\0"),
    )  # fmt: skip


def spots(name: str, text: str) -> Iterator[re.Match[str]]:
    """Find the words of a list in *text*, but within those of "name_but"."""
    return (found for found in _listed(name).finditer(text) if found["word"])


@cache
def _listed(name: str) -> re.Pattern[str]:
    but, words = ("|".join(sorted(language(one), key=len, reverse=True)) for one in (f"{name}_but", name))
    return re.compile(f"(?:{but or '(?!)'})|(?P<word>{words})")


@cache
def _not_behind() -> re.Pattern[str]:
    return re.compile("|".join(language("cjk_not_behind")))
