"""Dates in Chinese and Japanese: what is meant by them on the day on which they are typed."""

from datetime import date

import pytest

from cococat.memory.cjk_dates import Day, days_in, misdated
from cococat.memory.cjk_spelling import canonical

DAY = date(2026, 3, 18)  # a Wednesday
ENDS = {28, 29, 30, 31}


def found(text, day=DAY):
    """The dates in *text*: year, months and days of each."""
    return [(one.year, {*one.months}, {*one.days}) for one in days_in(canonical(text), day)]


@pytest.mark.parametrize(
    ("words", "year"),
    [
        ("大前年", 2023),
        ("前年 一昨年 おととし", 2024),
        ("去年 昨年", 2025),
        ("今年 本年", 2026),
        ("明年 来年", 2027),
        ("后年 再来年", 2028),
    ],
)
def test_a_year_is_counted_from_that_of_typing(words, year):
    """Three back and two on; without a day of typing it is open."""
    for word in words.split():
        assert [(year, set(), set())] == found(f"{word}结婚")
        assert [(0, set(), set())] == found(f"{word}结婚", None)


@pytest.mark.parametrize(
    ("words", "year", "month"),
    [
        ("上上个月 先々月", 2026, 1),
        ("上个月 上月 先月", 2026, 2),
        ("这个月 本月 今月", 2026, 3),
        ("下个月 下月 来月", 2026, 4),
        ("下下个月 再来月", 2026, 5),
    ],
)
def test_a_month_is_counted_from_that_of_typing(words, year, month):
    """Two back and two on."""
    for word in words.split():
        assert [(year, {month}, set())] == found(f"{word}搬家")


def test_a_month_beside_the_turn_of_the_year_is_of_the_other_year():
    """December comes before January, and January after December."""
    assert [(2025, {12}, set())] == found("上个月搬家", date(2026, 1, 5))
    assert [(2027, {1}, set())] == found("下个月搬家", date(2026, 12, 31))
    assert [(2026, {12}, set())] == found("下个月搬家", date(2026, 11, 1))


@pytest.mark.parametrize(
    ("words", "days"),
    [
        ("大前天", -3),
        ("前天 一昨日 おととい", -2),
        ("昨天 昨日 昨晚 昨夜 きのう", -1),
        ("今天 今日 今晚 今夜 今晩", 0),
        ("明天 明日 明晚 あした", 1),
        ("后天 明后天 明後日 あさって", 2),
        ("大后天 三天后 3天之后", 3),
        ("一周后", 7),
        ("999天后", 999),
        ("这周三 本周三 今周三 周三 星期三 今週水曜", 0),
        ("周一", -2),
        ("周日 今週の日曜日", 4),
        ("来週の月曜", 5),
        ("上周三 先周三 先週の水曜", -7),
        ("上上周三 先々週の水曜", -14),
        ("下周三 来周三 下个星期三 来週水曜日", 7),
        ("下下周三 再来週の水曜", 14),
    ],
)
def test_a_day_is_counted_from_that_of_typing(words, days):
    """It only follows from the day, and without one it says nothing."""
    day = date.fromordinal(DAY.toordinal() + days)
    for word in words.split():
        assert [(day.year, {day.month}, {day.day})] == found(f"{word}去")
        assert not next(days_in(canonical(word), DAY)).firm
        assert [] == found(word, None)


@pytest.mark.parametrize(
    ("words", "months", "days"),
    [
        ("元旦", {1}, {1}),
        ("春节 过年 除夕 寒假", {1, 2}, set()),
        ("年后", {1, 2, 3}, set()),
        ("元宵", {2, 3}, set()),
        ("清明", {4}, set()),
        ("五一 51", {5}, {1}),
        ("端午", {5, 6}, set()),
        ("六一 61", {6}, {1}),
        ("暑假", {7, 8}, set()),
        ("七夕 お盆", {8}, set()),
        ("中秋", {9, 10}, set()),
        ("国庆", {10}, {1}),
        ("双11 双十一", {11}, {11}),
        ("圣诞 クリスマス", {12}, {25}),
        ("年底", {12}, set()),
        ("年初 お正月", {1}, set()),
    ],
)
def test_a_feast_falls_into_its_months(words, months, days):
    """On its day where that is the same each year; a day that is named beside it counts instead."""
    for word in words.split():
        assert [(0, months, days)] == found(f"{word}回家")
        assert [(2027, months, days)] == found(f"明年{word}回家")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-05-04开始", (2026, {5}, {4})),
        ("2026/5开始", (2026, {5}, set())),
        ("2026年5月4日开始", (2026, {5}, {4})),
        ("2026年的5月开始", (2026, {5}, set())),
        ("2026年开始", (2026, set(), set())),
        ("五月二十三号开始", (0, {5}, {23})),
        ("12月开始", (0, {12}, set())),
        ("23号开始", (0, {3, 4}, {23})),
        ("五月底开始", (0, {5}, ENDS)),
        ("五月末开始", (0, {5}, ENDS)),
        ("五月初开始", (0, {5}, set())),
        ("2026年初开始", (2026, {1}, set())),
        ("2026年末开始", (2026, {12}, ENDS)),
        ("2026年底开始", (2026, {12}, ENDS)),
        ("去年底开始", (2025, {12}, ENDS)),
        ("5/23开始", (0, {5}, {23})),
        ("2019~现在", (2019, set(), set())),
        ("(2019)开始", (2019, set(), set())),
    ],
)
def test_a_date_is_read_as_far_as_it_is_typed(text, expected):
    """What is not typed stays open; a day alone is of this month or of the next."""
    assert [expected] == found(text)
    assert all(one.firm for one in days_in(canonical(text), DAY))


