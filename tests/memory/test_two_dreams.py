"""Somebody else at the same moment: another dream, an editor, a tool of the chat, a swapped file, a wrong clock."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cococat.errors import StorageError
from cococat.memory.dream.retract import keep_retracted, retract_turn
from cococat.memory.file.document import MEMORY, read
from cococat.memory.file.journal import JOURNAL, Change, Conflict, commit, recover, rm, update
from cococat.memory.file.place import locked, read_bytes, write_bytes
from cococat.memory.file.versions import log
from tests.begun import begin
from tests.memory.conftest import NOW, START, edit
from tests.scripted import calls, forever, reached, says

ROOT = Path(__file__).resolve().parents[2]
ADD = edit("- Writes Python", "- Writes Python\n- Moved to Lisbon", (1, "I moved to Lisbon in May"))
OWN = '- 2026-05-04: "by the way, I moved to Lisbon in May"\n'  # what is noted where nobody judges
posix = pytest.mark.skipif(os.name == "nt", reason="links")


@pytest.mark.skipif(os.name == "nt", reason="processes are forked")
def test_of_two_dreams_one_runs_and_the_other_says_so(notes, scripted, home, cococat):
    """Two processes at once: one change, one version, one row of the state; the other asks the model nothing."""
    notes.folder = home / "memory"
    notes.has().said("by the way, I moved to Lisbon in May")
    begun, gate = threading.Event(), threading.Event()
    server = scripted(calls(ADD), says("do", reached(begun), gate, "ne"), says("nothing to tidy"))
    words = ["dream", "--base-url", server.base_url, "-m", "scripted"]
    with begin(*words) as first:
        assert begun.wait(30)

        second = cococat(*words)
        gate.set()
        code, out, told = first.ended()

    assert (0, "") == (second.code, second.stdout)
    assert "another dream is running" in second.stderr
    assert (0, b"", 3) == (code, out, len(server.requests))
    assert b"remembered 1" in told
    assert (START + OWN, 1, [1]) == (
        notes.text,
        notes.state.cursor,
        [e.number for e in log(notes.folder)],
    )


def save_by_rename(path, data):
    temporary = path.with_suffix(".mine")
    temporary.write_bytes(data)
    temporary.replace(path)


@pytest.mark.parametrize("save", [Path.write_bytes, save_by_rename, lambda path, data: path.unlink()])
def test_an_editor_that_saves_in_the_middle_of_a_commit_wins(notes, scripted, save):
    """The journal is on disk already: the user's bytes stay, and the dream runs once more on them."""
    notes.has().said("by the way, I moved to Lisbon in May")
    mine = START.replace("- Prefers tea to coffee\n", "- Prefers cocoa\n").encode()
    saved = []

    def after(step):
        if step == "journal" and not saved:
            saved.append(step)
            save(notes.memory, mine)

    def obedient(body):
        if any(message["role"] == "tool" for message in body["messages"]):
            return says("done")
        there = "- Writes Python" in str(body["messages"])
        return calls(
            ADD
            if there
            else edit("## Preferences\n", "## Preferences\n- Moved to Lisbon\n", *[(1, "I moved to Lisbon in May")])
        )

    server = scripted(forever(obedient))
    finished = notes.dream(server, after=after)

    assert ("changed", 4) == (finished.outcome, len(server.requests))
    assert OWN in notes.text
    assert "- Prefers tea" not in notes.text
    assert 1 == notes.state.cursor
    assert not (notes.folder / JOURNAL).exists()


def test_a_tool_of_the_chat_that_edits_the_memory_loses_nothing(notes, scripted):
    """`edit_file` changes a line while the model of the dream thinks: both changes are there in the end."""
    notes.has().said("by the way, I moved to Lisbon in May")
    begun, gate = threading.Event(), threading.Event()
    server = scripted(calls(ADD), says("do", reached(begun), gate, "ne"), calls(ADD), says("done"))

    def chat():
        assert begun.wait(60)
        save_by_rename(notes.memory, notes.memory.read_bytes().replace(b"tea to coffee", b"cocoa to tea"))
        gate.set()

    beside = threading.Thread(target=chat)
    beside.start()
    finished = notes.dream(server)
    beside.join()

    assert "changed" == finished.outcome
    assert START.replace("tea to coffee", "cocoa to tea") + OWN == notes.text


def test_a_state_that_was_written_after_a_finished_journal_is_not_put_back(notes):
    """Whoever writes the state first ends what was interrupted: an old journal cannot undo it later."""
    notes.has()
    change = Change("dream", read(notes.folder), START.encode() + b"- a fact\n", ignore_state, (), {})

    def keep_journal(step):
        if step == "state":
            kept.append(read_bytes(notes.folder, JOURNAL))

    kept = []
    commit(notes.folder, change, now=NOW, after=keep_journal)
    write_bytes(notes.folder, JOURNAL, kept[0])  # as if the process had died right before it was removed
    update(notes.folder, lambda state: replace_cursor(state, 7))

    recover(notes.folder)

    assert 7 == notes.state.cursor


def ignore_state(state):
    return state


def replace_cursor(state, cursor):
    from dataclasses import replace

    return replace(state, cursor=cursor)


# the clock


