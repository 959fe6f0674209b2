"""A dream of several parts is told as one; what waits to be tidied holds up no remembering."""

import json
import re

import pytest

from cococat.app.dream.unread_receipts import take_unread
from cococat.config import Folders
from cococat.core.agent import estimate_tokens
from cococat.core.events import DreamFinished
from cococat.core.settings import DreamSettings
from cococat.memory.dream.review import decide, waiting
from cococat.memory.file.edits import patched
from cococat.memory.file.history import HISTORY
from cococat.memory.file.journal import JOURNAL
from cococat.memory.file.place import size
from cococat.memory.file.versions import RUNS, PastRun, log, log_run, runs
from tests.memory.conftest import NOW, START, edit
from tests.scripted import calls, forever, says

LISBON = edit("- Writes Python\n", "- Writes Python\n- Lives in Lisbon\n", (1, "I live in Lisbon"))
OWN = '- 2026-05-04: "I live in Lisbon"'  # where nobody can judge
PORTO = edit("- Writes Python\n", "- Writes Python\n- Sister lives in Porto\n", (21, "my sister lives in Porto"))
JOIN = edit("- Prefers tea to coffee\n- Writes Python", "- Prefers tea to coffee, writes Python")
DROP = edit("- Prefers tea to coffee\n", "")


def ends(notes):
    """What was told of ends while the dream went on."""
    return [event for event in notes.events if isinstance(event, DreamFinished)]


def test_more_than_one_batch_is_read_in_one_dream_with_one_receipt(notes, scripted):
    """Whoever talks for long is not left with half of it; both changes are named, to be taken back in their order."""
    notes.has().said("I live in Lisbon", *["it rained again today"] * 19, "my sister lives in Porto")
    server = scripted(calls(LISBON), says("done"), calls(PORTO), says("done"), usage=(10, 5))

    finished = notes.dream(server, count=len)

    assert (21, []) == (notes.state.cursor, ends(notes))
    assert finished.receipt.startswith("remembered 2, changed 0, dropped 0 · ")
    assert finished.receipt.endswith(
        f" · {len(START)} → {len(notes.text)} tokens · 6 steps · 90 tokens · undo: cococat dream undo 2, then 1"
    )  # two requests of a judge among them
    assert ["+- Sister lives in Porto", "+- Lives in Lisbon"] == [
        line for line in finished.diff.split("\n") if line[:2] == "+-"
    ]
    assert [finished.receipt] == [run.receipt for run in runs(notes.folder)]
    assert ["remembered 1, changed 0, dropped 0"] * 2 == [entry.told for entry in log(notes.folder)]


def test_what_a_run_of_twelve_edits_has_not_come_to_is_read_again(notes, scripted):
    """The record that was quoted last may tell of more: it comes again with those behind it, and nothing is lost."""
    towns = [*"ABCDEFGHIJKL"]
    notes.has().said(*[f"I sold a boat in {town}town" for town in towns], "my sister lives in Porto")
    sold = [edit("- Writes Python", f"- Writes Python\n- Sold a boat in {town}town", (seq, f"sold a boat in {town}town"))
            for seq, town in enumerate(towns, 1)]  # fmt: skip
    porto = edit("- Writes Python", "- Writes Python\n- Sister lives in Porto", (13, "my sister lives in Porto"))
    server = scripted(calls(*sold), says("done"), calls(porto), says("done"), usage=(10, 5))

    finished = notes.dream(server)

    again = server.requests[2]["messages"][-1]["content"]
    assert ["12", "13"] == re.findall(r"record seq=(\d+)", again)
    assert (13, 13) == (notes.state.cursor, notes.text.count("boat") + notes.text.count("Porto"))
    assert finished.receipt.startswith("remembered 13, changed 0, dropped 0 · ")


