"""Chinese and Japanese text, clause by clause: its numbers, what is denied, who acts, and what is taken back."""

# ruff: noqa: RUF001 - the marks of other scripts, as they are typed
import pytest

from cococat.memory.cjk import clauses, written
from cococat.memory.cjk_people import ASSISTANT, SOMEONE, USER, people_of
from cococat.memory.cjk_spelling import canonical
from tests.memory.written import READINGS


def parts(text, **given):
    """The clauses of *text* with the people whom it tells of."""
    return clauses(text, people_of([canonical(text)]), **given)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("零", "0"),
        ("十", "10"),
        ("十四", "14"),
        ("四十", "40"),
        ("百", "100"),
        ("万", "10000"),
        ("一百十", "110"),
        ("一百零五", "105"),
        ("一百一十", "110"),
        ("一百二", "120"),
        ("二百五", "250"),
        ("一零二", "102"),
        ("千", "1000"),
        ("一千零一夜", "1001夜"),
        ("两千零八", "2008"),
        ("三千五", "3500"),
        ("二〇二六", "2026"),
        ("一万零五", "10005"),
        ("一万二", "12000"),
        ("三万五千", "35000"),
        ("十万", "100000"),
        ("一百万", "1000000"),
        ("一千二百三十四万五千六百七十八", "12345678"),
        ("3万", "30000"),
        ("1.5万", "15000"),
        ("5,000", "5000"),
        ("12,345万", "123450000"),
        ("六七个", "67个"),
        ("百分之五", "百分之5"),
        ("十分钟", "10分钟"),
        ("第三次", "第3次"),
        ("周三、四", "周3周4"),
        ("周五和六", "周5周6"),
        ("周一到周五", "周1到周5"),
        ("星期天", "周7"),
        ("周日", "周7"),
        ("两百块钱", "200元"),
    ],
)
def test_a_number_in_characters_is_read_as_digits(typed, read):
    """With its zeros, its tens of thousands, and the place that its last digit leaves open."""
    assert read == canonical(typed)


@pytest.mark.parametrize("word", ["一起去", "一直", "统一", "唯一", "十分高兴", "千万别去", "千万不要", "万一"])
def test_what_only_looks_like_a_number_stays_a_word(word):
    """A numeral is part of many a word that counts nothing."""
    assert word == canonical(word)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("我用 React Native写App", "我用react native写app"),
        ("他说“好”", "他说好"),
        ("ＡＢＣ", "abc"),
        ("在 3 楼", "在3楼"),
        ("我的 Mac写代码", "我的mac写代码"),
        ("我的Mac写代码 App很好", "我的mac写代码,app很好"),
    ],
)
def test_letters_marks_and_spaces_are_written_in_one_way(typed, read):
    """Width, case, quotation marks and spaces beside a character say nothing."""
    assert read == canonical(typed)


@pytest.mark.parametrize(("typed", "read"), [("我来答复", "我来回答"), ("回答复杂的问题", "回答复杂的问题")])
def test_words_that_say_the_same_are_written_in_one_way(typed, read):
    """The word itself is not cut in two for the sake of another one that begins in it."""
    assert read == canonical(typed)


@pytest.mark.parametrize(
    ("text", "is_"),
    [("你好", True), ("abc 你好", True), ("ab cd 你好", True), ("ab cd ef 你好", False), ("你", False), ("ab", False)],
)
def test_a_text_is_chinese_or_japanese_where_most_of_it_is(text, is_):
    """One character alone is not enough."""
    assert is_ == written(text)


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("我不喝牛奶，喝豆浆", ["不喝牛奶", ""]),
        ("牛肉不从临夏进，而是从兰州进", ["不从临夏进", ""]),
        ("我不喝咖啡而是喝茶", ["不喝咖啡", ""]),
        ("我喝茶", [""]),
        ("牛奶不喝", ["牛奶不喝"]),
        ("牛奶我不喝", ["牛奶我不喝"]),
        ("妈妈不吃鱼我吃", ["不吃鱼"]),
        ("私は肉を食べません", ["私は肉を食べません"]),
    ],
)
def test_a_not_goes_with_what_stands_behind_it_up_to_another_who_acts(text, denied):
    """In Japanese with the whole clause, where it stands at the end."""
    found = parts(text)

    assert denied == ["".join(char for char, no in zip(one.text, one.denied, strict=True) if no) for one in found]


