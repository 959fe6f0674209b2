"""What a receipt says of edits that were refused."""

import pytest

from cococat.memory.refusals import OTHERWISE, in_words
from tests.scripted import calls, says

NEW = {"path": "MEMORY.md", "old_text": "- Writes Python"}
QUOTE = {"seq": 1, "quote": "I moved to Lisbon in May"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            {"new_text": "- Writes Python\n- Moved to Porto", "evidence": [QUOTE]},
            '"- Moved to Porto" is more than you wrote',
        ),
        (
            {"new_text": "- Writes Python\n- Moved to Lisbon", "evidence": [{"seq": 1, "quote": "she lives in Rome"}]},
            "no words of yours were named for it",
        ),
        ({"old_text": "- Nothing", "new_text": "- x", "evidence": [QUOTE]}, OTHERWISE),
        ({"old_text": "", "new_text": "- x", "evidence": [QUOTE]}, OTHERWISE),
    ],
    ids=["more", "quote", "place", "empty"],
)
def test_a_failed_dream_tells_its_user_why_and_not_what_the_model_should_do(notes, scripted, arguments, words):
    """The receipt of a whole run; nobody reads it who could name evidence or copy letter by letter."""
    notes.has().said("by the way, I moved to Lisbon in May")

    finished = notes.dream(scripted(calls(("edit_file", {**NEW, **arguments})), says("done")))

    assert finished.receipt.startswith(f"memory unchanged · every edit was refused: {words}; it will try again · ")
    assert not any(word in finished.receipt for word in ("old_text", "evidence", "letter by letter", "record "))


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ("already at line 5: '- x'; change that line if it is out of date", "it is noted already"),
        ("the user has deleted '- Likes tea' before: leave it out", '"- Likes tea" was deleted by you before'),
        ("'- Key sk-1' cannot be kept: it holds a secret", '"- Key sk-1" cannot be kept'),
        (f"'- {'x' * 90}' cannot be kept: it is too odd", f'"- {"x" * 57}…" cannot be kept'),
        ("the file would hold 300 lines, at most 200 are allowed: merge", "MEMORY.md is full"),
        ("there is no record 9 in this batch: copy", "no words of yours were named for it"),
        ("what nobody foresaw: do this", OTHERWISE),
    ],
)
def test_every_refusal_has_words_for_people(told, words):
    """Also those that take a long run to come about."""
    assert words == in_words(told)
