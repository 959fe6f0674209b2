"""What was taken back is read by no dream, whenever it was taken back; what rests on it alone is named."""

import threading
from dataclasses import replace

import pytest

from cococat.memory.dream.retract import keep_retracted, retract_session, retract_turn, unfounded
from cococat.memory.dream.review import waiting
from cococat.memory.file.history import HISTORY, Exchange, Said, append, pending
from cococat.memory.file.journal import forget, hold, update
from cococat.memory.file.place import append_lines
from cococat.memory.file.provenance import PROVENANCE
from cococat.memory.file.versions import log
from cococat.memory.words import key
from tests.memory.conftest import NOW, START, edit
from tests.scripted import calls, fault, reached, says

LISBON, DOG = "by the way, I moved to Lisbon in May", "my dog is called Rex"
ADD = edit("- Writes Python", "- Writes Python\n- Moved to Lisbon", (1, "I moved to Lisbon in May"))
ADD_DOG = edit("- Writes Python", "- Writes Python\n- Dog is called Rex", (2, "my dog is called Rex"))


def said(notes, *typed, session="S1", first=1):
    """Keep exchanges of one session, their turns counted from *first*."""
    for turn, text in enumerate(typed, first):
        exchange = Exchange(session, (Said("typed", text),), "Noted.", turn=turn)
        append(notes.folder, exchange, now=NOW, redact=str)


def typed(notes, cursor=0, most=0):
    return [record.typed for record in pending(notes.folder, cursor, most=most).records]


def asked(server):
    return "".join(str(message["content"]) for request in server.requests for message in request["messages"])


def test_a_record_that_was_taken_back_is_not_pending_any_more(notes):
    """It stays in the file, a row behind it says so, and nothing else is left out, counted or complained about."""
    said(notes, "one", "two", "three")
    before = (notes.folder / HISTORY).read_bytes()

    assert retract_turn(notes.folder, "S1", 2, "two", now=NOW)
    found = pending(notes.folder, 0)

    assert (["one", "three"], 0, 2) == ([record.typed for record in found.records], found.skipped, found.waiting)
    assert (notes.folder / HISTORY).read_bytes().startswith(before)
    assert (
        b'{"v":1,"retracts":["S1",2],"ts":"2026-05-04T12:00:00+00:00"}\n'
        == (notes.folder / HISTORY).read_bytes()[len(before) :]
    )


@pytest.mark.parametrize("gone", [{1}, {2}, {1, 2, 3}, {4}, set(range(1, 8))], ids=str)
def test_what_was_not_taken_back_is_read_once_and_in_order_whatever_the_batch(notes, gone):
    """A batch that lacks a record takes the next one instead, and never one from behind a gap."""
    said(notes, *map(str, range(1, 8)))
    for turn in gone:
        retract_turn(notes.folder, "S1", turn, "", now=NOW)
    left = [str(turn) for turn in range(1, 8) if turn not in gone]
    read, cursor = [], 0

    while found := pending(notes.folder, cursor, most=2).records:
        assert len(left) - len(read) == pending(notes.folder, cursor, most=2).waiting
        read += [record.typed for record in found]
        cursor = found[-1].seq

    assert left == read


def test_a_turn_is_taken_back_once_and_only_the_turn_that_was_meant(notes):
    """The same words of another turn or another session stay; the second time there is nothing left to take back."""
    said(notes, "yes", "yes")
    said(notes, "yes", session="S2")

    told = [retract_turn(notes.folder, "S1", turn, "yes", now=NOW) for turn in (2, 2, 7)]

    assert [True, False, False] == told
    assert [("S1", 1), ("S2", 3)] == [(r.session, r.seq) for r in pending(notes.folder, 0).records]


def test_a_record_of_an_older_version_is_found_by_its_words(notes):
    """Such a record does not number its turn: the newest with these words is meant."""
    notes.said("yes", "no", "yes")

    assert retract_turn(notes.folder, "S1", 9, "yes", now=NOW)

    assert ["yes", "no"] == typed(notes)


def test_a_torn_row_takes_nothing_back_and_costs_nothing_else(notes):
    """Cut off in the middle it counts as a line that makes no sense; done again it holds."""
    said(notes, "one", "two")
    retract_turn(notes.folder, "S1", 1, "one", now=NOW)
    path = notes.folder / HISTORY
    path.write_bytes(path.read_bytes()[:-30])

    torn = pending(notes.folder, 0)
    retract_turn(notes.folder, "S1", 1, "one", now=NOW)

    assert (["one", "two"], 1) == ([record.typed for record in torn.records], torn.skipped)
    assert ["two"] == typed(notes)


def test_a_long_history_hides_no_row(notes):
    """Also where only the end of the file is read, the row is found with its record."""
    said(notes, *(f"{turn} {'x' * 2000}" for turn in range(1, 300)))
    retract_turn(notes.folder, "S1", 150, "", now=NOW)

    assert [149, 151] == [record.seq for record in pending(notes.folder, 148, most=2).records]
    assert [299] == [record.seq for record in pending(notes.folder, 298).records]


