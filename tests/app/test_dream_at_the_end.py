"""The end of a session: whether a dream is due, what is said of it, and that nobody waits for it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pytest

from cococat.memory.file.journal import hold
from cococat.model.embedded import available
from tests.begun import eventually
from tests.memory.conftest import NOW, Notes
from tests.screens import ready
from tests.scripted import STALL, broken, calls, reached, says
from tests.ui.pseudo_terminal import PseudoTerminal

pytestmark = [
    pytest.mark.usefixtures("dreams"),
    pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows"),
]

LOOKING = "any key leaves it to go on in the background"
BEHIND = "a dream goes on in the background"
AGAIN = "Ctrl-C again within 2 s stops it"
ADD = {
    "path": "MEMORY.md",
    "old_text": "## About the user\n",
    "new_text": "## About the user\n- Lives in Lisbon\n",
    "evidence": [{"seq": 1, "quote": "I live in Lisbon"}],
}


def said(terminal, words="I live in Lisbon", answer="Nice."):
    terminal.press(f"{words}\r")
    terminal.until(lambda text: answer in text and ready(text))


def memory_of(home):
    path = home / "memory" / "MEMORY.md"
    return path.read_text() if path.exists() else ""


def group_of(pid):
    """The processes that Ctrl-C reaches while the program that leads them has the terminal."""
    return subprocess.run(["pgrep", "-g", str(pid)], capture_output=True, text=True, check=True).stdout.split()


def cursor_of(home):
    path = home / "memory" / "state.json"
    return json.loads(path.read_text())["cursor"] if path.exists() else 0


def told(home):
    """Whether a dream has written what the next start shows of it, which is the last that it does."""
    return (home / "memory" / "dreams.jsonl").exists()


def test_one_exchange_of_a_first_chat_is_dreamt_of_and_the_receipt_is_shown(chat, scripted, home):
    """The first session counts like any other; whoever looks on sees the dream to its end."""
    terminal = chat(scripted(says("Nice."), calls(("edit_file", ADD)), says("done")))
    said(terminal)

    terminal.press("/exit\r")

    assert 0 == terminal.leave()
    assert LOOKING in terminal.text
    assert "undo: cococat dream undo 1" in terminal.text
    assert "I live in Lisbon" in memory_of(home)


def test_a_dream_that_takes_long_shows_what_it_is_at_and_leaves_nothing_of_that(chat, scripted):
    """A bar stands below the line that names the keys until the end; a blank row parts it from the receipt."""
    go = threading.Event()
    server = scripted(says("Nice."), lambda _: (go.wait(60), calls(("edit_file", ADD)))[1], says("done"))
    terminal = chat(server)
    said(terminal)

    terminal.press("\x04")
    shown = terminal.until("reading what was said")
    go.set()

    assert 0 == terminal.leave()
    assert LOOKING in " ".join(shown.split())
    rows = [row.rstrip() for row in terminal.text.splitlines()]
    assert not [row for row in rows if row.startswith(("reading", "dreaming"))]
    receipt = next(at for at, row in enumerate(rows) if row.startswith("remembered 1"))
    assert (["", True]) == [rows[receipt - 1], bool(rows[receipt - 2])]


def test_the_seconds_of_a_dream_whose_steps_are_shown_go_on(chat, scripted):
    """With -v the rows of a run stand there instead of a bar: they must not stand still either."""
    go = threading.Event()
    terminal = chat(scripted(says("Nice."), lambda _: (go.wait(60), says("done"))[1]), "-v")
    said(terminal)

    terminal.press("\x04")
    shown = terminal.until(
        lambda text: re.search(r"(reading the prompt|thinking) · [2-9] s", text.partition(LOOKING[:7])[2])
    )
    go.set()

    assert 0 == terminal.leave()
    assert "any key leaves it to go on, Ctrl-C twice stops it" in " ".join(shown.split())
    assert "Esc" not in shown.partition(LOOKING[:7])[2]
    assert "0:0" not in shown  # the clock of a bar


@pytest.mark.skipif(bool(available()), reason=f"needs the extra `local`: {available()}")
def test_the_child_that_dreams_tells_whoever_looks_on_that_it_loads_its_model(home, tmp_path):
    """The process that works is another one than the chat, which shows what it is at; a script sees events alone."""
    Notes(home / "memory").has().said("I live in Lisbon")
    (tmp_path / "no.gguf").write_bytes(b"GGUF" + bytes(64))
    told = []
    for flags in (["--background", "--quiet"], []):
        words = [sys.executable, "-m", "cococat", "dream", "--output-format", "stream-json", *flags]
        env = {**os.environ, "COCOCAT_GGUF": str(tmp_path / "no.gguf")}
        ran = subprocess.run(words, env=env, capture_output=True, text=True, timeout=60, check=False)
        told.append([json.loads(line) for line in ran.stdout.splitlines()])

    loading = {"type": "stage", "what": "loading the embedded model", "done": 0, "total": 0}
    assert loading == told[0][0]
    assert {"type": "stage", "what": "reading what was said", "done": 0, "total": 0} in told[0]
    assert "stage" not in {row["type"] for row in told[1]}
    assert told[1]


@pytest.mark.parametrize("key", ["x", "\x03"], ids=["a key", "Ctrl-C"])
def test_a_key_gives_the_shell_back_while_the_dream_goes_on(chat, scripted, home, key):
    """The process is gone at once; the dream ends by itself, and the next start shows its receipt once."""
    begun, go = threading.Event(), threading.Event()
    server = scripted(says("Nice."), lambda _: (begun.set(), go.wait(60), calls(("edit_file", ADD)))[2], says("done"))
    terminal = chat(server)
    said(terminal)
    terminal.press("\x04")
    assert begun.wait(60)
    terminal.until(LOOKING)

    pressed = time.monotonic()
    terminal.press(key)

    assert 0 == terminal.leave()
    assert time.monotonic() - pressed < 1.5  # a loaded machine; the endpoint is still silent
    assert BEHIND in terminal.text
    go.set()
    eventually(lambda: cursor_of(home) == 1 and told(home))
    assert "I live in Lisbon" in memory_of(home)
    again = chat(scripted(), "--no-dream")
    assert "since last time: " in again.text
    assert "undo: cococat dream undo 1" in again.text


SHELLS = {
    "bash": "PS1='shell''> ' exec bash --norc --noprofile -i",
    "zsh": "echo \"PS1='shell> '\" > .zshrc; ZDOTDIR=. exec zsh -i",
    "fish": "exec fish --no-config -i -C 'function fish_prompt; echo shell\\>\\ ; end'",
}


@pytest.mark.parametrize("shell", SHELLS)
def test_a_second_ctrl_c_at_the_prompt_of_the_shell_stops_the_dream(scripted, home, tmp_path, monkeypatch, shell):
    """The first gives the shell back at once; the second reaches the dream all the same, and the memory is as it was."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    begun = threading.Event()
    server = scripted(says("Nice."), broken("I look", reached(begun), how=STALL))
    words = ["-P", "-m", "cococat", "chat", "--base-url", server.base_url, "-m", "scripted", "--root", str(tmp_path)]
    if not shutil.which(shell):
        pytest.skip(f"needs {shell}")
    monkeypatch.chdir(tmp_path)
    with PseudoTerminal("tests.app.shell_program", SHELLS[shell]) as terminal:
        terminal.until("shell>")
        terminal.press(shlex.join([sys.executable, *words]) + "\r")
        terminal.until(ready)
        said(terminal)
        terminal.press("\x04")
        assert begun.wait(60)
        terminal.until(LOOKING)

        terminal.press("\x03")
        terminal.until(lambda text: "shell>" in text.partition(AGAIN)[2])
        eventually(lambda: len(group_of(terminal.child.pid)) > 1)  # it listens where the shell does
        terminal.press("\x03")

        terminal.until("the dream was told to stop")
        eventually(lambda: server.abandoned == 1)
        assert ("", 0) == (memory_of(home), cursor_of(home))
        if shell != "fish":  # which stays at its prompt; the others drop what came before they heard Ctrl-C
            terminal.until(lambda text: text.count("shell>") == 3)
        terminal.press("expr 40 + 2\r")
        terminal.until("\n42\n")