def test_twelve_edits_of_one_record_are_the_most_of_it(notes, scripted):
    """It is not read for ever."""
    towns = [*"ABCDEFGHIJKL"]
    notes.has().said(". ".join(f"I sold a boat in {town}town" for town in towns), "my sister lives in Porto")
    sold = [edit("- Writes Python", f"- Writes Python\n- Sold a boat in {town}town", (1, f"sold a boat in {town}town"))
            for town in towns]  # fmt: skip
    server = scripted(calls(*sold), says("done"), says("done"), usage=(10, 5))

    notes.dream(server)

    again = server.requests[2]["messages"][-1]["content"]
    assert (["2"], 2) == (re.findall(r"record seq=(\d+)", again), notes.state.cursor)


def test_what_was_said_and_the_notes_as_a_whole_are_told_in_one_line(notes, scripted, tmp_path):
    """By hand both are done; the sizes and the cost are those of the whole, and the next start says it once."""
    notes.knows().has().said("I live in Lisbon")
    server = scripted(calls(LISBON), says("done"), calls(JOIN), says("done"), usage=(10, 5))

    finished = notes.dream(server, by_hand=True)

    sizes = f"{estimate_tokens(START)} → {estimate_tokens(notes.text)} tokens"
    told = "remembered 1, changed 0, dropped 0; compacted 4 → 3 lines"
    assert [] == ends(notes)
    assert f"{told} · {sizes} · 5 steps · 75 tokens · undo: cococat dream undo 2, then 1" == finished.receipt
    folders = Folders(tmp_path / "config", tmp_path / "sessions", notes.folder, tmp_path / "state", tmp_path / "cache")
    line, *facts = take_unread(folders)
    assert f"since last time: {finished.receipt}" == line
    assert [
        "- Prefers tea to coffee",
        "- Writes Python",
        "+ Prefers tea to coffee, writes Python",
        '+ Lives in Lisbon    "I live in Lisbon"',
    ] == sorted(facts, key=lambda row: (row[0] == "+", "Lisbon" in row))


def test_a_list_of_runs_that_is_not_there_is_empty(notes):
    """Before the first dream there is nothing to have missed."""
    assert (0, ()) == (size(notes.has().folder, RUNS), runs(notes.folder))


def test_a_run_is_a_row_that_names_its_form_and_what_a_row_lacks_is_none(notes):
    """A later cococat can tell the rows apart; one by an earlier version is read all the same."""
    log_run(notes.has().folder, DreamFinished("failed", "no model"), now=NOW)
    with (notes.folder / RUNS).open("a", encoding="utf-8") as file:
        file.write('{"ts":"2026-05-04T12:00:00+00:00","outcome":"nothing"}\n{"ts":"yesterday"}\n')

    assert 1 == json.loads((notes.folder / RUNS).read_text("utf-8").split("\n", 1)[0])["v"]
    assert (
        PastRun(NOW, "failed", "no model", 0, 0, 0, 0, 0, ""),
        PastRun(NOW, "nothing", "", 0, 0, 0, 0, 0, ""),
    ) == runs(notes.folder)


def test_who_knows_a_part_of_the_runs_reads_the_rest(notes):
    """From the byte where the file ended, to its end; a file that has shrunk is another one, and all is new."""
    for receipt in ("one", "two", "three"):
        log_run(notes.has().folder, DreamFinished("nothing", receipt), now=NOW)
    whole = size(notes.folder, RUNS)

    assert whole == (notes.folder / RUNS).stat().st_size
    assert ["one", "two", "three"] == [run.receipt for run in runs(notes.folder)]
    assert [] == [run.receipt for run in runs(notes.folder, behind=whole)]
    assert ["one", "two", "three"] == [run.receipt for run in runs(notes.folder, behind=whole + 1)]
    log_run(notes.folder, DreamFinished("nothing", "four"), now=NOW)
    assert ["four"] == [run.receipt for run in runs(notes.folder, behind=whole)]


@pytest.mark.parametrize(
    ("covers", "told"), [(0, ["one", "two", "all"]), (1, ["one", "all"]), (2, ["all"]), (9, ["all"])]
)
def test_a_row_for_several_runs_takes_the_place_of_theirs(notes, covers, told):
    """Of no more than there are, where whoever asks knows some of them already."""
    for receipt in ("one", "two"):
        log_run(notes.has().folder, DreamFinished("nothing", receipt), now=NOW)

    log_run(notes.folder, DreamFinished("nothing", "all"), now=NOW, spent={"covers": covers})

    assert told == [run.receipt for run in runs(notes.folder)]