def test_what_was_formerly_so_is_marked_from_there_on():
    """The clause behind it is of today again."""
    found = parts("我以前喝咖啡，现在喝茶")

    assert ["以前喝咖啡", ""] == [
        "".join(char for char, past in zip(one.text, one.past, strict=True) if past) for one in found
    ]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("我家住3楼，跑5公里", [(3, "楼"), (5, "公里")]),
        ("豆豆六岁半", [(6, "岁")]),
        ("等三个月", [(3, "月")]),
        ("体重60.5公斤", [(60.5, "公斤")]),
        ("周三去，5月4日回", [(3, "周")]),
        ("两点半到", [(2, "点")]),
        ("有2个，要3，养2只", [(2, "个"), (3, ""), (2, "个")]),
    ],
)
def test_a_number_is_read_with_its_unit(text, numbers):
    """A date is none; a day of the week is the number of a week's day."""
    assert numbers == [(number.value, number.unit) for one in parts(text) for number in one.numbers]
    assert [(3, 4), (1, 3)] == [(one.start, one.end) for part in parts("我家住3楼，下周3次") for one in part.numbers]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("我喝茶", ["stated"]),
        ("可以吃芒果吗", ["wished"]),
        ("能不能以后用中文回答我？", ["standing"]),
        ("为什么下雨", ["asked"]),
        ("芒果好吃？我喝茶。", ["asked", "stated"]),
        ("我喝茶，你呢", ["stated", "asked"]),
        ("帮我翻译这段", ["asked"]),
        ("我去睡觉了", ["asked"]),
        ("办公室三楼走廊尽头的那台打印机卡纸了", ["asked"]),
        ("办公室三楼走廊尽头的那台打印机又卡纸了", ["stated"]),
        ("编一个故事，主角叫小明。他有三只猫", ["asked", "asked", "asked"]),
        ("我喝茶，芒果好吃？", ["stated", "asked"]),
        ("芒果好吃？！！", ["asked"]),
        ("如果下雨，在家练瑜伽", ["supposed", "supposed"]),
        ("如果下雨，我就在家", ["supposed", "supposed"]),
        ("如果下雨，我妈在家", ["supposed", "stated"]),
        ("如果下雨在家。喝茶", ["supposed", "stated"]),
        ("如果下雨，在家？", ["supposed", "asked"]),
        ("手机屏摔了，服了，养狗，喝茶", ["asked", "asked", "stated", "stated"]),
        ("服了，手机屏摔了，养狗", ["asked", "asked", "stated"]),
        ("服了，养狗，手机被偷了", ["asked", "stated", "stated"]),
        ("刚才在店里煮了一大锅白萝卜汤", ["asked"]),
        ("刚在阳台上搭了一个很大的葡萄架", ["stated"]),
        ("晚安，先去冲个澡，再看会儿书，明天再接着跟你聊天", ["asked"] * 4),
        ("晚安，我住在杭州西湖边上，开了一家花店，养两只猫咪", ["stated"] * 4),
    ],
)
def test_a_clause_states_asks_or_wishes(text, kinds):
    """A task, small talk and all of a tale state nothing; a line of memory states all of it."""
    assert kinds == [one.kind for one in parts(text)]
    assert {"stated"} == {one.kind for one in parts(text, note=True)}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("猫三岁，不对，四岁了", [[], [(4, "岁")]]),
        ("跑5公里3次，不对4次", [[(5, "公里")], [(4, "次")]]),
        ("跑5公里3次，不对，4次", [[(5, "公里")], [(4, "次")]]),
        ("跑5公里3次。打错了", [[]]),
        ("养3只猫，不是4只", [[(3, "个")], []]),
        ("不是3只是4只", [[(4, "个")]]),
        ("猫は3匹、4匹じゃなくて", [[(3, "个")], []]),
        ("5月去，不对，6月去", [[], []]),
    ],
)
def test_what_was_put_right_is_taken_out_of_the_clause_before(text, left):
    """The number with the same unit, and no other, where one stands behind the "no"; else the whole clause."""
    assert left == [[(number.value, number.unit) for number in one.numbers] for one in parts(text)]


def test_a_place_or_a_clause_that_was_put_right_is_taken_out():
    """From the same word on, or all behind who acts; a date goes for a date."""
    assert ["我住\0\0\0", "在株洲"] == [one.text for one in parts("我住在长沙，不对在株洲")]
    assert ["喝茶", "我妈教我\0\0", "教唱歌"] == [one.text for one in parts("喝茶，我妈教我画画，不对教唱歌")]
    assert {"妈"} == parts("我妈住在长沙，不对在株洲")[0].actor(3)
    assert ["我\0\0", "养狗"] == [one.text for one in parts("我养鱼，不对养狗")]
    assert ["\0\0", "养狗"] == [one.text for one in parts("养鱼，不对养狗")]
    assert [0, 1] == [len(one.days) for one in parts("我5月去，不对，6月去")]
    assert ["喝茶"] == [one.text for one in parts("不对，喝茶")]


