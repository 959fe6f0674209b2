"""Lines in Chinese and Japanese: what a note may say in other words, and what it must not turn around."""

# ruff: noqa: RUF001 - the marks of other scripts, as they are typed
import asyncio
import re
from datetime import date

import pytest

from cococat.core.settings import DreamSettings
from cococat.core.tools import ToolFailure
from cococat.memory.confirmations import confirmed
from cococat.memory.dream_tools import DreamTools, Rules

TEXT = "# Memory\n\n## Pinned\n\n## Preferences\n- Writes Python\n"
DAY = date(2026, 3, 18)
TRUE = [
    ("席は12 予約は夜だけ、昼は取らない", "席は12、予約は夜だけで昼は取らない"),
    ("膝が悪くてさ 2018年に手術したから長くは走れない", "膝が悪い、2018年に手術したので長くは走れない"),
    ("だから豆腐は作らないことにした 福岡の店から買う", "豆腐は作らず、福岡の店から買う"),
    ("店は妻の由美が見てます。汁は鶏だけで、豚は使わない", "汁は鶏だけで豚は使わない"),
    ("我先睡了 明天六点要起来给儿子豆豆做饭 他在附近的学校上学", "儿子豆豆在附近的学校上学"),
    ("我儿子豆豆六岁上一年级，女儿果果三岁", "儿子豆豆6岁，上一年级"),
    ("每周十四节课", "每星期14节课"),
    ("我妈把钢琴送给果果了，果果是我女儿", "妈妈把钢琴送给了果果"),
    ("我比我姐小四岁，她在苏州开民宿", "比姐姐小4岁，姐姐在苏州开民宿"),
    ("对了合唱比赛5月23号，在省图书馆", "合唱比赛在2026年5月23日，地点省图书馆"),
    ("我师傅沈老师明年一月退休", "师傅沈老师2027年1月退休"),
    ("房租下个月开始涨到五千二", "房租2026年4月开始涨到5200"),
    ("我爸现在不打胰岛素了 改吃二甲双胍", "爸爸不打胰岛素了，改吃二甲双胍"),
    ("合唱团这边 小邹不干了 团长换成老钱", "团长换成老钱"),
    ("牛肉以前从临夏进 现在不从临夏进了", "不再从临夏进牛肉"),
    ("京都で小さな居酒屋をやっている森です。定休日は水曜です", "京都で小さな居酒屋をやっている"),
    ("妻はえびアレルギーです", "妻はえびアレルギー"),
    ("我用React Native写App", "用 React Native写App"),
    ("我媽在嘉義開早餐店 我爸退休了 店是媽跟阿姨一起顧", "媽媽在嘉義開早餐店，跟阿姨一起顧"),
    ("回我用繁體 不要簡體", "用繁体回复，不要简体"),
    ("我让房东的狗咬了 疫苗还剩两针", "被房东的狗咬了，疫苗还剩两针"),
    ("我妈和我爸在苏州", "妈妈在苏州"),
    ("她同事Mark在改作文", "Mark在改作文"),
    ("不用三点起了 六点出门", "六点出门"),
    ("房东赔了我800 毕竟房租才1100", "房租1100，房东赔了800"),
    ("每天跑步 下雨就不跑步", "每天跑步，下雨不跑步"),
    ("新公司做无人机的 7月13号报到", "新公司做无人机，2026-07-13 报到"),
    ("果果数学不行 比她表姐差远了", "果果数学差"),
    ("我特别喜欢绿茶", "喜欢绿茶"),
    ("我是大三的，学园林，在南京林业大学", "南京林业大学园林专业大三学生"),
    ("如果下雨我就在家练瑜伽", "下雨时在家练瑜伽"),
    ("如果我写错字请直接改", "希望写错字时直接改"),
    ("平时用ipad画图 procreate比较多 ps基本不用", "用iPad画图，基本不用PS"),
    ("嫁は看護師で夜勤多め、俺は経理", "妻は看護師で夜勤が多い"),
    ("父は三年前に亡くなりました", "父は2023年に亡くなった"),
    ("我一般五点半下班去接娃", "一般五点半下班去接孩子"),
    ("女儿对虾过敏 鸡蛋没事", "女儿对虾过敏，鸡蛋没问题"),
    ("面试是5/23 啊不是 5/30才对", "面试在2026年5月30日"),
    ("敬語はいらない、タメ口でお願い", "敬語ではなくタメ口"),
    ("我说错了，是2019年来的，不是2018年", "2019年来的"),
    ("体检约在4月3号 不对 是5号", "体检约在2026年4月5日"),
    ("体检周五上午十点，不对，是下午三点", "体检周五下午三点"),
    ("予定日は4月2日ではなくて4月12日です", "予定日は2026年4月12日"),
    ("あ、違う オープンは11月20日、10月15日じゃなくて", "オープンは11月20日"),
]
FALSE = [
    ("要是保研了我就去云南玩一个月", "要去云南玩一个月"),
    ("如果中樂透 我就離職", "打算離職"),
    ("要不是带娃我早就去考驾照了", "去考驾照"),
    ("もし宝くじ当たったら会社やめるわ", "会社をやめる"),
    ("我养了只仓鼠 叫豆包 两岁了", "养了两只仓鼠"),
    ("平时用ipad画图 procreate比较多 ps基本不用", "画图基本用PS"),
    ("有在學日文 目標是明年7月考N2", "目標是考N1"),
    ("讲英语的时候顺便帮我改语法", "讲英语时不要改语法"),
    ("嫁は看護師で夜勤多め、俺は経理", "夜勤が多い"),
    ("長男がサッカー、次男は水泳やってる", "次男はサッカーをやっている"),
    ("面试是5/23 啊不是 5/30才对", "面试在2026年5月23日"),
    ("我说错了，是2019年来的，不是2018年", "2018年来的"),
    ("我2018年来的，不对不是2018，是2019", "2018年来的"),
    ("健康診断は3月28日、あ、違う29日だった", "健康診断は2026年3月28日"),
    ("予定日は4月2日ではなくて4月12日です", "予定日は2026年4月2日"),
    ("母は京都で一人暮らし、父は三年前に亡くなりました", "父は京都で一人暮らし"),
    ("俺は魚担当 肉は触らない", "肉担当、魚は触らない"),
    ("予約は夜だけ、昼は取らない", "予約は昼だけ、夜は取らない"),
    ("あと敬語いらない 普通の話し方で", "敬語がいい"),
    ("カミーユが産休に入った 1月に二人目", "産休に入った"),
    ("Odileが腕折っちゃって、木曜は俺が見てる", "腕を折った"),
    ("项目锁在Node 20 不能升22", "项目锁在 Node 22，不能升 20"),
    ("撤了 楼下烧烤香死我了", "楼下有烧烤"),
    ("じゃ仕込み行ってくる 店が寒い", "店が寒い"),
    ("はなに絵本の話作って 主人公は直樹っていう狸 双子の妹がいる", "双子の妹がいる"),
    ("我妈妈有高血压", "有高血压"),
    ("我女朋友小雨在深圳工作，她对花生过敏", "对花生过敏"),
    ("我不喝牛奶 喝豆浆", "喝牛奶"),
    ("咖啡我早就不喝了", "喝咖啡"),
    ("我喝牛奶", "不喝牛奶"),
    ("思思昨天找我借两万 我没借", "借给思思两万"),
    ("小鹿跟阿坤在一起了", "跟小鹿在一起了"),
    ("房东老孙说下个月涨价", "用户是房东"),
    ("我比我姐小四岁", "姐姐比用户小四岁"),
    ("我把车卖给小王了，小李想买", "把车卖给小李了"),
    ("每周十四节课", "每周四十节课"),
    ("面馆六点开门下午两点关门", "下午两点开门"),
    ("我儿子豆豆六岁，女儿果果三岁", "儿子豆豆三岁"),
    ("比赛5月23号，家长会6月2号", "比赛在2026年6月2日"),
    ("我师傅沈老师明年一月退休", "师傅沈老师2026年1月退休"),
    ("房租从四千五涨到五千二", "房租从五千二涨到四千五"),
    ("回答先给结论 再解释", "回答先解释，再给结论"),
    ("代码注释用英文，论文摘要用中文", "代码注释用中文，论文摘要用英文"),
    ("猫叫墨墨，三岁，不对，四岁了", "猫墨墨三岁"),
    ("要不要给豆豆报游泳班呢 豆豆是我儿子", "给豆豆报游泳班"),
    ("我对象大鹏在阎良", "弟弟大鹏在阎良"),
    ("项目 uses React not Vue 的写法", "项目 uses Vue not React 的写法"),
    ("我在兰州开了家面馆", "2024年在兰州开了家面馆"),
    ("可以吃芒果吗", "吃芒果"),
    ("我妈身体不好，每天打胰岛素", "每天打胰岛素"),
    ("定休日は水曜です", "定休日は木曜"),
    ("私は肉を食べません", "肉を食べる"),
    ("我跟我妈学做饭", "妈妈学做饭"),
    ("我想考个驾照", "有驾照"),
    ("小张把病人弄哭了", "小张被病人弄哭了"),
    ("学长说想追我", "想追学长"),
    ("收工 累成狗了", "累成狗"),
    ("我老师Helen回国了 改作文的是她同事Mark", "Mark回国了"),
    ("避碰规则已经过了", "避碰规则还没过"),
    ("团团怕打针 但是不怕黑", "团团不怕打针"),
    ("晕车不晕船", "不晕车"),
    ("老婆对海鲜过敏", "老婆对海鲜不过敏"),
    ("我爸以前也是跑船的 现在在家种菜", "爸爸是跑船的"),
    ("房贷每月6800 我出5000", "房贷每月8600"),
    ("小舅子借走了我的车", "借走了小舅子的车"),
    ("小黄是新来的 我带他值班", "小黄带他值班"),
    ("老陈教我打绳结 我教他用电脑", "老陈教他用电脑"),
    ("大副对我挺好 船长老骂我", "老骂船长"),
    ("他们都说我是工作狂", "是工作狂"),
    ("要是考过了就辞职 开个民宿", "开了民宿"),
    ("今天风浪大 一晚没睡", "一晚没睡"),
    ("旧的Air卖给阿坤了", "旧的 Air 是阿坤卖给他的"),
    ("有事只能找Vivian 她老板程总不看消息", "Vivian是程总的老板"),
    ("每天跑五公里 早上六点", "每天晚上六点跑五公里"),
    ("给果果编个搞笑的 就说小王是将军", "小王是将军"),
]


