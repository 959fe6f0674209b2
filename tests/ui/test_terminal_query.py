"""What a terminal says of itself: its background, its frames; and nothing that was typed is lost."""

import os
import pty
import sys
import threading

import pytest

from cococat.ui.screen.modes import TerminalInfo, ask_terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")

LAST = b"\x1b[?62;22c"


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        (b"\x1b]11;rgb:ffff/ffff/f0f0\x1b\\\x1b[?2026;2$y" + LAST, TerminalInfo("light", frames=True, answers=True)),
        (b"\x1b]11;rgb:12/12/16\x07\x1b[?2026;0$y" + LAST, TerminalInfo("dark", answers=True)),
        (b"\x1b]11;rgba:0000/0000/8080/ffff\x07" + LAST, TerminalInfo("dark", answers=True)),
        (b"he\x1b]11;rgb:ff/ff/ff\x07llo\x1b[?6c", TerminalInfo("light", typed=b"hello", answers=True)),
        (LAST, TerminalInfo(answers=True)),
    ],
    ids=["light", "dark", "with alpha", "typing in between", "no answer"],
)
def test_a_terminal_says_what_it_can(answer, wanted):
    """The question that every terminal answers ends the wait; what was typed meanwhile is given back."""
    ours, theirs = pty.openpty()

    def terminal():
        asked = b""
        while not asked.endswith(b"\x1b[c"):
            asked += os.read(ours, 100)
        os.write(ours, answer)

    answering = threading.Thread(target=terminal)
    answering.start()
    told = ask_terminal(theirs, {}, wait_s=20)
    answering.join()
    os.close(ours)
    os.close(theirs)

    assert wanted == told


def test_a_terminal_that_is_far_away_is_not_asked():
    """Its answer could come when somebody types."""
    ours, theirs = pty.openpty()
    os.set_blocking(ours, False)

    assert TerminalInfo() == ask_terminal(theirs, {"SSH_CONNECTION": "a b"}, wait_s=20)
    with pytest.raises(BlockingIOError):
        os.read(ours, 1)
    os.close(ours)
    os.close(theirs)
