"""`cococat memory test`: which lines of the memory change an answer, found out by asking again."""

import os
import signal
import sys
import threading

import pytest
from inline_snapshot import snapshot

from tests.memory.conftest import Notes
from tests.scripted import fault, forever, reached, says

NOTED = "# Memory\n\n## About the user\n- Likes tea\n- Lives in Lisbon\n"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and modes")


@pytest.fixture
def notes(home):
    return Notes(home / "memory").has(NOTED)


@pytest.fixture
def asked(ask, scripted):
    """Two questions were asked in one session and one of them in another, all answered."""
    server = scripted(forever(says("ok")))
    for words in (["where do I live?"], ["-c", "and what is 1 + 1?"], ["what is 2 + 2?"]):
        assert 0 == ask(server, *words).code


def by_city(request):
    """Answer from the memory where the city is asked for, in other letters each time; else the same."""
    question, system = request["messages"][-1]["content"], request["messages"][0]["content"]
    if "where do I live" not in question:
        return says("That is easy.")
    city = "Lisbon" if "Lives in Lisbon" in system else "a place that I do not know"
    return says(f"You live in **{city}**!" if "Likes tea" in system else f"you live  in {city}.")


@pytest.fixture
def test(cococat):
    return lambda server, *words, **options: cococat(
        "memory", "test", "--base-url", server.base_url, "-m", "scripted", *words, **options
    )


@pytest.mark.usefixtures("asked")
def test_a_line_that_never_changed_an_answer_is_a_candidate_and_stays(notes, scripted, test, home):
    """Letters, marks and spaces are no change; the command that forgets is named, and nothing is forgotten."""
    server = scripted(forever(by_city))
    sessions = {path: path.read_bytes() for path in (home / "sessions").iterdir()}

    ran = test(server, "--yes")

    assert 0 == ran.code, ran.stderr
    assert ran.stdout.splitlines() == snapshot(
        [
            "   4  changed 0 of 3 answers  - Likes tea",
            "   5  changed 1 of 3 answers  - Lives in Lisbon",
            "",
            "candidates to forget, from the bottom up:",
            "cococat memory rm 4",
        ]
    )
    assert "gets 12 requests" in ran.stderr
    assert "no limit of tokens" in ran.stderr
    assert "an answer is changed when its words differ" in ran.stderr
    assert (NOTED, sessions) == (notes.text, {path: path.read_bytes() for path in (home / "sessions").iterdir()})


@pytest.mark.usefixtures("asked")
def test_what_is_pinned_is_never_a_candidate(notes, scripted, test):
    """It is to stay, whatever it changes: no request is made without it, and no row tells of it."""
    notes.has(NOTED + "\n## Pinned\n- Allergic to peanuts\n")
    server = scripted(forever(by_city))

    ran = test(server, "--yes")

    assert 0 == ran.code, ran.stderr
    assert "peanuts" not in ran.stdout
    assert "candidates to forget, from the bottom up:\ncococat memory rm 4\n" in ran.stdout
    assert all("Allergic to peanuts" in request["messages"][0]["content"] for request in server.requests)


@pytest.mark.usefixtures("asked")
def test_a_memory_of_pinned_lines_alone_is_not_tested(notes, scripted, test):
    """Nothing of it may be forgotten, so nothing is asked."""
    notes.has("# Memory\n\n## Pinned\n- Allergic to peanuts\n")

    ran = test(scripted(), "--yes")

    assert 2 == ran.code
    assert "the memory holds no line that is not pinned" in ran.stderr


@pytest.mark.usefixtures("asked", "notes")
def test_each_request_has_no_tools_the_likeliest_answer_and_what_was_said_before(scripted, test):
    """Twice with all of the memory, then once without each line, the newest question first."""
    server = scripted(forever(by_city))

    test(server, "--yes", "--last", "2")

    assert 8 == len(server.requests)
    assert all("tools" not in request and 0 == request["temperature"] for request in server.requests)
    systems = [request["messages"][0]["content"] for request in server.requests[:4]]
    held = [("Likes tea" in system, "Lives in Lisbon" in system) for system in systems]
    assert [(True, True), (True, True), (False, True), (True, False)] == held
    assert ["what is 2 + 2?"] == [message["content"] for message in server.requests[0]["messages"][1:]]
    said = [message["content"] for message in server.requests[4]["messages"][1:]]
    assert snapshot(["where do I live?", "ok", "and what is 1 + 1?"]) == said