def written(typed, line, asked=""):
    """Add *line* with all of *typed* as its quote; return the memory after it, and what the model is told."""
    rules = Rules({1: typed}, DreamSettings(), asked={1: asked} if asked else {}, days={1: DAY})
    box = DreamTools(TEXT, rules)
    given = {"path": "MEMORY.md", "old_text": "- Writes Python\n", "new_text": f"- Writes Python\n- {line}\n"}
    edit = box.tools()[1].run({**given, "evidence": [{"seq": 1, "quote": typed}]}, lambda text: None)
    try:
        told = asyncio.run(edit).output
    except ToolFailure as refusal:
        told = str(refusal)
    return box.text, told


@pytest.mark.parametrize(("typed", "line"), TRUE)
def test_a_true_line_in_other_words_is_kept(typed, line):
    """Digits for numerals, a date for a month to come, no "I", and measure words and particles as one likes."""
    assert f"- {line}\n" in written(typed, line)[0]


@pytest.mark.parametrize(("typed", "line"), FALSE)
def test_a_line_that_says_something_else_is_not_kept(typed, line):
    """Of somebody else, without its "not", with another number or date, the other way, or what was only asked."""
    text, told = written(typed, line)

    assert f"- {line}\n" not in text
    assert re.search(r"does not support|will soon be wrong|kept as the user said it", told)


def test_what_a_confirmed_question_says_of_you_is_said_of_the_user():
    """Without its marks of a question, "you" in it is the user who said yes."""
    question = confirmed("对", "要不要我以后用中文回答你，你还在长沙教音乐吗？")

    assert "- 在长沙教音乐，用中文回答\n" in written("对", "在长沙教音乐，用中文回答", question)[0]
    assert written("对", "不用中文回答", question)[0] == TEXT


def test_a_line_of_many_characters_is_judged_in_time():
    """Nothing in a typed text or a line makes the rules go astray: not numbers without end, nor marks without words."""
    for typed in ("一" * 3000, "9" * 5000 + "月", "1.2.3万，4,5千", "，" * 999 + "不对", "我" * 500):
        assert written(typed, "喜欢喝绿茶，不喝咖啡")[0] == TEXT
