"""A bar for what takes longer than a second: on a terminal's stderr, and nowhere else."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cococat.core.events import MessageAdded
from cococat.core.messages import User
from cococat.store.sessions import create

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")


@pytest.fixture
def talked(home):
    """Three sessions."""
    for number in range(3):
        log = create(home / "sessions", model="m", host="h", mode="react", cwd="/", clock=lambda at=number: 1.7e9 + at)
        log.emit(MessageAdded(User(f"the parser {number}")))
        log.close()


def test_after_a_second_a_bar_says_how_far_it_is_and_leaves_nothing_behind(tmp_path):
    """What is over sooner shows nothing; the cursor is back in the end."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    os.mkfifo(tmp_path / "over")
    with PseudoTerminal("tests.ui.progress_program", "later", tmp_path / "over", columns=80) as terminal:
        shown = terminal.until("25%")
        (tmp_path / "over").write_text("")
        left = terminal.until("done")
        assert 0 == terminal.leave()

    assert "counting" in shown
    assert "counting" not in left
    assert b"quick" not in terminal.raw
    assert terminal.raw.rfind(b"\x1b[?25h") > terminal.raw.rfind(b"\x1b[?25l")


def test_a_bar_of_which_nothing_is_done_yet_moves_instead_of_standing_at_none(tmp_path):
    """The first record of a small model takes half a minute; each stage begins so, also behind another one."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    os.mkfifo(tmp_path / "next")
    with PseudoTerminal("tests.ui.progress_program", "first", tmp_path / "next", columns=80) as terminal:
        first = terminal.until(lambda text: "record 1 of 2" in text and "0:00:02" in text)
        (tmp_path / "next").write_text("")
        second = terminal.until("record 2 of 2")
        (tmp_path / "next").write_text("")
        third = terminal.until("compacting")
        (tmp_path / "next").write_text("")
        terminal.until("done")
        assert 0 == terminal.leave()

    assert "%" not in first
    assert " 50%" in second
    assert "%" not in third


@pytest.mark.usefixtures("talked")
@pytest.mark.parametrize(
    ("work", "what"), [("search", b"reading sessions for the index"), ("prune", b"deleting sessions")]
)
def test_long_work_on_sessions_shows_its_bar_on_a_terminal_and_none_in_a_pipe(home, tmp_path, work, what):
    """The index of the search and the deletion of many; results stand alone on the screen when it is over."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    shutil.copytree(home, tmp_path / "home")
    with PseudoTerminal("tests.ui.progress_program", work, columns=80) as terminal:
        left = terminal.until("done")
        assert 0 == terminal.leave()

    assert what in terminal.raw
    assert b"100%" in terminal.raw
    assert what.decode() not in left
    command = [sys.executable, "-m", "tests.ui.progress_program", work]
    piped = subprocess.run(
        command,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "FORCE_COLOR": "1", "COCOCAT_HOME": str(tmp_path / "home")},
        check=True,
    )
    assert what not in piped.stdout + piped.stderr
    assert b"" == piped.stderr
