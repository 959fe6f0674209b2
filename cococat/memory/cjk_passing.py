"""What a Chinese or Japanese text asks, orders as a tale, or says in passing: a trouble of today, the weather, a farewell."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cococat.memory import ja_passing, zh_passing
from cococat.memory.cjk_spelling import canonical
from cococat.memory.japanese import japanese

__all__ = ["happens_now", "kind_of", "lasting_runs", "leaves", "orders_tale", "without_owner"]

_ASKS = re.compile(
    r"([要是能可会好行有对])不\1|可不可以|有没有|是否|什么(?!都|也|的)|怎么(?!都|也)|怎样|为什么|为啥|咋|[哪谁](?!都|也)|多少|几[点号岁]|(?<![没不差许好很])多(?:久|远|长|高|重|贵|宽|深)(?!的)|来着$"
    r"|[吗么]$|干嘛|(?:能|可以|会|要|行|是)[^,]*嘛$|^那?[你您我他她它]们?呢$|以为(?![主辅荣傲然])|(?:ですか|ますか|かな|でしょうか|ませんか)$|どう(?!して?も|せ|ぞ|しよう|やら|か$|も|にか)|っけ$|(?:^|[はがもを])なんで(?!す)|いくら(?!で?も)|いつ(?!も|か)|どれ(?!も)"
)
_WISHES = re.compile(r"能不能|可不可以|可以|能|请|麻烦|帮|希望|以后|今后|ください|もらえ|ほしい|くれ|お愿い")
_OPEN = re.compile("怎么|什么|多少|哪|为什么|几")
_STANDING = re.compile("以后|今后|往后|从此|每次|每回|1律|1次只|总是|1直|永远")  # what is asked for is to stay so
_TASK = re.compile(
    "(?:请|麻烦|帮我|帮忙|你)*(?:看[一1]?下|看看|翻译|总结|润色|改[一1]?下|检查|查[一1]?下|算[一1]?下|解释)|把.*(?:翻译|译|润色|改写)[成为到1]"
)
_WORK = "故事|小说|短篇|剧本|段子|笑话|童话|寓言|武侠|科幻|言情|悬疑|同人文|番外|相声|小品|歌词|诗(?:歌|$)|首诗|台词|儿歌|顺口溜|打油诗|桥段|搞笑的|话本|脱口秀|神话|睡前"
_MAKES, _COUNT = (
    "(?:写|编(?!程)|讲|说|创作|想|构思|(?<![后回起以本从原未将下上过出进])来|(?<![调完平])整|搞)",
    "[个段篇点首则部本]",
)
_HERO = "女主角?|男主角?|主角|主人公"
_TALE = re.compile(
    rf"假[设如装]|想象|扮演|剧情|人设|角色扮演|虚构|脑补|(?:帮我|给我|替我|^|(?<=[,;。!?\s请]))续?{_MAKES}(?:1?{_COUNT})?[^,]{{0,8}}(?:{_WORK})|(?<![我他她们在里])续?{_MAKES}1?{_COUNT}[^,]{{0,8}}(?:{_WORK})|(?<!我演)(?:{_HERO})"
    r"|玩个?[^,]{0,4}游戏[^。]*[你我](?:是|当|演)|你(?:来|就)?(?:是(?![对不谁个吧吗])|当|演|扮)[^,?]{1,8}[,\s]*我(?:来|就)?(?:是|当|演|扮)|"
    f"{ja_passing.TALES}|{zh_passing.TALES}"
)
_OWN = re.compile(
    rf"(?<![帮给替])我们?(?:(?:自己)?的[^,的]{{0,4}}|第?[\d这那]?[本部]?)(?:{_WORK}|剧|书)|(?:私|僕|俺|うち)の[^、]{{0,4}}(?:物语|纸芝居|紙芝居|小説|小说|绘本|絵本|漫画|短[编編])|我?在写|我写[的了过]|[书書]いて(?:い|る|ま)"
)
_OF_MINE = re.compile(
    rf"我们?(?=(?:自己)?的?[^,的]{{0,3}}(?:{_WORK}|剧|书|漫画)里?的?(?:{_HERO}))|(?:私|僕|俺)の(?=[^、]{{0,4}}の(?:{_HERO}))"
)
_PASSING = re.compile(
    r"^我?(?:现在|先|要|得)*去?(?:睡觉?|吃饭|洗澡|忙|撤|下|溜)(?:去|会儿)*了?$|^(?:ok|好|行|先)*去(?![年过了]).{1,8}了$"
    r"|雾霾|[下刮]\w?[雨雪风][了啊]?$|天气|^我?心情|.{,6}没睡|.{,6}睡不着|^不想(?:说话|动)|^(?:今[天晚]|刚才).{1,6}(?:[大好差热冷累困烦晕疼]|厉害)$|.{,4}[都非老总硬]说|[暑寒]すぎ|[热冷累困饿香吵烦急][死坏]|\d点[半多]?了$|^\w{0,4}\d+度$"
)
# A machine or a ride that gives trouble, how one feels, and the weather, unless a word says that it lasts.
_NOW = re.compile(
    r"(?:打印机|印表机|电脑|笔电|网络?|wi-?fi|路由器?|手机|服务器|显示器|屏幕|键盘|鼠标|excel|word|vpn|软件)[^,]{0,6}(?:卡[纸住死了]|坏|死机|当机|崩|断|挂了|连不上|打不开|没电|没墨|蓝屏|黑屏|罢工|抽风|上不去|掉线)"
    r"|(?:车子?|轮?胎|公交|地铁|高铁|火车|飞机|航班|电瓶|捷运|公车|机车)[^,]{0,4}(?:爆|没气|晚点|抛锚|误点|延误|没赶上|坏了)|(?:错过|没赶上|误)了?.{0,3}(?:车|公交|地铁|飞机)|爆胎|堵车|塞车"
    r"|^(?:我|今天|昨[天晚]|现在|还|又|也|有点|刚)*(?:头|肚子|胃|牙|嗓子|腰|脖子|脚|腿|眼睛)(?:还|又|也|好|有点|都)*[疼痛酸晕](?:$|死|得|了|啊|要命)|(?<!不)感冒了|发烧了|拉肚子|想吐"
    r"|(?<!积)[饿困累渴烦冷热]成?(?:死|狗|坏|瘫|晕|炸)|(?<![爱正刚最友])[好真太贼超巨][饿困累渴烦冷热](?![门情爱])|(?<![积劳受])[饿累渴]了|(?<!贫)困了|犯困|没睡[好醒]|睡了\d|(?:昨[晚天]|只|才)[^能]?睡.?\d|通宵|[下飘]着?.{0,2}[雨雪](?!天|季|就|的)|暴雨|打雷|闷热"
    rf"|{ja_passing.NOW}|{zh_passing.NOW}"
)
_LASTS = re.compile(
    r"[吃喝碰闻摸沾][^,]{1,6}就|[每毎]|总|一直|经常|常|老是|从.{1,8}(?:开始|起)|自从|以来|以后|[^小]时(?!间)|如果|的话|慢性|年|习惯|过敏|アレルギー|药|薬|老毛病|冬|夏|[^经不好难错越通太超]过$|疤|钢?钉|手术|确诊|骨折|后遗|旧伤|\d月|\d号|周\d(?![啦咯喽])|天生|天天|平[时常]|向来|从来|职业病|炎|いつも|よく|たび|とき|ずっと|持ち"
)
_JUST, _REACTS, _LIFE = map(re.compile, (zh_passing.JUST, zh_passing.REACTIONS, zh_passing.LIFE))
_EVENT = re.compile("[了得没又在刚被]|个不停")
_AMOUNT = re.compile(r"\d+(?:元|块|号|月|岁|年|公?斤|kg|%|万|千|平)")
_MARK = re.compile(r"([\s,，、]+)")  # noqa: RUF001 - the marks of another script
_WHOM = re.compile(
    "[他她彼爸妈爷奶哥姐弟妹儿女婆公娃母父兄姉娘妻夫]|老[公婆]|孩子|朋友|同事|さん|ちゃん|くん|[^我们的,]{1,4}(?:は|が)"
)
_LITTLE = 14  # characters of a clause that says no more than what happens
_BRIEF = 18  # characters of a clause that says no more than how things are now
_LEAVES = re.compile(
    r"^(?:那|行|好|ok|我|先|就|要|得|去|じゃ|もう)*(?:撤|溜|闪|走|下班|收工|下线|不聊|睡觉?|回家)了?$|^先这样|^(?:掰|拜)+|おやすみ|行ってくる|[食飲饮]んでくる|食べてくる|寝る[わね]?$|お先に"
    r"|^我?先去(?:吃|买|洗|睡|眯)|晚安|洗洗睡|" + ja_passing.LEAVES
)
_DATED = re.compile(r"\d月|[来再先今](?:月|周|年)")
_SHORT = 24  # characters of a text in which somebody leaves, and says nothing that lasts


def kind_of(part: str, *, asked: bool) -> str:
    """Return whether a clause is "stated", "asked", "wished" of the assistant or "standing", wished for good; what passes is nothing but asked."""
    if _passes(part) or (_TASK.match(part) and "时" not in part):
        return "asked"
    if ja_passing.STANDING.search(part):
        return "stated"
    if asked or _ASKS.search(part):
        if _STANDING.search(part) and _WISHES.search(part) and not _OPEN.search(part):
            return "standing"
        return "wished" if _WISHES.search(part) and not _OPEN.search(part) else "asked"
    return "stated"


def happens_now(parts: Sequence[str], at: int) -> bool:
    """Return whether what a clause tells has only happened now: it begins so, or a bare "how annoying" stands beside it."""
    part = parts[at]
    if len(part) > _LITTLE or japanese(part) or _LASTS.search(part) or _LIFE.search(part) or _AMOUNT.search(part):
        return False
    beside = any(map(_REACTS.fullmatch, parts[max(0, at - 1) : at + 2]))
    return bool(_JUST.match(part)) or (beside and bool(_EVENT.search(part)))


def lasting_runs(sentence: str) -> list[str]:
    """Return the parts of a typed *sentence* between those that tell what passes; all of it where one of these says of whom they are."""
    pieces = _MARK.split(sentence)
    parts = [canonical(piece) for piece in pieces[::2]]
    passes = [bool(part) and (happens_now(parts, at) or _passes(part)) for at, part in enumerate(parts)]
    names = (at for at, part in enumerate(parts) if passes[at] and _WHOM.search(part))
    if not any(passes) or any(_goes_on(parts, passes, at) for at in names):
        return [sentence]
    found, run = list[str](), ""
    for at, gone in enumerate(passes):
        run = "" if gone else run + (pieces[2 * at - 1] if run else "") + pieces[2 * at]
        if run and (at + 1 == len(passes) or passes[at + 1]):
            found.append(run)
    return found


def _goes_on(parts: Sequence[str], passes: Sequence[bool], at: int) -> bool:
    """Return whether what stands behind a clause that goes may be said of whom it names."""
    behind = next((part for part, gone in zip(parts[at:], passes[at:], strict=True) if part and not gone), "我")
    return not re.search(f"我|私|俺|僕|{_WHOM.pattern}", behind)


def orders_tale(sentence: str) -> bool:
    """Return whether a sentence orders a tale or a part to play; the writer's own work is none."""
    return bool(_TALE.search(sentence)) and not _OWN.search(sentence)


def without_owner(part: str) -> str:
    """Return a clause about the hero of the writer's own work without the writer, who is not the hero."""
    return _OF_MINE.sub("", part)


def leaves(text: str, parts: Sequence[str]) -> bool:
    """Return whether somebody only says that they go."""
    return len(text) <= _SHORT and not _DATED.search(text) and any(map(_LEAVES.search, parts))


def _passes(part: str) -> bool:
    return bool(_PASSING.match(part)) or _now(part)


def _now(part: str) -> bool:
    return len(part) <= _BRIEF and bool(_NOW.search(part)) and not _LASTS.search(part)
