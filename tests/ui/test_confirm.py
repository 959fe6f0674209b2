"""Questions to the user at the terminal."""

from __future__ import annotations

import asyncio
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from cococat.ui.prompt.confirm import ask_line, confirm
from cococat.ui.prompt.question import consent_text, escape_visible, uncoloured
from cococat.ui.prompt.turn_keys import KeyWatch
from tests.ui.pseudo_terminal import PseudoTerminal

ALL = "  [n]o  no, for a [r]eason  [y]es once\n  [s]ession  [a]lways\n    run_shell(git status)"

DECIDED = [
    "? question 1 → yes, for this session",
    "? question 2 → yes",
    "? question 3 → no",
    "? question 4 → no: use make",
]


def test_the_answer_is_one_key_after_the_question_stood_for_a_while(tmp_path):
    """What was typed before is the draft, several keys are no answer, the loop goes on, the terminal is as it was."""
    os.mkfifo(tmp_path / "typed")
    with PseudoTerminal("tests.ui.prompt_program", "consent", tmp_path) as terminal:
        terminal.until("type ahead")
        terminal.press("yyy\ry")
        (tmp_path / "typed").write_text("done")
        terminal.until(lambda text: text.endswith(ALL))
        terminal.press("es please")
        terminal.until(lambda text: b"\a" in terminal.raw and "[y]es" not in text)
        terminal.until(lambda text: text.endswith(ALL))
        terminal.press("S")
        terminal.until("answer 1: session '', loop ran: True")
        terminal.until(lambda text: text.endswith("[n]o  no, for a [r]eason  [y]es once"))
        terminal.press("s")
        terminal.until(lambda text: 2 == terminal.raw.count(b"\a") and "[y]es" not in text)
        terminal.until(lambda text: text.endswith("[n]o  no, for a [r]eason  [y]es once"))
        terminal.press("y")
        terminal.until("answer 2: yes '', loop ran: True")
        terminal.until(lambda text: text.endswith(ALL) and "? question 3" in text)
        terminal.press("\x1b")
        terminal.until("answer 3: no '', loop ran: True")
        terminal.until(lambda text: text.endswith(ALL) and "? question 4" in text)
        terminal.press("r")
        terminal.until("why not?")
        terminal.press("use mkae\x7f\x7f\x7fake\r")
        terminal.until("answer 4: no 'use make', loop ran: True")

        assert 0 == terminal.leave()

    assert r"draft: [] 'yyy\nyes pleases'" in terminal.text
    decided = [row for row in terminal.text.splitlines() if "question" in row]
    assert DECIDED == [row[row.index("?") :] for row in decided]
    assert "git status" not in terminal.text
    assert "terminal as found: True" in terminal.text


@pytest.mark.parametrize(
    ("kind", "key", "term"),
    [("key", "\x03", "xterm"), ("line", "\x03", "xterm"), ("line", "\x1b", "xterm"), ("line", "\x03", "dumb")],
    ids=str,
)
def test_a_key_that_stops_cancels_the_turn_that_asks(tmp_path, monkeypatch, kind, key, term):
    """Ctrl-C and Esc are the same signal as everywhere, and the terminal is restored."""
    monkeypatch.setenv("TERM", term)
    with PseudoTerminal("tests.ui.prompt_program", "cancelled", tmp_path, kind) as terminal:
        terminal.until("[n]o" if kind == "key" else "2. grün\n>")
        terminal.press(key)

        assert 130 == terminal.leave()

    assert "turn cancelled" in terminal.text
    assert "terminal as found: True" in terminal.text


@pytest.mark.parametrize(
    ("term", "keys"), [("dumb", "becauze\x7f\x7fse"), ("xterm", "beause\x1b[D\x1b[D\x1b[D\x1b[Dc")], ids=str
)
def test_a_line_answers_by_number_or_in_words(tmp_path, monkeypatch, term, keys):
    """Choices are a help, not a fence; the line is edited as at the prompt where the terminal can."""
    monkeypatch.setenv("TERM", term)
    with PseudoTerminal("tests.ui.prompt_program", "cancelled", tmp_path, "line") as terminal:
        terminal.until("? Which one?\n  1. red\n  2. grün\n>")
        terminal.press("2\r")
        terminal.until("answer: grün")
        terminal.until("? And why?\n>")
        terminal.press(f"{keys}\r")

        assert 0 == terminal.leave()

    assert "answer: because" in terminal.text


