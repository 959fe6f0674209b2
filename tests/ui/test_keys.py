"""Keys while a turn runs, in a real pseudo-terminal."""

from __future__ import annotations

import signal

import pytest

from tests.ui.pseudo_terminal import PseudoTerminal

PASTE, PASTED = "\x1b[200~", "\x1b[201~"


def turn(folder) -> PseudoTerminal:
    terminal = PseudoTerminal("tests.ui.prompt_program", "watch", folder)
    terminal.until("turn runs")
    return terminal


def test_esc_alone_stops_the_turn_and_what_was_being_typed_is_the_next_default(tmp_path):
    """Nothing that was typed is lost, nothing is echoed into the answer, the terminal is as it was."""
    with turn(tmp_path) as terminal:
        terminal.press("unfin")
        terminal.press("\x1b")
        screen = terminal.until("turn stopped")
        terminal.until("> unfin")
        terminal.press("ished\r")

        assert 0 == terminal.leave()

    assert "unfin" not in screen.partition("turn stopped")[0]
    assert 'prompted => ["unfinished", []]' in terminal.text
    assert "terminal as found: True" in terminal.text


def test_lines_typed_ahead_are_queued_and_can_be_edited(tmp_path):
    """Enter completes a line; Backspace, Ctrl-W, Ctrl-U and newline keys work without an echo."""
    with turn(tmp_path) as terminal:
        terminal.press("helli\x7fo 你\x7f你好\r")
        terminal.until(r'queued ["hello \u4f60\u597d", []]')
        terminal.press("one two\x17three\nfour\\\r\x0f")
        terminal.until("folded")  # read by itself: lines that come at once are a paste
        terminal.press("five\x1b\rsix\r")
        terminal.until(r'queued ["one three\nfour\nfive\nsix", []]')
        terminal.press("gone\x15here\r")
        terminal.until('queued ["here", []]')
        terminal.press("  \r\x0f")
        terminal.until(lambda text: 2 == text.count("folded"))
        terminal.press("last\r")
        terminal.until('queued ["last", []]')

    assert 'queued ["here", []]' in terminal.text
    assert 4 == terminal.text.count("queued")


def test_sequences_are_keys_of_no_meaning_and_never_an_esc(tmp_path):
    """Arrows, function keys and Alt do not stop the turn, even when they arrive in pieces."""
    with turn(tmp_path) as terminal:
        terminal.press("a\x1b[A\x1bOP\x1b[1;5Cb\x1bx")
        terminal.press("\x1b[")
        terminal.press("15~c\r")
        terminal.until('queued ["abc", []]')
        terminal.press("\x0f")
        terminal.until("folded")

        assert "turn stopped" not in terminal.text


def test_a_paste_is_one_block_and_is_known_as_pasted(tmp_path):
    """Its newlines do not send it, and it stays a paste when it ends up in the next prompt."""
    with turn(tmp_path) as terminal:
        terminal.press(f"see {PASTE}row one\r")
        terminal.press(f"row two{PASTED}\r")
        terminal.until(r'queued ["see row one\nrow two", ["row one\nrow two"]]')
        terminal.press(f"and {PASTE}some pasted words{PASTED}")
        terminal.press("\x1b\x1b")
        terminal.until("> and some pasted words")
        terminal.press("\r")
        terminal.leave()

    assert 'prompted => ["and some pasted words", ["some pasted words"]]' in terminal.text
    assert terminal.raw.count(b"\x1b[?2004h") == terminal.raw.count(b"\x1b[?2004l")


def test_a_question_of_consent_is_answered_by_one_key_and_leaves_the_draft_alone(tmp_path):
    """Keys before it belong to the draft and Esc to the turn; the key that answers is in neither, and the watch goes on."""
    with turn(tmp_path) as terminal:
        terminal.press("ask\r")
        terminal.until("may it run?")
        terminal.press("next y")
        terminal.until("no, for a [r]eason")
        terminal.press("y")
        terminal.until("consent: yes")
        terminal.press("\r")
        terminal.until('queued ["next y", []]')

        assert "turn stopped" not in terminal.text


@pytest.mark.parametrize("ctrl_c", ["\x03", "\x1b[99;5u", "\x1b[27;5;99~"], ids=["plain", "CSI u", "CSI 27"])
def test_ctrl_c_is_still_a_signal(tmp_path, ctrl_c):
    """The program decides what Ctrl-C means; here it ends it, and the modes are restored on the way."""
    with turn(tmp_path) as terminal:
        terminal.press(f"half{ctrl_c}")
        terminal.until("KeyboardInterrupt")

        assert terminal.leave() in (1, 128 + signal.SIGINT)


@pytest.mark.skipif(not hasattr(signal, "SIGTSTP"), reason="needs SIGTSTP, the signal of Ctrl-Z, which Windows lacks")
def test_the_keys_work_again_after_a_stop_and_a_continue(tmp_path):
    """A shell sets its own modes while the program sleeps."""
    import termios

    with turn(tmp_path) as terminal:
        terminal.press("be")
        fd = terminal.child.child_fd
        mode = termios.tcgetattr(fd)
        mode[3] |= termios.ICANON | termios.ECHO
        termios.tcsetattr(fd, termios.TCSANOW, mode)
        terminal.child.kill(signal.SIGCONT)
        terminal.press("fore\r")
        terminal.until('queued ["before", []]')

        assert not termios.tcgetattr(fd)[3] & termios.ICANON
