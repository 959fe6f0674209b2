"""A question of consent is answered by a letter, a digit, or the arrows and Enter; by Enter alone never."""

import re

import pytest
from inline_snapshot import snapshot

from cococat.ui.prompt.confirm import NAMES, Choosing, consent_keys
from cococat.ui.prompt.turn_keys import STAY

ALL = ("yes", "session", "always", "no", "reason", "run_shell(make)")
RIGHT, LEFT = "\x1b[C", "\x1b[D"


def pressed(*keys, choices=ALL, width=80):
    shown = []
    choosing = Choosing(choices, shown.append, width)
    return [choosing.meaning(key) for key in keys], shown


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        (("\r",), None),
        ((RIGHT, "\r"), "yes"),
        ((RIGHT, RIGHT, "\r"), "session"),
        ((LEFT, "\r"), "reason"),
        ((RIGHT, LEFT, LEFT, "\r"), "no"),
        (("1",), "yes"),
        (("4",), "no"),
        (("6",), None),
        (("0",), None),
        (("Y",), "yes"),
        (("x",), None),
        (("",), "no"),
    ],
)
def test_letters_digits_and_arrows_answer(keys, wanted):
    """Nothing is chosen until an arrow was pressed."""
    *moves, last = pressed(*keys)[0]

    assert wanted == last
    assert [STAY] * len(moves) == moves


def test_what_is_kept_is_called_so_and_y_answers_it():
    """An answer that is remembered is no "once"."""
    assert snapshot("  [y]es, remember this version  [n]o ") == consent_keys(("remember", "no"), 80)
    assert ["remember"] == pressed("y", choices=("remember", "no"))[0]


def test_digits_count_only_what_is_offered():
    """Where a rule cannot be offered, 2 is the no."""
    assert ["no"] == pressed("2", choices=("yes", "no", "reason"))[0]


def test_the_mark_moves_in_place():
    """The row is written over, on a narrow screen from its first row on, and nothing else changes."""
    _, (first, second) = pressed(RIGHT, RIGHT)

    assert snapshot("\r  \x1b[7m[y]es once\x1b[27m  [s]ession  [a]lways  [n]o  no, for a [r]eason ") == first
    assert consent_keys(ALL, 80).rpartition("\n")[2] == second.replace("\x1b[7m", "").replace("\x1b[27m", "")[1:]
    narrow = "\x1b[1A\r  \x1b[7m[y]es\x1b[27m  [s]ession  [a]lways  [n]o \n  no + [r]eason "
    assert narrow == pressed(RIGHT, width=40)[1][0]


def test_no_answer_and_no_word_of_the_rule_is_broken_on_a_narrow_screen():
    """What may be pressed can be read at 40 columns."""
    rows = consent_keys((*NAMES, "run_shell(git commit --amend --no-edit)"), 40).split("\n")

    assert all(len(row) <= 40 for row in rows)
    keys = [re.search(r"\[.\]", name)[0] for name in NAMES.values()]
    assert all(any(key in row for row in rows) for key in keys)
    assert snapshot(["  [s]ession and [a]lways allow", "    run_shell(git commit --amend"]) == rows[:2]


def test_left_and_right_move_the_end_of_the_rule_where_there_are_several():
    """From the shortest, which is offered, to the call itself and back; then only Up and Down choose an answer."""
    rules = ("run_shell(git push **)", "run_shell(git push origin **)", "run_shell(git push origin main)")
    choosing = Choosing((*ALL[:-1], *rules), lambda _: None, 80)

    seen = []
    for key in ("", RIGHT, RIGHT, RIGHT, LEFT):
        assert choosing.moved(key) is bool(key)
        seen.append((choosing.end, choosing.keys.split("\n")[0]))

    assert [0, 1, 2, 2, 1] == [end for end, _ in seen]
    assert all(shown == f"  [s]ession and [a]lways allow {rules[end]}" for end, shown in seen)
    assert (None, STAY, "session") == tuple(choosing.meaning(key) for key in ("\r", "\x1b[B", "2"))
    assert not Choosing(ALL, lambda _: None, 80).moved(RIGHT)
