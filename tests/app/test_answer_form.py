"""Answers that have to have a form: `-x` prints the first fenced block alone."""

from __future__ import annotations

import json
import sys

import pytest
from inline_snapshot import snapshot

from tests.scripted import broken, calls, says

SCRIPT = "Run this:\n\n```sh\n# all of it\necho *one*\n```\n\nor this:\n\n```\nsecond\n```\n"
BLOCKS = {
    "the first of two": (SCRIPT, "# all of it\necho *one*"),
    "in a list": ("1. do\n\n   ~~~\n   a\n     b\n   ~~~\n", "a\n  b"),
    "fences inside": ("````md\n```\nx\n```\n````", "```\nx\n```"),
    "with no end": ("So:\n```\nls -l", "ls -l"),
    "with nothing in it": ("```\n```", ""),
}


@pytest.mark.parametrize(("said", "block"), BLOCKS.values(), ids=BLOCKS)
@pytest.mark.parametrize("flags", [(), ("--no-tools",)], ids=["held", "streamed"])
def test_the_first_fenced_block_is_all_of_stdout(ask, scripted, said, block, flags):
    """Without its fence, byte for byte and one newline; the session keeps the whole answer."""
    ran = ask(scripted(says(said[:9], said[9:])), "-x", *flags, "how?")

    assert (0, block and block + "\n") == (ran.code, ran.stdout)


def test_no_block_is_nothing_on_stdout_and_exit_3(ask, scripted, home):
    """A shell that reads the pipe must not be given prose; the answer is not lost."""
    ran = ask(scripted(says("Just use ls.")), "-x", "how?")

    assert (3, "") == (ran.code, ran.stdout)
    assert (
        snapshot(
            [
                "cococat: error: the answer holds no fenced block, so nothing is printed",
                "  hint: leave out -x, or see what was answered: cococat replay ID (cococat sessions list)",
            ]
        )
        == ran.stderr.splitlines()[:2]
    )
    assert "Just use ls." in next((home / "sessions").glob("*.jsonl")).read_text()


def test_a_block_that_was_cut_is_none(ask, scripted):
    """Half a script is not run; one that was complete before the cut is."""
    open_, closed = "```\nrm -r a", "```\nls\n```\nThis li"

    cut, kept = (ask(scripted(broken(text)), "--no-tools", "-x", "how?") for text in (open_, closed))

    assert [(3, ""), (3, "ls\n")] == [(ran.code, ran.stdout) for ran in (cut, kept)]


def test_json_carries_the_block_as_the_answer(ask, scripted):
    """What stdout would hold as text; the thought before a call is no answer."""
    server = scripted(calls(("list_dir", {"path": "."}), text="```\nthought\n```"), says(SCRIPT))

    result = json.loads(ask(server, "-x", "--output-format", "json", "how?").stdout)

    assert ("# all of it\necho *one*", "answered") == (result["answer"], result["stop_reason"])


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
@pytest.mark.parametrize("env", [{}, {"NO_COLOR": "1"}], ids=["live", "no colour"])
def test_a_terminal_gets_the_block_as_it_is(scripted, tmp_path, env):
    """Neither rendered nor with the words around it."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    server = scripted(says(SCRIPT))
    terminal = PseudoTerminal(
        "cococat", "ask", "--base-url", server.base_url, "-m", "x", "-x", "--root", tmp_path, "how?", env=env
    )

    assert 0 == terminal.leave()
    rows = [row.rstrip() for row in terminal.text.splitlines() if row.strip()]
    assert snapshot(["# all of it", "echo *one*"]) == rows[:-1]
