"""Who is named in Chinese or Japanese text: the family, pronouns, names, and which of them are one person."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from cococat.memory.cjk_names import family, named
from cococat.memory.cjk_spelling import canonical
from cococat.memory.words import language

__all__ = ["ANYONE", "ASSISTANT", "SOMEONE", "USER", "Mention", "People", "people_of", "unnamed"]

USER, SOMEONE, ANYONE, ASSISTANT = "<user>", "<someone>", "<anyone>", "<assistant>"  # "we" may be anyone
_SEVERAL = "<several>"  # "they", who are nobody that is named alone
_ME = r"我们俩?|我俩|咱们?|俺们?|我|用户|本人|自己|自分たち|自分|俺|私たち|私|僕|俺|ユーザーさん|ユーザー|本人|うち(?=[はの])"
_YOU = r"你们|你|您|助手|あなた|君(?=[はが])"
_THEY = r"他们俩?|她们俩?|他|她|彼女|彼|(?<![\u4e00-\u9fff])其(?![中他实])"
_OWNER = rf"(?:{_ME}|{_YOU}|{_THEY})(?:们)?(?:的|の|家)?"
_SAYS = re.compile("(?:今天|昨天|刚才|之前|也|就|都|又)?(?:说|觉得|认为|建议|告诉|讲|问|要求)")
_ASKED_OF = re.compile("(?:学|借|买|要|租|拿|请教|说|讲|汇报)")
_BARE = r"(?P<bare>(?:(?<![\u3400-\u9fff])|(?<=[是跟和给让被对]))[爸妈])"
_MEANS = re.compile("不?[想肯]|打算|愿意")  # what somebody says of himself
_DOES = re.compile("[带教帮陪送接催骂打追骗借欠赔爱恨怕劝管娶咬][了过着]?$")  # to somebody
_HAS = re.compile("[养有][了过着]?$")
_OBJECT = re.compile(r"[^\d,]+")  # between who acts and whom it is done to
_ENDS = re.compile(r"\d|[了的吧啊]?$")
_MARKS = r"成|为了?|把|被|给|比|对|向|从|替|帮|为|跟着|跟|和|与|同|及|、|让|叫|请|由|归|(?<![但可只于])是|就"
_LEADS = frozenset({"", "让", "叫", "请", "由", "归", "被", "就", "は", "が", "も", "和", "跟", "与", "、", "及"})
_BESIDE = frozenset({"和", "跟", "与", "、", "及"})
_CALLED = re.compile(r"[(]?|的?(?:名字)?(?:就|都|也)?(?:叫做?|是)|という|,叫")
_PETS = frozenset("猫狗")
_WRITTEN_ALIKE = {"娘": "女儿", "先生": "老师"}  # before a Japanese particle
# Somebody is named ahead of a "he", though no rule may know the name.
_NAMED = re.compile(r"[小老阿][\u4e00-\u9fff]|[a-zà-ÿ]{2}")


@dataclass(frozen=True, slots=True)
class Mention:
    """
    Somebody who is named.

    Args:
        who: the person, `USER`, `ASSISTANT` or `ANYONE`; more than one where it is open who of them.
        mark: the word before (behind, in Japanese) that says what part the person has.
        leads: it tells who acts in what follows.
        beside: it stands with the one before: "I and my wife".
    """

    start: int
    end: int
    who: frozenset[str]
    mark: str
    leads: bool = True
    beside: bool = False


@dataclass(frozen=True, slots=True)
class People:
    """The names and the family that some texts tell of; *same* gives each its person."""

    names: frozenset[str]
    same: Mapping[str, str]

    def mentions(self, part: str, before: frozenset[str], *, note: bool) -> tuple[Mention, ...]:
        """Return who is named in a clause; a "she" is one of *before*, those of whom the text spoke last."""
        found: list[Mention] = []
        for begin, end, name, owner in _found(part, self.names):
            start = begin
            who = self._who(name, owner, _others(found) or before, note=note)
            between = part[found[-1].end : start] if found else ","
            if between in ("的", "の") or (not between and not owner):
                last = found.pop()
                start, mine = last.start, bool(last.who & {USER})
                if between and not mine and name in family():
                    who = frozenset(f"{one}'" for one in who)  # the son of somebody else
                elif not between or name not in family():
                    who |= last.who
            mark = _mark(part, start, end)
            beside = mark in _BESIDE and bool(found) and found[-1].end >= start - len(mark)
            leads = mark in _LEADS or (mark == "是" and end < len(part))
            leads &= not (part[end : end + 1] == "の" and any(one.leads for one in found))  # "he pays my son's trip"
            if said := _SAYS.match(part, end):
                mark, leads = "说", bool(_MEANS.match(part, said.end()))
            elif mark == "跟" and _ASKED_OF.match(part, end):
                mark, leads, beside = "向", False, False
            elif mark in ("跟", "和") and not beside:
                leads = False
            elif not mark and _HAS.search(part[:start]) and _ENDS.match(part, end):
                mark, leads = "有", False
            elif not mark and (
                _DOES.search(part[:start]) or (found and _OBJECT.fullmatch(between) and _ENDS.match(part, end))
            ):
                mark, leads = "向", not _ENDS.match(part, end)
            leads &= not beside or found[-1].leads  # "I cook for mum and dad"
            found.append(Mention(start, end, who, mark, leads, beside))
        return tuple(found)

    def known(self, who: frozenset[str]) -> bool:
        """Return whether these texts have told of all that *who* is called."""
        told = {USER, SOMEONE, ANYONE, ASSISTANT, _SEVERAL, *self.same, *self.same.values()}
        return all(one.rstrip("'") in told for one in who)

    def _who(self, name: str, owner: str, before: frozenset[str], *, note: bool) -> frozenset[str]:
        if name == "うち" or re.fullmatch(_ME, name):
            return frozenset({USER, ANYONE} if name in ("我们", "我们俩", "我俩", "咱们", "私たち") else {USER})
        if re.fullmatch(_YOU, name):
            return frozenset({ASSISTANT})
        if re.fullmatch(_THEY, name):
            others = before - {USER, ASSISTANT, ANYONE, _SEVERAL}
            if "们" in name:
                return (others if len(others) > 1 or others & language("cjk_many") else frozenset()) | {_SEVERAL}
            if note:
                return before | {USER}
            return others or frozenset(
                {"女朋友" if name == "彼女" else SOMEONE}
            )  # who is not named before is the girlfriend
        key = self.same.get(family().get(name, name), family().get(name, name))
        if re.match(_THEY, owner):
            return frozenset({f"{key}'", key} if note else {f"{key}'"})
        return frozenset({key})


def people_of(texts: Sequence[str], shown: Sequence[str] = ()) -> People:
    """
    Return the people that *texts*, which are canonical, tell of.

    Args:
        shown: lines of memory, whose names are known as well.
    """
    names: set[str] = set()
    for text in (*texts, *shown):
        names |= named(text)
    groups: dict[str, str] = {}
    every = frozenset(names)
    called: dict[str, set[str]] = {}
    for text in (*texts, *shown):
        for _, _, name, _ in _found(text, every):
            groups.setdefault(family().get(name, name), family().get(name, name))
        for one, other in _joined(text, every):
            called.setdefault(one, set()).add(other)
    for one, others in called.items():
        if one in language("cjk_many") or (one != USER and len({name.lstrip("小老阿")[:1] for name in others}) > 1):
            continue  # two sons have two names
        for other in others:
            a, b = groups.setdefault(one, one), groups.setdefault(other, other)
            groups = {name: a if group == b else group for name, group in groups.items()}
    return People(every, groups)


def unnamed(text: str) -> bool:
    """Return whether *text* says "he" or "she" of somebody whom it does not name before."""
    text = canonical(text)
    if not re.search("[他她彼]", text):
        return False
    mentions = people_of([text]).mentions(text, frozenset(), note=False)
    they = (one for one in mentions if SOMEONE in one.who and text[one.start : one.end] in ("他", "她", "彼", "彼女"))
    return any(not _NAMED.search(text[: one.start]) for one in they)


def _others(found: Sequence[Mention]) -> frozenset[str]:
    return next((one.who for one in reversed(found) if not one.who & {USER, ASSISTANT, ANYONE, *_PETS}), frozenset())


def _found(text: str, names: frozenset[str]) -> Iterator[tuple[int, int, str, str]]:
    """Find each mention: start, end, name, and whose kin it is."""
    for one in _mention(names).finditer(text):
        yield (
            one.start(),
            one.end(),
            _japanese(one["kin"], text, one.end()) or one["near"] or one["bare"] or one["name"] or one["pronoun"],
            one["owner"] or one["whose"] or "",
        )


def _japanese(kin: str | None, text: str, end: int) -> str | None:
    """Return what a word for one's family means, where the two languages write different ones alike."""
    follows = kin in _WRITTEN_ALIKE and re.match(r"[\u3041-\u30ff]", text[end:])
    return _WRITTEN_ALIKE[kin] if kin and follows else kin


