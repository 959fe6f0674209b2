"""The look that costs nothing: what can teach nothing about its user is passed without a model."""

import pytest

from cococat.memory.dream.plan import lacks_candidates, nothing_to_take
from cococat.memory.file.history import Exchange, Said, append
from cococat.memory.file.place import locked
from cococat.memory.file.state import State, write_state
from cococat.memory.file.versions import runs
from tests.memory.conftest import NOW

NOTHING = [
    "TRY AGAIN",
    "stop",
    "yes",
    "what time is it in Lisbon?",
    "could you always answer in metric units?",
    "今何時ですか？",  # noqa: RUF001 - a wide mark
    "هل تمطر اليوم؟",
    ":-)",
    "???",
]
SOMETHING = [
    "I live in Lisbon",
    "run the tests",
    "can you find a recipe? no nuts please",
    "my dad has parkinsons",
    "我住在上海",
    "lists are better than tables",
]


@pytest.mark.parametrize("typed", NOTHING)
def test_a_single_question_or_a_word_or_two_teach_nothing(notes, typed):
    """The cursor passes them, and the list of runs says that there were only questions."""
    notes.has().said(typed, typed)

    finished = nothing_to_take(notes.folder, now=NOW)

    assert finished is not None
    assert ("nothing", 2) == (finished.outcome, notes.state.cursor)
    assert "only questions" in finished.receipt
    assert [("nothing", NOW)] == [(run.outcome, run.ts) for run in runs(notes.folder)]


@pytest.mark.parametrize("typed", SOMETHING)
def test_what_may_tell_of_its_user_is_left_to_a_model(notes, typed):
    """Also between questions, in any language: code knows no words."""
    notes.has().said("what time is it?", typed, "and in Porto?")

    assert nothing_to_take(notes.folder, now=NOW) is None

    assert (0, ()) == (notes.state.cursor, tuple(runs(notes.folder)))


def test_nothing_was_said_where_there_is_no_record(notes):
    """No run is written down for a look at nothing."""
    notes.has()

    assert nothing_to_take(notes.folder, now=NOW) is None
    assert lacks_candidates(())
    assert not tuple(runs(notes.folder))


@pytest.mark.parametrize(("size", "passed"), [(200, 200), (201, 0)])
def test_two_hundred_records_are_looked_at_and_no_more(notes, size, passed):
    """What stands behind them may tell something."""
    notes.has().said(*["what time is it?"] * size)

    nothing_to_take(notes.folder, now=NOW)

    assert passed == notes.state.cursor


def test_what_earlier_runs_came_to_is_forgotten_with_their_records(notes):
    """Failures, a halved batch and a record that was begun belong to what was read."""
    notes.has().said("what time is it?", "and in Porto?")
    write_state(notes.folder, State(cursor=1, offset=9, failures=2, limit=5, tombstones=("- Has a cat",)))

    nothing_to_take(notes.folder, now=NOW)

    assert State(cursor=2, tombstones=("- Has a cat",)) == notes.state


def test_while_a_dream_runs_nobody_looks(notes):
    """It will read the records itself."""
    notes.has().said("what time is it?")

    with locked(notes.folder, "dream.lock"):
        assert nothing_to_take(notes.folder, now=NOW) is None

    assert 0 == notes.state.cursor


def test_a_word_that_answers_the_assistant_s_question_is_left_to_a_model(notes):
    """What it agrees to is the user's."""
    notes.has()
    append(
        notes.folder, Exchange("S1", (Said("typed", "yes"),), "Noted.", "Shall I call you Ada?"), now=NOW, redact=str
    )

    assert nothing_to_take(notes.folder, now=NOW) is None
