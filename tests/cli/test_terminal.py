"""On a terminal."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from inline_snapshot import snapshot

pexpect = pytest.importorskip("pexpect")
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("words", [["--version"], ["config", "path"]])
def test_tiny_and_odd_terminals_do_no_harm(words, home):
    """One column, no TERM and a COLUMNS of 0 still print."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "0", "TERM": "no-such-terminal"}
    child = pexpect.spawn(sys.executable, ["-m", "cococat", *words], env=env, dimensions=(1, 1), timeout=60)

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
    assert "lines of\n                      it." in terminal.text


@pytest.mark.parametrize("env", [{}, {"NO_COLOR": "1"}], ids=["colours", "no colours"])
def test_an_error_before_a_run_looks_like_one_of_a_run_and_breaks_no_word(cococat, env):
    """Its label is red where there are colours; what has no room goes on below its label; a pipe gets it as it was."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    words = ("ask", "--modell", "x", "hi")
    piped = cococat(*words).stderr
    terminal = PseudoTerminal("cococat", *words, columns=40, env=env)

    assert 2 == terminal.leave()

    assert terminal.text.splitlines() == snapshot(
        [
            "cococat: error: no such flag: --modell",
            "  hint: did you mean --model? `cococat",
            "        ask --help` lists all",
        ]
    )
    assert piped.split() == terminal.text.split()
    assert ("NO_COLOR" not in env) == (b"\x1b[31mcococat: error: \x1b[0m" in terminal.raw)
    assert ("NO_COLOR" not in env) == (b"\x1b" in terminal.raw)


def test_an_error_in_colours_obeys_the_flag_that_forbids_them():
    """`--color never` holds before the flags could be read."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    terminal = PseudoTerminal("cococat", "ask", "--color", "never", "--modell", "x")

    assert 2 == terminal.leave()
    assert b"\x1b" not in terminal.raw


def test_a_path_in_an_error_stays_whole(home):
    """What is wider than the screen is left to the terminal: what is copied of it has no break."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    (home / "config.toml").write_text("[agent]\nmax_stepz = 3\n")
    terminal = PseudoTerminal("cococat", "ask", "hi", columns=24)

    assert 2 == terminal.leave()
    assert f"{home / 'config.toml'}:2:".encode() in terminal.raw


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_config_show_can_be_read_on_every_screen(cococat, home, columns):
    """No word is broken, and each setting is beside, or above, its value and where that came from."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    rules = ", ".join(f'"run_shell(git {word} *)"' for word in ("status", "diff", "log", "show", "grep"))
    file = Path(home.parent, f"{home.name}.toml")
    file.write_text(f"[permissions]\nallow = [{rules}]\n[model]\nname = 'a model'\n")
    env = {"COCOCAT_HOME": str(home)}
    words = ("config", "show", "--config", file)
    piped = cococat(*words, env=env).stdout
    terminal = PseudoTerminal("cococat", *words, rows=300, columns=columns, env=env)

    assert 0 == terminal.leave()

    place = f"{file}:2"
    rows = terminal.raw.decode().split("\r\n")
    assert piped.split() == terminal.raw.decode().split()
    assert [] == [row for row in rows if len(row) > columns and row.strip() not in (place, f"{file}:4")]
    assert "\nagent.max_steps\r\n  15  default\r\n" in terminal.raw.decode() or columns > 40
    assert len(piped.splitlines()) < len(rows)
