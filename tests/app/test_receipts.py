"""What a user reads after a dream: counts of facts, their own words beside each, and the facts that would be lost."""

import re
import sys

import pytest
from inline_snapshot import snapshot

from cococat.core.events import DreamFinished
from cococat.memory.file.history import Exchange, Said, append
from cococat.memory.file.versions import log
from cococat.ui.lines import format as fmt
from tests.memory.conftest import NOW, START, Notes, edit
from tests.screens import ready
from tests.scripted import calls, forever, says

pytestmark = [
    pytest.mark.usefixtures("dreams"),
    pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows"),
]
ADD = edit("- Writes Python\n", "- Writes Python\n- Lives in Lisbon\n", (1, "I live in Lisbon"))
DROP = edit("- Prefers tea to coffee\n- Writes Python\n", "")
JOIN = edit("- Prefers tea to coffee\n- Writes Python", "- Prefers tea to coffee, writes Python")


@pytest.fixture
def notes(home):
    return Notes(home / "memory").knows().has()


@pytest.fixture
def terminal(tmp_path, monkeypatch):
    """Run a command in a pseudo-terminal, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    from tests.ui.pseudo_terminal import PseudoTerminal

    started = []

    def start(server, *words, **env):
        at = ("--base-url", server.base_url, "-m", "scripted")
        started.append(PseudoTerminal("cococat", *words, *at, env={"PWD": str(tmp_path), **env}))
        return started[-1]

    yield start
    for one in started:
        one.__exit__()


@pytest.mark.parametrize(("key", "forgotten"), [("y", True), ("n", False)])
def test_facts_that_would_be_lost_are_asked_about_in_one_question(terminal, notes, scripted, key, forgotten):
    """They are listed; y forgets them all, n keeps them all."""
    screen = terminal(scripted(calls(DROP), says("done")), "dream")
    screen.until("MEMORY.md would lose 2 facts: forget them?")
    screen.until("[e]ach by itself")
    shown, before = screen.text, notes.text
    screen.press(key)

    assert 0 == screen.leave()
    assert "- Prefers tea to coffee" in shown
    assert START == before
    assert (START.replace("- Prefers tea to coffee\n- Writes Python\n", "") if forgotten else START).startswith(
        notes.text.rstrip()
    )
    assert forgotten == ("Writes Python" not in notes.text)
    assert 0 == notes.state.held


def test_each_fact_can_be_asked_about(terminal, notes, scripted):
    """The same questions as of a review."""
    drop = (edit("- Writes Python\n", ""),)
    screen = terminal(scripted(calls(*drop), says("done")), "dream")
    screen.until("[e]ach by itself")
    screen.press("e")
    screen.until("change 1 of 1 under 'Preferences'")
    screen.until(lambda text: "[n]o" in text.partition("change 1 of 1")[2])
    screen.press("n")

    assert 0 == screen.leave()
    assert START == notes.text


@pytest.fixture
def losing(notes, cococat, scripted):
    """A compaction off the terminal that would have lost two facts waits for a user."""
    server = scripted(calls(DROP), says("done"))
    ran = cococat("dream", "--base-url", server.base_url, "-m", "scripted")
    assert "2 facts would be lost; look first: cococat dream --review" in ran.stderr
    assert (START, 1) == (notes.text, notes.state.held)
    return notes


@pytest.mark.parametrize(("key", "forgotten"), [("y", True), ("n", False)])
def test_a_held_compaction_is_reviewed_later(terminal, losing, scripted, key, forgotten):
    """The facts are named, each place is asked about, and the answer is obeyed; a no is not asked again."""
    screen = terminal(scripted(), "dream", "--review")
    screen.until("forget them?")
    screen.until("[n]o")
    shown, before = screen.text, losing.text
    screen.press(key)

    assert 0 == screen.leave()
    assert "- Prefers tea to coffee" in shown
    assert "- Writes Python" in shown
    assert START == before
    assert forgotten == ("Writes Python" not in losing.text)
    assert 0 == losing.state.held


def test_a_dream_by_hand_goes_on_behind_a_compaction_that_waited(terminal, losing, scripted):
    """What waits is decided first; then what was said since is taken in, as always by hand."""
    losing.said("I live in Lisbon")
    server = scripted(calls(ADD), says("done"), says("nothing to tidy"))
    screen = terminal(server, "dream")
    screen.until("forget them?")
    screen.until("[n]o")
    screen.press("n")

    assert 0 == screen.leave()
    assert START + "- Lives in Lisbon\n" == losing.text
    assert (1, 0) == (losing.state.cursor, losing.state.held)


def test_the_log_counts_the_tokens_of_a_dream_once_where_one_of_its_lines_waits(terminal, notes, cococat, scripted):
    """One run, of which some is kept and some decided later: what it took stands beside what it kept."""
    notes.said("I live in Lisbon")
    yes = Exchange("S1", (Said("typed", "yes"),), "Noted.", "Do you row in Hull?", foreign=True)
    append(notes.folder, yes, now=NOW, redact=str)
    row = edit("- Writes Python\n", "- Writes Python\n- Row in Hull\n", (6, "yes"))
    server = scripted(calls(ADD, row), says("done"), usage=(10, 5))
    cococat("dream", "--base-url", server.base_url, "-m", "scripted")
    waiting = cococat("dream", "log").stdout
    screen = terminal(scripted(), "dream", "--review")
    screen.until("[n]o")
    screen.press("y")
    assert 0 == screen.leave()

    decided = cococat("dream", "log").stdout

    assert ("- Lives in Lisbon" in notes.text, "- Row in Hull" in notes.text) == (True, True)
    assert [1, 1] == [told.count("3 steps · 45 tokens") for told in (waiting, decided)]
    assert [1, 1] == [told.count("45 tokens") for told in (waiting, decided)]


def test_an_ask_behind_a_compaction_that_waits_is_remembered(losing, cococat, scripted):
    """Nobody has to look at the notes first; the change goes on waiting, and fits the notes as they are now."""
    server = scripted(says("Nice."), calls(ADD), says("done"))
    at = ("--base-url", server.base_url, "-m", "scripted")

    ran = cococat(
        "ask", *at, "I live in Lisbon", env={"COCOCAT_MEMORY_WAIT": "true", "COCOCAT_MEMORY_DREAM_MIN_RECORDS": "1"}
    )

    assert "remembered 1, changed 0, dropped 0 · " in ran.stderr
    assert ("- Lives in Lisbon" in losing.text, 1) == (True, losing.state.held)


@pytest.mark.parametrize(
    ("change", "question"),
    [(DROP, "would lose 2 facts: forget them?"), (JOIN, "change 1 of 1 under 'Preferences': make it?")],
)
def test_where_memory_is_confirmed_a_compaction_is_asked_about(terminal, notes, scripted, change, question):
    """memory.mode = confirm: also one that loses nothing; before the answer the file is as it was."""
    screen = terminal(scripted(calls(change), says("done")), "dream", COCOCAT_MEMORY_MODE="confirm")
    screen.until(question)
    screen.until("[n]o")
    before = notes.text
    screen.press("y")

    assert 0 == screen.leave()
    assert START == before
    assert START.replace(change[1]["old_text"], change[1]["new_text"]).removesuffix("\n## Preferences\n") == notes.text


@pytest.mark.parametrize(
    ("change", "why"), [(DROP, "2 facts would be lost"), (JOIN, "a dream would remember 0, change 1, drop 1")]
)
def test_where_memory_is_confirmed_and_nobody_can_be_asked_a_compaction_waits(cococat, notes, scripted, change, why):
    """It is named with the command that shows it, and the file is as it was."""
    server = scripted(calls(change), says("done"))

    ran = cococat("dream", "--base-url", server.base_url, "-m", "scripted", env={"COCOCAT_MEMORY_MODE": "confirm"})

    assert (0, START, 1) == (ran.code, notes.text, notes.state.held), ran.stderr
    assert why in ran.stderr
    assert "cococat dream --review" in ran.stderr


def test_a_receipt_counts_facts_and_shows_whose_words_they_are(terminal, notes, scripted, cococat):
    """On a terminal the quote stands beside the line; in a pipe the diff stays a diff."""
    notes.said("by the way, I live in Lisbon", "I live in Lisbon")
    add = edit("- Writes Python\n", "- Writes Python\n- Lives in Lisbon\n", (6, "I live in Lisbon"))

    screen = terminal(scripted(calls(add), says("done"), says("nothing to tidy")), "dream")

    assert 0 == screen.leave()
    assert "remembered 1, changed 0, dropped 0 · " in screen.text
    assert '+ Lives in Lisbon    "I live in Lisbon"' in screen.text


def test_the_next_start_shows_the_same_and_the_toolbar_counts_the_same(terminal, notes, scripted, cococat):
    """Receipt, undo and toolbar count the same text by the same vocabulary."""
    notes.said("I live in Lisbon")
    server = scripted(calls(ADD), says("done"), says("nothing to tidy"))
    ran = cococat("dream", "--quiet", "--base-url", server.base_url, "-m", "scripted")
    screen = terminal(scripted(forever(says("hello"))), "chat", "--no-dream")
    screen.until(ready)
    screen.until('+ Lives in Lisbon    "I live in Lisbon"')
    screen.press("/context\r")
    screen.until("history")
    told = re.search(r"since last time: remembered 1, changed 0, dropped 0 · (\d+) → (\d+) tokens", screen.text)
    text = screen.until(lambda text: re.search(r"memory \d+ *$", text))

    undone = cococat("dream", "undo")

    assert 0 == ran.code
    assert f"memory {told[2]}" in text
    assert f"memory {told[2]} · " in text
    assert f"dropped 1 · {told[2]} → {told[1]} tokens" in undone.stderr
    assert ["dream", "undo"] == [entry.kind for entry in log(notes.folder)]


def test_the_log_tells_the_parts_of_a_dream_in_their_order(notes, scripted, cococat):
    """What was said first, then the notes as a whole; each can be taken back by its number."""
    notes.said("I live in Lisbon")
    server = scripted(calls(ADD), says("done"), calls(JOIN), says("done"))
    ran = cococat("dream", "--base-url", server.base_url, "-m", "scripted")

    rows = cococat("dream", "log").stdout.splitlines()

    assert "remembered 1, changed 0, dropped 0; compacted 4 → 3 lines · " in ran.stderr
    told = [re.sub(r" · .*", "", row).split(maxsplit=4) for row in rows]
    assert snapshot([("1", "remembered 1, changed 0, dropped 0"), ("2", "compacted 4 → 3 lines")]) == [
        (row[0], row[4]) for row in told
    ]


def test_of_more_facts_than_fit_what_is_new_comes_first_and_a_command_shows_the_rest():
    """A compaction of a large memory removes many lines; what they became is what a person wants to see."""
    changed = (*(("-", f"Old {number}", "") for number in range(60)), ("+", "New", ""))

    rows = [fmt.plain(row) for row in fmt.receipt(DreamFinished("changed", "x", "", 4, changed), diff=True, live=True)]

    assert ["+ New", "- Old 0"] == rows[1:3]
    assert rows[-1].endswith(" more: cococat dream diff 4")


def test_words_that_have_no_room_beside_their_fact_stand_below_it():
    """No quote goes on at the left edge, among the facts; where the screen is wide they stand side by side."""
    changed = (("+", "Lives in Lisbon and works on a scanner", "I live in Lisbon and work on a scanner"),)
    finished = DreamFinished("changed", "x", facts=changed)

    narrow, wide = (
        [fmt.plain(row) for row in fmt.receipt(finished, diff=True, live=True, columns=columns)][1:]
        for columns in (80, 120)
    )

    said = '    "I live in Lisbon and work on a scanner"'
    assert ["+ Lives in Lisbon and works on a scanner", said] == narrow
    assert [f"+ Lives in Lisbon and works on a scanner{said}"] == wide


def test_the_words_beside_a_fact_are_harmless_and_aligned():
    """Control characters of a hostile text do nothing, and wide characters take two columns."""
    changed = (("+", "住在里斯本", "我住在里斯本"), ("+", "Tea", "tea \x1b[31m\nplease\u202e"), ("-", "Old", ""))

    rows = [fmt.plain(row) for row in fmt.receipt(DreamFinished("changed", "x", facts=changed), diff=True, live=True)]

    assert ['+ 住在里斯本    "我住在里斯本"', "- Old"] == [rows[1], rows[3]]
    assert rows[2].startswith("+ Tea           ")
    assert not re.search("[\x1b\n\u202e]", rows[2])
