"""How people say a fact takes nothing from it, and makes no fact of what they only ask or deny: particles, laughs, a fact beside it."""

import pytest

from tests.memory.written import READINGS, TEXT, written

SAYINGS = READINGS["sayings"]
FACTS = [(name, *fact) for name, one in SAYINGS.items() for fact in one["facts"]]
BESIDE = [tuple(row) for one in SAYINGS.values() for row in one["beside"]]


def noted(form, typed, line):
    """Whether *line* stands in the memory as worded, of *typed* said in that *form*."""
    return written(form.format(typed), line)[0] == f"{TEXT}- {line}\n"


@pytest.mark.parametrize(("name", "typed", "line", "false"), FACTS, ids=[row[2] for row in FACTS])
def test_a_fact_is_kept_as_worded_however_it_is_said_and_no_other_line_is(name, typed, line, false):
    told = SAYINGS[name]["told"].split("|")

    assert [] == [form for form in told if not noted(form, typed, line)]
    assert [] == [form for form in told if noted(form, typed, false)]


@pytest.mark.parametrize(("name", "typed", "line", "false"), FACTS, ids=[row[2] for row in FACTS])
def test_what_is_only_asked_thought_or_denied_is_no_fact(name, typed, line, false):
    untold = SAYINGS[name]["untold"].split("|")

    assert [] == [form for form in untold if noted(form, typed, line)]


@pytest.mark.parametrize(("typed", "line", "false"), BESIDE)
def test_of_two_facts_in_a_message_each_keeps_its_person_and_its_not(typed, line, false):
    assert noted("{}", typed, line)
    assert not noted("{}", typed, false)


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("생선 안 먹어", "생선을 안 먹는다"),
        ("생선은 안 먹거든요", "생선을 안 먹는다"),
        ("저는 커피 좋아해", "커피를 좋아한다"),
        ("고양이 세마리 키우는데", "고양이 세 마리를 키운다"),
    ],
)
def test_korean_whose_endings_differ_is_kept_as_the_user_said_it(typed, line):
    text, _ = written(typed, line)

    assert f'{TEXT}- "{typed}"\n' == text
