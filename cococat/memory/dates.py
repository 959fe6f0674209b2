"""Dates in a line: the user typed them, or they follow from the day on which it was typed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from itertools import takewhile

from cococat.memory.words import closed, fold, language, pairs

__all__ = ["Calendar", "calendar", "timed", "undatable", "undated"]

_WORD = re.compile(r"[^\W\d_]+")
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")
_ISO = re.compile(r"(?:19|20)\d\d[-/年](\d\d?)(?:[-/月](\d\d?))?")
_POINTS = re.compile(r"(?<!\d)(\d{1,2})\.\s?(\d{1,2})\.")
_CJK = re.compile(r"(?<!\d)(\d{1,2})月(?:(\d{1,2})日)?")
_DATE = re.compile(
    r"(?<![0-9A-Za-z_/])(?:19|20)\d\d(?:[-/年]\d\d?){0,2}[年月日]?(?![0-9A-Za-z_])|(?<!\d)\d{1,2}\.\s?\d{1,2}\.(?:20\d\d)?"
    r"|20\d\d年|(?<=年)\d{1,2}月(?:\d{1,2}日)?"
)
_DENIED = re.compile(r"(?i)\b(?:not|nicht|no|pas|non|não|не)\s+(?:\w+\s+)?\d+\w*")
_BEFORE_DAY = re.compile(r"([^\W\d_]+),? (?:the |el |il |den |le |dia )?\d{1,2}(?:st|nd|rd|th)?(?![\d:h])")
_MONTHS = range(1, 13)


@dataclass(frozen=True, slots=True)
class Calendar:
    """The years, months and days that a text names."""

    years: frozenset[int]
    months: frozenset[int]
    days: frozenset[int]

    def meets(self, other: Calendar) -> bool:
        """Return whether both name one and the same."""
        return bool(self.years & other.years or self.months & other.months or self.days & other.days)


def undated(line: str) -> str:
    """Return *line* without its dates and months."""
    months = _months().keys() - language("not")  # "mai" is "never" as well
    return _WORD.sub(lambda word: " " if fold(word[0]) in months else word[0], _DATE.sub(" ", line))


def calendar(text: str) -> Calendar:
    """Return the dates in *text*; a day only where it belongs to a whole date."""
    whole = [*_ISO.findall(text), *((month, day) for day, month in _POINTS.findall(text)), *_CJK.findall(text)]
    months = {int(month) for month, _ in whole} | {_months().get(fold(word), 0) for word in _WORD.findall(text)}
    years = frozenset(map(int, _YEAR.findall(text)))
    return Calendar(years, frozenset(months.intersection(_MONTHS)), frozenset(int(day) for _, day in whole if day))


def timed(text: str) -> bool:
    """Return whether *text* names a day or a month without its year: which one is meant depends on when it was said."""
    named = calendar(text)
    weekdays = {word for group in pairs("weekdays") for word in group}
    points = not language("pointing").isdisjoint(fold(word) for word in _WORD.findall(text))
    week = points and not weekdays.isdisjoint(fold(word) for word in _WORD.findall(text))
    return not named.years and bool(named.months or week)


def undatable(line: str, said: str, days: Sequence[date], removed: str) -> str:
    """
    Return what is wrong with a date of *line*, and what could stand there; empty when nothing is.

    Args:
        said: what was typed on *days*.
        removed: the lines that this one replaces.
    """
    wanted, typed, old = calendar(line), calendar(said), calendar(removed)
    numbers = {int(number) for number in re.findall(r"(?<!\d)\d{1,2}(?!\d)", _DENIED.sub(" ", said))}
    points = not language("pointing").isdisjoint(fold(word) for word in _WORD.findall(said))
    own = ", ".join(day.isoformat() for day in days)
    near = {day.year + step for day in days for step in (-1, 0, 1)} if days else wanted.years
    if foreign := wanted.years - typed.years - old.years - near:
        return f"the user typed no year {min(foreign)}; that was typed on {own}"
    if foreign := wanted.months - (typed.months or {day.month for day in days}) - old.months:
        return f"the user typed no month {min(foreign)}; that was typed on {own}"
    for month, edge in _edges(line).items():
        if edge != (there := _edges(said).get(month, edge)) and month not in _edges(removed):
            return f"the user typed month {month} as the {there} of a time, not as its {edge}"
    for month, years in _years(line).items():
        if years.isdisjoint(own_years := _years(said).get(month, years)) and month not in _years(removed):
            return f"the user typed month {month} of {min(own_years)}, not of {min(years)}"
    if foreign := wanted.days - numbers - old.days - {day.day for day in days if points} - _meant(said, days):
        return f"the user typed no day {min(foreign)}; that was typed on {own}"
    return ""


def _years(text: str) -> dict[int, set[int]]:
    """Return the years of the months that *text* names: "may and june of 2025"."""
    found: dict[int, set[int]] = {}
    near: list[int] = []
    for word in re.findall(r"[^\W_]+|[.;!?\n]", text):
        if re.fullmatch(r"(?:19|20)\d\d", word):
            for month in near:
                found.setdefault(month, set()).add(int(word))
        if word in ".;!?\n" or word.isdigit():
            near = near if len(word) < 3 and word.isdigit() else []  # noqa: PLR2004 - a day of that month, no year
        elif month := _months().get(fold(word), 0):
            near.append(month)
    return found


def _edges(text: str) -> dict[int, str]:
    """Return the months that open or end a time: "from April until November"."""
    words = [fold(word) for word in re.findall(r"[^\W_]+", text)]
    found: dict[int, str] = {}
    for at, word in enumerate(words):
        month = _months().get(word, 0) or (
            int(word) if re.fullmatch(r"\d\d", word) and re.fullmatch(r"20\d\d", words[at - 1]) else 0
        )
        near = takewhile(lambda one: one.isdigit() or closed(one), reversed(words[:at][-3:]))
        edge = next((one for one in near if one in language("opens_time") | language("ends_time")), "")
        if month and edge:
            found[month] = "beginning" if edge in language("opens_time") else "end"
    return found


def _meant(said: str, days: Sequence[date]) -> set[int]:
    """Return the days that "yesterday" and "on monday" may mean, as they were said on *days*."""
    words = {fold(word) for word in _WORD.findall(said)}
    week = {number for number, names in enumerate(pairs("weekdays")) if not words.isdisjoint(names)}
    if any(fold(one) in name for one in _BEFORE_DAY.findall(said) for name in pairs("weekdays")):
        week.clear()  # "tuesday 17": another weekday may be any of its kind
    steps = {step for step, names in zip((-1, 1), pairs("next_days"), strict=True) if not words.isdisjoint(names)}
    near = {day + timedelta(step) for day in days for step in range(-6, 8)}
    return {day.day for day in near if day.weekday() in week} | {
        (day + timedelta(step)).day for day in days for step in steps
    }


@cache
def _months() -> dict[str, int]:
    return {name: number for number, names in enumerate(pairs("months"), 1) for name in names}
