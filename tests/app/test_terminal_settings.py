"""`[terminal]`: each setting changes what a user sees, hears or types."""

import re
import sys

import pytest
from inline_snapshot import snapshot

from tests.screens import ready
from tests.scripted import calls, says

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")

PROSE = "one two three four five six seven eight nine ten eleven twelve thirteen"


@pytest.fixture
def terminal(tmp_path):
    """Start a command in *tmp_path* against a scripted server; give the terminal."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    started = []

    def start(server, *words, env=None, columns=80):
        flags = ["--base-url", server.base_url, "-m", "scripted", "--root", tmp_path]
        env = {"PWD": str(tmp_path), **(env or {})}
        started.append(PseudoTerminal("cococat", words[0], *flags, *words[1:], env=env, columns=columns))
        return started[-1]

    yield start
    for each in started:
        each.child.close(force=True)


@pytest.mark.parametrize(
    ("wrap", "row"), [("word", "one two three four five six seven eight"), ("none", f"{PROSE[:40]}")]
)
def test_prose_wraps_at_words_or_is_left_to_the_terminal(terminal, scripted, wrap, row):
    """`wrap` decides who breaks a line."""
    shown = terminal(scripted(says(PROSE)), "ask", "count", env={"COCOCAT_TERMINAL_WRAP": wrap}, columns=40)

    assert 0 == shown.leave()
    assert row.rstrip() in [line.rstrip() for line in shown.screen.display]


@pytest.mark.parametrize(
    ("theme", "codes"), [("dark", {b"36"}), ("light", {b"34"}), ("plain", set())], ids=["dark", "light", "plain"]
)
def test_a_theme_chooses_colours_that_can_be_read(terminal, scripted, theme, codes):
    """Code is cyan on black, blue on white, and has no colour where there are none."""
    shown = terminal(scripted(says("`code`")), "ask", "hi", env={"COCOCAT_TERMINAL_THEME": theme})

    assert 0 == shown.leave()
    assert codes == set(re.findall(rb"\x1b\[(3\d)m", shown.raw))


def test_vi_keys_edit_the_prompt(terminal, scripted):
    """Esc, 0 and x delete the first character."""
    server = scripted(says("Yes."))
    shown = terminal(server, "chat", env={"COCOCAT_TERMINAL_EDITOR": "vi"})
    shown.until(ready)

    shown.press("jhello\x1b")
    shown.press("0x")
    shown.until("> hello")
    shown.press("\r")
    shown.until("Yes.")

    assert "hello" == server.requests[0]["messages"][-1]["content"]


def test_title_and_bell_are_set_and_the_title_is_given_back(terminal, scripted):
    """The question is the title, harmless; the bell sounds behind the answer."""
    env = {"COCOCAT_TERMINAL_TITLE": "true", "COCOCAT_TERMINAL_BELL": "on"}
    shown = terminal(scripted(says("Yes.")), "chat", env=env)
    shown.until(ready)
    shown.press("what is this?\r")
    shown.until(lambda text: "Yes." in text and ready(text))
    shown.press("/exit\r")

    assert 0 == shown.leave()
    assert b"\x1b[22;2t" in shown.raw
    assert b"\x1b]2;cococat: what is this?\x07" in shown.raw
    assert b"\x07" in shown.raw.rpartition(b"Yes.")[2]
    assert b"\x1b[23;2t" in shown.raw.rpartition(b"Yes.")[2]


def test_without_them_there_is_neither(terminal, scripted):
    """By default a chat is silent and leaves the title alone."""
    shown = terminal(scripted(says("Yes.")), "chat")
    shown.until(ready)
    shown.press("what is this?\r")
    shown.until(lambda text: "Yes." in text and ready(text))
    shown.press("/exit\r")

    assert 0 == shown.leave()
    assert not {b"\x07", b"\x1b]2;", b"\x1b[22;2t"} & {
        part for part in (b"\x07", b"\x1b]2;", b"\x1b[22;2t") if part in shown.raw
    }


def test_no_color_means_no_weights_either(terminal, scripted):
    """The prompt and the answer are neither coloured nor bold."""
    shown = terminal(scripted(says("**Yes.**")), "chat", env={"NO_COLOR": "1"})
    shown.until(ready)
    shown.press("hi\r")
    shown.until(lambda text: "Yes." in text and ready(text))

    assert {b"0", b""} >= set(re.findall(rb"\x1b\[([0-9;]*)m", shown.raw))


def test_without_colours_a_step_has_the_columns_of_the_terminal_at_hand(terminal, scripted):
    """Not those of a log, which end in the middle of a word here."""
    server = scripted(calls(("read_file", {"path": "nope.py"})), says("Yes."))
    shown = terminal(server, "ask", "--mode", "react", "hi", env={"NO_COLOR": "1"})

    assert 0 == shown.leave()
    assert re.search(r"^  act +read_file nope\.py +observe  ✗ nope\.py does not exist$", shown.text, re.MULTILINE)


def test_an_answer_of_the_terminal_that_comes_late_is_not_typed(terminal, scripted):
    """Reports of colours and kinds leave the prompt as it is."""
    server = scripted(says("Yes."))
    shown = terminal(server, "chat")
    shown.until(ready)

    shown.press("he\x1b]11;rgb:ffff/ffff/ffff\x1b\\")
    shown.press("ll\x1b[?6co\r")
    shown.until("Yes.")

    assert "hello" == server.requests[0]["messages"][-1]["content"]


@pytest.mark.parametrize(("env", "marks"), [({}, [b"A", b"C", b"D", b"A"]), ({"SSH_CONNECTION": "a 1 b 2"}, [])])
def test_a_terminal_that_answers_is_told_where_prompts_and_answers_begin(terminal, scripted, env, marks):
    """It can go from one to the next (OSC 133); one that is not asked gets none."""
    shown = terminal(scripted(says("Yes.")), "chat", env=env)
    shown.until(ready)

    shown.press("hi\r")
    shown.until(lambda text: "Yes." in text and ready(text))

    assert marks == re.findall(rb"\x1b]133;(.)\x1b", shown.raw)


@pytest.mark.parametrize(
    ("env", "linked"),
    [({}, {b"https://a.example/" + b"long-" * 16 + b"way"}), ({"SSH_CONNECTION": "a 1 b 2"}, set())],
    ids=["answers", "is not asked"],
)
def test_an_address_in_an_answer_can_be_opened_where_it_is_broken_over_rows(terminal, scripted, env, linked):
    """Its hyperlink (OSC 8) is the whole address; a terminal that is not asked gets none."""
    address = f"https://a.example/{'long-' * 16}way"
    shown = terminal(scripted(says(f"See {address}, please.")), "chat", env=env)
    shown.until(ready)

    shown.press("hi\r")
    shown.until(lambda text: "please." in text and ready(text))

    assert linked == set(re.findall(rb"\x1b]8;id=\d+;([^\x1b]+)\x1b", shown.raw))


@pytest.mark.parametrize(
    ("env", "bold"),
    [
        ({"COCOCAT_TERMINAL_THEME": "dark"}, True),
        ({"COCOCAT_TERMINAL_THEME": "light"}, True),
        ({"NO_COLOR": "1"}, False),
    ],
    ids=["dark", "light", "NO_COLOR"],
)
def test_an_entered_question_is_bold_where_there_are_colours(terminal, scripted, env, bold):
    """A reader who scrolls back finds the questions by their weight, not by their mark alone."""
    shown = terminal(scripted(says("An answer.")), "chat", env=env)
    shown.until(ready)

    shown.press("what now\r")
    shown.until(lambda text: "An answer." in text and ready(text))

    row = shown.text.split("\n").index("> what now")
    cells = shown.screen.buffer[row]
    assert [bold] * 8 == [cells[x].bold for x in range(2, 10)]
    answer = shown.text.split("\n").index("An answer.")
    assert not shown.screen.buffer[answer][0].bold


def test_a_notice_of_a_command_breaks_at_words_on_a_narrow_terminal(tmp_path):
    """No word of it is torn apart at the last column; what follows stands below its words."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    with PseudoTerminal("cococat", "dream", "log", env={"PWD": str(tmp_path)}, columns=26) as shown:
        shown.leave()

        assert snapshot(["cococat: no dream has", "  changed the memory yet"]) == shown.text.split("\n")
