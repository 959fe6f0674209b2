"""A list to choose from: what typed letters find in it, and how its rows look at any width."""

import re

import pytest

from cococat.ui.lines.columns import cells
from cococat.ui.prompt.pick import Choice, detail, matcher, row
from tests.safety.test_terminal import HOSTILE

CHOICES = [
    Choice("1", "Export the report", words="first words"),
    Choice("2", "ports and servers"),
    Choice("3", "named", words="change the Pört"),
    Choice("4", "please open rooms tomorrow"),
    Choice("5", "为什么天空"),
]


@pytest.mark.parametrize(
    ("typed", "ids"),
    [
        ("", "12345"),
        ("port", "1234"),
        ("PÖRT", "1234"),
        ("port serv", "2"),
        ("chng prt", "3"),
        ("天空", "5"),
        ("nowhere", ""),
        ("   ", "12345"),
        ("[", ""),
    ],
)
def test_letters_find_titles_and_first_words_the_nearest_first(typed, ids):
    """What holds the words comes before what holds their letters; capitals and accents make no difference."""
    assert list(ids) == [choice.id for choice in matcher(CHOICES)(typed)]


def test_no_title_takes_long():
    """Many ways to match the same letters are one way."""
    choices = [Choice(str(number), "a" * 80, words="a" * 80) for number in range(200)]

    assert [] == matcher(choices)("a" * 30 + "b")


@pytest.mark.parametrize("width", [12, 38, 78, 118])
def test_no_foreign_text_leaves_its_row(width):
    """Controls, overrides, joined emoji and flags are harmless, and a row never takes more than its columns."""
    texts = [
        *(given for given, _ in HOSTILE.values()),
        "👩‍👩‍👧‍👦 family 🇩🇪 👍🏽",
        "\u202eevil\u2066",
        "为" * 90,
        "a\nb\tc",
    ]
    for text in texts:
        choice = Choice("1", text, "3 d ago", text, text, text)
        for shown in (row(choice, width), *detail(choice, width)):
            assert cells(shown) <= width
            assert not re.search(
                "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufe0f\U0001f1e6-\U0001f1ff]", shown
            )
