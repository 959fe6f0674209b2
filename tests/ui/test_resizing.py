"""A screen that is made narrower and wider while an answer streams."""

import random
import re
import sys
import threading
from collections import Counter

import pytest

from cococat.core.events import StepStarted, TextDelta, TurnFinished
from cococat.core.limits import Stop, StopReason, Usage
from cococat.ui.screen.draft import LineDraft
from cococat.ui.screen.input_row import input_row
from cococat.ui.screen.live import LiveScreen
from cococat.ui.steps.steps import Display
from tests.screens import ready
from tests.scripted import says
from tests.ui.terminal import Clock, ReflowTerminal

WORDS = 600
SIZES = (60, 100, 40, 120, 50, 90, 70, 45, 100, 55, 80, 40, 100, 60, 110, 50, 75, 45, 95, 100)


def streamed(told_after, draft="", wide=0, env=(), **options):
    """
    Stream WORDS words to a screen that changes its size twenty times; gives what every row says in the end.

    Args:
        told_after: events until the program hears of a change, as a multiplexer may tell it late.
        wide: one word in so many is wide; 0: none.
        env: what else the terminal says of itself.
    """
    chance = random.Random(7)
    words = [f"<{n}{'日本' * (bool(wide) and n % wide == 0)}{'x' * chance.randrange(9)}>" for n in range(WORDS)]
    text = "\n\n".join(" ".join(words[at : at + 60]) for at in range(0, WORDS, 60))
    terminal, clock, told = ReflowTerminal(100, 30), Clock(), [100]
    screen = LiveScreen(
        terminal,
        terminal,
        Display(**options),
        clock=clock,
        size=lambda: (told[0], 30),
        env={"TERM": "xterm", **dict(env)},
    )
    terminal.write("what was printed before\n" * 30)
    screen.begin(lambda width: input_row(LineDraft(draft, len(draft)), (), width))
    screen.emit(StepStarted(1))
    pieces = [text[at : at + 30] for at in range(0, len(text), 30)]
    changes = {len(pieces) * (at + 1) // (len(SIZES) + 1): size for at, size in enumerate(SIZES)}
    for number, piece in enumerate(pieces):
        if number in changes:
            terminal.reflow(changes[number])
        if number - told_after in changes:
            told[0] = changes[number - told_after]
        clock.now += 0.1
        screen.emit(TextDelta(piece))
    screen.emit(TurnFinished(text, Stop(StopReason.ANSWERED), 1, Usage(1, 1), 1.0))
    screen.close()
    return terminal.shown()


def missing_and_doubled(rows):
    found = Counter(re.findall(r"<(\d+)[日本x]*>", "".join("".join(rows).split())))
    return [n for n in range(WORDS) if not found[str(n)]], [n for n in range(WORDS) if found[str(n)] > 1]


@pytest.mark.parametrize("told_after", [0, 3], ids=["at once", "late"])
@pytest.mark.parametrize(("wrap", "wide"), [(True, 0), (True, 3), (False, 0)], ids=["word", "wide words", "none"])
def test_a_screen_that_is_made_narrower_while_text_streams_shows_each_word_once(wrap, wide, told_after):
    """Twenty times, by more than half, whenever the program hears of it: nothing is lost, nothing stands there twice."""
    rows = streamed(told_after, wide=wide, wrap=wrap, air=True)

    assert ([], []) == missing_and_doubled(rows)
    assert not [row for row in rows if "typed now" in row]


@pytest.mark.parametrize("told_after", [0, 3], ids=["at once", "late"])
@pytest.mark.parametrize("wrap", [True, False], ids=["word", "none"])
def test_no_word_is_lost_when_a_line_was_begun_below_the_text_that_streams(wrap, told_after):
    """The cursor stands in that line; a row of what was live may stay behind, and never one too many goes."""
    lost, _ = missing_and_doubled(streamed(told_after, "a line that was begun", wrap=wrap, air=True))

    assert not lost


@pytest.mark.parametrize("wrap", [True, False], ids=["word", "none"])
def test_below_text_that_streams_a_line_that_was_begun_costs_no_word_twice_in_a_terminal_that_is_known(wrap):
    """The way back from the cursor is reckoned with the rows that the terminal has broken anew."""
    rows = streamed(0, "a line that was begun", env={"TMUX": "x"}, wrap=wrap, air=True)

    assert ([], []) == missing_and_doubled(rows)


def test_only_the_first_change_of_a_window_may_cost_words_twice_where_a_line_was_begun():
    """While it is dragged the cursor rests where the rows begin, however late each change is told."""
    _, doubled = missing_and_doubled(streamed(3, "a line that was begun", wrap=True, air=True))

    assert all(number < WORDS // len(SIZES) * 2 for number in doubled)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
def test_a_chat_in_a_window_that_is_dragged_narrower_shows_each_word_once(scripted, tmp_path):
    """The real one, with the row to type in below: half of the width, and back, in the middle of a paragraph."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    words = [f"<{n}>" for n in range(WORDS)]
    parts = [" ".join(words[at : at + 50]) + ("\n\n" if at % 100 else " ") for at in range(0, WORDS, 50)]
    gates = [threading.Event() for _ in parts]
    server = scripted(
        says("a line\n\n" * 30), says(*(step for both in zip(parts, gates, strict=True) for step in both))
    )
    flags = ("--base-url", server.base_url, "-m", "scripted", "--root", tmp_path, "--no-tools")
    with PseudoTerminal("cococat", "chat", *flags, env={"PWD": str(tmp_path)}, columns=100) as terminal:
        terminal.until(ready)
        terminal.press("fill the screen\r")
        terminal.until(lambda text: "tokens" in text and ready(text))
        terminal.press("go\r")
        for number, gate in enumerate(gates):
            last = words[number * 50 + 49]
            terminal.until(lambda text, last=last: last in "".join(text.split()))
            terminal.resize(SIZES[number])
            gate.set()
        terminal.until(ready)
        above = ["".join(row[x].data for x in sorted(row)) for row in terminal.screen.history.top]

        assert ([], []) == missing_and_doubled([*above, terminal.text])
        assert "typed now" not in "".join(above)
