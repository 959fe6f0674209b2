"""What a user does while a turn runs: words for the model, looks, another mode, and steps that are used up."""

import json
import re
import sys
import threading

import pytest

from tests.screens import ready
from tests.scripted import STALL, broken, calls, forever, reached, says

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")

LOOK = ("list_dir", {"path": "."})


def gated(*turns):
    """What is played, where the first reply waits to go on; whether it has begun, and what lets it."""
    shown, go = threading.Event(), threading.Event()
    first, *others = turns
    return (says(reached(shown), go, finish=None, usage=None, done=False) + first, *others), shown, go


@pytest.fixture
def limited(home, tmp_path):
    """A chat of one step, whose question at the end of that answers itself after so many seconds, or as many as ever."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    started = []

    def start(server, *go_on_s):
        (home / "config.toml").write_text("[agent]\nmax_steps = 1\n")
        words = ("1800", server.base_url, str(tmp_path), *map(str, go_on_s))
        started.append(PseudoTerminal("tests.app.idle_program", *words))
        started[-1].until(ready)
        return started[-1]

    yield start
    for terminal in started:
        terminal.child.close(force=True)


def test_a_queued_line_reaches_the_model_with_the_results_of_the_step(chat, scripted, home):
    """One message behind the results, seen as the user's, a part of the turn for the log, `/undo` and the memory."""
    play, shown, go = gated(calls(LOOK), says("In French: deux."))
    server = scripted(*play)
    terminal = chat(server)
    terminal.press("one\r")
    assert shown.wait(60)

    terminal.press("in French\r")
    terminal.until("queued   in French")
    terminal.press("and short\r")
    terminal.until("queued   and short")
    go.set()
    text = terminal.until(lambda text: "deux." in text and ready(text))
    remembered = [json.loads(line) for line in (home / "memory" / "history.jsonl").read_text().splitlines()]
    terminal.press("/undo\r")
    terminal.until('taken back: "one"')

    assert [("tool", True), ("user", True)] == [
        (message["role"], "in French" in message["content"] or message["role"] == "tool")
        for message in server.requests[1]["messages"][-2:]
    ]
    assert "in French\nand short" == server.requests[1]["messages"][-1]["content"]
    assert re.search(r"list_dir \..*\n\n> in French\n  and short\n\n", text)
    assert "queued" not in text.partition("> one")[2]
    assert [["one", "in French\nand short"]] == [[said["text"] for said in one["user"]] for one in remembered]
    assert {"typed"} == {said["origin"] for said in remembered[0]["user"]}
    (log,) = (home / "sessions").rglob("*.jsonl")
    assert 1 == log.read_text().count('"steers":true')


def test_what_is_queued_behind_a_command_waits_for_the_end_of_the_turn(chat, scripted):
    """The order in which things were entered holds."""
    play, shown, go = gated(calls(LOOK), says("First."), says("Second."))
    server = scripted(*play)
    terminal = chat(server)
    terminal.press("one\r")
    assert shown.wait(60)

    terminal.press("/new\r")
    terminal.until("queued   /new")
    terminal.press("two\r")
    terminal.until("queued   two")
    go.set()
    terminal.until("Second.")

    assert "tool" == server.requests[1]["messages"][-1]["role"]
    assert ["system", "user"] == [message["role"] for message in server.requests[2]["messages"]]


def test_a_command_that_only_shows_answers_while_the_turn_runs(chat, scripted):
    """It is never queued, and the model never sees it."""
    play, shown, go = gated(says("Done."))
    server = scripted(*play)
    terminal = chat(server, rows=60)
    terminal.press("one\r")
    assert shown.wait(60)

    for command, told in (
        ("/status", "permission ask-first · root"),
        ("/context", "next request: "),
        ("/cost", "0 turns: 0 sent"),
        ("/help", "the next permission mode"),
        ("/tools", "react mode offers: "),
        ("/permissions", "allowed besides: nothing"),
    ):
        terminal.press(f"{command}\r")
        text = terminal.until(lambda text, told=told: told in text.replace("\n", " "))
        assert "queued" not in text.partition("> one")[2]
        assert not go.is_set()
    go.set()
    terminal.until(lambda text: "Done." in text and ready(text))

    assert 1 == len(server.requests)


def test_shift_tab_and_the_toolbar_live_while_a_turn_runs(chat, scripted, tmp_path):
    """The mode that stands there when a call comes is the one that it is judged by."""
    play, shown, go = gated(calls(("write_file", {"path": "made", "content": "x\n"})), says("Made."))
    terminal = chat(scripted(*play))
    terminal.press("make it\r")
    assert shown.wait(60)

    terminal.until(lambda text: re.search(r"> typed now, Enter queues it\n +scripted · react · ask-first · ", text))
    terminal.press("\x1b[Z")
    terminal.until("react · edits · ")
    go.set()
    text = terminal.until(lambda text: "Made." in text and ready(text))

    assert "[y]es" not in text
    assert "x\n" == (tmp_path / "made").read_text()