@pytest.mark.usefixtures("known")
def test_a_dream_reads_nothing_of_what_was_taken_back(notes, scripted):
    """The words are in no request; what else was said is learned, and the cursor stands behind all of it."""
    notes.has()
    said(notes, LISBON, DOG)
    retract_turn(notes.folder, "S1", 1, LISBON, now=NOW)
    server = scripted(calls(ADD_DOG), says("done"))

    finished = notes.dream(server)

    assert ("changed", START + "- Dog is called Rex\n", 2) == (finished.outcome, notes.text, notes.state.cursor)
    assert LISBON not in asked(server)


def test_the_next_record_is_read_whole_where_the_one_before_it_was_begun_and_taken_back(notes, scripted):
    """How far a long record was read means nothing for the one behind it."""
    notes.has()
    said(notes, "I like tea. " * 3000, DOG)
    notes.dream(scripted(says("nothing"), fault(400)))
    begun = notes.state.offset
    retract_turn(notes.folder, "S1", 1, "", now=NOW)

    finished = notes.dream(scripted(calls(ADD_DOG), says("done")))

    assert begun
    assert ("changed", 2, 0) == (finished.outcome, notes.state.cursor, notes.state.offset)


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize("hold", [False, True], ids=["applied", "held"])
def test_what_is_taken_back_while_a_dream_runs_is_not_remembered(notes, scripted, hold):
    """The dream notices before it changes anything, and goes over what is left."""
    notes.has()
    said(notes, LISBON, DOG)
    begun, gate = threading.Event(), threading.Event()
    server = scripted(calls(ADD), says("do", reached(begun), gate, "ne"), calls(ADD_DOG), says("done"))

    def take_back():
        assert begun.wait(30)
        retract_turn(notes.folder, "S1", 1, LISBON, now=NOW)
        gate.set()

    beside = threading.Thread(target=take_back)
    beside.start()
    finished = notes.dream(server, hold=hold)
    beside.join()

    assert "Lisbon" not in notes.text + finished.diff
    assert "+- Dog is called Rex" in finished.diff
    assert ("held" if hold else "changed") == finished.outcome


def test_a_dream_whose_every_record_is_taken_back_ends_with_nothing(notes, scripted):
    """There is nothing left to read the second time, and nothing is asked."""
    notes.has()
    said(notes, LISBON)
    begun, gate = threading.Event(), threading.Event()
    server = scripted(calls(ADD), says("do", reached(begun), gate, "ne"))

    def take_back():
        assert begun.wait(30)
        retract_session(notes.folder, "S1", now=NOW)
        gate.set()

    beside = threading.Thread(target=take_back)
    beside.start()
    finished = notes.dream(server)
    beside.join()

    assert ("nothing", START, 2) == (finished.outcome, notes.text, len(server.requests))
    assert "nothing new to remember" in finished.receipt


def test_a_change_that_waits_is_dropped_with_what_it_was_made_of(notes, scripted):
    """Nobody is asked about it any more; what else was said is read again by the next dream."""
    notes.has()
    said(notes, LISBON, DOG)
    notes.dream(scripted(calls(ADD, ADD_DOG), says("done")), hold=True)

    retract_turn(notes.folder, "S1", 1, LISBON, now=NOW)

    assert waiting(notes.folder) is None
    assert (0, 1, ()) == (notes.state.held, notes.state.dreams, log(notes.folder))
    assert [DOG] == typed(notes, notes.state.cursor)


@pytest.mark.parametrize(("cursor", "begins"), [(0, (0, 7)), (1, (1, 7)), (2, (1, 0)), (3, (1, 0))])
def test_behind_a_change_that_was_dropped_what_is_left_of_it_is_read_from_where_it_began(notes, cursor, begins):
    """In the middle of a record where dreams have come no further than that."""
    said(notes, "one", "two", "three")
    hold(notes.has().folder, START.encode(), b"- x\n", {"kind": "held", "ts": NOW.isoformat(), "records": [2, 3]}, NOW)
    update(notes.folder, lambda state: replace(state, cursor=cursor, offset=7))

    retract_turn(notes.folder, "S1", 3, "three", now=NOW)

    assert (0, begins) == (notes.state.held, (notes.state.cursor, notes.state.offset))


@pytest.mark.usefixtures("known")
def test_a_line_that_rests_on_what_was_taken_back_alone_is_named_and_another_stays(notes, scripted):
    """One with a second ground, one written by hand, and one that a user kept stand; what was dreamed is not undone."""
    notes.has()
    said(notes, LISBON, DOG)
    said(notes, "I moved to Lisbon in May, as I said", session="S2")
    both = edit(
        "- Writes Python",
        "- Writes Python\n- Moved to Lisbon",
        (5, "I moved to Lisbon in May"),
        (7, "I moved to Lisbon in May"),
    )
    notes.dream(scripted(calls(both, ADD_DOG), says("done")))

    retract_session(notes.folder, "S1", now=NOW)
    first = [found.line for found in unfounded(notes.folder)]
    retract_session(notes.folder, "S2", now=NOW)
    second = [found.line for found in unfounded(notes.folder)]
    keep_retracted(notes.folder, ["- Dog is called Rex"])
    third = [found.line for found in unfounded(notes.folder)]
    forget(notes.folder, third, now=NOW)

    assert ["- Dog is called Rex"] == first
    assert {"- Dog is called Rex", "- Moved to Lisbon"} == set(second)
    assert ["- Moved to Lisbon"] == third
    assert (START + "- Dog is called Rex\n", ()) == (notes.text, unfounded(notes.folder))