def test_notes_that_need_no_tidying_leave_no_line_of_their_own(notes, scripted):
    """What that look took is counted with the rest."""
    notes.knows().has().said("I live in Lisbon")

    finished = notes.dream(scripted(calls(LISBON), says("done"), says("tidy"), usage=(10, 5)), by_hand=True)

    assert finished.receipt.startswith("remembered 1, changed 0, dropped 0 · ")
    assert finished.receipt.endswith(" · 4 steps · 60 tokens · undo: cococat dream undo 1")
    assert [finished.receipt] == [run.receipt for run in runs(notes.folder)]


def test_two_parts_that_change_nothing_are_one_line(notes, scripted):
    """With both reasons."""
    notes.has().said("it rained again today")

    finished = notes.dream(scripted(says("done"), says("tidy"), usage=(10, 5)), by_hand=True)

    assert "memory unchanged · nothing new to remember, nothing to tidy · 2 steps · 30 tokens" == finished.receipt
    assert [("nothing", finished.receipt)] == [(run.outcome, run.receipt) for run in runs(notes.folder)]


def test_notes_that_are_far_too_many_are_tidied_and_what_was_said_is_read_beside_the_newest(notes, scripted):
    """First what structure can make smaller, then what waits, with the oldest notes left out of what the model sees."""
    many = "".join(f"- Project {number} runs on the machine of room {number}\n" for number in range(200))
    notes.has(START + many + "- Project 7 runs on the machine of room 7\n").said("I live in Lisbon")
    server = scripted(forever(says("done")))

    finished = notes.dream(server, count=len)

    assert ("changed", 1) == (finished.outcome, notes.state.cursor)
    assert finished.receipt.startswith("compacted 204 → 203 lines · ")
    assert "make it smaller" not in finished.receipt
    read = server.requests[-1]["messages"][-1]["content"]
    assert "user: I live in Lisbon" in read
    assert "lines of another part]" in read
    assert [finished.receipt] == [run.receipt for run in runs(notes.folder)]


@pytest.fixture
def losing(notes, scripted):
    """Notes whose compaction waits, since it would lose a fact."""
    notes.has()
    assert "held" == notes.dream(scripted(calls(DROP), says("done")), by_hand=True).outcome
    return notes


def test_what_is_said_while_a_compaction_waits_is_remembered(losing, scripted):
    """The change that waits goes on waiting, and is made in the notes as they have become."""
    losing.said("I live in Lisbon")

    finished = losing.dream(scripted(calls(LISBON), says("done")), manual=False, ended=True)

    assert ("changed", 1, 1) == (finished.outcome, losing.state.cursor, losing.state.held)
    assert OWN in losing.text
    proposal = waiting(losing.folder)
    assert [(("- Prefers tea to coffee",), ())] == [(hunk.removed, hunk.added) for hunk in proposal.hunks]

    decided = decide(losing.folder, {0}, now=NOW)

    assert ("changed", 0) == (decided.outcome, losing.state.held)
    assert decided.receipt.startswith("compacted 4 → 3 lines · ")
    assert START.replace("- Prefers tea to coffee\n", "") + OWN + "\n" == losing.text


def test_a_compaction_of_lines_that_changed_meanwhile_is_not_made_and_comes_again(losing, scripted):
    """It was made for another text; the next dream by hand proposes it anew, for this one."""
    losing.has(losing.text.replace("tea to coffee", "tea to coffee in the morning"))

    assert "failed" == decide(losing.folder, {0}, now=NOW).outcome
    assert (0, None, NOW) == (losing.state.held, waiting(losing.folder), losing.state.last_dream)

    drop = edit("- Prefers tea to coffee in the morning\n", "")
    assert "held" == losing.dream(scripted(calls(drop), says("done")), by_hand=True).outcome


