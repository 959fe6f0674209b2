"""Why a line in Chinese or Japanese is refused, rule by rule, and where its words were typed."""

# ruff: noqa: RUF001 - the marks of other scripts, as they are typed
from datetime import date

import pytest

from cococat.memory.cjk import Number, canonical, clauses
from cococat.memory.cjk_people import ANYONE, ASSISTANT, SOMEONE, USER, people_of
from cococat.memory.cjk_roles import Typed, fault
from cococat.memory.cjk_words import Words, alike, bare, equal, named
from cococat.memory.doubt import doubtful
from tests.memory.written import READINGS

DAY = date(2026, 3, 18)


def parts(text, note=False):
    """The clauses of *text* with the people whom it tells of."""
    return clauses(text, people_of([canonical(text)]), note=note)


@pytest.mark.parametrize(
    ("typed", "line", "why"),
    [
        ("我妈在苏州", "爸在苏州", "the user did not type of '爸'"),
        ("我用React Native", "用Native React", "'Native React': no words of the user's there, or in another order"),
        ("我用React Native", "用React", ""),
        ("要不要报游泳班呢", "报游泳班", "only in a question"),
        ("我不吃鱼", "吃鱼", "the user said '我不吃鱼': keep the 'not'"),
        ("我吃鱼", "不吃鱼", "the user typed no 'not' of '吃鱼'"),
        ("我不叫小王", "叫小王", "the user did not say that of '小王': keep the 'not'"),
        ("我不是老师", "是老师", "the user did not say that of '老师': keep the 'not'"),
        ("我叫小王", "叫小王", ""),
        ("我以前喝咖啡", "喝咖啡", "keep the 'formerly'"),
        ("我喝咖啡", "以前喝咖啡", "the user typed no 'formerly' of '喝咖啡'"),
        ("我以前喝咖啡", "不再喝咖啡", ""),
        ("老板让我借他两万，我没借", "借给老板两万", "the user said '我没借': keep the 'not'"),
        ("我妈妈有高血压", "有高血压", "the user said '有高血压' of 妈"),
        ("我对花生过敏", "妈妈对花生过敏", "the user did not type of '妈妈'"),
        ("小王教我画画", "教小王画画", "the user said '教' of 小王"),
        ("我老公姓覃，覃哥在株洲", "老公在株洲", ""),
        ("我老公姓覃，李哥在株洲", "老公在株洲", "the user said '在株洲' of 李哥"),
        ("小鹿跟阿坤在一起了", "跟小鹿在一起了", "the user did not say '跟小鹿在一起了' of the user"),
        ("小鹿跟阿坤在一起了", "阿坤跟小鹿在一起了", ""),
        ("我有两只猫", "养两只猫", ""),
        ("小王是我老板", "用户是小王的老板", "the user did not type who '小王的老板' is"),
        ("我是小王的老板", "小王是老板", "the user did not type who '老板' is"),
        ("小王是我老板", "小王是老板", ""),
        ("我给小王书", "小王给用户书", "the user typed no '给' with '用户'"),
        ("我把车卖给小王了，小李想买", "把车卖给小李了", "the user typed no '给' with '小李'"),
        ("有三个孩子", "有四个孩子", "the user typed no '4个'"),
        ("豆豆六岁", "豆豆七岁", "the user typed no '7岁'"),
        ("有孩子", "有一个孩子", ""),
        ("豆豆两岁", "豆豆一岁", "the user typed no '1岁'"),
        ("每周跑步三次，每周游泳两次", "每周游泳三次", "'3次' was not typed there"),
        ("我儿子豆豆六岁，女儿果果三岁", "儿子豆豆三岁", "'3岁' was not typed there"),
        ("面馆六点开门下午两点关门", "下午两点开门", "'2点' and '点开门' did not stand together"),
        ("面馆六点开门下午两点关门", "下午两点关门", ""),
        ("房租从四千五涨到五千二", "房租从五千二涨到四千五", "'5200' and '涨到' did not stand together"),
        ("5月去北京，6月去上海", "6月去北京", "'6月' was not typed there"),
        ("5月去北京，6月去上海", "6月去上海", ""),
        ("我在兰州", "2024年在兰州", "the user typed no date '2024年'"),
        ("我从武汉搬到北京", "从北京搬到武汉", "the user typed no '从' before '北京'"),
        ("回答先给结论 再解释", "回答先解释，再给结论", "the user typed no '再' before '给结'"),
        (
            "代码注释用英文，论文摘要用中文",
            "代码注释用中文",
            "is put together of '代码注释用英文' and '论文摘要用中文'",
        ),
        ("代码注释用英文，论文摘要用中文", "论文摘要用中文", ""),
        ("他不是老师，小李教画画", "小李教画画", ""),
        ("牛肉以前从临夏进，现在不从临夏进了", "牛肉从临夏进", "keep the 'formerly'"),
        ("牛肉以前从临夏进，现在不从临夏进了，换成甘南的", "牛肉从甘南进，不再从临夏进", ""),
        ("老板借钱，小王不借钱", "小王借钱", "the user said '借钱' of 老板"),
        ("我想学潜水", "想学潜水", ""),
        ("小王带儿子，我妈做饭", "我妈带儿子", "the user said '带' of 小王"),
        ("我在北京，小王教画画", "在北京教画画", "the user said '教画画' of 小王"),
        ("我妈把钢琴送给果果了，我自己弹的是电钢", "自己弹电钢琴", ""),
        ("私の小説の主人公は葵という名前で、締め切りは5月です", "小説の締め切りは5月", ""),
        (
            "我家两只狗 大的叫阿福 小的叫拉面 阿福十岁拉面才一岁半",
            "大的叫拉面，小的叫阿福",
            "the user said '小的叫' of 阿福",
        ),
        ("老板让我借他两万，我没借", "没借老板两万", ""),
        ("老板让我养猫，借他两万，我没借", "借给老板两万", "the user said '我没借': keep the 'not'"),
        (
            "我喝茶",
            "喝python和java和rust和perl和ruby和swift",
            "'喝python', 'java', 'rust', 'perl', 'ruby': no words of the user's",
        ),
        *READINGS["cjk_refused"],
    ],
)
def test_a_line_is_refused_for_what_it_says_otherwise(typed, line, why):
    """The message names the words, and what was said instead."""
    told = fault(line, [Typed(typed, DAY)], [], wished=False)

    assert (why in told) if why else told == ""


