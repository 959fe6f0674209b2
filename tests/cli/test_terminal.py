"""On a terminal."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

pexpect = pytest.importorskip("pexpect")
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("words", [["--version"], ["config", "path"]])
def test_tiny_and_odd_terminals_do_no_harm(words, home):
    """One column, no TERM and a COLUMNS of 0 still print."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "0", "TERM": "no-such-terminal"}
    child = pexpect.spawn(sys.executable, ["-m", "cococat", *words], env=env, dimensions=(1, 1), timeout=20)

    child.expect(pexpect.EOF)
    child.close()

    assert 0 == child.exitstatus
    assert child.before.strip()


def test_a_report_breaks_no_word_on_a_narrow_terminal(cococat):
    """Every row goes on below its last column, and says what it says in a pipe."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    piped = cococat("tools").stdout
    terminal = PseudoTerminal("cococat", "tools", rows=60, columns=60)

    assert 0 == terminal.leave()

    assert max(map(len, piped.splitlines())) > 60
    assert piped.split() == terminal.text.split()
    assert "\n                      old_text" in terminal.text