def _joined(text: str, names: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Find names that one person has: "儿子豆豆", "老公(覃哥)", "我叫贾雯", "老公姓覃" beside "覃哥"."""
    mentions = list(_found(text, names))
    for (_, end, one, owner), (start, _, other, whose) in pairwise(mentions):
        between = text[end:start]
        if between in (",", " ") and re.match(_ME, whose) and one not in family() and other in family():
            yield one, family()[other]  # "Bob, my son"
        tie = _CALLED.fullmatch(between) or (one in family() and re.fullmatch("の", between))
        mine = re.fullmatch(_ME, one)
        if not tie or whose or re.fullmatch(f"{_YOU}|{_THEY}", one) or re.fullmatch(f"{_YOU}|{_THEY}|{_ME}", other):
            continue
        if mine and "叫" in tie[0]:
            yield USER, family().get(other, other)
        elif not mine and not (one in family() and other in family()) and not re.match(_THEY, owner):
            yield family().get(one, one), family().get(other, other)
    for called in re.findall(r"(?<![别不])叫我?([^\W\d_]{2,3})就[行好可]", text):
        yield USER, called
    for _, end, one, _ in mentions:
        surname = re.match(r"姓([^\W\d_])", text[end:])
        for name in names if surname else ():
            if surname and name.strip("小老阿").startswith(surname[1]):
                yield family().get(one, one), name


def _mark(part: str, start: int, end: int) -> str:
    if found := re.search(f"(?:{_MARKS})$", part[:start]):
        return found[0]
    behind = re.match("(?:さん|くん|ちゃん)?(には|では|とは|から|より|まで|[はがもをにへとで])", part[end:])
    return behind[1] if behind else ""


@cache
def _mention(names: frozenset[str]) -> re.Pattern[str]:
    others = (one for one in family().keys() - language("cjk_titles") if len(one) > 1 or one in "猫狗妻夫嫁娃")
    kin = "|".join(sorted(others, key=len, reverse=True)) + "|[母父兄姉弟妹娘](?=[はがものとにをへや])"
    called = "|".join(map(re.escape, sorted(names, key=len, reverse=True))) or "(?!)"
    return re.compile(
        rf"(?P<name>{called})|(?P<owner>{_OWNER})?(?P<kin>{_title()}|{kin})(?![圈节店证机园装])|(?P<whose>{_OWNER})(?P<near>[妈爸哥姐弟妹爷奶姑舅叔姨娘娃])|{_BARE}"
        rf"|(?P<pronoun>{_ME}|{_YOU}|{_THEY})"
    )


@cache
def _title() -> str:
    """Match what one may be as well as have: "my teacher", not "a teacher of music"."""
    words = "|".join(sorted(language("cjk_titles"), key=len, reverse=True))
    return rf"(?<![\u3400-\u9fff\d])(?:{words})|(?<=[我你他她的和跟给对向比被让找由是叫说个位名新带教帮陪送接催骂打追骗借欠赔爱恨怕劝管])(?:{words})"