@pytest.mark.parametrize(
    ("before", "after", "now", "expected"),
    [
        (b"b\n", b"a\nb\n", b"b\nc\n", b"a\nb\nc\n"),
        (b"b\n", b"a\nb\n", b"x\nb\n", None),
        (b"a\nb\n", b"b\n", b"a\nb\nc\n", b"b\nc\n"),
        (b"a\nb\n", b"b\n", b"A\nb\n", None),
        (b"a\nb\n", b"a\nb\nz\n", b"x\na\nb\n", b"x\na\nb\nz\n"),
        (b"b\n", b"a\nb\n", b"B\n", b"a\nB\n"),
        (b"a\nb\n", b"a\nn\nb\n", b"a\nx\nb\n", b"a\nn\nx\nb\n"),
        (b"a\nb\n", b"a\nn\nb\n", b"A\nb\n", b"A\nn\nb\n"),
        (b"a\nb\n", b"a\nn\nb\n", b"A\nB\n", None),
        (b"a\n", b"a\nn\n", b"A\n", b"A\nn\n"),
        (b"a\nb\nc\n", b"a\nc\n", b"a\nx\nb\nc\n", b"a\nx\nc\n"),
        (b"a\nb\nc\n", b"z\n", b"a\nx\nb\nc\n", None),
        (b"a\nb\nc\n", b"a\n", b"a\nb\nx\nc\n", None),
        (b"a\nb", b"b", b"a\nb\nc", b"b\nc"),
        (b"a", b"a\nb", b"x\na", b"x\na\nb"),
    ],
)
def test_a_change_is_made_in_another_state_where_its_place_is_as_it_was(before, after, now, expected):
    """At the start, in the middle, at the end; elsewhere it is not made."""
    assert expected == patched(before, after, now)


def test_a_no_to_a_compaction_is_not_asked_about_again(losing, scripted):
    """Until the notes change, a pass by itself has nothing to tidy."""
    decide(losing.folder, (), now=NOW)
    server = scripted()

    finished = losing.dream(server, by_hand=True)

    assert ("nothing", []) == (finished.outcome, server.requests)


@pytest.mark.parametrize(("room", "requests"), [(-1, 0), (0, 1)])
def test_where_the_notes_are_full_what_was_said_waits_with_the_compaction(losing, scripted, room, requests):
    """No edit would fit, so no token is spent, and no record is given up; up to then it is read, and nothing else asked."""
    losing.said("I live in Lisbon")
    server = scripted(says("done"))
    settings = DreamSettings(max_bytes=len(losing.text.encode()) + room)

    finished = losing.dream(server, manual=False, ended=True, settings=settings)

    assert (requests == 0) == ("what was said waits: MEMORY.md is full, and dream 1 waits for you" in finished.receipt)
    assert ("nothing", requests, 1) == (finished.outcome, losing.state.cursor, losing.state.held)
    assert requests == len(server.requests)


@pytest.mark.parametrize(("torn", "told"), [(0, None), (1, "1 line makes no sense"), (2, "2 lines make no sense")])
def test_lines_of_the_history_that_make_no_sense_are_counted_aloud(notes, scripted, torn, told):
    """They are kept, and what can be read is read."""
    notes.has().said("why?")
    with (notes.folder / HISTORY).open("a") as history:
        history.write("torn\n" * torn)

    finished = notes.dream(scripted())

    assert ("nothing", 1) == (finished.outcome, notes.state.cursor)
    assert [told] * bool(told) == [event.text.partition(" to this")[0] for event in notes.events]


def test_what_a_killed_process_began_is_told_by_the_next_dream(notes, scripted):
    """As a notice, and in the log of runs, where nobody may have been there to see it; not by a dry run."""
    notes.has().said("why?")
    (notes.folder / JOURNAL).write_bytes(b"{")

    notes.dream(scripted(), dry_run=True)
    dry = [run.receipt for run in runs(notes.folder)]
    (notes.folder / JOURNAL).write_bytes(b"{")
    notes.dream(scripted())

    told = "discarded an interrupted change of the memory; the file is as it was"
    assert [told, told] == [event.text for event in notes.events]
    assert (False, True) == (told in dry, told in [run.receipt for run in runs(notes.folder)])
    assert not (notes.folder / JOURNAL).exists()
