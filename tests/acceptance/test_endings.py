"""Every way a run can end, as a script sees it on pipes and a user on a terminal."""

from __future__ import annotations

import json
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from cococat.core.limits import StopReason
from tests.scripted import STALL, broken, calls, fault, forever, says

ROOT = Path(__file__).resolve().parents[2]
LOOK = ("list_dir", {"path": "."})
HANGS = (calls(LOOK, text="I look first."), broken(how=STALL))  # its second request is never answered


def circling(body):
    """The same call as long as tools are offered, words when they are not."""
    return calls(LOOK) if body.get("tools") else says("It goes in circles.")


def fruitless(body):
    """Searches that find nothing, each for another word."""
    if not body.get("tools"):
        return says("There is no such word.")
    return calls(("grep_search", {"pattern": f"word{len(body['messages'])}", "path": "a.txt"}))


@dataclass(frozen=True)
class Ending:
    """
    One way to end.

    Args:
        script: what the server plays.
        answer: all of stdout but its line feed; None: nothing is on it.
        line: stands in the one line on stderr that says why; empty: there is no such line.
        kind: of the error in the JSON object; empty: it has none.
        broken: what keeps the command from working: `sessions`, or the name of a library.
        interrupted: Ctrl-C comes as soon as all requests have arrived.
    """

    reason: str
    code: int
    script: tuple[object, ...]
    requests: int
    answer: str | None
    line: str = ""
    kind: str = ""
    flags: tuple[str, ...] = ()
    broken: str = ""
    interrupted: bool = False


ENDINGS = (
    Ending("answered", 0, (says("Paris."),), 1, "Paris."),
    Ending("usage_error", 2, (), 0, None, "--max-steps", "config", ("--max-steps", "0")),
    Ending("model_error", 3, (fault(401, "Incorrect API key"),), 1, None, "401", "auth"),
    Ending(
        "schema_mismatch",
        3,
        (forever(says("Paris.")),),
        3,
        None,
        "no reply satisfied the schema",
        "schema_mismatch",
        ("--schema", "city"),
    ),
    Ending(
        "permission_denied",
        4,
        (calls(("run_shell", {"command": "touch made"}), text="I make it."), says("It is not made.")),
        2,
        "It is not made.",
        "nobody could be asked",
        "permission",
    ),
    Ending(
        "step_limit",
        5,
        (calls(LOOK), says("So far.")),
        2,
        "So far.",
        "raise --max-steps",
        "step_limit",
        ("--max-steps", "1"),
    ),
    Ending(
        "token_limit",
        5,
        (says("A long story", usage=(4000, 9)),),
        1,
        "A long story",
        "raise --max-tokens",
        "token_limit",
        ("--max-tokens", "3000"),
    ),
    Ending("time_limit", 5, HANGS, 2, "I look first.", "raise --max-seconds", "time_limit", ("--max-seconds", "3")),
    Ending("loop", 5, (forever(circling),), 5, "It goes in circles.", "list_dir was called", "loop"),
    Ending("no_progress", 5, (forever(fruitless),), 4, "There is no such word.", "same results", "no_progress"),
    Ending(
        "output_limit",
        5,
        (forever(says("more ", finish="length")),),
        4,
        "more more more more ",
        "max_output_tokens",
        "output_limit",
    ),
    Ending(
        "content_filter",
        5,
        (says("It begins ", finish="content_filter"),),
        1,
        "It begins ",
        "content filter",
        "content_filter",
    ),
    Ending("storage_error", 6, (says("Paris."),), 1, "Paris.", "session", "storage", broken="sessions"),
    Ending("question", 7, (calls(("ask_user", {"question": "Which port?"})),), 1, "Which port?"),
    Ending("cancelled", 130, HANGS, 2, "I look first.", "stopped", "cancelled", interrupted=True),
    Ending("internal_error", 1, (), 0, None, "an internal error: RuntimeError", "error", broken="openai"),
)
UNSEEN = [end for end in ENDINGS if end.reason in ("token_limit", "no_progress", "storage_error")]
each = pytest.mark.parametrize("ending", ENDINGS, ids=[ending.reason for ending in ENDINGS])