@pytest.mark.parametrize(
    ("sentences", "line", "why"),
    [
        ("喝绿茶", "喝绿茶", ""),
        ("喝绿茶", "咖啡", ""),
        ("北仑在舟山", "舟山在北仑", "the user said '北仑' in another order"),
        ("在苏州画画，以前也画", "在苏州画画", ""),
        ("以前在苏州画画", "在苏州画画", "the user said '以前' there"),
        ("以前在苏州画画", "以前在苏州画画", ""),
        ("体检周四，不对，周五", "体检周五", "the user said '不对' there"),
        ("妈妈和爸爸在苏州", "妈妈在苏州", "the user spoke of '爸' there as well"),
        ("妈妈在苏州，爸爸在兰州", "妈妈在苏州", ""),
        ("妈妈在苏州，爸爸在兰州，妈妈跳舞", "妈妈在苏州跳舞", "the user spoke of '爸' there as well"),
        ("她和妈妈在苏州", "妈妈在苏州", "the user spoke of '她' there as well"),
        ("吃鱼，不吃肉", "吃鱼", ""),
        ("吃鱼，不吃肉，喝茶", "吃鱼喝茶", "the user said a 'not' there"),
        ("不吃鱼，不吃肉，喝茶", "不吃鱼喝茶", "the user said a 'not' there"),
        ("不吃鱼，不吃肉", "不吃鱼，不吃肉", ""),
        ("肉を食べ、酒は飲まない、魚を飼う", "肉を食べ、魚を飼う", "the user said a 'not' there"),
    ],
)
def test_what_a_line_leaves_out_between_the_first_and_the_last_of_its_clauses_raises_doubt(sentences, line, why):
    """Somebody else, a "formerly", a correction, a "not"; what stands before and behind them says nothing about it."""
    assert why == doubtful(line, sentences)


def test_who_somebody_is_may_be_told_elsewhere():
    """And what the user is not says nothing about them."""
    typed = [Typed("我不是老师，覃哥在株洲")]

    assert "" == fault("老公在株洲", typed, ["我老公姓覃"], wished=False)
    assert "the user did not type of '老公'" == fault("老公在株洲", typed, [], wished=False)


def test_what_was_asked_of_the_assistant_carries_a_wish_alone():
    """A line that states a fact needs a fact."""
    typed = [Typed("能不能以后提醒我浇花", DAY)]

    assert "" == fault("提醒浇花", typed, [], wished=True)
    assert "no words of the user's" in fault("提醒浇花", typed, [], wished=False)


