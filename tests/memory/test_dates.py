"""Dates in a line: which ones a text names, which ones follow from the day on which it was typed."""

from datetime import date

import pytest

from cococat.memory.dates import calendar, timed, undatable, undated

MAY = date(2026, 5, 4)


@pytest.mark.parametrize(
    ("text", "years", "months", "days"),
    [
        ("on 2026-05-04", {2026}, {5}, {4}),
        ("in 2026-05", {2026}, {5}, set()),
        ("in 2026-12 and 2027-01", {2026, 2027}, {1, 12}, set()),
        ("on 2026-13-04", {2026}, set(), {4}),
        ("in 2026-00", {2026}, set(), set()),
        ("am 24.12.", set(), {12}, {24}),
        ("am 4. 5. 2026", {2026}, {5}, {4}),
        ("5月4日", set(), {5}, {4}),
        ("2026年5月", {2026}, {5}, set()),
        ("in January and december", set(), {1, 12}, set()),
        ("im Mai", set(), {5}, set()),
        ("room 4, 1899, 21000", set(), set(), set()),
    ],
)
def test_a_text_names_years_months_and_days_of_whole_dates(text, years, months, days):
    """In figures and by name; a month is one of twelve, and a number alone is no date."""
    found = calendar(text)

    assert (years, months, days) == (found.years, found.months, found.days)


@pytest.mark.parametrize(
    ("one", "other", "meets"),
    [
        ("2026-05", "May", True),
        ("2026", "2026-01", True),
        ("24.12.", "1月24日", True),
        ("2026", "2025", False),
        ("2026", "May", False),
        ("room 4", "May", False),
    ],
)
def test_two_texts_meet_in_a_year_a_month_or_a_day(one, other, meets):
    """One in common is enough."""
    assert meets == calendar(one).meets(calendar(other))


@pytest.mark.parametrize(
    ("line", "said", "removed", "wrong"),
    [
        ("- Moves in 2026", "I move soon", "", ""),
        ("- Moves in 2025", "I move soon", "", ""),
        ("- Moves in 2027", "I move soon", "", ""),
        ("- Moves in 2024", "I move soon", "", "no year 2024; that was typed on 2026-05-04"),
        ("- Moves in 2028", "I move soon", "", "no year 2028"),
        ("- Moves in 2028", "I move in 2028", "", ""),
        ("- Moves in 2028", "I move soon", "- Moves in 2028", ""),
        ("- Moves in 2026-05", "I move now", "", ""),
        ("- Moves in 2026-06", "I move soon", "", "no month 6; that was typed on 2026-05-04"),
        ("- Moves in 2026-06", "I move in June", "", ""),
        ("- Moves in 2026-05", "I move in June", "", "no month 5"),
        ("- Moves in 2026-06", "I move soon", "- Moves in June", ""),
        ("- Moves on 2026-05-09", "I move on the 9th", "", ""),
        ("- Moves on 2026-05-09", "I move in May", "", "no day 9; that was typed on 2026-05-04"),
        ("- Moves on 2026-05-09", "I move in May, not the 9th", "", "no day 9"),
        ("- Moves on 2026-05-09", "I move in May", "- Moves on 2026-05-09", ""),
        ("- Moved on 2026-05-04", "I moved today", "", ""),
        ("- Moves on 2026-05-04", "I move in May", "", "no day 4"),
        ("- Open from 2026-04 until 2026-11", "open from april until november", "", ""),
        ("- Open from 2026-11 until 2026-04", "open from april until november", "", "month 11 as the end of a time"),
        ("- Open until the 4 april", "open from april", "", "month 4 as the beginning of a time, not as its end"),
        ("- Open until april", "open from april", "- Open until april", ""),
        ("- Has it from him and in April", "I have it until april", "", ""),
    ],
)
def test_a_date_was_typed_or_follows_from_the_day(line, said, removed, wrong):
    """The year and its neighbours, the month where none was typed, and the day where a word points at it."""
    told = undatable(line, said, [MAY], removed)

    assert (wrong in told) if wrong else told == ""


@pytest.mark.parametrize(
    ("text", "is_"),
    [
        ("I move in May", True),
        ("I move in May 2026", False),
        ("next monday", True),
        ("next week", False),
        ("mondays", False),
        ("today", False),
        ("next monday in 2026", False),
        ("I row", False),
    ],
)
def test_a_time_without_its_year_depends_on_when_it_was_said(text, is_):
    """A month, and a day of the week that a word points at."""
    assert is_ == timed(text)


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("I move tomorrow", {20, 21}),
        ("I moved yesterday", {19, 20}),
        ("on wednesday", {20, 27}),
        ("on thursday", {14, 20, 21}),
        ("on tuesday", {19, 20, 26}),
        ("on tuesday 19", {19, 20}),
        ("all 7 of us on tuesday", {7, 19, 20, 26}),
        ("I move soon", set()),
    ],
)
def test_a_day_of_the_week_is_one_of_the_nearest(said, days):
    """Six days back and seven on, as it was typed on Wednesday the 20th; with a number beside it that day alone."""
    told = {day: undatable(f"- Moves on 2026-05-{day:02}", said, [date(2026, 5, 20)], "") for day in range(1, 32)}

    assert days - {20} == {day for day, wrong in told.items() if not wrong} - {20}


def test_where_no_day_is_known_any_year_may_stand():
    """A record of before does not say when it was made; a month must have been typed all the same."""
    assert "" == undatable("- Moves in 2031", "I move soon", [], "")
    assert "no month 6" in undatable("- Moves in 2031-06", "I move soon", [], "")


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("moved 2026-05-04 to room 12", "moved to room 12"),
        ("moved in May to Porto", "moved in to Porto"),
        ("am 24.12. frei", "am frei"),
        ("id 12026-05 stays", "id 12026-05 stays"),
        ("mai vernice", "mai vernice"),
    ],
)
def test_a_line_without_its_dates_keeps_everything_else(line, left):
    """Numbers that are none, and words that are a month in another language and a "not" in this one."""
    assert left == " ".join(undated(line).split())