@pytest.fixture
def prepared(scripted, home, tmp_path):
    """Make ready for one run of an ending; gives the server, the words and the environment."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("Nothing to see.\n")

    def prepare(ending, *flags):
        env = {}
        if ending.broken == "sessions":
            (home / "sessions").write_text("a file where the folder should be")
        elif ending.broken:
            (work / f"{ending.broken}.py").write_text("raise RuntimeError('half installed')\n")
            env["PYTHONPATH"] = f"{work}{os.pathsep}{ROOT}"
            env["PYTHONUTF8"] = "1"  # read by an interpreter of its own, which has not imported the whole one yet
        server = scripted(*ending.script)
        words = [
            "ask",
            "--base-url",
            server.base_url,
            "-m",
            "scripted",
            "--mode",
            "react",
            "--no-dream",
            "--root",
            str(work),
        ]
        return server, [*words, *ending.flags, *flags, "go"], env

    return prepare


@pytest.fixture
def on_pipes(cococat):
    """Run an ending on pipes; gives code, stdout, stderr."""

    def run(ending, server, words, env):
        def interrupt(pid):
            server.wait_for(ending.requests, 20)
            os.kill(pid, signal.SIGINT)

        return cococat(*words, stdin=None, env=env, meanwhile=interrupt if ending.interrupted else None)

    return run


def reasons_told(text):
    """The lines that say why there is no whole answer."""
    lines = [line.removeprefix("^C") for line in text.splitlines()]  # a terminal echoes the key
    return [line for line in lines if line.startswith(("cococat: error:", "cococat: stopped"))]


def test_the_table_holds_every_stop_reason():
    """A new way to end has to be shown here."""
    assert {str(reason) for reason in StopReason} == {ending.reason for ending in ENDINGS}


@pytest.mark.parametrize("ending", UNSEEN, ids=[ending.reason for ending in UNSEEN])
def test_on_a_pipe_an_ending_is_the_answer_and_one_line(prepared, on_pipes, ending):
    """stdout holds the answer alone, stderr one line that says why; test_ask.py shows the other endings."""
    server, words, env = prepared(ending)

    code, out, err = on_pipes(ending, server, words, env)

    assert (ending.code, "" if ending.answer is None else ending.answer + "\n") == (code, out), err
    assert [True] * bool(ending.line) == [ending.line in line for line in reasons_told(err)], err
    assert ending.requests == len(server.requests)
    assert "\x1b" not in err
    assert "Traceback" not in err


@each
def test_as_json_an_ending_is_one_object(prepared, on_pipes, ending):
    """Answer, stop reason, exit code and error stand in the object; stderr still tells why."""
    server, words, env = prepared(ending, "--output-format", "json")

    code, out, err = on_pipes(ending, server, words, env)

    result = json.loads(out)
    assert (ending.code, ending.code, ending.reason) == (code, result["exit_code"], result["stop_reason"])
    assert (ending.answer, ending.kind) == (result["answer"], (result["error"] or {"kind": ""})["kind"])
    assert [True] * bool(ending.line) == [ending.line in line for line in reasons_told(err)], err
    assert ending.requests == len(server.requests)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
@each
def test_on_a_terminal_an_ending_is_read_in_the_same_words(prepared, ending):
    """The answer is on the screen, the reason stands there once, the code is the same."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    server, words, env = prepared(ending)

    with PseudoTerminal("cococat", *words, env=env, columns=200) as terminal:
        if ending.interrupted:
            server.wait_for(ending.requests, 20)
            terminal.press("\x03")
        code = terminal.leave()

    assert (ending.code, ending.requests) == (code, len(server.requests)), terminal.text
    assert (ending.answer or "").strip() in terminal.text
    assert [True] * bool(ending.line) == [ending.line in line for line in reasons_told(terminal.text)], terminal.text
    assert "Traceback" not in terminal.text