def test_entries_that_are_taken_back_stay_entries(chat, scripted):
    """Up goes from one to the one before; Enter queues each by itself, in their order."""
    play, shown, go = gated(says("One."), says("Two."), says("Three."))
    server = scripted(*play)
    terminal = chat(server)
    terminal.press("one\r")
    assert shown.wait(60)
    for words in ("two", "three"):
        terminal.press(f"{words}\r")
        terminal.until(f"queued   {words}")

    terminal.press("\x1b[A")
    terminal.until("> three")
    terminal.press("\x1b[A")
    terminal.until(lambda text: "> two" in text and "then     three" in text)
    terminal.press("!\r")
    terminal.until(lambda text: "queued   two!" in text and "> three" in text)
    terminal.press("\r")
    terminal.until("queued   three")
    go.set()
    terminal.until("Three.")

    assert ["one", "two!", "three"] == [body["messages"][-1]["content"] for body in server.requests]


def test_at_the_step_limit_a_key_answers_and_the_same_turn_goes_on(limited, scripted):
    """A yes gives as many steps again, with all that was found; a no ends it with an answer without tools."""
    look = [calls(LOOK), calls(("glob", {"pattern": "*"}))]
    server = scripted(*look, says("Two looks."))
    terminal = limited(server)

    terminal.press("look twice\r")
    asked = r"1 step used; 1 more\?\n  goes on by itself in (\d+) s\n.*\[y\]es"
    first = re.search(asked, terminal.until(lambda text: re.search(asked, text)))
    terminal.until("by itself in 18 s")
    terminal.press("y")
    terminal.until(lambda text: re.search(r"2 steps used; 1 more\?\n  goes on by itself in \d+ s\n.*\[n\]o", text))
    terminal.press("n")
    text = terminal.until(lambda text: "Two looks." in text and ready(text))

    assert first[1] in ("20", "19", "18")
    assert "? 1 step used; 1 more? → yes\n" in text
    assert "? 2 steps used; 1 more? → no\n" in text
    assert [True, True, False] == ["tools" in body for body in server.requests]
    assert 2 == sum(message["role"] == "tool" for message in server.requests[2]["messages"])


def test_a_chat_that_gets_on_goes_on_by_itself_twice_and_then_waits(limited, scripted, tmp_path):
    """Nobody is there: the third time the question has no clock."""
    (tmp_path / "notes.txt").write_text("Buy milk.\n")
    looks = [calls(LOOK), calls(("read_file", {"path": "notes.txt"})), calls(("glob", {"pattern": "*.py"}))]
    server = scripted(*looks, says("Three looks."))
    terminal = limited(server, 0.2)

    terminal.press("look\r")
    text = terminal.until(lambda text: "[y]es" in text.partition("3 steps used; 1 more?")[2])

    assert "? 1 step used; 1 more? → yes, by itself\n" in text
    assert "? 2 steps used; 1 more? → yes, by itself\n" in text
    assert "goes on by itself" not in text
    assert 3 == len(server.requests)


def test_a_chat_that_does_not_get_on_waits_for_an_answer(limited, scripted):
    """What failed is no news, so it is asked about as long as it takes."""
    server = scripted(calls(("read_file", {"path": "not-here"})), says("It is not there."))
    terminal = limited(server, 0.2)

    terminal.press("look\r")
    text = terminal.until(lambda text: "[y]es" in text.partition("1 step used; 1 more?")[2])

    assert "goes on by itself" not in text
    assert 1 == len(server.requests)


def test_from_two_thirds_of_the_steps_on_the_toolbar_counts_them(chat, scripted, home):
    """Two of three; the first is not worth a word, although the toolbar is drawn again in it."""
    (home / "config.toml").write_text("[agent]\nmax_steps = 3\n")
    (first, second), shown, go = gated(calls(LOOK), broken("Half", how=STALL))
    terminal = chat(scripted(first, second))
    terminal.press("look\r")
    assert shown.wait(60)
    terminal.press("\x1b[Z")
    before = terminal.until("react · edits · ")

    go.set()
    terminal.until("edits · step 2 of 3 · ")

    assert "step 1" not in before


def test_toolbar_and_context_say_what_the_next_request_holds_after_its_cuts(chat, scripted, home, tmp_path):
    """Far more was read than the window takes; no part of a window is above all of it, and `/context` tells both."""
    (home / "config.toml").write_text("[model]\ncontext_window = 12000\n")
    for name in "abcd":
        (tmp_path / name).write_text("".join(f"{name}{number} is a word of its own\n" for number in range(1200)))
    names = iter("abcd")

    def answer(body):
        if "tools" not in body:
            return says("Notes without headings, so none are taken.")
        name = next(names, "")
        return calls(("read_file", {"path": name})) if name else says("Read.")

    terminal = chat(scripted(forever(answer)), "--permission", "auto")
    terminal.press("read all\r")
    text = terminal.until(lambda text: "Read." in text and ready(text) and " %" in text)
    terminal.press("/context\r")
    told = terminal.until(lambda text: "next request" in text and ready(text)).replace("\n", " ")

    assert int(re.findall(r"context ~?(\d+) %", text)[-1]) <= 100
    assert int(re.search(r"next request: .* tokens \((\d+)%\)", told)[1]) <= 100
    assert re.search(r"history [\d,]+, cut from [\d,]+", told)
