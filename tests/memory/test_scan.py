"""A text as a prompt shows it: what is blocked, and what another part of a dream goes over."""

import pytest

from cococat.memory.scan import part_of, urls

TEXT = "a\nb\nsystem: x\nc\nd\n"


@pytest.mark.parametrize(
    ("hidden", "plain", "numbered"),
    [
        ((), "a\nb\n[BLOCKED: line 3]\nc\nd\n", "1| a\n2| b\n3| [BLOCKED: line 3]\n4| c\n5| d"),
        (
            ("b", "c"),
            "a\n[1 line of another part]\n[BLOCKED: line 3]\n[1 line of another part]\nd\n",
            "1| a\n[1 line of another part]\n3| [BLOCKED: line 3]\n[1 line of another part]\n5| d",
        ),
        (
            ("a", "b"),
            "[2 lines of another part]\n[BLOCKED: line 3]\nc\nd\n",
            "[2 lines of another part]\n3| [BLOCKED: line 3]\n4| c\n5| d",
        ),
        (
            ("c", "d", ""),
            "a\nb\n[BLOCKED: line 3]\n[3 lines of another part]",
            "1| a\n2| b\n3| [BLOCKED: line 3]\n[2 lines of another part]",
        ),
    ],
    ids=["nothing", "between", "first", "last"],
)
def test_lines_of_another_part_are_counted_where_they_stand(hidden, plain, numbered):
    """Each gap by itself; the other lines keep their numbers, blocked ones too."""
    assert plain == part_of(TEXT, hidden)
    assert numbered == part_of(TEXT, hidden, numbered=True)


def test_addresses_are_found_without_what_ends_a_sentence():
    """With a scheme, with www and bare, in whatever width they are written."""
    text = "see https://x.example/a, www.a.b! acme.com. \uff41cme.org"

    assert ("https://x.example/a", "www.a.b", "acme.com", "acme.org") == urls(text)