@pytest.mark.parametrize("text", ["5月间开始", "23号线", "3楼", "1234天后", "2026人", "两次", "2026买"])
def test_a_number_that_counts_something_else_is_no_day(text):
    """A line of the underground, a floor, people."""
    assert not any(one.days or one.year for one in days_in(canonical(text), DAY))


@pytest.mark.parametrize("day", [date(2026, 12, 20), date(2026, 11, 20)])
def test_a_day_alone_may_be_of_the_next_month(day):
    """Of January behind December."""
    assert [(0, {day.month, day.month % 12 + 1}, {23})] == found("23号开始", day)


def test_a_date_knows_where_it_stands_and_of_which_shape_it_is():
    """A year alone can take the place of a year alone."""
    one = next(days_in("去2026年", None))

    assert (1, 6, "year") == (one.start, one.end, one.shape)
    assert ["date", "date"] == [next(days_in(text, DAY)).shape for text in ("5月", "23号")]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ((2026, {5}, {4}), (2026, {5}, {4}), True),
        ((2026, {5}, {4}), (0, set(), set()), True),
        ((0, {1, 2}, set()), (0, {2, 3}, {4}), True),
        ((0, set(), set()), (2026, {5}, {4}), True),
        ((2026, set(), set()), (2025, set(), set()), False),
        ((0, {5}, set()), (0, {6}, set()), False),
        ((0, set(), {4}), (0, set(), {5}), False),
    ],
)
def test_two_dates_may_be_the_same_as_far_as_both_tell(one, other, same):
    """A year, a month or a day that only one names parts nothing."""
    first, second = (Day(0, 0, year, frozenset(months), frozenset(days)) for year, months, days in (one, other))

    assert same == first.is_of(second) == second.is_of(first)


@pytest.mark.parametrize(
    ("line", "said", "fine"),
    [
        ("2026年5月结婚", "5月结婚", True),
        ("2027年5月结婚", "5月结婚", True),
        ("2025年5月结婚", "5月结婚", True),
        ("2028年5月结婚", "5月结婚", False),
        ("2024年5月结婚", "5月结婚", False),
        ("5月结婚", "2026年5月结婚", True),
        ("2025年5月结婚", "2026年5月结婚", False),
        ("6月结婚", "5月结婚", False),
        ("5月4日结婚", "5月结婚", False),
        ("5月结婚", "5月4日结婚", True),
        ("5月5日结婚", "5月4日结婚", False),
        ("2026年3月18日结婚", "结婚了", True),
        ("2026年3月结婚", "结婚了", True),
        ("3月18日结婚", "结婚了", True),
        ("2026年结婚", "结婚了", True),
        ("2025年结婚", "结婚了", False),
        ("2026年4月结婚", "结婚了", False),
        ("2026年3月17日结婚", "结婚了", False),
        ("2026年3月17日结婚", "昨天结婚了", True),
        ("2026年3月结婚", "5月结婚", False),
        ("2025年结婚", "去年结婚了", True),
        ("结婚了", "5月结婚", True),
        ("2026年3月结婚", "2026年结婚", True),
        ("2026年4月结婚", "2026年结婚", False),
    ],
)
def test_a_date_of_a_line_says_no_more_than_what_was_typed(line, said, fine):
    """It may follow from the day of typing, and a month without a year may be of the year before or after."""
    wrong = misdated(canonical(line), [*days_in(canonical(said), DAY)], [DAY])

    assert fine == (wrong == "")
    assert fine or wrong.endswith("; that was typed on 2026-03-18")


def test_where_no_day_of_typing_is_known_any_year_may_be_meant():
    """The month is held to what was typed all the same."""
    assert "" == misdated("2020年5月", [*days_in("5月", None)], [])
    assert misdated("2020年6月", [*days_in("5月", None)], [])
