"""The prompt in a real pseudo-terminal."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from cococat.ui.prompt.input import InputLine, clean, pasted_parts
from tests.begun import eventually
from tests.ui.pseudo_terminal import PseudoTerminal

PASTE, PASTED = "\x1b[200~", "\x1b[201~"


def repl(folder: Path, **options: object) -> PseudoTerminal:
    terminal = PseudoTerminal("tests.ui.prompt_program", "repl", folder, **options)
    terminal.until("ready 1")
    return terminal


def entered(terminal: PseudoTerminal, number: int) -> object:
    """What the program got from its read *number*; waits for the next prompt."""
    screen = terminal.until(f"ready {number + 1} ")
    row = next(row for row in screen.splitlines() if row.startswith(f"{number} => "))
    return json.loads(row.removeprefix(f"{number} => "))


def _until_there(path: Path) -> None:
    """Wait for a file that the program writes without a word on its terminal."""
    eventually(lambda: path.exists() and path.read_text())


def test_enter_sends_and_three_keys_give_a_new_line(tmp_path):
    """Enter sends; Ctrl-J, Alt-Enter and a trailing backslash do not; a blank line is nothing to send."""
    with repl(tmp_path, cold=True) as terminal:  # which tells what was imported when the prompt was drawn
        _until_there(tmp_path / "drawn")  # a moment after the drawing, unless the prompt is over by then
        terminal.press("one\ntwo\x1b\rthree\\\r")
        terminal.until(lambda text: text.splitlines()[2:3] == ["  three"])
        terminal.press("grün 你好 👍🏽\r")
        first = entered(terminal, 1)
        terminal.press("  \r")
        second = entered(terminal, 2)
        terminal.press("\x04")

        assert 0 == terminal.leave()

    text = "one\ntwo\nthree\ngrün 你好 👍🏽"
    assert [text, [], text] == first
    assert "nothing" == second
    assert "left with 0, signals []" in terminal.text
    assert "terminal as found: True" in terminal.text
    assert "early enough" == (tmp_path / "drawn").read_text()


def test_a_paste_is_cleaned_remembered_and_never_sent_by_its_own_newlines(tmp_path):
    """Escape sequences and NUL go, line ends become newlines, and the line knows which part was pasted."""
    with repl(tmp_path) as terminal:
        terminal.press(f"look: {PASTE}one\r\ntwo \x1b[31mred\x1b[0m \x1b]52;c;eA==\x07\0end{PASTED} please\r")
        got = entered(terminal, 1)

    assert snapshot(["look: one\ntwo red end please", ["one\ntwo red end"], "look:  please"]) == got


def test_a_long_paste_is_shown_as_a_placeholder_and_sent_whole(tmp_path):
    """A paste that would fill the screen takes one row there."""
    block = "\n".join(f"row {number}" for number in range(100))

    with repl(tmp_path) as terminal:
        terminal.press(f"why? {PASTE}{block}{PASTED}")
        terminal.until("> why? [pasted #1: 100 lines, 689 characters]")
        terminal.press("\r")
        terminal.until("ready 2")
        terminal.press("\x04")
        terminal.leave()

    sent = b"".join(terminal.raw.split(b"1 => ")[1].split(b"\r\n")[:1])
    assert [f"why? {block}", [block], "why? "] == json.loads(sent)


def test_a_huge_line_is_sent_only_when_enter_is_pressed_again(tmp_path):
    """A megabyte pasted by accident costs a question, not a request."""
    with repl(tmp_path) as terminal:
        terminal.press(PASTE + "x" * 300_000 + PASTED)
        terminal.until("[pasted #1: 1 line, 300,000 characters]")
        terminal.press("\r")
        terminal.until("300,000 characters: Enter again sends them, Ctrl-C drops them")
        terminal.press("\x03")
        terminal.until("Ctrl-C again leaves")
        terminal.press("short\r")

        assert "short" == entered(terminal, 1)[0]


def test_ctrl_c_clears_the_line_and_twice_leaves_with_130(tmp_path):
    """The first Ctrl-C costs the line only, the second within two seconds the session."""
    with repl(tmp_path) as terminal:
        terminal.press("never mind\x03")
        screen = terminal.until("Ctrl-C again leaves, so does Ctrl-D")
        terminal.press("\x03")

        assert 130 == terminal.leave()

    assert "never mind" not in screen
    assert "left with 130, signals []" in terminal.text
    assert "terminal as found: True" in terminal.text


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)], ids=["term", "hup"])
def test_a_signal_ends_the_prompt_in_good_order(tmp_path, number, code):
    """A signal leaves with 128+n, and the terminal and the program's own handlers are as they were."""
    with repl(tmp_path) as terminal:
        terminal.child.kill(number)

        assert code == terminal.leave()

    assert f"left with {code}, signals []" in terminal.text
    assert "terminal as found: True" in terminal.text


