"""docs/streams.md says what really comes out, of every way in which a run can end; a terminal shows the same words."""

from __future__ import annotations

import json
import os
import re
from contextlib import ExitStack
from pathlib import Path

import pytest

from cococat.core.limits import StopReason
from tests.streams import CASES, PAGE, cell, prepared, rows
from tests.ui.pseudo_terminal import PseudoTerminal

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = (ROOT / "docs" / "streams.md").read_text()
REWRITE = "python -m tests.streams > docs/streams.md"
ON_PIPES = ("402", "429", "500", "refused", "DNS", "stall", "half JSON", "empty answer", "broken pipe", "full disk")
ENDINGS = [case for case in CASES if case.name not in ON_PIPES]  # one of each stop reason
SENT = {  # requests
    "answered": 1, "401": 1, "schema": 3, "filter": 1, "step limit": 2, "token limit": 1, "time limit": 2, "output limit": 4,
    "loop": 5, "no progress": 4, "denied": 2, "question": 1, "SIGINT": 2, "no session": 1, "usage": 0,
}  # fmt: skip
BROKEN = "raise RuntimeError('half installed')\n"

pytestmark = pytest.mark.skipif(not hasattr(os, "fork") or not Path("/dev/full").exists(), reason="needs /dev/full")


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_row_of_the_page_is_what_a_run_gives(case):
    """stdout, stderr and the exit code, in each of the three formats; where it is stale, write the page again."""
    assert rows(case) in WRITTEN, REWRITE


def test_the_page_holds_these_rows_and_no_others():
    """An ending that is no longer run is no longer told of, and each stop reason is, but for an error of our own."""
    assert WRITTEN.startswith(PAGE), REWRITE
    assert [case.name for case in CASES] == re.findall(r"^## (.+)$", WRITTEN, re.MULTILINE), REWRITE
    assert {*StopReason} - {StopReason.INTERNAL_ERROR} == set(re.findall(r'"stop_reason": "(\w+)"', WRITTEN))


def reasons_told(rows):
    """Those of *rows* that say why there is no whole answer."""
    lines = [row.strip("`").removeprefix("^C") for row in rows]  # a terminal echoes the key
    return [line for line in lines if line.startswith(("cococat: error:", "cococat: stopped"))]


@pytest.mark.parametrize("case", ENDINGS, ids=[case.name for case in ENDINGS])
def test_on_a_terminal_an_ending_is_read_in_the_same_words(case):
    """The answer that the page has of a pipe is on the screen, the reason stands there once, the code is the same."""
    section = WRITTEN.partition(f"## {case.name}\n")[2]
    _, answer, errors, number = next(line for line in section.splitlines() if line.startswith("| text |")).split(" | ")

    with ExitStack() as running:
        server, folder, words, env = prepared(case, running)
        with PseudoTerminal("cococat", *words, "go", env=env, columns=200) as terminal:
            if case.requests:
                server.wait_for(case.requests, 20)
                terminal.press("\x03")
            code = terminal.leave()
        shown = terminal.text.replace(str(folder / "home"), "HOME")

    assert (number, SENT[case.name]) == (f"{code} |", len(server.requests)), shown
    assert answer == "nothing" or answer.strip("`") in shown
    assert reasons_told(errors.split("<br>")) == reasons_told(cell(shown).split("<br>")), shown
    assert "Traceback" not in shown


def test_an_error_of_our_own_is_one_line_and_one_object(cococat, scripted, tmp_path):
    """A library that breaks when it is imported; on a terminal the line is the same."""
    (tmp_path / "openai.py").write_text(BROKEN)
    path = f"{tmp_path}{os.pathsep}{ROOT}"
    env = {"PYTHONPATH": path, "PYTHONUTF8": "1"}  # the latter is read by an interpreter of its own, which is not warm
    words = ["ask", "--base-url", scripted().base_url, "-m", "scripted", "go"]

    ran = cococat(*words, "--output-format", "json", env=env)
    with PseudoTerminal("cococat", *words, env=env, columns=200) as terminal:
        code = terminal.leave()

    result = json.loads(ran.stdout)
    assert (1, 1, 1) == (code, ran.code, result["exit_code"])
    assert ("internal_error", None, "error") == (result["stop_reason"], result["answer"], result["error"]["kind"])
    (line,) = reasons_told(ran.stderr.splitlines())
    assert "an internal error: RuntimeError" in line
    assert [line.partition(";")[0]] == [told.partition(";")[0] for told in reasons_told(terminal.text.splitlines())]
    assert "Traceback" not in ran.stderr + terminal.text
