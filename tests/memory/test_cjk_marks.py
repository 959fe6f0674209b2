"""Marks in Chinese that only look like a "not", and what a correction puts right."""

# ruff: noqa: RUF001 - as it is typed
import pytest

from tests.memory.test_two_facts import kept


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("我非常喜欢爬山", "喜欢爬山"),
        ("我在非洲上班", "在非洲上班"),
        ("未来三年我在兰州上班", "在兰州上班"),
        ("我未婚夫在北京上班", "未婚夫在北京上班"),
        ("厨房用不锈钢锅", "厨房用不锈钢锅"),
        ("没错，我喝绿茶", "喝绿茶"),
        ("我不过是喝绿茶", "喝绿茶"),
        ("我不断跑步", "跑步"),
        ("我以前的同事在成都上班", "同事在成都上班"),
    ],
)
def test_a_word_that_holds_the_sign_of_a_not_or_of_the_past_denies_nothing(typed, line):
    """Very, Africa, the future, stainless, "that is right": what stands behind them is so."""
    assert [line] == kept(typed, line)


@pytest.mark.parametrize(
    ("typed", "true", "false"),
    [
        ("我儿子三岁，不对，四岁", "儿子四岁", "儿子三岁"),
        ("我住在苏州，不对，在成都", "住在成都", "住在苏州"),
        ("牛奶我不喝", "不喝牛奶", "喝牛奶"),
        ("我6月3号搬家，有两只猫", "6月3号搬家", "6月2号搬家"),
    ],
)
def test_a_correction_and_a_not_behind_its_thing_are_heard(typed, true, false):
    """The number with its unit, the place behind the same word."""
    assert [true] == kept(typed, true, false)


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("我5月去北京住三天，不对，四天", "去北京住三天"),
        ("周三跑步，不对，周四", "周三跑步"),
        ("5月去北京，不对，6月", "5月去北京"),
        ("小王请我吃火锅，我没吃", "火锅"),
        ("小王请我吃火锅，我没吃", "吃火锅"),
        ("小李找我借两万，我没借", "给小李两万"),
        ("早上六点起床，晚上十点睡觉", "十点起床"),
        ("早上六点起床，晚上十点睡觉", "六点睡觉"),
        ("我养两只猫三只狗", "养三只猫"),
        ("我周一跑步周二游泳", "周二跑步"),
        ("我用iMac电脑写论文", "用Mac电脑写论文"),
        ("我在OpenAI公司上班", "在AI公司上班"),
    ],
)
def test_what_was_taken_back_or_said_of_something_else_is_not_noted(typed, line):
    """A number that was put right, what was offered and not done, the hour and the count of another thing, part of a name."""
    assert [] == kept(typed, line)
