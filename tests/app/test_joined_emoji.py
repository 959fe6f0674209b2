"""Characters of several code points at the prompt: where the cursor stands, and what is sent."""

import sys

import pytest
from wcwidth import wcwidth

from tests.screens import ready
from tests.scripted import says

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")

PROMPT = 2  # columns


def columns_of(text):
    """Cells on terminals that give each code point its own, as xterm and tmux do; others draw some of them in fewer."""
    return sum(max(0, wcwidth(char)) for char in text)


@pytest.mark.parametrize("text", ["a👍🏽b", "a🇩🇪b", "ae\u0301b", "a日本b"], ids=["a tone", "a flag", "a mark", "wide"])
def test_the_cursor_stands_behind_what_was_typed_and_edits_go_there(chat, scripted, text):
    """At the end, at the beginning, and one character to the right of that; the row shows what is sent."""
    server = scripted(says("Yes."))
    terminal = chat(server, columns=60)

    def stands(at, shown):
        return terminal.until(lambda seen: terminal.screen.cursor.x == PROMPT + columns_of(at) and shown in seen)

    terminal.press(text)
    stands(text, "b")
    terminal.press("\x1b[H")
    stands("", "b")
    terminal.press("\x1b[C")
    stands("a", "b")
    terminal.press("X")
    stands("aX", "aX")
    terminal.press("\x1b[F\x7fc")
    stands(f"X{text}", "c")
    terminal.press("\r")
    terminal.until(lambda seen: "Yes." in seen and ready(seen))

    assert f"aX{text[1:-1]}c" == server.requests[0]["messages"][-1]["content"]


@pytest.mark.parametrize(
    "text", ["👩\u200d👩\u200d👧", "❤\ufe0f", "1\ufe0f\u20e3"], ids=["a family", "a heart", "a keycap"]
)
def test_what_is_joined_is_sent_as_it_was_typed(chat, scripted, text):
    """Joiners and selectors are neither lost nor moved, also behind an edit in front of them."""
    server = scripted(says("Yes."))
    terminal = chat(server)

    terminal.press(f"{text}b\x1b[Ha \r")
    terminal.until(lambda seen: "Yes." in seen and ready(seen))

    assert f"a {text}b" == server.requests[0]["messages"][-1]["content"]
