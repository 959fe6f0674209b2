"""Short runs of the soaks of the screen; the long ones are `python -m tests.soak documents|hostile|exits|typing`."""

import sys

import pytest

from tests.soak.documents import Shown, show
from tests.soak.hostile import Attacked, attack

not_windows = pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")


def test_generated_documents_are_in_the_scrollback_once_and_nothing_there_changes():
    """CJK, joined emoji, flags, scripts from the right, tables and resizes."""
    shown = show([4, 19])

    assert shown.good, shown.report()
    assert shown.resizes


def test_hostile_strings_write_nothing_forbidden_wherever_they_are_shown():
    """In every place, split in two at every character."""
    attacked = attack(12, seed=1)

    assert attacked.good, attacked.report()


@not_windows
def test_a_terminal_is_left_as_it_was_found(tmp_path):
    """Three of the ways out; the long run takes them all."""
    from tests.soak.exits import leave

    left = leave(tmp_path, 3, seed=3)

    assert left.good, left.report()


def test_a_soak_that_saw_nothing_is_no_success():
    """It proves nothing."""
    assert not Shown(documents=3).good
    assert not Attacked(strings=3).good
