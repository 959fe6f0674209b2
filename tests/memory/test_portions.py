"""A small model is told one record at a time, each with a run of its own; together they are one dream."""

import asyncio

import pytest

from cococat.memory.dream.options import DreamBounds
from cococat.memory.file.find_lines import reasons
from cococat.memory.file.versions import log
from tests.memory.conftest import START, edit
from tests.scripted import STALL, broken, calls, fault, forever, says

pytestmark = pytest.mark.usefixtures("known")

ONE = DreamBounds(records=1)
TYPED = ("by the way, I moved to Lisbon in May", "what is the capital of France?", "my cat is called Momo")
LISBON = edit("- Writes Python", "- Writes Python\n- Moved to Lisbon", (1, "I moved to Lisbon"))
MOMO = edit("- Writes Python", "- Writes Python\n- Cat is called Momo", (3, "my cat is called Momo"))
WRONG = edit("- Writes Python", "- Writes Python\n- Moved to Porto", (1, "I moved to Lisbon"))


def told(server):
    """What each run was told, the briefings."""
    briefings = [str(body["messages"][1]["content"]) for body in server.requests]
    return list(dict.fromkeys(briefings))


def test_each_record_is_read_alone_beside_what_was_noted_before(notes, scripted):
    """One dream, one version, one receipt; a question is read without a request."""
    notes.has().said(*TYPED)
    server = scripted(calls(LISBON), says("done"), calls(MOMO), says("done"))

    finished = notes.dream(server, bounds=ONE)

    first, second = told(server)
    assert ("Lisbon" in first, "Momo" in first) == (True, False)
    assert ("- Moved to Lisbon" in second, "user: my cat" in second, "user: by the way" in second) == (
        True,
        True,
        False,
    )
    assert "remembered 2, changed 0, dropped 0" in finished.receipt
    assert " · 5 steps · " in finished.receipt
    assert START + "- Cat is called Momo\n- Moved to Lisbon\n" == notes.text.replace(
        "- Moved to Lisbon\n- Cat is called Momo\n", "- Cat is called Momo\n- Moved to Lisbon\n"
    )
    assert ([1], 3) == ([one.number for one in log(notes.folder)], notes.state.cursor)


def test_whoever_looks_on_is_told_which_record_is_read_and_of_how_many(notes, scripted):
    """Questions that need no request do not count: the end that is named is the one that comes."""
    notes.has().said(*TYPED)
    told = []

    notes.dream(
        scripted(forever(says("done"))),
        bounds=ONE,
        portions=lambda done, total: told.append((done, total)) is None,
    )

    assert [(0, 2), (1, 2)] == told


def test_what_is_refused_of_one_record_does_not_cost_the_others(notes, scripted):
    """The dream has changed something, and nothing comes again."""
    notes.has().said(*TYPED)
    server = scripted(calls(WRONG), says("done"), calls(MOMO), says("done"))

    finished = notes.dream(server, bounds=ONE)

    assert ("changed", 3, 0) == (finished.outcome, notes.state.cursor, notes.state.failures)
    assert START + "- Cat is called Momo\n" == notes.text


def test_a_record_whose_run_is_stopped_comes_first_the_next_time_and_then_is_set_aside(notes, scripted):
    """What was read before it is kept at once; a model that calls foreign tools is not believed, and three tries are enough."""
    notes.has().said(
        "by the way, I moved to Lisbon in May", "what is the capital of France?", "my cat is called Momo", "I am Ada"
    )
    foreign = calls(MOMO, *[("run_shell", {"command": str(number)}) for number in range(3)])
    server = scripted(calls(LISBON), says("done"), *[foreign] * 4, says("done"))

    tries = [notes.dream(server, bounds=ONE) for _ in range(3)]

    assert ["failed", "failed", "gave_up"] == [one.outcome for one in tries]
    assert "record 7 was set aside" in tries[-1].receipt
    assert START + "- Moved to Lisbon\n" == notes.text
    assert 3 == notes.state.cursor

    assert "nothing" == notes.dream(server, bounds=ONE).outcome
    assert ("I am Ada" in told(server)[-1], 4) == (True, notes.state.cursor)


def test_a_server_that_goes_away_between_two_records_costs_none(notes, scripted):
    """What was read is kept, the rest comes again."""
    notes.has().said(*TYPED)
    server = scripted(calls(LISBON), says("done"), *[fault(401)] * 2, calls(MOMO), says("done"))

    first = notes.dream(server, bounds=ONE)
    assert ("failed", 2, START + "- Moved to Lisbon\n") == (first.outcome, notes.state.cursor, notes.text)
    second = notes.dream(server, bounds=ONE)

    assert ("changed", 3) == (second.outcome, notes.state.cursor)
    assert "- Cat is called Momo" in notes.text


def test_where_a_budget_ends_the_records_read_until_then_are_done(notes, scripted):
    """What is left is read by the next dream, and nothing twice."""
    notes.has().said(*TYPED)
    server = scripted(calls(LISBON), says("done"), calls(MOMO), says("done"), usage=(2000, 10))

    notes.dream(server, bounds=DreamBounds(records=1, budget_tokens=7000))

    assert (START + '- 2026-05-04: "by the way, I moved to Lisbon in May"\n', 2) == (
        notes.text,
        notes.state.cursor,
    )  # no judge is paid


def test_a_dream_that_is_cancelled_between_two_records_leaves_everything_as_it_was(notes, scripted):
    """Also what was read already."""
    notes.has().said(*TYPED)
    server = scripted(calls(LISBON), says("done"), broken("thinking", how=STALL))

    async def stop(task):
        while len(server.requests) < 3:
            await asyncio.sleep(0.01)
        task.cancel()

    finished = notes.dream(server, bounds=ONE, during=stop)

    assert ("cancelled", 0, START) == (finished.outcome, notes.state.cursor, notes.text)


@pytest.mark.parametrize("seq", [6, 5], ids=["its record", "another"])
def test_a_quote_that_begins_with_another_letter_than_the_user_s_is_kept_as_typed(notes, scripted, seq):
    """Small models begin a quote as a sentence, and miscount; any other letter of it must be the user's."""
    notes.has().said("I live in Lisbon", "my cat is called Momo")
    line = "- Writes Python\n- Cat is called Momo"
    large, other = (
        edit("- Writes Python", line, (seq, quote)) for quote in ("My cat is called Momo", "my Cat is called Momo")
    )
    server = scripted(calls(other), calls(large), says("done"))

    notes.dream(server)

    assert "the user did not type 'my Cat is called Momo'" in str(server.requests[1]["messages"])
    sources = [one for one, _ in reasons(notes.folder, "Momo")[0].sources]
    assert [(6, "my cat is called Momo")] == [(one.seq, one.quote) for one in sources]
