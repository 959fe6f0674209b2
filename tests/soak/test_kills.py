"""A short run of the soak of kills; the long one is `python -m tests.soak kills --n 1000`."""

import platform
import sys

import pytest

from tests.soak.kills import Tally, soak
from tests.soak.moments import CALLS


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in CALLS,
    reason="needs Linux's /proc and a processor whose numbers of system calls are known: they tell when to kill",
)
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("kills", "seed"), [(3, 1), pytest.param(15, 2, marks=pytest.mark.slow)])
def test_a_chat_that_is_killed_at_any_moment_loses_nothing_that_was_acknowledged(dreams, tmp_path, kills, seed):
    """Questions, results and answers that were seen are in the log, effects happen once, nothing is left behind."""
    tally = soak(tmp_path, kills, seed)

    assert tally.good, tally.report()


def test_a_soak_that_did_not_do_its_work_is_no_success():
    """Without kills inside of writes, or without dreams, it proves nothing."""
    idle = Tally(10, kills=10, inside=2, dreams=5)

    assert not idle.good
    assert not Tally(10, kills=4, inside=4, dreams=5).good
    assert not Tally(10, kills=10, inside=9).good
    assert Tally(10, kills=10, inside=3, dreams=1).good
