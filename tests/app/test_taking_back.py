"""What a user takes back is not remembered: `/undo`, `/retry`, `sessions delete`, `--no-session`."""

import json
import re
import sys

import pytest
from inline_snapshot import snapshot

from cococat.memory.dream.retract import retract_session
from cococat.memory.file.history import HISTORY
from tests.memory.conftest import NOW, Notes, edit
from tests.screens import ready
from tests.scripted import calls, forever, says

needs_terminal = pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
NOTED = "# Memory\n\n## About the user\n- Likes tea\n"
ADD = edit("- Likes tea\n", "- Likes tea\n- Lives in Lisbon\n", (1, "I live in Lisbon"))


@pytest.fixture
def notes(home):
    return Notes(home / "memory").knows().has(NOTED)


def rows(notes):
    """Each row of the history: what was typed, or the seq that it takes back."""
    found = map(json.loads, (notes.folder / HISTORY).read_text().splitlines())
    return [row["retracts"][1] if "retracts" in row else row["user"][0]["text"] for row in found]


def say(terminal, line, wanted):
    terminal.press(f"{line}\r")
    return terminal.until(lambda text: wanted in text and ready(text))


@needs_terminal
def test_undo_takes_the_turn_out_of_what_dreams_read_also_after_a_resume(chat, scripted, home):
    """Each undo takes back the record of its own turn, and none when the turn left none."""
    server = scripted(says("First."), says("Second."), says("Third."), forever(says("Fourth.")))
    terminal = chat(server)
    say(terminal, "I live in Lisbon", "First.")
    say(terminal, "yes", "Second.")
    say(terminal, "yes", "Third.")
    say(terminal, "/undo chat", 'taken back: "yes"')
    terminal.press("/exit\r")
    assert 0 == terminal.leave()
    (log,) = (home / "sessions").glob("*.jsonl")
    again = chat(server, "-r", log.stem)

    say(again, "/undo", 'taken back: "yes"')
    say(again, "/undo", 'taken back: "I live in Lisbon"')
    say(again, "/undo", "nothing was asked yet")
    say(again, "hello", "Fourth.")

    assert snapshot(["I live in Lisbon", "yes", "yes", 3, 2, 1, "hello"]) == rows(Notes(home / "memory"))


@needs_terminal
def test_retry_leaves_one_record_and_undo_after_it_leaves_none(chat, scripted, home):
    """The question is asked twice and remembered once; taken back then, it is not remembered at all."""
    terminal = chat(scripted(says("First."), says("Better.")))
    say(terminal, "I live in Lisbon", "First.")
    say(terminal, "/retry", "Better.")
    say(terminal, "/undo", "taken back")

    assert snapshot(["I live in Lisbon", 1, "I live in Lisbon", 2]) == rows(Notes(home / "memory"))


@needs_terminal
def test_undo_names_the_line_that_was_already_dreamed_and_review_forgets_it(chat, scripted, notes):
    """One line with the command; a yes to /dream review deletes it, and the next request does not hold it."""
    server = scripted(says("First."), calls(ADD), says("done"), says("tidy"), says("Second."))
    terminal = chat(server)
    say(terminal, "I live in Lisbon", "First.")
    say(terminal, "/dream", "cococat dream undo 1")
    assert NOTED + "- Lives in Lisbon\n" == notes.text

    text = say(terminal, "/undo", "taken back")
    terminal.press("/dream review\r")
    terminal.until(lambda text: "[y]es once" in text)
    terminal.press("y")
    receipts = terminal.until(lambda text: "cococat dream undo 2" in text and ready(text))
    say(terminal, "hello", "Second.")

    assert 'line 5 of the memory rests on it alone: "- Lives in Lisbon"; to forget it: /memory rm 5' in text
    assert NOTED == notes.text
    came, went = re.findall(r"remembered \d, changed 0, dropped \d · (\d+) → (\d+) tokens", receipts)
    assert came == went[::-1]
    assert "Lives in Lisbon" not in str(server.requests[-1]["messages"])


@needs_terminal
def test_a_no_in_the_review_keeps_the_line_for_good(scripted, notes, cococat, tmp_path):
    """`cococat dream --review` asks first, needs no model for it, and does not ask again."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    notes.said("I live in Lisbon")
    notes.dream(scripted(calls(ADD), says("done")))
    notes.said("thanks")
    server = scripted(forever(says("done")))
    retract_session(notes.folder, "S1", now=NOW)
    words = ["dream", "--review", "--base-url", server.base_url, "-m", "s"]

    with PseudoTerminal("cococat", *words, env={"PWD": str(tmp_path)}) as first:
        first.until(
            lambda text: "1 line of the memory rests on what was taken back: forget?" in text and "[n]o" in text
        )
        first.press("n")
        first.leave()
    with PseudoTerminal("cococat", *words, env={"PWD": str(tmp_path)}) as second:
        second.leave()

    assert "taken back" not in second.text
    assert NOTED + "- Lives in Lisbon\n" == notes.text


def test_a_deleted_session_is_not_remembered_and_its_line_is_named(ask, cococat, scripted, notes, home):
    """Off a terminal one line says what rests on it; a pruned session stays for the next dream."""
    server = scripted(forever(says("ok")))
    for words in ("I live in Lisbon", "I live in Porto"):
        assert 0 == ask(server, words).code
    notes.dream(scripted(calls(ADD), says("done")))
    ids = [json.loads(row)["session"] for row in (notes.folder / HISTORY).read_text().splitlines()[notes.earlier :]]

    ran = cococat("sessions", "delete", "--yes", ids[0])
    pruned = cococat("sessions", "prune", "--yes", "--max-bytes", "1")
    assert 0 == ask(server, "bye").code
    cococat("sessions", "prune", "--yes", "--keep", "1")

    assert (0, f"deleted {ids[0]}\n") == (ran.code, ran.stdout)
    assert (
        'line 5 of the memory rests on it alone: "- Lives in Lisbon"; to forget it: cococat memory rm 5' in ran.stderr
    )
    assert "memory rests" not in pruned.stderr
    assert not (home / "sessions" / f"{ids[1]}.jsonl").exists()
    assert ["I live in Lisbon", "I live in Porto", notes.earlier + 1, "bye"] == rows(notes)[notes.earlier :]


def test_an_unsaved_session_is_not_remembered(ask, scripted, home):
    """--no-session keeps no record: neither a log nor anything that a dream could read."""
    ran = ask(scripted(says("ok")), "--no-session", "I live in Lisbon")

    assert (0, "ok\n") == (ran.code, ran.stdout)
    assert not (home / "memory" / HISTORY).exists()