@pytest.mark.parametrize(
    ("text", "at", "who"),
    [
        ("我喝茶", "茶", {USER}),
        ("喝茶", "茶", {USER}),
        ("我妈喝茶", "茶", {"妈"}),
        ("我妈喝茶，吃鱼", "鱼", {"妈"}),
        ("你要说中文", "中文", {ASSISTANT}),
        ("他喝茶", "茶", {SOMEONE}),
        ("我妈喝茶，她吃鱼", "鱼", {"妈"}),
        ("我把车卖给小王了", "了", {USER}),
        ("带队的是小王", "带", {"小王"}),
        ("小王说我妈喝茶", "茶", {"妈"}),
        ("我儿子叫豆豆，豆豆喝茶", "茶", {"儿子"}),
        ("我喝茶。我妈吃鱼。他不来", "来", {"妈"}),
    ],
)
def test_each_place_of_a_clause_has_somebody_who_acts_there(text, at, who):
    """Who is named before it; else of whom the text spoke last; else the user."""
    clause = next(one for one in reversed(parts(text)) if at in one.text)

    assert who <= clause.actor(clause.text.rindex(at))


@pytest.mark.parametrize(
    ("text", "at", "who"),
    [
        ("我妈喝茶", "喝", {"妈"}),
        ("我妈和我爸在苏州", "苏州", {"妈", "爸"}),
        ("妈妈和爸爸和哥哥在苏州", "苏州", {"妈", "爸", "哥"}),
        ("我妈来了我爸在苏州", "苏州", {"爸"}),
        ("给我妈和我爸做饭", "饭", {USER}),
        ("跟我妈和我爸在苏州", "苏州", {USER}),
        ("我妈来了我爸和哥哥在苏州", "苏州", {"爸", "哥"}),
        ("被偷了", "偷", {SOMEONE}),
        ("车被偷了", "偷", {SOMEONE}),
        ("我的车被偷了", "偷", {SOMEONE}),
        ("我被狗咬了", "咬", {"狗"}),
        ("被迫学画画", "学", {USER}),
        ("我妈喝茶，汤是咸的", "咸", {"妈"}),
        ("我妈喝茶，豚肉は使わない", "使", {"妈", USER}),
        ("我妈喝茶，不是我，吃鱼", "鱼", {USER}),
        ("我爸喝茶，妈妈的同学来，她吃鱼", "鱼", {"爸", "同学'"}),
        ("我妈是老师，吃鱼", "鱼", {"妈", "老师"}),
        ("我妈说好，吃鱼", "鱼", {"妈"}),
    ],
)
def test_those_who_stand_together_act_and_nobody_who_stood_before_them(text, at, who):
    """What was done to something was done by somebody else, unless it is said by whom; the next clause goes on about them."""
    clause = parts(text)[-1]

    assert who == clause.actor(clause.text.rindex(at))


def test_a_note_speaks_of_the_user_where_it_names_nobody():
    """Each sentence of it anew, and nothing in it is asked or put right."""
    found = parts("妈妈喝茶。吃鱼吗，不对，养狗", note=True)

    assert [{"妈"}, {"妈", USER}] == [{*one.actor(len(one.text))} for one in found][:2]
    assert {"stated"} == {one.kind for one in found}
    assert "\0" not in "".join(one.text for one in found)
    assert [7] * len(found) == [one.record for one in parts("妈妈喝茶。吃鱼吗，不对，养狗", note=True, record=7)]


def test_a_text_goes_on_about_those_whom_the_text_before_named():
    """A "she" is the last of them, and the user is always there."""
    context = "我姐在苏州，我妈喝茶"
    people = people_of([canonical(context)])

    (clause,) = clauses("她吃鱼", people, context=context)

    assert frozenset({"妈"}) == clause.actor(3)
    assert frozenset({SOMEONE}) == clauses("她吃鱼", people)[0].actor(3)


@pytest.mark.parametrize(("text", "told"), READINGS["cjk_clauses"])
def test_a_text_falls_into_clauses_of_whom_each_is_said(text, told):
    """Who acts at the end of it, a "!" where a "not" begins, numbers and dates behind; before it what does not state."""
    found = []
    for one in parts(text):
        marks = (
            f"{'!' * (no > before)}{char}"
            for char, no, before in zip(one.text, one.denied, (False, *one.denied[:-1]), strict=True)
        )
        who = "+".join(sorted(one.actor(len(one.text)))).replace(USER, "I").replace(SOMEONE, "?")
        behind = [*(f"{number.value:g}{number.unit}" for number in one.numbers), *(day.shape for day in one.days)]
        found.append(" ".join([one.kind.removeprefix("stated"), f"{who}:", "".join(marks), *behind]).strip())

    assert told == " / ".join(found)
