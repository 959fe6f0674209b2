"""What terminals send, at the prompt and while a turn runs: the same keys, and never an answer taken for text."""

from __future__ import annotations

import asyncio
import json
import os
import select

import pytest
from inline_snapshot import snapshot

from cococat.ui.prompt.keys import KeyReader, Paste
from cococat.ui.prompt.turn_keys import KeyWatch
from tests.soak.typing_ahead import Clocked, settled
from tests.ui.pseudo_terminal import PseudoTerminal

PLACES = {"prompt": ("repl", "ready 1"), "turn": ("watch", "turn runs")}
ANSWERS = {
    "colour": "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\",
    "colour, ended by BEL": "\x1b]4;0;rgb:0/0/0\x07",
    "title": "\x1b]lzsh\x1b\\",
    "clipboard": "\x1b]52;c;aGVsbG8=\x07",
    "DCS": "\x1bP1$r0m\x1b\\",
    "version": "\x1bP>|foot(1.16)\x1b\\",
    "APC": "\x1b_Gi=31;OK\x1b\\",
    "PM": "\x1b^private\x1b\\",
    "SOS": "\x1bXstring\x1b\\",
    "focus": "\x1b[I\x1b[O",
    "device": "\x1b[?62;22c\x1b[>1;10;0c",
    "mode": "\x1b[?2026;2$y",
    "cursor": "\x1b[?12;40R",
    "size": "\x1b[8;24;80t\x1b[48;24;80;480;960t",
    "CSI u flags": "\x1b[?1u",
    "a key let go": "\x1b[97;1:3u\x1b[1;1:3A",
    "a key of the window manager": "\x1b[97;9u\x1b[57441;2u",
    "mouse": "\x1b[<35;10;4M\x1b[<0;10;4m",
    "mouse of the old kind": "\x1b[M !!",
    "function key of a console": "\x1b[[C",
    "unknown": "\x1b[5;5;5x\x1b[=3z\x1b[99 q",
}
HALVES = ["\x1b]", "\x1b]11;rgb:1e", "\x1bP1$r", "\x1b_G", "\x1b^", "\x1b[", "\x1b[12;", "\x1bO", "\x1b[M ", "\x1b[["]


def begun(place: str, folder) -> PseudoTerminal:
    program, wanted = PLACES[place]
    terminal = PseudoTerminal("tests.ui.prompt_program", program, folder)
    terminal.until(wanted)
    return terminal


def got(terminal: PseudoTerminal) -> tuple[str, list[str]]:
    """The line that was entered, and the pastes in it."""
    terminal.until(lambda text: "\n1 => " in f"\n{text}" or "queued [" in text)
    row = next(row for row in terminal.text.splitlines() if row.startswith(("1 => ", "queued [")))
    text, pasted, *_ = json.loads(row[row.index("[") :])
    return text, pasted


def heard(terminal: PseudoTerminal, place: str, typed: str) -> None:
    """Wait until all keys were taken: Ctrl-O is told by both programs, and the prompt shows what was *typed* below that."""
    terminal.press("\x0f")
    terminal.until(lambda text: "folded" in text and (place == "turn" or typed in text.partition("folded")[2]))


@pytest.mark.parametrize("place", PLACES)
def test_what_a_terminal_answers_is_never_text(tmp_path, place):
    """Each answer comes between two letters; all that is entered is the letters."""
    letters = "".join(chr(ord("a") + at) for at in range(len(ANSWERS)))
    with begun(place, tmp_path) as terminal:
        terminal.press("".join(map("".join, zip(letters, ANSWERS.values(), strict=True))) + "\r")

        assert (letters, []) == got(terminal)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("half", HALVES, ids=[repr(half)[1:-1] for half in HALVES])
def test_enter_ends_a_sequence_that_is_not_whole(tmp_path, place, half):
    """Nothing of it is text, and Enter is Enter."""
    with begun(place, tmp_path) as terminal:
        terminal.press(f"a{half}\r")

        assert ("a", []) == got(terminal)


@pytest.mark.parametrize("half", HALVES, ids=[repr(half)[1:-1] for half in HALVES])
def test_ctrl_c_is_heard_behind_a_sequence_that_is_not_whole(tmp_path, half):
    """The first one costs the line, the second leaves, whatever the terminal has begun to say."""
    with begun("prompt", tmp_path) as terminal:
        terminal.press(f"a{half}\x03")
        terminal.until("Ctrl-C again leaves")
        terminal.press(f"{half}\x03")

        assert 130 == terminal.leave()


def test_ctrl_c_ends_a_paste_whose_end_was_lost():
    """What came of it is a paste, and the key is the key."""
    keys = KeyReader()

    assert [] == keys.feed(b"\x1b[200~half of it\r")
    assert [Paste("half of it\r"), "\x03"] == keys.feed(b"\x03")


@pytest.mark.parametrize("half", HALVES, ids=[repr(half)[1:-1] for half in HALVES])
def test_a_sequence_that_is_not_whole_after_a_tenth_of_a_second_is_over(half):
    """What is typed then is text; what was begun is not, nor does it stop the turn."""
    assert (["later"], []) == held(half, b"later\r")


def test_alt_and_a_key_that_begins_answers_costs_nothing_that_is_typed_behind_it():
    """Alt-] is no answer when text follows it."""
    assert (["hello", "there"], []) == held("\x1b]hello", b"\r\x1b]", b"there", b"\r")