@pytest.mark.usefixtures("asked", "notes")
def test_what_was_answered_is_not_asked_again(scripted, test, home):
    """A changed memory or question is; the file is the user's alone, and holds nothing that was said."""
    server = scripted(forever(by_city))
    first = test(server, "--yes")
    asked = len(server.requests)

    second = test(server)
    (home / "memory" / "MEMORY.md").write_text(NOTED.replace("tea", "cake"))
    third = test(server, "--yes", "--last", "1")

    assert (first.stdout, 0, 12) == (second.stdout, second.code, asked)
    assert "gets 0 requests (already answered: 12)" in second.stderr
    assert "gets 3 requests (already answered: 1)" in third.stderr
    (kept,) = (path for path in (home / "cache").rglob("memory_test*"))
    assert 0o600 == kept.stat().st_mode & 0o777
    assert "isbon" not in kept.read_text()


@pytest.mark.usefixtures("asked", "notes")
def test_ctrl_c_keeps_what_was_answered(scripted, test):
    """The same command goes on with the rest."""
    begun, gate = threading.Event(), threading.Event()
    slow = scripted(says("one"), says("one"), says("o", reached(begun), gate, "ne"), forever(by_city))

    def interrupt(pid):
        assert begun.wait(30)
        os.kill(pid, signal.SIGINT)

    stopped = test(slow, "--yes", meanwhile=interrupt)
    gate.set()
    again = test(slow, "--yes")

    assert (130, "") == (stopped.code, stopped.stdout)
    assert "gets 10 requests (already answered: 2)" in again.stderr
    assert 0 == again.code


@pytest.mark.usefixtures("asked", "notes")
def test_the_budget_ends_it_and_a_larger_one_goes_on(scripted, test):
    """Nothing is concluded from a part; the code is that of every budget."""
    server = scripted(forever(says("easy", usage=(500, 10))))

    ran = test(server, "--yes", "--max-tokens", "1000")
    again = test(server, "--yes")

    assert (5, "") == (ran.code, ran.stdout)
    assert "at most 1,000 tokens together" in ran.stderr
    assert "the budget of 1,000 tokens is spent" in ran.stderr
    assert "gets 11 requests (already answered: 1)" in again.stderr  # the second answer was cut by the budget
    assert 0 == again.code


@pytest.mark.usefixtures("asked", "notes")
def test_a_question_that_is_answered_in_two_ways_tells_nothing(scripted, test):
    """A model that is never the same twice makes no line a candidate."""
    server = scripted(*(says(f"number {number}") for number in range(12)))

    ran = test(server, "--yes")

    assert "3 of 3 questions were answered in two ways and tell nothing\n" in ran.stdout
    assert ran.stdout.endswith("no line is a candidate to forget\n")


@pytest.mark.usefixtures("asked", "notes")
def test_nothing_is_sent_unasked_or_in_vain(scripted, test, home):
    """Off a terminal --yes is needed; with no line, or with a model that fails, it ends with a reason."""
    server = scripted(forever(by_city))
    refused = test(server)
    failed = test(scripted(forever(fault(401))), "--yes")
    wrong = test(server, "--last", "0")
    (home / "memory" / "MEMORY.md").write_text("# Memory\n")
    empty = test(server, "--yes")

    assert (4, 3, 2, 2) == (refused.code, failed.code, wrong.code, empty.code)
    assert "gets 12 requests" in refused.stderr
    assert "add --yes" in refused.stderr
    assert "the memory holds no line" in empty.stderr
    assert [] == server.requests


@pytest.mark.usefixtures("asked", "notes")
def test_on_a_terminal_it_asks_and_shows_how_far_it_is(scripted, tmp_path):
    """A no sends nothing; after a yes a bar moves on stderr."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    server = scripted(forever(by_city))
    words = ["memory", "test", "--base-url", server.base_url, "-m", "scripted"]
    with PseudoTerminal("cococat", *words, env={"PWD": str(tmp_path)}) as terminal:
        terminal.until(lambda text: "Go on? [y/N]" in text)
        terminal.press("n\r")
        assert 4 == terminal.leave()
    assert [] == server.requests

    with PseudoTerminal("cococat", *words, env={"PWD": str(tmp_path)}) as terminal:
        terminal.until(lambda text: "Go on? [y/N]" in text)
        terminal.press("y\r")
        terminal.until(lambda text: "cococat memory rm 4" in text)
        assert 0 == terminal.leave()
    assert b"asking again" in terminal.raw
    assert "asking again" not in terminal.text


@pytest.mark.usefixtures("asked")
def test_a_line_that_no_prompt_has_room_for_is_not_tested(notes, scripted, test):
    """Over its budget the memory is cut; a line that is left out is no candidate, and costs no request."""
    notes.has(NOTED + f"- {'Owns a very long list of things. ' * 40}\n")
    server = scripted(forever(by_city))

    ran = test(server, "--yes", "--last", "1", env={"COCOCAT_MEMORY_MAX_TOKENS": "100"})

    assert (0, 4) == (ran.code, len(server.requests)), ran.stderr
    assert "very long list" not in ran.stdout + str(server.requests)
    assert "cococat memory rm 4\n" in ran.stdout
