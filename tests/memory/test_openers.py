"""What only leads up to what somebody says takes nothing from it, and is not noted: greetings, \"by the way\", \"como te dije\"."""

import pytest

from cococat.memory.statements import statements
from tests.memory.written import READINGS, TEXT, written

ROWS = [(one["openings"].split("|"), *fact) for one in READINGS["openers"].values() for fact in one["facts"]]
ALONE = [
    ("well water is what we drink", "Well water is what they drink"),
    ("hi-fi is my hobby", "Hi-fi is her hobby"),
    ("right-handed since the accident, I play chess", "Right-handed since the accident"),
]


@pytest.mark.parametrize(("openers", "typed", "line"), ROWS, ids=[line for _, _, line in ROWS])
def test_a_fact_is_kept_as_worded_whatever_leads_up_to_it(openers, typed, line):
    """Also where the opening looks like a question ("como te dije"), a "not" ("note"), a wish or somebody who does it ("by")."""
    noted = {opener: written(f"{opener}{typed}", line)[0] for opener in ("", *openers)}

    assert {} == {opener: text for opener, text in noted.items() if text != f"{TEXT}- {line}\n"}


@pytest.mark.parametrize(
    ("typed", "own"),
    [
        ("btw, my dog bit Tom on the pier", "my dog bit Tom on the pier"),
        ("hi! oh and by the way: my dog bit Tom on the pier", "my dog bit Tom on the pier"),
        ("hi - my dog bit Tom on the pier", "my dog bit Tom on the pier"),
        ("(by the way) my dog bit Tom on the pier", "(by the way) my dog bit Tom on the pier"),
        ("por cierto, mi perro mordió a Tomás en el muelle", "mi perro mordió a Tomás en el muelle"),
        ("顺便说一下,小明咬了老王的狗一口", "小明咬了老王的狗一口"),
        ("哈哈,对了,小明咬了老王的狗一口", "小明咬了老王的狗一口"),
    ],
)
def test_the_users_own_sentence_is_noted_without_what_leads_up_to_it(typed, own):
    line = "Tom bit the dog" if own.isascii() else "Tomás mordió al perro" if "perro" in own else "老王咬了小明的狗一口"

    text, _ = written(typed, line)

    assert f'{TEXT}- "{own}"\n' == text


def test_a_sentence_that_is_nothing_but_an_opening_is_left_as_it_is():
    assert ("by the way!", "haha") == (statements("by the way!").stated, statements("haha").stated)


@pytest.mark.parametrize(("typed", "line"), ALONE)
def test_a_word_that_may_lead_up_to_something_counts_where_it_does_not(typed, line):
    text, _ = written(typed, line)

    assert f"{TEXT}- {line}\n" == text


@pytest.mark.parametrize("correction", ["sorry, 4", "actually 4", "no, 4", "oh and sorry, 4"])
def test_what_puts_the_sentence_before_right_is_no_opening(correction):
    stated = statements(f"I have 3 cats. {correction}").stated

    assert "3" not in stated
    assert "4" in stated


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("by now I know all trams by heart, and my dog is called Rex", "Dog is called Rex"),
        ("I go to work by bike, my dog Rex comes along", "Dog Rex comes along to work"),
        ("I can do it by Friday, my deadline is always Friday", "Deadline is always Friday"),
        ("I get up by 6, my shift starts at 7", "Shift starts at 7"),
        ("por la mañana mi perra Rita duerme", "Su perra Rita duerme"),
        ("ich bin von Beruf Koch, mein Hund heißt Rex", "Hund heißt Rex"),
    ],
)
def test_a_by_behind_which_nobody_stands_leaves_a_line_as_worded(typed, line):
    text, _ = written(typed, line)

    assert f"{TEXT}- {line}\n" == text


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("my boss was bitten by a dog, by the way", "Boss bit a dog"),
        ("so it was Ann, and Tom was hired by Ann", "Tom hired Ann"),
    ],
)
def test_by_whom_something_is_done_still_counts(typed, line):
    text, _ = written(typed, line)

    assert f"- {line}\n" not in text