def test_characters_split_over_reads_stay_whole():
    """Bytes of one character may come one by one."""
    assert (["你好 é"], []) == held("", *(bytes([byte]) for byte in "你好 é".encode()), b"\r")


def held(half: str, *later: bytes) -> tuple[list[str], list[bool]]:
    """The lines that are queued when *later* comes read by read, a tenth of a second behind *half*; and each stop."""

    async def typed() -> tuple[list[str], list[bool]]:
        loop = asyncio.get_running_loop()
        master, slave = os.openpty()
        queued, stopped = [], []
        with KeyWatch(lambda: stopped.append(True), print, queued.append, fd=slave):
            for keys, ms in ((half.encode(), 101), *((part, 0) for part in later)):
                os.write(master, keys)
                assert not keys or select.select([slave], [], [], 5)[0]
                await settled(slave)
                loop.ms += ms
                await settled(slave)
        os.close(master)
        os.close(slave)
        return [line.text for line in queued], stopped

    with asyncio.Runner(loop_factory=Clocked) as runner:
        return runner.run(typed())


@pytest.mark.parametrize("place", PLACES)
def test_shift_enter_is_a_new_line_however_it_is_spelt(tmp_path, place):
    """Three spellings, and Enter sends."""
    with begun(place, tmp_path) as terminal:
        terminal.press("a\x1b[13;2ub\x1b[27;2;13~c\x1b\rd\x1b[13u")

        assert ("a\nb\nc\nd", []) == got(terminal)


@pytest.mark.parametrize("place", PLACES)
def test_an_encoded_key_does_what_its_plain_form_does(tmp_path, place):
    """Letters with Shift, Ctrl and Alt, also of a keyboard that is not Latin, locks, editing keys, the number pad."""
    keys = (
        "x\x1b[117;5u"  # Ctrl-U
        "y\x1b[1075:1043:117;5u"  # of a Russian keyboard
        "z\x1b[27;5;117~"  # as xterm says it
        "\x1b[104;2u\x1b[105:73;2ue\x1b[127u"  # H, I, and e taken back
        "\x1b[1;129D\x1b[97u\x1b[1;1C"  # Left under num lock, a, Right
        "\x1b[32u\x1b[57401u\x1bOs \x1b[98;3u\x1b[98;3u|"  # 2 and 3 of the number pad, Alt-B twice
    )
    with begun(place, tmp_path) as terminal:
        terminal.press(keys)
        terminal.press("\r")

        assert ("|HaI 23 ", []) == got(terminal)


def test_encoded_ctrl_c_and_ctrl_d_leave_the_prompt(tmp_path):
    """As their plain forms do: Ctrl-C first costs the line."""
    with begun("prompt", tmp_path) as terminal:
        terminal.press("a\x1b[99;5u")
        terminal.until("Ctrl-C again leaves")
        terminal.press("\x1b[100;5u")

        assert 0 == terminal.leave()


def test_an_encoded_esc_stops_the_turn(tmp_path):
    """At once, as it is no start of anything."""
    with begun("turn", tmp_path) as terminal:
        terminal.press("\x1b[27u")
        terminal.until("turn stopped")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("end", ["\r", "\r\n"], ids=["CR", "CR LF"])
def test_lines_that_come_at_once_are_a_paste_without_brackets_too(tmp_path, place, end):
    """Nothing is entered, nor is a command, until a key follows; then it is one line, known as pasted."""
    with begun(place, tmp_path) as terminal:
        terminal.press(f"!touch made{end}/exit{end}exit{end}")
        heard(terminal, place, "exit")
        assert "=>" not in terminal.text
        assert "queued" not in terminal.text
        terminal.press("\r")

        text, pasted = got(terminal)

    assert snapshot("!touch made\n/exit\nexit") == text.strip()
    assert [text] == pasted


@pytest.mark.parametrize("place", PLACES)
def test_a_long_paste_without_brackets_is_one_paste(tmp_path, place):
    """Many reads of it are one."""
    block = "".join(f"row {number}\r" for number in range(4000))
    with begun(place, tmp_path) as terminal:
        for at in range(0, len(block), 1024):
            terminal.press(block[at : at + 1024])
        heard(terminal, place, "4,000 lines")
        terminal.press("\r")
        terminal.until(lambda text: "row 3999" in text)

    assert b"ready 3" not in terminal.raw
    assert 1 == (terminal.raw.count(b"queued [") or terminal.raw.count(b"1 => "))


def test_the_rest_of_a_paste_that_came_in_two_is_entered_by_a_key_alone():
    """A slow line may break it anywhere; Enter, pressed, comes by itself."""
    keys = KeyReader()

    assert [Paste("one\r!two")] == keys.feed(b"one\r!two")
    assert [Paste(" words\r")] == keys.feed(b" words\r")
    assert ["\r"] == keys.feed(b"\r")


@pytest.mark.parametrize("place", PLACES)
def test_one_line_and_its_end_in_one_read_is_entered(tmp_path, place):
    """As typed over a slow line, or by a program; CR LF is one Enter."""
    with begun(place, tmp_path) as terminal:
        terminal.press("hello\r\n")

        assert ("hello", []) == got(terminal)
