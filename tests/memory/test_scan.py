"""A text as a prompt shows it: what is blocked, and what another part of a dream goes over."""

import re

import pytest

from cococat.memory.file.scan import part_of, unfit, urls
from cococat.safety.secrets import redact_said
from tests.safety.corpus import sections

KINDS = ("papers of many countries", "alarms", "what holds keys", "codes before their names", "digits as words")
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


@pytest.mark.parametrize(
    "line",
    [
        "- Alarm of the cabin: 7739, then the star",
        "- Badeaux's alarm code is 7739 followed by #",
        "- Social insurance number (SIN) for the payroll: 046 454 286",
        "- Winter room: the key safe is 5517 since November",
        *(f"- {line}" for kind in KINDS for line in sections("told.txt")[kind]),
    ],
)
def test_a_secret_in_whatever_words_is_unfit_for_a_memory(line):
    """A dream may say that there is one, not what it is."""
    assert "it holds a secret; leave it out" == unfit(re.sub("[{}]", "", line), lambda text: redact_said(text, ()), "")


def test_no_harmless_number_is_taken_for_a_secret_of_a_memory():
    """Of those that people type beside the same words."""
    refused = [
        line
        for line in sections("harmless.txt")["times, prices, orders, models, years"]
        if "secret" in unfit(f"- {line}", lambda text: redact_said(text, ()), "")
    ]

    assert [] == refused
