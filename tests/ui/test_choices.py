"""A question of consent is answered by a letter, a digit, or the arrows and Enter; by Enter alone never."""

import re
from functools import partial

import pytest
from inline_snapshot import snapshot

from cococat.ui.prompt.confirm import Choosing
from cococat.ui.prompt.question import NAMES, consent_keys
from cococat.ui.prompt.turn_keys import STAY

ALL = ("yes", "session", "always", "no", "reason", "run_shell(make)")
RIGHT, LEFT = "\x1b[C", "\x1b[D"


def pressed(*keys, choices=ALL, width=80):
    shown = []
    choosing = Choosing(choices, partial(consent_keys, choices, width, theme="dark"))
    return [(choosing.meaning(key), shown.append(choosing.keys))[0] for key in keys], shown


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        (("\r",), None),
        ((RIGHT, "\r"), "no"),
        ((RIGHT, RIGHT, "\r"), "reason"),
        ((LEFT, "\r"), "always"),
        ((RIGHT, LEFT, LEFT, "\r"), "session"),
        (("1",), "no"),
        (("3",), "yes"),
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
    assert snapshot("  [n]o  [y]es, remember this version ") == consent_keys(("remember", "no"), 80)
    assert ["remember"] == pressed("y", choices=("remember", "no"))[0]


def test_digits_count_only_what_is_offered():
    """Where a rule cannot be offered, there is no fourth answer; the first is the safe one."""
    assert ["no", "yes", None] == pressed("1", "3", "4", choices=("yes", "no", "reason"))[0]


def test_the_mark_moves_and_nothing_else_changes():
    """In colours it is reversed; the key of each other answer stands out. Without colours an arrow points at it."""
    _, (first, second) = pressed(RIGHT, RIGHT, choices=("yes", "no"))

    assert snapshot("  \x1b[7m[n]o\x1b[0m  [\x1b[1;36my\x1b[0m]es once ") == first
    assert [consent_keys(("yes", "no"), 80)] * 2 == [re.sub(r"\x1b\[[\d;]*m", "", shown) for shown in (first, second)]
    assert snapshot("  [n]o >[y]es once ") == consent_keys(("yes", "no"), 80, chosen="yes")


def test_no_answer_and_no_word_of_the_rule_is_broken_on_a_narrow_screen():
    """What may be pressed can be read at 40 columns, the safe answers first, a rule below the keys that keep it."""
    rows = consent_keys((*NAMES, "run_shell(git commit --amend --no-edit)"), 40).split("\n")

    assert all(len(row) <= 40 for row in rows)
    assert (
        snapshot(
            [
                "  [n]o  no + [r]eason  [y]es",
                "  [y]es, remember",
                "  [y]es, ask at each change",
                "  yes, [e]dit unasked",
                "  all edits in [f]older  [e]ach",
                "  [s]ession  [a]lways",
                "    run_shell(git commit --amend",
                "      --no-edit) ",
            ]
        )
        == rows
    )


def test_left_and_right_move_the_end_of_the_rule_where_there_are_several():
    """From the shortest, which is offered, to the call itself and back; then only Up and Down choose an answer."""
    choices = (*ALL[:-1], "run_shell(git push **)", "run_shell(git push origin **)", "run_shell(git push origin main)")
    choosing = Choosing(choices, partial(consent_keys, choices, 80))

    seen = []
    for key in (RIGHT, RIGHT, RIGHT, LEFT):
        assert choosing.meaning(key) is STAY
        seen.append((choosing.end, choosing.keys.split("\n")[2].strip()))

    assert [(1, choices[6]), (2, choices[7]), (2, choices[7]), (1, choices[6])] == seen
    assert (None, STAY, "reason") == tuple(choosing.meaning(key) for key in ("\r", "\x1b[B", "2"))
