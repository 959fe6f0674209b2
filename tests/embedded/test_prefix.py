"""Which part of a prompt is the same in every session."""

from __future__ import annotations

import pytest

from cococat.core.messages import Assistant, System, User
from cococat.model.embedded import prefix_of

SYSTEM, SHOWN, ANSWER, OWN = System("s"), User("q", synthetic=True), Assistant("a"), User("mine")


@pytest.mark.parametrize(
    ("messages", "count"),
    [
        ([], 0),
        ([SYSTEM, OWN], 0),
        ([SYSTEM, SHOWN, ANSWER, OWN], 3),
        ([SYSTEM, SHOWN, ANSWER, SHOWN, OWN], 3),
        ([SYSTEM, SHOWN, ANSWER, OWN, ANSWER, OWN], 3),
        ([SYSTEM, SHOWN, ANSWER], 3),
    ],
    ids=["nothing", "no examples", "examples", "a summary", "later turns", "no words of the user"],
)
def test_the_prefix_ends_before_anything_the_user_said(messages, count):
    """What is kept on disk holds no word of a conversation."""
    assert count == prefix_of(messages)