def test_a_terminal_that_goes_away_ends_the_prompt_even_where_hangups_are_ignored(tmp_path):
    """Under nohup nobody sends a signal; the prompt must neither spin nor fail."""
    with PseudoTerminal("tests.ui.prompt_program", "nohup", tmp_path) as terminal:
        terminal.until("ready 0")
        os.mkfifo(tmp_path / "result")
        devnull = os.open(os.devnull, os.O_RDWR)
        os.dup2(devnull, terminal.child.child_fd)
        os.close(devnull)

        assert "Leave(code=129)" == (tmp_path / "result").read_text()


def test_a_bug_in_a_key_ends_the_prompt_with_its_own_error(tmp_path):
    """No pause to show a traceback; the terminal is restored and the caller gets the exception."""
    with PseudoTerminal("tests.ui.prompt_program", "bug", tmp_path) as terminal:
        terminal.until("ready 0")
        terminal.press("\x0f")

        assert 0 == terminal.leave()

    assert "read raised ZeroDivisionError" in terminal.text
    assert "terminal as found: True" in terminal.text


def test_what_tab_chose_of_several_goes_with_one_enter_and_a_folder_is_gone_into(tmp_path):
    """An arrow in the menu is for going on to write: there Enter takes the name."""
    (tmp_path / "part").mkdir()
    for name in ("parse.py", "parts.py", "part/inner.py"):
        (tmp_path / name).touch()

    with repl(tmp_path) as terminal:
        terminal.press("see @parse\t")
        terminal.until("> see @parse.py")
        terminal.press("\r")
        one = entered(terminal, 1)[0]
        terminal.press("see @par\t")
        terminal.until("part/")
        terminal.press("\t\t\t\r")
        several = entered(terminal, 2)[0]

    assert ("see @parse.py", True) == (one, several.startswith("see @par") and several.endswith(".py"))


def test_tab_completes_commands_their_words_and_paths(tmp_path):
    """Commands by letters, their first words, and files that git does not ignore, quoted where needed."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "parser.py").touch()
    (tmp_path / "src" / "parser.log").touch()
    (tmp_path / "two words.txt").touch()

    with repl(tmp_path) as terminal:
        terminal.press("/he\t")
        terminal.until("> /help")
        terminal.press("\r")
        command = entered(terminal, 1)[0]
        terminal.press("/mode s\t")
        terminal.until("> /mode single")
        terminal.press("\r")
        word = entered(terminal, 2)[0]
        terminal.press("see @pars\t")
        terminal.until("> see @src/parser.py")
        terminal.press(" and @two\t")
        terminal.until('and @"two words.txt"')
        terminal.press("\r")
        paths = entered(terminal, 3)[0]

    assert "/help" == command
    assert "/mode single" == word
    assert snapshot('see @src/parser.py and @"two words.txt"') == paths


def test_keys_that_change_the_screen_are_told_and_leave_the_line(tmp_path):
    """Shift-Tab shows the next mode in the toolbar, Ctrl-O prints above the prompt."""
    with repl(tmp_path) as terminal:
        terminal.press("draft\x1b[Z")
        terminal.until("ready 1 mode 1")
        terminal.press("\x0f")
        screen = terminal.until(lambda text: "folded 1" in text and "> draft" in text)

    assert screen.index("folded 1") < screen.index("> draft")


@pytest.mark.parametrize("keys", ["\x18\x05", "\x07"], ids=["Ctrl-X Ctrl-E", "Ctrl-G"])
def test_a_key_opens_the_editor_and_brings_its_text_back(tmp_path, keys):
    """The editor's text is there to be read before it is sent."""
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf "from the editor" > "$1"\n')
    editor.chmod(0o700)

    with repl(tmp_path, env={"VISUAL": str(editor)}) as terminal:
        terminal.press(f"draft{keys}")
        terminal.until("> from the editor")
        terminal.press("\r")

        assert snapshot("from the editor") == entered(terminal, 1)[0]