@pytest.mark.parametrize(
    ("line", "typed", "besides", "chunks", "foreign"),
    [
        ("在兰州开面馆", "我在兰州开了一家面馆", ("", ""), ["在兰州开", "面馆"], []),
        ("在兰州开饭馆", "我在兰州开了一家面馆", ("", ""), ["在兰州开", "馆"], ["饭馆"]),
        ("开苏州面馆", "我在兰州开了一家面馆", ("苏州", ""), ["开", "面馆"], []),
        ("养猫", "我养了一只猫", ("", ""), [], []),
        ("喝茶", "我喝绿茶", ("", ""), ["喝", "茶"], []),
        ("电脑用Mac", "我用Mac电脑", ("", ""), ["电脑", "用mac"], []),
        ("用Ma", "我用Mac电脑", ("", ""), [], ["ma"]),
        ("ab", "abc ab", ("", ""), ["ab"], []),
        ("老骂船好长", "大副对我挺好 船长老骂我", ("", ""), ["老骂", "船", "好", "长"], ["船", "好", "长"]),
        ("老骂船好", "大副对我挺好 船长老骂我", ("", ""), ["老骂", "船", "好"], []),
        ("开面馆卖面", "我开面馆", ("", "卖面吗"), ["开面馆", "面"], ["卖面"]),
        ("在兰州开面馆卖粉", "我在兰州开面馆", ("", "卖粉吗"), ["在兰州开面馆"], []),
        ("在兰州开面馆卖米粉", "我在兰州开面馆", ("", "卖米粉吗"), ["在兰州开面馆"], []),
        ("在兰州开面馆卖牛肉粉", "我在兰州开面馆", ("", "卖牛肉粉吗"), ["在兰州开面馆"], ["卖牛肉粉"]),
        ("兰在苏州开店", "我在苏州开店", ("兰州", ""), ["在苏州开店"], ["兰"]),
        ("苏州馆开面", "我开面馆", ("苏州", ""), ["馆", "开面"], []),
        ("当初在苏州", "我以前在苏州", ("", ""), ["在苏州"], []),
        ("新工作业绩好", "我在工厂写作业", ("", ""), ["业"], ["业绩好"]),
        ("ケーキ焼きたい", "ケーキ焼く", ("", ""), ["ケーキ焼"], []),
        ("コーヒーすき", "コーヒー飲む", ("", ""), ["コーヒー"], ["すき"]),
        ("京都で居酒屋をやっています", "京都で居酒屋をやっている", ("", ""), ["京都で居酒屋をやってい"], []),
    ],
)
def test_the_words_of_a_clause_are_found_in_what_was_typed(line, typed, besides, chunks, foreign):
    """As long as they can be; what a question asked may fill in half as much again, and what a clause is about comes first."""
    words = Words(parts(typed), *besides)
    clause = clauses(line, people_of([canonical(typed)]), note=True)[0]

    found, missing = words.chunks(clause)

    assert (chunks, foreign) == ([clause.text[one.start : one.end] for one in found], missing)


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("喝绿茶喝红茶", {0, 1}),
        ("喝绿茶", {0}),
        ("红茶", {1}),
        ("3杯", {2}),
        ("我姐", {3}),
        ("5月", {4}),
        ("咖啡", set()),
        ("我姐学弹琵琶", {3, 5}),
    ],
)
def test_the_nearest_clauses_hold_most_of_a_clause(line, near):
    """Its words, its people, its numbers and its dates; who is named weighs as much as four characters."""
    typed = "我喝绿茶，喝红茶，每天3杯，我姐来，5月走，学弹琵琶"
    words = Words(parts(typed), "")
    clause = clauses(line, people_of([canonical(typed)]), note=True)[0]

    assert near == words.near(clause, words.chunks(clause)[0])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({USER}, {USER}, True),
        ({USER}, {"妈"}, False),
        ({ANYONE}, {"妈"}, True),
        ({"妈"}, {ANYONE, USER}, True),
        ({USER}, {ASSISTANT}, True),
        ({"妈"}, {ASSISTANT}, False),
        ({SOMEONE}, {"妈"}, True),
        ({SOMEONE}, {USER}, False),
        ({SOMEONE}, {ASSISTANT}, False),
        ({SOMEONE}, {USER, ASSISTANT}, False),
        ({SOMEONE}, {USER, "妈"}, True),
        ({"妈", "爸"}, {"爸"}, True),
    ],
)
def test_two_may_be_the_same_person(one, other, same):
    """A "he" of whom nothing is known is not the user; "you" and "I" may be one."""
    assert (same, same) == (alike(frozenset(one), frozenset(other)), alike(frozenset(other), frozenset(one)))


