"""When a dream is due, and how much it reads."""

from datetime import timedelta

import pytest

from cococat.core.settings import DreamSettings
from cococat.memory.dream.plan import Due, NotDue, due, due_now, next_batch
from cococat.memory.file.history import PastExchange, Said
from cococat.memory.file.state import State, write_state
from tests.memory.conftest import NOW


@pytest.mark.parametrize(
    ("waiting", "minutes", "expected"),
    [
        (0, None, NotDue("nothing new to remember")),
        (0, 1e6, NotDue("nothing new to remember")),
        (1, 4.2, NotDue("1 of 3 records, last dream 4 min ago")),
        (2, 30, NotDue("2 of 3 records, last dream 30 min ago")),
        (1, None, Due("no dream yet")),
        (1, 30.1, Due("30 min since the last dream")),
        (3, 0, Due("3 records")),
        (3, None, Due("3 records")),
    ],
)
def test_a_dream_is_due_after_three_records_or_thirty_minutes(waiting, minutes, expected):
    """The table of the two thresholds; what is not due says why."""
    assert expected == due(waiting, minutes, DreamSettings())


@pytest.mark.parametrize("mode", ["off", "read"])
def test_switched_off_memory_is_never_due_by_itself(mode):
    """Only a user can start a dream then."""
    assert NotDue(f"memory.mode is {mode}") == due(9, 99, DreamSettings(mode=mode))
    assert Due("asked for") == due(1, 0, DreamSettings(mode=mode), manual=True)


def test_nothing_is_dreamt_twice_by_hand():
    """Even a manual dream needs a record."""
    assert NotDue("nothing new to remember") == due(0, 0, DreamSettings(), manual=True)


def test_never_is_infinitely_long_ago(notes):
    """Before the first dream one record is enough, however young it is."""
    notes.said("one")

    assert Due("no dream yet") == due_now(notes.folder, DreamSettings(), now=NOW)


def test_the_end_of_a_chat_needs_one_record(notes):
    """The thresholds are those of single questions; with nothing said nothing is due."""
    notes.has()
    write_state(notes.folder, State(last_dream=NOW))

    assert NotDue("nothing new to remember") == due_now(notes.folder, DreamSettings(), now=NOW, ended=True)
    notes.said("one")
    assert NotDue("1 of 3 records, last dream 0 min ago") == due_now(notes.folder, DreamSettings(), now=NOW)
    assert Due("a chat has ended") == due_now(notes.folder, DreamSettings(), now=NOW, ended=True)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (1799, NotDue("1 of 3 records, last dream 30 min ago")),
        (1800, NotDue("1 of 3 records, last dream 30 min ago")),
        (1801, Due("30 min since the last dream")),
    ],
)
def test_one_record_waits_for_half_an_hour(notes, seconds, expected):
    """To the second, by the time of the last dream in the state."""
    notes.said("one")
    write_state(notes.folder, State(last_dream=NOW - timedelta(seconds=seconds)))

    assert expected == due_now(notes.folder, DreamSettings(), now=NOW)


def test_a_clock_that_went_back_is_no_reason_to_dream(notes):
    """A last dream in the future counts as just now."""
    assert NotDue("1 of 3 records, last dream 0 min ago") == due(1, -500, DreamSettings())


def _records(*texts):
    return [PastExchange(seq, NOW, "S", (Said("typed", text),), "") for seq, text in enumerate(texts, 5)]


def test_a_batch_takes_the_oldest_records_that_fit():
    """At most 20 records and the token budget; the cursor points behind the last one taken."""
    many = next_batch(_records(*["abcd"] * 25), 0, 0, 4000, len)
    tight = next_batch(_records(*["abcd"] * 25), 0, 0, 10, len)
    brim = next_batch(_records(*["abcd"] * 25), 0, 0, 12, len)
    split = next_batch(_records(*["abcd"] * 25), 0, 5, 4000, len)

    assert (20, 24) == (len(many.records), many.cursor)
    assert (2, 6) == (len(tight.records), tight.cursor)
    assert (3, 7) == (len(brim.records), brim.cursor)
    assert (5, 9) == (len(split.records), split.cursor)


def test_a_record_of_just_the_budget_is_read_whole():
    """Only one that is longer is read in pieces."""
    whole, longer = _records("one two"), _records("one two ")

    assert (5, 0) == (next_batch(whole, 0, 0, 7, len).cursor, next_batch(whole, 0, 0, 7, len).offset)
    assert (4, 4) == (next_batch(longer, 0, 0, 7, len).cursor, next_batch(longer, 0, 0, 7, len).offset)


def test_a_long_record_is_read_in_pieces_and_never_cut():
    """Every character of it is in exactly one batch, and the cursor passes it with the last one."""
    text = " ".join(f"word{n}" for n in range(500))
    records = _records(text, "next")
    offset, pieces, cursor = 0, [], 4
    while cursor < 5:
        batch = next_batch(records, offset, 0, 300, len)
        assert 5 == batch.records[0].seq
        pieces.append(batch.records[0].typed)
        cursor, offset = batch.cursor, batch.offset

    assert text == "".join(pieces)
    assert all(len(piece) <= 300 for piece in pieces)


@pytest.mark.parametrize(
    ("text", "most", "piece"),
    [
        ("x" * 600, 300, "x" * 300),
        ("x" * 400, 300, "x" * 200),
        ("one two three four", 12, "one two "),
        ("abcd ef\ng h ijklmnop", 10, "abcd ef\n"),
        ("x" * 119 + " " + "y" * 480, 300, "x" * 119 + " " + "y" * 180),
    ],
    ids=["all that fits", "half of what fits at least", "a word", "rather a line", "no edge near the end"],
)
def test_a_piece_of_a_long_record_is_large_and_ends_at_a_line_or_a_word(text, most, piece):
    """It is cut at an edge where one stands in its second half, else where it is."""
    assert piece == next_batch(_records(text), 0, 0, most, len).records[0].typed


def test_a_character_that_is_over_the_budget_alone_is_read_alone():
    """A piece is never empty, or a dream would come no further."""
    batch = next_batch(_records("日本"), 0, 0, 2, lambda text: 3 * len(text))

    assert ("日", 1) == (batch.records[0].typed, batch.offset)
