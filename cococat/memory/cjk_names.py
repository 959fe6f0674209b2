"""What is a name in Chinese or Japanese text, by what stands around it."""

from __future__ import annotations

import re
from functools import cache

from cococat.memory.words import language, pairs

__all__ = ["family", "named"]

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


def named(text: str) -> set[str]:
    """Return names by what stands around them."""
    kin = "|".join(sorted(family(), key=len, reverse=True))
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
        and not family().keys() & {one, re.sub("(?:さん|ちゃん|くん)$", "", one)}
        and not re.search("[的了是在不没吗姓叫她他我你归]|^[はがもをにとで][\u3400-\u9fff]", one)
    }


@cache
def family() -> dict[str, str]:
    """The words for one's family and for those one deals with, each with the first of its group."""
    return {word: group[0] for group in pairs("cjk_kin") for word in group}


@cache
def _no_names() -> frozenset[str]:
    return language("cjk_no_names") | language("cjk_elastic")