def test_history_outlives_the_program_and_is_private(tmp_path):
    """Lines of many rows come back with the arrow key and with Ctrl-R, from a file of mode 0600."""
    with repl(tmp_path) as terminal:
        terminal.press("first\nof two\r")
        entered(terminal, 1)
        terminal.press("second\r")
        entered(terminal, 2)
        terminal.press("\x04")
        terminal.leave()

    with repl(tmp_path) as terminal:
        terminal.press("\x1b[A")
        terminal.until("> second")
        terminal.press("\r")
        entered(terminal, 1)
        terminal.press("\x12first")
        terminal.until("> first")
        terminal.press("\r\r")

        assert snapshot("first\nof two") == entered(terminal, 2)[0]

    mode = (tmp_path / "state" / "history").stat().st_mode
    assert 0o600 == stat.S_IMODE(mode)


def test_a_long_paste_stays_one_row_in_the_history_and_is_whole_when_it_runs_again(tmp_path):
    """Up shows what stood for it, also in a later chat; Enter sends it all, known as pasted; another paste is another."""
    blocks = ["\n".join(f"{word} {number}" for number in range(200)) for word in ("row", "col")]
    shown = "> why? [pasted #1: 200 lines, 1,489 characters]"
    with repl(tmp_path) as terminal:
        terminal.press(f"why? {PASTE}{blocks[0]}{PASTED}\r")
        terminal.until("ready 2")
        terminal.press(f"and {PASTE}{blocks[1]}{PASTED}\r")
        terminal.until("ready 3")
        terminal.press("\x1b[A")
        terminal.until("> and [pasted #2: 200 lines, 1,489 characters]")
        terminal.press("\x1b[A")
        terminal.until(shown)
        terminal.press("\r")
        terminal.until("ready 4")
        terminal.press("\x04")
        terminal.leave()
    with repl(tmp_path) as later:
        later.press("\x1b[A")
        later.until(re.compile(r"> why\? \[pasted #\d: 200 lines, 1,489 characters\]").search)
        later.press("\r")
        later.until("ready 2")
        later.press("\x04")
        later.leave()

    wanted = [f"why? {blocks[0]}", [blocks[0]], "why? "]
    for raw, number in ((terminal.raw, b"3"), (later.raw, b"1")):
        sent = raw.split(number + b" => ")[1].split(b"\r\n")[0]
        assert wanted == json.loads(sent)


def test_a_history_that_cannot_be_written_costs_nothing_but_itself(tmp_path):
    """The reason is said, and lines are read all the same."""
    (tmp_path / "state").write_text("a file where a folder should be")

    with repl(tmp_path) as terminal:
        terminal.press("still here\r")

        assert "still here" == entered(terminal, 1)[0]
        assert "what you enter is not kept" in terminal.text


def test_bytes_that_are_no_text_reach_nobody(tmp_path):
    """Invalid UTF-8 becomes U+FFFD before anything is sent or saved."""
    with repl(tmp_path) as terminal:
        terminal.press(b"caf\xe9 \r")

        assert "caf\ufffd " == entered(terminal, 1)[0]