def test_numbers_are_equal_with_one_unit_or_without():
    """Where both have one, it has to be the same."""
    three, years, floors = (Number(0, 1, 3.0, unit) for unit in ("", "岁", "楼"))

    assert equal(three, years)
    assert equal(years, three)
    assert not equal(years, floors)
    assert not equal(years, Number(0, 1, 4.0, "岁"))


def test_a_message_names_people_as_they_were_named():
    """The user and an unknown one by what they are."""
    assert "妈, 爸" == named(frozenset({"爸", "妈'", USER}))
    assert ("the user", "somebody else") == (named(frozenset({USER})), named(frozenset({SOMEONE})))
    assert [(2, "兰州"), (5, "面馆")] == [one for one in bare("我在兰州的面馆") if one[1] != "我"]
    assert ([(0, "开面馆")], []) == ([*bare("开面馆了")], [*bare("的了")])


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("我妈来了", "我妈=妈 !"),
        ("我和我妈来了", "我=<user> !, 我妈=妈 和!&"),
        ("我给我妈和我爸做饭", "我=<user> !, 我妈=妈 给, 我爸=爸 和&"),
        ("我妈、我爸来了", "我妈=妈 !, 我爸=爸 、!&"),
        ("跟我妈来了", "我妈=妈 跟"),
        ("和我妈来了", "我妈=妈 和"),
        ("跟我妈借钱", "我妈=妈 向"),
        ("我妈说我来了", "我妈=妈 说, 我=<user> !"),
        ("我妈说想来", "我妈=妈 说!"),
        ("我妈教我", "我妈=妈 !, 我=<user> 向"),
        ("我带我妈", "我=<user> !, 我妈=妈 向"),
        ("我妈带大我", "我妈=妈 !, 我=<user> 向"),
        ("把我妈送走", "我妈=妈 把"),
        ("我妈是老师", "我妈=妈 !, 老师=老师 是"),
        ("我妈的同学来了", "我妈的同学=同学' !"),
        ("我的妈来了", "我的妈=妈 !"),
        ("他妈来了", "他妈=妈' !"),
        ("妻は来た", "妻=老婆 は!"),
        ("我们来了", "我们=<anyone>+<user> !"),
        ("你来了", "你=<assistant> !"),
        ("他来了", "他=<someone> !"),
        ("他们来了", "他们=<several> !"),
        ("我妈来了她走", "我妈=妈 !, 她=妈 !"),
        ("小王的同学来了", "小王的同学=同学' !"),
        ("我同学小李来了", "我同学小李=同学+小李 !"),
        ("小王的老师小李来了", "小王的老师小李=小李+老师' !"),
        ("小王的小李来了", "小王的小李=小李+小王 !"),
        ("嫁ちゃんは来た", "嫁=老婆 は!"),
    ],
)
def test_who_is_named_has_a_part_in_what_is_done(text, people):
    """Behind a mark; with "!" who may act in what follows, with "&" who stands with the one before."""
    found = [(clause.text, one) for clause in parts(text) for one in clause.people]

    assert people == ", ".join(
        f"{clause[one.start : one.end]}={'+'.join(sorted(one.who))} {one.mark}{'!' * one.leads}{'&' * one.beside}"
        for clause, one in found
    )


def test_names_and_family_of_one_person_are_one():
    """By "is called", a bracket, or a surname; two sons have two names."""
    same = people_of([canonical("我老公姓覃，覃哥在株洲，我儿子叫豆豆，我叫贾雯，我妈(李姐)来了")]).same

    assert same["老公"] == same["覃哥"] != same["儿子"] == same["豆豆"]
    assert same["妈"] == same["李姐"]
    assert USER == same["贾雯"]
    assert {"儿子": "小强", "小强": "小强"} == people_of([canonical("小强，我儿子，在北京上班")]).same
    assert {"妹": "妹", "アナ": "妹"} == people_of([canonical("妹のアナはポルトに住んでいる")]).same


def test_a_second_name_is_of_the_same_one_by_its_surname_or_for_the_user():
    """Of two who are called otherwise each keeps to a name."""
    same = people_of([canonical("老板叫小周，老板叫周哥，我叫贾雯，叫我雯雯就行")]).same
    others = people_of([canonical("老板叫小李，老板叫阿坤")]).same

    assert others["小李"] != others["阿坤"]
    assert same["老板"] == same["小周"] == same["周哥"]
    assert USER == same["贾雯"] == same["雯雯"]
