"""What leaves a chat: files, the clipboard, and what a command of the user's own came to."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cococat.app.endpoint.names import NO_MODEL
from tests.begun import begin
from tests.screens import ready
from tests.scripted import says

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
ROOT = Path(__file__).resolve().parents[2]
ANSWER = "Try this:\n\n```sh\necho one\n```\n\nor\n\n```sh\necho two\n```\n\nGood luck.\n"


@pytest.fixture
def tmux(tmp_path):
    """A tmux that keeps what it is given."""
    program = tmp_path / "bin" / "tmux"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/words\ncat > {tmp_path}/taken\n')
    program.chmod(0o755)
    return {"TMUX": "/tmp/tmux-0/default,1,0"}


def test_copy_goes_through_tmux_where_that_keeps_the_clipboard_to_itself(chat, scripted, tmp_path, monkeypatch, tmux):
    """With its default settings tmux drops OSC 52; `/copy code` takes the last block alone."""
    monkeypatch.setenv("PATH", f"{tmp_path}/bin", prepend=":")
    terminal = chat(scripted(says(ANSWER)), env=tmux)
    terminal.press("how?\r")
    terminal.until(lambda text: "Good luck." in text and ready(text))

    terminal.press("/copy code\r")
    terminal.until("sent to tmux")
    code = (tmp_path / "taken").read_text()
    terminal.press("/copy\r")
    terminal.until(lambda text: text.count("sent to tmux") == 2)

    assert "echo two\n" == code
    assert ANSWER.strip() == (tmp_path / "taken").read_text().strip()
    assert "load-buffer -w -\n" == (tmp_path / "words").read_text()


def test_exporting_twice_makes_two_files_and_a_named_one_is_never_written_over(chat, scripted, tmp_path, monkeypatch):
    """Nothing is lost, and what is in the way is named."""
    monkeypatch.chdir(tmp_path)
    terminal = chat(scripted(says("Hello.")))
    terminal.press("hi\r")
    terminal.until(lambda text: "Hello." in text and ready(text))
    (tmp_path / "mine.md").write_text("mine")

    for command, wanted in (("/export", "written to"), ("/export", "-2.md"), ("/export mine.md", "there already")):
        terminal.press(f"{command}\r")
        terminal.until(lambda text, wanted=wanted: wanted in text.replace("\n", "") and ready(text))

    assert 2 == len(list(tmp_path.glob("cococat-*.md")))
    assert "mine" == (tmp_path / "mine.md").read_text()


def test_a_command_of_the_users_own_that_fails_says_so(chat, scripted):
    """`!false` is not the same as `!true`."""
    terminal = chat(scripted())

    terminal.press("!exit 3\r")

    terminal.until("exit 3\n")


def test_a_dream_that_never_was_is_wrong_usage(cococat):
    """Exit 2, like any wrong number."""
    ran = cococat("dream", "show", "99")

    assert (2, True) == (ran.code, "there is no dream 99" in ran.stderr)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("form", ["text", "json", "stream-json"])
def test_an_answer_that_cannot_be_written_is_said_on_stderr(scripted, home, tmp_path, form):
    """Exit 6 with a reason, whatever the format."""
    server = scripted(says("Paris."))
    words = ["ask", "--base-url", server.base_url, "-m", "scripted", "--output-format", form, "capital?"]
    with Path("/dev/full").open("w") as full:
        with begin(*words, stdout=full.fileno()) as ran:
            assert 6 == ran.wait()
            assert b"the answer could not be written: No space left on device" in ran.stderr


def test_nothing_found_names_three_ways_in_three_lines():
    """Each is a command to paste: a variable that is set without export reaches nothing."""
    assert 2 >= len(NO_MODEL.splitlines())
    assert all(way in NO_MODEL for way in ("export OPENAI_API_KEY=", "--base-url", "pip install"))