ENDS = {
    "Ctrl-C twice": lambda terminal: (terminal.press("\x03"), terminal.until("Ctrl-C again"), terminal.press("\x03")),
    "TERM": lambda terminal: os.kill(terminal.child.pid, signal.SIGTERM),
    "HUP": lambda terminal: os.kill(terminal.child.pid, signal.SIGHUP),
    "a closed window": lambda terminal: os.close(terminal.child.child_fd),
}


@pytest.mark.parametrize("how", ENDS)
def test_however_a_chat_ends_a_dream_follows(chat, scripted, home, how):
    """Who leaves in a hurry is not kept, and what was said is remembered all the same."""
    server = scripted(says("Nice."), calls(("edit_file", ADD)), says("done"))
    terminal = chat(server)
    said(terminal)

    ENDS[how](terminal)

    if how == "a closed window":
        terminal.child.closed = True
    else:
        assert terminal.leave() in (130, 143, 129)
    eventually(lambda: cursor_of(home) == 1 and told(home))
    assert "I live in Lisbon" in memory_of(home)


@pytest.mark.parametrize("waits", [False, True])
def test_after_a_kill_the_next_start_dreams(chat, scripted, home, waits):
    """Nobody could do anything at the end, so the next chat does it at its start, whatever waits for the user."""
    terminal = chat(scripted(says("Nice.")))
    said(terminal)
    os.kill(terminal.child.pid, signal.SIGKILL)
    terminal.leave()
    assert 0 == cursor_of(home)
    if waits:
        hold(home / "memory", b"", b"- Sails\n", {"kind": "held", "records": [9], "rows": []}, NOW)

    chat(scripted(calls(("edit_file", ADD)), says("done")))

    eventually(lambda: cursor_of(home) == 1 and told(home))
    assert "I live in Lisbon" in memory_of(home)


