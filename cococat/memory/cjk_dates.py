"""Dates in Chinese and Japanese text, in whatever shape they are typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

__all__ = ["Day", "days_in", "misdated"]

_YEARS = {
    "大前年": -3,
    "前年": -2,
    "去年": -1,
    "昨年": -1,
    "今年": 0,
    "本年": 0,
    "明年": 1,
    "来年": 1,
    "后年": 2,
    "再来年": 2,
    "1昨年": -2,
    "おととし": -2,
}
_MONTHS = {
    "上上个月": -2,
    "上个月": -1,
    "上月": -1,
    "先月": -1,
    "这个月": 0,
    "本月": 0,
    "今月": 0,
    "下个月": 1,
    "下月": 1,
    "来月": 1,
    "下下个月": 2,
    "再来月": 2,
    "先々月": -2,
}
_DAYS = {"大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "今天": 0, "今日": 0, "今晚": 0, "明天": 1, "明日": 1, "明晚": 1,
         "后天": 2, "明后天": 2, "大后天": 3, "1昨日": -2, "おととい": -2, "昨夜": -1, "きのう": -1, "今夜": 0, "今晩": 0, "あした": 1, "明后日": 2,
         "あさって": 2}  # fmt: skip
_WEEKS = {
    "上上": -2,
    "上": -1,
    "先": -1,
    "这": 0,
    "本": 0,
    "今": 0,
    "": 0,
    "下": 1,
    "来": 1,
    "下下": 2,
    "再来": 2,
    "先々": -2,
}
_WEEKDAYS = "月火水木金土日"
# As `canonical` writes them: months in which a feast may fall, and its day where that is the same each year.
_FEASTS = {
    "元旦": ((1,), 1), "春节": ((1, 2), 0), "过年": ((1, 2), 0), "年后": ((1, 2, 3), 0), "除夕": ((1, 2), 0), "元宵": ((2, 3), 0), "清明": ((4,), 0),
    "51": ((5,), 1), "端午": ((5, 6), 0), "61": ((6,), 1), "7夕": ((8,), 0), "中秋": ((9, 10), 0),
    "国庆": ((10,), 1), "双11": ((11,), 11), "圣诞": ((12,), 25), "寒假": ((1, 2), 0), "暑假": ((7, 8), 0), "年底": ((12,), 0),
    "年初": ((1,), 0), "お正月": ((1,), 0), "お盆": ((8,), 0), "クリスマス": ((12,), 25),
}  # fmt: skip


def _any(words: object) -> str:
    return "|".join(sorted(words, key=len, reverse=True))  # type: ignore[call-overload]


_DATE = re.compile(
    rf"(?P<iso>(?:19|20)\d\d[-/.]\d\d?(?:[-/.]\d\d?)?)(?!\d)"
    rf"|(?<![\d/.])(?P<slash>(?:1[0-2]|[1-9])/(?:3[01]|[12]\d|0?[1-9]))(?![\d/])"
    rf"|(?:(?P<year>(?:19|20)\d\d)年?|(?P<rel>{_any(_YEARS)}))?[的の]?"
    rf"(?:(?P<month>1[0-2]|[1-9])月份?(?!间)|(?P<relm>{_any(_MONTHS)})|(?P<feast>{_any(_FEASTS)})(?!\d|月|点|个))?"
    r"(?:的?(?P<end>底|末|初|上旬|中旬|下旬)|的?(?P<day>[12]\d|3[01]|[1-9])(?:[日号](?!线|楼|店|院|机|门|曜)|(?(month)(?!\d)|(?!))))?"
)
_SHORT = re.compile(
    rf"(?P<days>{_any(_DAYS)})|(?P<week>上上|下下|再来|先々|[上这本下先今来]?)个?周(?:(?P<weekday>[1-7])(?!\d|次)|(?<=[先今来々]周)の?(?P<named>[{_WEEKDAYS}])曜)|(?<!\d)(?P<after>\d{{1,3}})(?P<unit>[天周])之?后|(?<!\d)(?P<ago>\d\d?)年前"
)


@dataclass(frozen=True, slots=True)
class Day:
    """
    A date, as far as it was typed.

    Args:
        year: 0 where it is open.
        months: those it may be; none where it is open.
        days: those it may be; none where it is open.
        firm: it says something of its own, and does not only follow from the day on which it was typed.
    """

    start: int
    end: int
    year: int
    months: frozenset[int] = frozenset()
    days: frozenset[int] = frozenset()
    firm: bool = True

    @property
    def shape(self) -> str:
        """What kind of date it is."""
        return "date" if self.days or self.months else "year"

    def is_of(self, other: Day) -> bool:
        """Return whether both may be the same day, month or year, as far as both tell."""
        return (
            (not self.year or not other.year or self.year == other.year)
            and (not self.months or not other.months or bool(self.months & other.months))
            and (not self.days or not other.days or bool(self.days & other.days))
        )


def days_in(text: str, day: date | None) -> Iterator[Day]:
    """
    Return the dates in *text*, which is canonical.

    Args:
        day: when it was typed; None where what is relative to it says nothing.
    """
    for one in _DATE.finditer(text):
        if one["iso"]:
            year, month, *rest = map(int, re.split("[-/.]", one["iso"]))
            yield Day(one.start(), one.end(), year, frozenset({month}), frozenset(rest))
        elif one["slash"]:
            month, number = map(int, one["slash"].split("/"))
            yield Day(one.start(), one.end(), 0, frozenset({month}), frozenset({number}))
        elif one["year"] or one["rel"] or one["month"] or one["relm"] or one["feast"] or one["day"]:
            if one["year"] and one[0] == one["year"] and text[one.end() : one.end() + 1] not in ("", " ", ")", "~"):
                continue
            yield _day(one, day)
    for one in _SHORT.finditer(text):
        if day and one["ago"]:
            yield Day(one.start(), one.end(), day.year - int(one["ago"]), firm=False)
        elif day:
            found = _near(one, day)
            yield Day(one.start(), one.end(), found.year, frozenset({found.month}), frozenset({found.day}), firm=False)


def misdated(line: str, typed: Sequence[Day], days: Sequence[date]) -> str:
    """
    Return what is wrong with a date of *line*; one that follows from the day of typing is right.

    Args:
        line: canonical.
        typed: the dates that were typed.
        days: when that was.
    """
    months = [one for one in typed if one.firm and one.months]
    for one in days_in(line, None):
        near = any(abs(one.year - day.year) <= 1 for day in days) or not days
        noted = [day for day in days if one.year in (0, day.year) and not one.days - {day.day}]
        noted = [day for day in noted if not one.months or (not months and one.months == {day.month})]
        if not noted and not any(_follows(one, day, near=near) for day in typed):
            own = ", ".join(sorted({day.isoformat() for day in days}))
            return f"the user typed no date {line[one.start : one.end].strip()!r}; that was typed on {own}"
    return ""


def _follows(one: Day, typed: Day, *, near: bool) -> bool:
    """Return whether a date of the line says no more than the *typed* one."""
    year = not one.year or one.year == typed.year or (not typed.year and near)
    return year and one.months <= typed.months and (not one.days or bool(one.days & typed.days))


def _day(one: re.Match[str], day: date | None) -> Day:
    year = int(one["year"] or 0) or (day.year + _YEARS[one["rel"]] if one["rel"] and day else 0)
    months = frozenset({int(one["month"])}) if one["month"] else frozenset[int]()
    days = frozenset({int(one["day"])}) if one["day"] else frozenset[int]()
    if one["relm"] and day:
        at = day.year * 12 + day.month - 1 + _MONTHS[one["relm"]]
        year, months = at // 12, frozenset({at % 12 + 1})
    elif one["feast"]:
        named, fixed = _FEASTS[one["feast"]]
        months, days = frozenset(named), days or (frozenset({fixed}) if fixed else frozenset())
    elif one["day"] and not months and day:
        months = frozenset({day.month, day.month % 12 + 1})
    if one["end"] and not months and year:
        months = frozenset({1} if one["end"] == "初" else {12})
    if one["end"] in ("底", "末"):
        days = frozenset({28, 29, 30, 31})
    return Day(one.start(), one.end(), year, months, days)


def _near(one: re.Match[str], day: date) -> date:
    if one["days"]:
        return day + timedelta(days=_DAYS[one["days"]])
    if number := int(one["weekday"] or 0) or _WEEKDAYS.find(one["named"] or " ") + 1:
        return day + timedelta(days=7 * _WEEKS[one["week"]] + number - 1 - day.weekday())
    return day + timedelta(days=int(one["after"]) * (7 if one["unit"] == "周" else 1))