@pytest.mark.usefixtures("known")
def test_a_line_that_replaced_another_rests_on_its_own_words(notes, scripted):
    """What the line before it rested on does not carry a fact that was taken back."""
    notes.has()
    said(notes, LISBON)
    notes.dream(scripted(calls(ADD), says("done")))
    said(notes, "no, I moved to Porto in May", first=2)
    moved = edit("- Moved to Lisbon", "- Moved to Porto", (2, "I moved to Porto in May"))
    notes.dream(scripted(calls(moved), says("done")))

    retract_turn(notes.folder, "S1", 2, "", now=NOW)

    assert START + "- Moved to Porto\n" == notes.text
    assert ["- Moved to Porto"] == [found.line for found in unfounded(notes.folder)]


@pytest.mark.usefixtures("known")
def test_a_merged_line_stands_as_long_as_one_of_its_parts_does(notes, scripted):
    """It has no words of its own and inherits those of its parts, a part written by hand included."""
    notes.has()
    said(notes, LISBON, DOG)
    notes.dream(
        scripted(
            calls(ADD, edit("- Moved to Lisbon", "- Moved to Lisbon\n- Dog is called Rex", (2, DOG))), says("done")
        )
    )
    notes.has(notes.text.replace("- Moved to Lisbon\n- Dog is called Rex", "- Moved to Lisbon; dog is called Rex"))
    merged = {"key": key("- Moved to Lisbon; dog is called Rex"), "line": "- Moved to Lisbon; dog is called Rex"}
    parents = [key("- Moved to Lisbon"), key("- Dog is called Rex")]
    append_lines(notes.folder, PROVENANCE, [{"v": 1, **merged, "from": parents, "sources": [], "dream": 2}])

    retract_turn(notes.folder, "S1", 1, "", now=NOW)
    first = unfounded(notes.folder)
    retract_turn(notes.folder, "S1", 2, "", now=NOW)

    assert () == first
    assert ["- Moved to Lisbon; dog is called Rex"] == [found.line for found in unfounded(notes.folder)]


@pytest.mark.usefixtures("known")
def test_a_line_that_was_reworded_back_and_forth_rests_on_its_first_words_alone(notes, scripted):
    """Two wordings that were each made of the other are no ground for each other."""
    notes.has()
    said(notes, LISBON)
    notes.dream(scripted(calls(ADD), says("done")))
    there, back = key("- Moved to Lisbon"), key("- Lives in Lisbon now")
    rows = [{"key": back, "from": [there]}, {"key": there, "from": [back]}]
    append_lines(notes.folder, PROVENANCE, [{"v": 1, **row, "sources": [], "dream": 1} for row in rows])

    before = unfounded(notes.folder)
    retract_turn(notes.folder, "S1", 1, "", now=NOW)

    assert ((), ["- Moved to Lisbon"]) == (before, [found.line for found in unfounded(notes.folder)])


def test_a_merged_line_with_words_of_its_own_stands_by_those_of_its_parts(notes):
    """It says what its parts say, so that one of them that still stands carries it."""
    one, other = "- Moved to Lisbon", "- Dog is called Rex"
    merged = "- Moved to Lisbon; dog is called Rex"
    notes.has(f"{START}{merged}\n{one} at last\n")
    said(notes, LISBON, DOG)
    source = {"session": "S1", "quote": "as it was said", "date": "2026-05-04"}
    rows = [
        {"line": one, "from": [], "sources": [{**source, "seq": 1}]},
        {"line": merged, "from": [one, other], "sources": [{**source, "seq": 2}]},
        {"line": f"{one} at last", "from": [one, other], "sources": [{**source, "seq": 2}]},
    ]
    keyed = [{**row, "key": key(row["line"]), "from": [key(line) for line in row["from"]]} for row in rows]
    append_lines(notes.folder, PROVENANCE, [{"v": 1, **row, "dream": 1} for row in keyed])

    retract_turn(notes.folder, "S1", 2, "", now=NOW)

    assert [f"{one} at last"] == [found.line for found in unfounded(notes.folder)]


def test_a_history_without_any_row_is_read_as_ever(notes):
    """What older versions wrote has nothing taken back, and a folder without a history is none of anybody's trouble."""
    assert ((), False) == (unfounded(notes.folder), retract_session(notes.folder, "S1", now=NOW))
    assert not notes.folder.exists()
    notes.said("one", "two")

    assert (["one", "two"], ()) == (typed(notes), unfounded(notes.folder))