@pytest.mark.parametrize("copy", [(), ("--fork",)])
def test_a_killed_chat_that_is_resumed_dreams_when_it_ends(chat, scripted, home, copy):
    """It goes on: nobody's prompt stands over a dream of what is not over."""
    terminal = chat(scripted(says("Nice.")))
    said(terminal)
    os.kill(terminal.child.pid, signal.SIGKILL)
    terminal.leave()
    server = scripted(says("Hello."), calls(("edit_file", ADD)), says("done"))

    again = chat(server, "-c", *copy)
    time.sleep(4)  # more than a dream takes to begin
    said(again, "hello again", "Hello.")
    again.press("/exit\r")

    assert 0 == again.leave()
    assert ("hello again", 3) == (server.requests[0]["messages"][-1]["content"], len(server.requests))
    assert "I live in Lisbon" in memory_of(home)


def test_a_chat_of_questions_ends_without_a_request(chat, scripted, home):
    """A look in code is enough to see that there is nothing to remember; the end says so."""
    server = scripted(says("Paris."))
    terminal = chat(server)
    said(terminal, "what is the capital of France?", "Paris.")

    terminal.press("/exit\r")

    assert 0 == terminal.leave()
    assert "memory unchanged · only questions" in terminal.text
    assert (1, 1) == (len(server.requests), cursor_of(home))


def test_a_chat_without_dreams_says_nothing_of_them(chat, scripted):
    """--no-dream is obeyed in silence."""
    server = scripted(says("Nice."))
    terminal = chat(server, "--no-dream")
    said(terminal)

    terminal.press("/exit\r")

    assert 0 == terminal.leave()
    assert "dream" not in terminal.text.partition("session saved")[2]
    assert 1 == len(server.requests)


