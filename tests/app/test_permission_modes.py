"""What a user reads about the permission modes, and what `auto` does from end to end."""

from __future__ import annotations

import sys

import pytest

from tests.screens import ready
from tests.scripted import calls, says


def test_tools_says_what_the_mode_lets_pass(cococat):
    """The table of tools ends with the mode in words; a command and an address ask in each mode but by rule."""
    edits, auto = (cococat("tools", "--permission", mode).stdout for mode in ("edits", "auto"))
    ruled = cococat("tools", "--allow", "run_shell").stdout

    assert "permission edits: reading and edits of files below the folder run; the rest asks" in edits
    assert "commands that are proven to read files there" in auto
    assert all("run_shell    asks" in shown and "fetch_url    asks" in shown for shown in (edits, auto))
    assert "run_shell    allowed" in ruled


def test_auto_looks_and_stops_at_the_first_command_that_could_do_more(cococat, scripted, tmp_path):
    """`ls` runs in `ask`, where nobody can say yes; `make` does not, and the exit code says so."""
    (tmp_path / "there.txt").write_text("x")
    server = scripted(
        calls(("run_shell", {"command": "ls"})), calls(("run_shell", {"command": "make"})), says("It is there.")
    )
    flags = ("--base-url", server.base_url, "-m", "x", "--mode", "react", "--permission", "auto")

    ran = cococat("ask", *flags, "what is here?")

    assert (4, "It is there.\n") == (ran.code, ran.stdout)
    assert "there.txt" in server.requests[1]["messages"][-1]["content"]
    assert "--allow 'run_shell(make)'" in ran.stderr
    assert "run_shell(ls)" not in ran.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
def test_slash_tools_obeys_the_mode_of_the_session(scripted, tmp_path):
    """What Shift-Tab or `/permissions` set counts, not what the chat was started with."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    flags = ("chat", "--base-url", scripted().base_url, "-m", "x", "--root", tmp_path)
    with PseudoTerminal("cococat", *flags, env={"PWD": str(tmp_path)}, rows=60) as terminal:
        terminal.until(ready)
        terminal.press("/permissions edits\r")
        terminal.until(lambda text: "allowed besides: nothing" in text and ready(text))
        terminal.press("/tools\r")
        terminal.until(lambda text: "mode offers" in text and ready(text))

    assert "permission edits: reading and edits of files below the folder run" in terminal.text
    assert "write_file   allowed" in terminal.text