def test_what_was_typed_before_a_question_is_the_draft_and_no_answer(tmp_path):
    """Nothing of it is lost, also when it comes while nobody reads."""
    os.mkfifo(tmp_path / "typed")
    with PseudoTerminal("tests.ui.prompt_program", "asked", tmp_path) as terminal:
        terminal.until("busy")
        terminal.press("my next li")
        (tmp_path / "typed").write_text("done")
        terminal.until("? Which one?\n>")
        terminal.press("red\r")

        assert 0 == terminal.leave()

    assert "answer: red\ndraft: 'my next li'" in terminal.text


def test_without_a_terminal_nobody_agrees():
    """A pipe never says yes."""
    reading, writing = os.pipe()
    os.write(writing, b"y\n")

    nothing = KeyWatch(print, print, print, fd=reading)
    answers = [
        asyncio.run(confirm("q", "ls", keys=nothing)).answer,
        asyncio.run(ask_line("q", fd=reading)),
    ]
    os.close(reading)
    os.close(writing)

    assert ["no", ""] == answers


def test_the_whole_action_is_shown_behind_a_gutter():
    """No row of the action can pass for a question, rows break behind words, and air is around it."""
    action = "echo 你好你好你好\n? may it run?\n  [y]es once, or not"

    assert (
        snapshot("? run_shell\n  │ echo 你好你好你\n  │ 好\n  │ ? may it run?\n  │   [y]es once, \n  │ or not\n\n")
    ) == consent_text("run_shell", action, 20)


def test_an_address_that_is_wider_than_the_screen_breaks_behind_one_of_its_parts():
    """The host stands whole, and no part of the path is cut in two where one of them ends in the second half of the row."""
    rows = consent_text("fetch_url", "https://docs.python.org/3/library/http.server.html?highlight=port", 40).split(
        "\n"
    )

    assert snapshot(["  │ https://docs.python.org/3/library/", "  │ http.server.html?highlight=port"]) == rows[1:3]


@given(st.lists(st.text(st.characters(exclude_categories=("Cs",)), max_size=60), max_size=3), st.integers(20, 50))
def test_no_character_of_an_action_is_lost_where_its_rows_break(lines, width):
    """Whatever it is, and however narrow the screen: what is made visible is what is shown."""
    action = "\n".join(lines)

    rows, wanted = (consent_text("q", action, columns).split("\n") for columns in (width, 10_000))

    shown, whole = ("".join(row[4:] for row in found if row.startswith("  │ ")) for found in (rows, wanted))
    assert whole == shown


def test_a_question_is_bold_where_there_are_colours_and_ascii_where_the_locale_is(monkeypatch):
    """It stands out from what it is about; no box of a font that is not there."""
    assert (
        snapshot("\x1b[1m? run_shell: it runs\x1b[0m\n")
        == consent_text("run_shell: it runs", "ls", 80, uncoloured)[:29]
    )
    monkeypatch.setenv("LC_ALL", "C")

    assert "? q\n  | ls\n\n" == consent_text("q", "ls", 80)


def test_an_action_padded_with_blanks_shows_its_tail_and_its_size():
    """Four thousand spaces do not push the dangerous part out of sight."""
    shown = consent_text("run_shell", f"ls{' ' * 4000}; rm -rf ~", 80)

    assert "  │ ls⟨4,000 spaces⟩; rm -rf ~\n" in shown
    assert "4,012 characters, 4,000 of them hidden: read it twice\n" in shown


@pytest.mark.parametrize(
    ("text", "shown", "hidden"),
    [
        ("ls -la\n\techo é 👍", "ls -la\n    echo é 👍", 0),
        ("ls\rrm", "ls\\u{d}rm", 1),
        ("a\u200bb\u202ec\U000e0041", "a\\u{200b}b\\u{202e}c\\u{e0041}", 3),
        ("\x1b[2J\x9b\x07\x7f", "\\u{1b}[2J\\u{9b}\\u{7}\\u{7f}", 4),
        ("a\u3164b\ufe0fc\xa0d\ud800", "a\\u{3164}b\\u{fe0f}c\\u{a0}d\\u{d800}", 4),
        ("x\n" + "\n" * 50 + "y", "x⟨51 line ends⟩y", 51),
        ("x" + "\t" * 9 + "y", "x⟨9 tabs⟩y", 9),
        ("def f():\n" + " " * 24 + "pass", "def f():\n" + " " * 24 + "pass", 0),
        ("", "", 0),
    ],
    ids=["plain", "return", "zero width", "escape", "blank letters", "empty lines", "tabs", "indent", "empty"],
)
def test_every_character_of_an_action_can_be_seen(text, shown, hidden):
    """Hidden characters are written out and counted, ordinary code stays readable."""
    assert (shown, hidden) == escape_visible(text)
