"""What a run may use of the user's budget, and the free look that needs none."""

import pytest

from cococat.core.events import TurnFinished
from cococat.core.limits import Stop, StopReason, Usage
from cococat.memory.dream.options import DreamBounds
from cococat.memory.dream.plan import lacks_candidates, nothing_to_take
from cococat.memory.file.history import HISTORY, pending
from cococat.memory.file.place import locked
from cococat.memory.file.state import State, write_state
from cococat.memory.file.versions import runs
from tests.memory.conftest import NOW


def turns(*took):
    """Runs that took so many tokens and seconds."""
    return [TurnFinished("", Stop(StopReason.ANSWERED), 1, Usage(tokens - 1, 1), seconds) for tokens, seconds in took]


@pytest.mark.parametrize(
    ("budget", "took", "left"),
    [
        ((0, 0), [(90_000, 900.0)], (25_000, 60.0)),
        ((30_000, 0), [], (25_000, 60.0)),
        ((30_000, 0), [(4_000, 5.0), (3_000, 5.0)], (23_000, 60.0)),
        ((30_000, 0), [(29_999, 5.0)], (1, 60.0)),
        ((30_000, 0), [(30_000, 5.0)], None),
        ((0, 100), [(5, 30.0), (5, 30.0)], (25_000, 40.0)),
        ((0, 100), [(5, 99.5)], (25_000, 0.5)),
        ((0, 100), [(5, 100.0)], None),
        ((30_000, 100), [(5, 101.0)], None),
        ((30_000, 100), [(31_000, 1.0)], None),
    ],
)
def test_a_run_may_use_what_the_runs_before_it_left_of_the_budget(budget, took, left):
    """Never more than one run may; without a budget each has all of that, and a budget that is spent ends the dream."""
    bounds = DreamBounds(budget_tokens=budget[0], budget_seconds=budget[1]).after(turns(*took))

    assert left == (bounds and (bounds.tokens, bounds.seconds))
    assert (7, 4000) == (DreamBounds().rounds, DreamBounds().batch_tokens)
    assert DreamBounds() == DreamBounds().after(turns((1, 1.0)))


@pytest.mark.parametrize(
    ("typed", "free"),
    [
        ("what is the capital of Portugal?", True),
        ("fix it. I live in Lisbon", False),
        ("I live in Lisbon", False),
        ("run always", True),
        ("run one two", False),
        ("could you answer in German from now on?", True),
        ("👍", True),
        ("", True),
    ],
)
def test_questions_and_bare_commands_cost_no_request(notes, typed, free):
    """A longer command, one that speaks of its user and a request that states a wish do; the rest is done with at once."""
    notes.has().said(typed)
    write_state(notes.folder, State(failures=2, limit=3))

    assert free == lacks_candidates(pending(notes.folder, 0).records)
    finished = nothing_to_take(notes.folder, now=NOW)

    assert free == (finished is not None)
    assert (State(cursor=1) if free else State(failures=2, limit=3)) == notes.state
    assert ["memory unchanged · only questions"] * free == [run.receipt for run in runs(notes.folder)]


@pytest.mark.parametrize(("count", "free"), [(200, True), (201, False)])
def test_a_free_look_has_room_for_two_hundred_records(notes, count, free):
    """Of more a model has a look, and so where nothing waits, and where a dream is running."""
    assert nothing_to_take(notes.has().folder, now=NOW) is None
    notes.said("why?")
    history = notes.folder / HISTORY
    line = history.read_text()
    history.write_text("".join(line.replace('"seq":1', f'"seq":{seq}') for seq in range(1, count + 1)))

    with locked(notes.folder, "dream.lock"):
        assert nothing_to_take(notes.folder, now=NOW) is None
    assert free == (nothing_to_take(notes.folder, now=NOW) is not None)
    assert (count if free else 0) == notes.state.cursor
