"""Who is named in Chinese or Japanese text: the family, pronouns, names, and which of them are one person."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from cococat.memory.cjk_spelling import canonical
from cococat.memory.words import language, pairs

__all__ = ["ANYONE", "ASSISTANT", "SOMEONE", "USER", "Mention", "People", "people_of", "unnamed"]

USER, SOMEONE, ANYONE, ASSISTANT = "<user>", "<someone>", "<anyone>", "<assistant>"  # "we" may be anyone
_SEVERAL = "<several>"  # "they", who are nobody that is named alone
_ME = r"我们俩?|我俩|咱们?|俺们?|我|用户|本人|自己|自分たち|自分|俺|私たち|私|僕|俺|ユーザーさん|ユーザー|本人|うち(?=[はの])"
_YOU = r"你们|你|您|助手|あなた|君(?=[はが])"
_THEY = r"他们俩?|她们俩?|他|她|彼女|彼|(?<![\u4e00-\u9fff])其(?![中他实])"
_OWNER = rf"(?:{_ME}|{_YOU}|{_THEY})(?:们)?(?:的|の|家)?"
_SURNAMES = (
    "李王张刘陈杨赵吴徐孙朱胡郭何林罗郑梁谢宋唐许邓冯韩曹彭曾肖田董潘袁蔡蒋余叶杜苏魏吕丁任卢姚沈钟姜崔谭陆范汪廖石贾韦付邹熊孟秦邱江尹薛"
    "闫段侯龙史陶黎贺顾毛郝龚邵万覃武钱戴严莫孔汤周黄高马白金方夏洪施温康"
)
_NICK = _SURNAMES + (
    "钱秦尤褚卫华戚喻柏章葛鲁苗花俞柳鲍费岑雷倪滕殷毕安常傅齐伍卜穆萧湛祁狄臧计谈茅庞纪舒屈项祝阮蓝闵席季路娄童颜梅盛刁骆樊凌霍虞柯管房裘缪宗宣郁单杭包诸左吉程"
    "邢裴荣翁荀甄曲储靳焦车宫宁仇栾甘景詹幸司卓蔺屠池乔翟申冉桑桂牛边尚农庄晏柴瞿阎连艾容古易戈耿满文东欧聂晁冷辛简饶沙鞠关查荆游权飞明红丽军强芳伟杰雨雪敏静雅宇浩鹏"
    "晴月云霞燕玲娟刚勇平辉亮凡琳慧欣佳美珍秀婷丹倩萍娜莉雯薇蕾磊斌凯健鑫波涛峰岩松竹兰菊玉宝虎龙豪"
)
_TITLES = "老师|师傅|经理|医生|大夫|主任|教授|律师|总监|阿姨|叔叔|奶奶|爷爷|先生|女士|同学|船长|[哥姐叔姨总工导婶嫂]|さん|ちゃん|くん|先生|君"
# What may follow a name: what opens a predicate, a number, or the end.
_PIVOT = r"(?=[在是有叫姓说让也都就才还已要想会能可应得去来回到从对把被给比跟和与及、因做教读写开住吃喝买卖带送负当今明后每昨上下这那最很太老总不没别敢了呢吗一二三\d的怕帮用骗嫁喊跑玩]|[はがもをにとの]|[\s,.。、!?:;()]|$)"
_NO_GIVEN = frozenset(
    "姓叫不没在有是去来要会能想很最都也就还才爱喜讨怕吃喝住做教学读写买卖开修养带送说让退怀生毕工结离出了的过着们家里这那上下今明天每月年个跟和对给被把比从为因已当得周时人到走降涨借搬换打骂追骗赔欠寄拿放找见问谈吵跑"
)
_NAMELIKE = rf"([\u4e00-\u9fff])\2|[小老阿][\u4e00-\u9fff]|[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}"
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
                if between and not mine and name in _kin():
                    who = frozenset(f"{one}'" for one in who)  # the son of somebody else
                elif not between or name not in _kin():
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
        key = self.same.get(_kin().get(name, name), _kin().get(name, name))
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
        names |= _named(text)
    groups: dict[str, str] = {}
    every = frozenset(names)
    called: dict[str, set[str]] = {}
    for text in (*texts, *shown):
        for _, _, name, _ in _found(text, every):
            groups.setdefault(_kin().get(name, name), _kin().get(name, name))
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


def _named(text: str) -> set[str]:
    """Return names by what stands around them."""
    kin = "|".join(sorted(_kin(), key=len, reverse=True))
    found = set(
        re.findall(
            rf"(?:{kin}|我|他|她|男孩|女孩|[猫狗犬][,、 ])(?:的?名字)?(?:就|都|也)?叫做?([^\W\d_]{{2,3}}?)(?=[在是今也,。、!?()的了已有和跟\s\d]|$)",
            text,
        )
    )
    found |= set(re.findall(rf"(?:{kin})(?:姓名|名字)?(?:叫|是)?([{_SURNAMES}][^\W\d_]{{1,2}}?){_PIVOT}", text))
    found |= set(re.findall(rf"(?:{kin})(?:叫|是)?([a-z][a-z'-]+)", text))
    found |= set(re.findall(r"[给找]([a-z]{3,})(?=[,。 ]|$)", text))
    found |= set(
        re.findall(
            rf"(?:^|[,。、!?:( 而]|{kin}|{'|'.join(language('cjk_ends'))})([小老][{_SURNAMES}]|阿[\u4e00-\u9fff])", text
        )
    )
    found |= {one for one, *_ in re.findall(rf"(?:^|[,。!?:( ])({_NAMELIKE})[, ]我们?家?的?(?:{kin})(?=[, ]|$)", text)}
    found |= set(re.findall(rf"((?<![最太很大从较缩微])[小老阿大][{_NICK}]){_PIVOT}", text))
    found |= set(re.findall(rf"(?:^|[,。、!?:( ]|[跟和给对找])([小老阿][\u4e00-\u9fff]){_PIVOT}", text))
    found |= {one + one for one in re.findall(r"[跟和给对找]([\u4e00-\u9fff])\1", text)}
    found |= set(re.findall(rf"([{_SURNAMES}][^\W\d_]?(?:{_TITLES}))", text))
    found |= {one for one in re.findall(rf"(?:{kin})([^\W\d_]{{2}}){_PIVOT}", text) if not _NO_GIVEN & set(one)}
    found |= {
        one + one
        for one in re.findall(
            r"(?:^|[,。、!?:( ]|[我的和跟给对向比被让是])([\u4e00-\u9fff])\1(?=[在是有也都就才还今明每不没对把给比跟和\d要会能想说上喜爱怕帮用嫁跑玩学考])",
            text,
        )
    }
    found |= set(
        re.findall(rf"(?:^|[,。!?:( ])([{_SURNAMES}][^\W\d_]{{1,2}}?)(?=[在是说让也想要去给把被和跟对负][^\W_])", text)
    )
    found |= set(re.findall(r"(?<![别不])叫我?([^\W\d_]{2,3})就[行好可]", text))
    found |= set(
        re.findall(r"(?:息子|[娘妻夫弟妹兄姉])の([\u3040-\u30ff\u3400-\u9fff]{1,5}?)(?=[はがもにをと、,。 ])", text)
    )
    found |= set(re.findall(r"([\u3400-\u9fff\u30a0-\u30ff]{1,4}(?:さん|ちゃん|くん))", text))
    found |= set(re.findall(r"(?:^|[,。、!?:( ])([\u30a1-\u30faー]{2,}|[a-zà-ÿ]{2,})(?=が)", text))
    return {
        one
        for one in found
        if one not in _no_names()
        and not _kin().keys() & {one, re.sub("(?:さん|ちゃん|くん)$", "", one)}
        and not re.search("[的了是在不没吗姓叫她他我你归]|^[はがもをにとで][\u3400-\u9fff]", one)
    }


def _joined(text: str, names: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Find names that one person has: "儿子豆豆", "老公(覃哥)", "我叫贾雯", "老公姓覃" beside "覃哥"."""
    mentions = list(_found(text, names))
    for (_, end, one, owner), (start, _, other, whose) in pairwise(mentions):
        between = text[end:start]
        if between in (",", " ") and re.match(_ME, whose) and one not in _kin() and other in _kin():
            yield one, _kin()[other]  # "Bob, my son"
        tie = _CALLED.fullmatch(between) or (one in _kin() and re.fullmatch("の", between))
        mine = re.fullmatch(_ME, one)
        if not tie or whose or re.fullmatch(f"{_YOU}|{_THEY}", one) or re.fullmatch(f"{_YOU}|{_THEY}|{_ME}", other):
            continue
        if mine and "叫" in tie[0]:
            yield USER, _kin().get(other, other)
        elif not mine and not (one in _kin() and other in _kin()) and not re.match(_THEY, owner):
            yield _kin().get(one, one), _kin().get(other, other)
    for called in re.findall(r"(?<![别不])叫我?([^\W\d_]{2,3})就[行好可]", text):
        yield USER, called
    for _, end, one, _ in mentions:
        surname = re.match(r"姓([^\W\d_])", text[end:])
        for name in names if surname else ():
            if surname and name.strip("小老阿").startswith(surname[1]):
                yield _kin().get(one, one), name