def lately(home):
    """The last dream is four minutes ago."""
    (home / "memory").mkdir(mode=0o700)
    last = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() - 245))
    (home / "memory" / "state.json").write_text(json.dumps({"v": 1, "last_dream": last}))


@pytest.mark.parametrize("wait", ["", "1"], ids=["behind its back", "waited for"])
def test_an_ask_says_why_no_dream_is_due_where_that_is_asked_for(ask, scripted, home, wait):
    """The thresholds stand in the line; the answer stays alone on stdout. Without -v it is a line of nothing."""
    lately(home)
    env = {"COCOCAT_MEMORY_WAIT": wait or "0"}

    told = ask(scripted(says("one")), "-v", "I live in Lisbon", env=env)
    silent = ask(scripted(says("two")), "I live in Lisbon", env=env)

    assert (0, "one\n") == (told.code, told.stdout)
    assert "no dream now: 1 of 3 records, last dream 4 min ago" in told.stderr
    assert (0, "two\n") == (silent.code, silent.stdout)
    assert "dream" not in silent.stderr


def test_the_line_that_no_dream_is_due_is_as_dim_as_other_receipts(scripted, home):
    """On a terminal it is told apart from the answer; `--color never` is obeyed."""
    server = scripted(says("one"), says("two"))
    lately(home)
    raws = []
    for flags in ((), ("--color", "never")):
        with PseudoTerminal("cococat", "ask", "-v", "--base-url", server.base_url, "-m", "m", *flags, "hi") as terminal:
            assert 0 == terminal.leave()
            raws.append(terminal.raw)

    assert b"\x1b[2mcococat: no dream now: " in raws[0]
    assert b"\r\ncococat: no dream now: " in raws[1]


@pytest.mark.parametrize("wait", ["0", "1"], ids=["behind its back", "waited for"])
def test_an_ask_whose_endpoint_is_not_there_starts_no_dream(cococat, home, wait):
    """The dream would not find it either, however much waits; the error is all that is told."""
    Notes(home / "memory").has().said("I live in Lisbon", "thanks", "bye")
    env = {"COCOCAT_RETRY_ATTEMPTS": "1", "COCOCAT_MEMORY_WAIT": wait}

    ran = cococat("ask", "--base-url", "http://127.0.0.1:9/v1", "-m", "x", "hi", env=env)

    assert 3 == ran.code
    assert "dream" not in ran.stderr
    assert not told(home)


def test_a_chat_whose_endpoint_is_not_there_ends_without_a_dream(chat, home):
    """What was said before waits for the next one, and the end says why."""
    Notes(home / "memory").has().said("I live in Lisbon")
    terminal = chat(SimpleNamespace(base_url="http://127.0.0.1:9/v1"), env={"COCOCAT_RETRY_ATTEMPTS": "1"})
    said(terminal, "thanks", "nothing listens")

    terminal.press("/exit\r")

    assert 0 == terminal.leave()
    assert "no dream now: the model could not be reached" in terminal.text
    assert (0, False) == (cursor_of(home), told(home))


def test_the_first_ask_dreams_because_there_was_never_a_dream(ask, scripted, home):
    """Never is infinitely long ago: one record is enough, behind the user's back."""
    server = scripted(says("one"), calls(("edit_file", ADD)), says("done"))

    ran = ask(server, "I live in Lisbon")

    assert "one\n" == ran.stdout
    assert BEHIND in ran.stderr
    eventually(lambda: cursor_of(home) == 1 and told(home))
    assert "I live in Lisbon" in memory_of(home)


def test_an_ask_that_was_a_question_costs_no_second_request(ask, scripted, home):
    """The free look comes before the process that would dream, and without -v nothing is said of it."""
    server = scripted(says("Paris."))

    ran = ask(server, "what is the capital of France?")

    assert "Paris.\n" == ran.stdout
    assert "memory" not in ran.stderr
    assert (1, 1) == (len(server.requests), cursor_of(home))