@pytest.mark.parametrize(
    "now",
    [
        datetime(1970, 1, 1, tzinfo=UTC),
        NOW - timedelta(days=1),
        NOW + timedelta(days=1),
        datetime(2099, 1, 1, tzinfo=UTC),
    ],
    ids=["1970", "a day back", "a day on", "2099"],
)
def test_a_clock_that_jumps_changes_no_order_and_no_outcome(notes, scripted, now):
    """Records are read by their number; the dream runs, is logged and can be told of, whatever its date."""
    notes.has().said("by the way, I moved to Lisbon in May")
    notes.said("I said this second", now=now)
    notes.said("I said this third", now=NOW - timedelta(days=400))
    server = scripted(calls(ADD), says("done"), says("done"))

    finished = notes.dream(server, now=now, manual=False)
    notes.said("and this fourth", now=NOW)
    again = notes.dream(server, now=NOW)

    told = server.requests[0]["messages"][1]["content"]
    places = [told.index(f"seq={seq} ") for seq in (1, 2, 3)]
    assert places == sorted(places)
    assert ("changed", "nothing", 4) == (finished.outcome, again.outcome, notes.state.cursor)
    assert [now] == [entry.ts for entry in log(notes.folder)]
    assert all("-" not in part for part in finished.receipt.split(" · ")[2:])


@pytest.mark.parametrize("name", ["history.jsonl", "state.json"])
def test_a_time_without_a_zone_is_taken_for_utc(notes, scripted, name):
    """Who edits the files by hand, or another program, need not know about zones."""
    notes.has().said("hello")
    notes.dream(scripted(says("done")))
    notes.said("hello again")
    path = notes.folder / name
    path.write_text(path.read_text().replace("+00:00", ""))

    finished = notes.dream(scripted(says("done")), manual=False, now=NOW + timedelta(hours=1))

    assert ("nothing", 2) == (finished.outcome, notes.state.cursor)


# a file that is swapped for another one


def variants(folder, target):
    """What may stand in the place of MEMORY.md, each under a name of its own."""
    (folder / "0").symlink_to(target)
    (folder / "1").hardlink_to(target)
    os.mkfifo(folder / "2", 0o600)
    (folder / "3").write_bytes(START.encode())


def race(notes, tmp_path, rounds, act):
    """Let *act* work while another thread swaps MEMORY.md all the time; the target must never change."""
    notes.has()
    target, pool = tmp_path / "target", tmp_path / "pool"
    target.write_bytes(b"precious\n")
    pool.mkdir()
    stop, swaps = threading.Event(), 0

    def swap():
        nonlocal swaps
        while not stop.is_set():
            for kind in "0132":
                variants(pool, target)
                (pool / kind).replace(notes.memory)
                for rest in pool.iterdir():
                    rest.unlink()
                swaps += 1

    before = target.stat()
    thread = threading.Thread(target=swap)
    thread.start()
    try:
        number = 0
        while min(number, swaps) < rounds:
            act(number)
            number += 1
            assert b"precious\n" == target.read_bytes()
    finally:
        stop.set()
        thread.join()
    after = target.stat()
    assert (before.st_ino, before.st_mtime_ns, before.st_mode) == (after.st_ino, after.st_mtime_ns, after.st_mode)


@posix
@pytest.mark.parametrize("rounds", [50, pytest.param(1000, marks=[pytest.mark.slow, pytest.mark.timeout(600)])])
def test_no_race_makes_a_dream_touch_another_file(notes, tmp_path, rounds):
    """MEMORY.md is swapped for a link, a second name, a pipe and a file while it is read and replaced."""
    known = read(notes.has().folder)

    def act(number):
        with suppress(StorageError, Conflict):
            before = read(notes.folder)
            assert before.data in (b"", known.data) or before.data.startswith(b"# Memory")
        with suppress(StorageError, Conflict):
            commit(
                notes.folder, Change("dream", known, known.data + b"- n%d\n" % number, ignore_state, (), {}), now=NOW
            )

    race(notes, tmp_path, rounds, act)


@posix
@pytest.mark.parametrize("step", ["journal", "replace", "versions", "provenance"])
def test_a_folder_that_is_swapped_during_a_commit_is_not_followed(notes, tmp_path, step):
    """A link in the place of the memory folder leads nowhere: what it points at stays as it is."""
    notes.has()
    other, moved = tmp_path / "other", tmp_path / "moved"
    other.mkdir(mode=0o700)
    (other / MEMORY).write_bytes(b"precious\n")

    def after(name):
        if name == step:
            notes.folder.rename(moved)
            notes.folder.symlink_to(other)

    change = Change("dream", read(notes.folder), START.encode() + b"- a fact\n", ignore_state, (), {})
    with pytest.raises((StorageError, Conflict)):
        commit(notes.folder, change, now=NOW, after=after)

    assert [MEMORY] == [path.name for path in other.iterdir() if path.suffix != ".lock"]
    assert b"precious\n" == (other / MEMORY).read_bytes()


def test_whoever_finds_the_notes_locked_for_long_says_so_and_changes_nothing(notes):
    """A question, a turn that is taken back, a line that is to stay: each waits for ten seconds, then names the fix."""
    notes.has().said("I live in Lisbon")
    before = {path.name: path.read_bytes() for path in notes.folder.iterdir() if path.is_file()}
    tries = {
        "the history was not written": lambda: notes.said("I live in Porto"),
        "the history was not written: memory.lock": lambda: retract_turn(
            notes.folder, "S1", 0, "I live in Lisbon", now=NOW
        ),
        "the memory was not changed": lambda: keep_retracted(notes.folder, ["- Writes Python"]),
        "the memory was not changed: memory.lock": lambda: rm(notes.folder, "python", now=NOW),
    }

    with locked(notes.folder), ThreadPoolExecutor(len(tries)) as threads:
        waiting = {told: threads.submit(one) for told, one in tries.items()}
        refusals = {told: one.exception() for told, one in waiting.items()}

    assert all(str(refusal).startswith(told) for told, refusal in refusals.items())
    assert {"close the other cococat"} == {refusal.hint for refusal in refusals.values()}
    assert before == {path.name: path.read_bytes() for path in notes.folder.iterdir() if path.is_file()}