def _mark(part: str, start: int, end: int) -> str:
    if found := re.search(f"(?:{_MARKS})$", part[:start]):
        return found[0]
    behind = re.match("(?:さん|くん|ちゃん)?(には|では|とは|から|より|まで|[はがもをにへとで])", part[end:])
    return behind[1] if behind else ""


@cache
def _mention(names: frozenset[str]) -> re.Pattern[str]:
    others = (one for one in _kin().keys() - language("cjk_titles") if len(one) > 1 or one in "猫狗妻夫嫁娃")
    kin = "|".join(sorted(others, key=len, reverse=True)) + "|[母父兄姉弟妹娘](?=[はがものとにをへや])"
    named = "|".join(map(re.escape, sorted(names, key=len, reverse=True))) or "(?!)"
    return re.compile(
        rf"(?P<name>{named})|(?P<owner>{_OWNER})?(?P<kin>{_title()}|{kin})(?![圈节店证机园装])|(?P<whose>{_OWNER})(?P<near>[妈爸哥姐弟妹爷奶姑舅叔姨娘娃])|{_BARE}"
        rf"|(?P<pronoun>{_ME}|{_YOU}|{_THEY})"
    )


@cache
def _kin() -> dict[str, str]:
    """The words for one's family and for those one deals with, each with the first of its group."""
    return {word: group[0] for group in pairs("cjk_kin") for word in group}


@cache
def _title() -> str:
    """Match what one may be as well as have: "my teacher", not "a teacher of music"."""
    words = "|".join(sorted(language("cjk_titles"), key=len, reverse=True))
    return rf"(?<![\u3400-\u9fff\d])(?:{words})|(?<=[我你他她的和跟给对向比被让找由是叫说个位名新带教帮陪送接催骂打追骗借欠赔爱恨怕劝管])(?:{words})"


@cache
def _no_names() -> frozenset[str]:
    return language("cjk_no_names") | language("cjk_elastic")