@pytest.mark.parametrize("options", [{"env": {"TERM": "dumb"}}, {"env": {"TERM": ""}}], ids=["dumb", "unset"])
def test_a_dumb_terminal_gets_plain_lines(tmp_path, options):
    """Nothing but text is written, a backslash continues the line, Ctrl-C twice leaves."""
    with PseudoTerminal("tests.ui.prompt_program", "repl", tmp_path, **options) as terminal:
        terminal.until(">")
        terminal.press("one\\\rtwo\r")
        terminal.until(lambda text: text.endswith('1 => ["one\\ntwo", [], "one\\ntwo"]\n>'))
        terminal.press("\x03")
        terminal.until(lambda text: text.endswith("^C\n>"))
        terminal.press("\x03")

        assert 130 == terminal.leave()

    assert b"\x1b" not in terminal.raw


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (5, 20), (24, 2000)], ids=["one cell", "small", "wide"])
def test_any_size_of_terminal_can_be_used(tmp_path, rows, columns):
    """However small the screen, what is typed arrives."""
    with PseudoTerminal("tests.ui.prompt_program", "repl", tmp_path, rows=rows, columns=columns) as terminal:
        terminal.until(lambda _: b"\x1b[?2004h" in terminal.raw)
        terminal.press("/help @x\r")
        terminal.until(lambda _: b'1 => ["/help @x", [], "/help @x"]' in terminal.raw)
        terminal.until(lambda _: 2 == terminal.raw.count(b"\x1b[?2004h"))
        terminal.press("\x04")

        assert 0 == terminal.leave()


def test_importing_the_prompt_costs_next_to_nothing():
    """The modules of the prompt bring neither the editor nor any other heavy package."""
    code = "import sys, cococat.ui.prompt.repl, cococat.ui.prompt.turn_keys, cococat.ui.prompt.confirm, cococat.ui.prompt.slash, cococat.ui.prompt.attach\n"
    code += "print([name for name in ('prompt_toolkit', 'openai', 'rich', 'pathspec') if name in sys.modules])"

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)

    assert "[]" == ran.stdout.strip()


@pytest.mark.parametrize(
    ("entered", "kept"),
    [
        ("a\r\nb\rc\n", "a\nb\nc\n"),
        ("x\x1b[2J\x9b31my\x1b]0;title\x07z", "xyz"),
        ("\x00\x07\x08tab\there", "tab\there"),
        ("\ud83d", "\ufffd"),
        ("ab\u202etxt.exe\U000e0041", "abtxt.exe"),
        ("\u0645\u06cc\u200c\u062e \u200f(\u05d0)👩\u200d💻", "\u0645\u06cc\u200c\u062e \u200f(\u05d0)👩\u200d💻"),
        ("\x1b]unfinished\nnext", "\nnext"),
    ],
    ids=["line ends", "sequences", "controls", "surrogate", "hidden order", "joiners and marks stay", "open string"],
)
def test_clean_keeps_what_a_person_can_mean(entered, kept):
    """Text that goes to a model holds no control characters and nothing that hides or reorders text."""
    assert kept == clean(entered)


@pytest.mark.parametrize(
    ("text", "blocks", "parts"),
    [
        ("fix this: a b c", [], ()),
        ("fix: some pasted code here", ["some pasted code here"], ("some pasted code here",)),
        ("twice: long enough block, long enough block", ["long enough block"], ("long enough block",) * 2),
        ("a cat sat", ["a"], ("a",)),
        ("def main(args): return 7 # mine", ["def main(args): return None"], ("def main(args): return ",)),
        ("nothing of it is left", ["completely different words"], ()),
    ],
    ids=["none", "whole", "repeated", "short ones once", "edited", "deleted"],
)
def test_pasted_parts_are_what_is_left_of_the_pastes(text, blocks, parts):
    """Words that came from the clipboard are never taken for words that were typed."""
    assert parts == pasted_parts(text, blocks)


def test_the_typed_part_is_the_text_without_the_pasted_ones():
    """What memory may learn from is what the user typed."""
    line = InputLine("look at PASTED TEXT, please", ("PASTED TEXT",))

    assert snapshot("look at , please") == line.typed
