"""Dreams around `ask`: behind its back, or waited for, on the same model, and by hand."""

import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.begun import eventually
from tests.scripted import calls, fault, says

pytestmark = pytest.mark.usefixtures("dreams")
EDIT = {
    "path": "MEMORY.md",
    "old_text": "## About the user\n",
    "new_text": "## About the user\n- Lives in Lisbon\n",
    "evidence": [{"seq": 1, "quote": "I live in Lisbon"}],
}
ROOT = Path(__file__).resolve().parents[2]


def memory_of(home):
    path = home / "memory" / "MEMORY.md"
    return path.read_text() if path.exists() else ""


def test_the_third_ask_dreams_behind_the_users_back_and_the_next_one_tells(ask, scripted, home):
    """`ask` answers and returns; the dream goes on by itself; the next start shows its receipt once."""
    server = scripted(says("one"), says("two"), says("three"), calls(("edit_file", EDIT)), says("done"), says("four"))
    for words in ("I live in Lisbon", "thanks"):
        assert 0 == ask(server, "--no-dream", words).code
    assert 0 == ask(server, "bye").code

    server.wait_for(5)
    eventually(lambda: "I live in Lisbon" in memory_of(home))
    eventually(lambda: json.loads((home / "memory" / "state.json").read_text()).get("cursor") == 3)
    eventually((home / "memory" / "dreams.jsonl").exists)  # the receipt, behind the commit
    ran = ask(server, "hello again")

    assert "four\n" == ran.stdout
    assert "since last time: " in ran.stderr
    assert "cococat dream undo" in ran.stderr
    assert "I live in Lisbon" in server.requests[5]["messages"][0]["content"]


def test_with_memory_wait_ask_waits_for_its_dream(ask, scripted, home):
    """Scripts can have the memory settled when the command returns; the answer and its code stay the same."""
    server = scripted(says("one"), says("two"), says("three"), calls(("edit_file", EDIT)), says("done"))
    env = {"COCOCAT_MEMORY_WAIT": "true"}
    for words in ("I live in Lisbon", "thanks"):
        ask(server, "--no-dream", words, env=env)

    ran = ask(server, "--output-format", "stream-json", "bye", env=env)

    events = [json.loads(line) for line in ran.stdout.splitlines()]
    assert ["dream_finished", "result"] == [event["type"] for event in events][-2:]
    assert ("changed", "three") == (events[-2]["outcome"], events[-1]["answer"])
    assert "I live in Lisbon" in memory_of(home)


def test_what_a_refusal_teaches_a_dream_is_kept_for_the_next_one(ask, cococat, scripted, home):
    """How requests have to be made is no memory: the guard of a dream lets it be written."""
    refused = fault(
        400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", code="unsupported_parameter"
    )
    server = scripted(says("one"), refused, says("nothing"))
    ask(server, "--no-dream", "I live in Lisbon")

    ran = cococat("dream", "--base-url", server.base_url, "-m", "scripted")

    assert "refused" not in ran.stderr
    kept = json.loads((home / "cache" / "endpoints.json").read_text())
    assert ["other_limit"] == [name for profile in kept.values() for name in profile["learned"]]


def test_a_dream_is_told_the_true_size_of_what_is_not_kept_whole(ask, scripted, tmp_path):
    """Of a file no more than its beginning is kept: its size is that of the file, not of the beginning."""
    (tmp_path / "notes.txt").write_text("x" * 50_000)
    server = scripted(says("one"), says("done"))

    ask(server, "-f", tmp_path / "notes.txt", "I live in Lisbon", env={"COCOCAT_MEMORY_WAIT": "true"})

    assert "(file text of 50,000 characters, not shown)" in server.requests[1]["messages"][-1]["content"]


def test_the_day_of_what_was_said_is_the_users_own(ask, cococat, scripted):
    """Where the day is another one than in UTC a dream is told the user's, and every command shows that."""
    now = datetime.now(UTC)
    zone = ("XXX-14", 14) if now.hour >= 11 else ("XXX+12", -12)
    day = now.astimezone(timezone(timedelta(hours=zone[1]))).date().isoformat()
    server = scripted(says("one"), calls(("edit_file", EDIT)), says("done"))

    ask(server, "I live in Lisbon", env={"COCOCAT_MEMORY_WAIT": "true", "TZ": zone[0]})
    at_home = [
        cococat(*words, env={"TZ": zone[0]}).stdout
        for words in (("memory", "search", "lisbon"), ("memory", "why", "lisbon"), ("dream", "log"))
    ]
    abroad = cococat("memory", "why", "lisbon").stdout

    told = server.requests[1]["messages"][-1]["content"]
    assert now.date().isoformat() != day
    assert [f"Today is {day}.", f"date={day}"] == re.findall(r"Today is \S+|date=\S+", told)
    assert [] == [shown for shown in (*at_home, abroad) if day not in shown]


def test_a_dream_that_fails_leaves_the_answer_and_its_code_alone(ask, scripted, home):
    """The answer was given before; memory and cursor are as they were."""
    from tests.scripted import fault

    server = scripted(says("one"), says("two"), says("three"), fault(401))
    env = {"COCOCAT_MEMORY_WAIT": "true"}
    for words in ("I live in Lisbon", "thanks"):
        ask(server, "--no-dream", words, env=env)

    ran = ask(server, "bye", env=env)

    assert (0, "three\n") == (ran.code, ran.stdout)
    assert "memory unchanged" in ran.stderr
    assert "" == memory_of(home)


def test_no_dream_means_none(ask, scripted):
    """--no-dream keeps the history and asks nothing more of the model."""
    server = scripted(says("one"), says("two"), says("three"))

    for words in ("I live in Lisbon", "thanks", "bye"):
        ask(server, "--no-dream", words)

    assert 3 == len(server.requests)


def test_a_dream_by_hand_shows_its_receipt_and_can_be_undone(ask, cococat, scripted, home):
    """`cococat dream`, `dream log`, `dream diff` and `dream undo` belong together."""
    server = scripted(says("one"), calls(("edit_file", EDIT)), says("done"))
    ask(server, "--no-dream", "I live in Lisbon")

    dreamt = cococat("dream", "--base-url", server.base_url, "-m", "scripted")
    log, diff = cococat("dream", "log"), cococat("dream", "diff", "1")
    undone = cococat("dream", "undo")

    assert (0, "") == (dreamt.code, dreamt.stdout)
    assert "remembered " in dreamt.stderr
    assert "scripted" in log.stdout
    assert "I live in Lisbon" in diff.stdout
    assert 0 == undone.code
    assert "I live in Lisbon" not in memory_of(home)


@pytest.mark.parametrize(("theme", "codes"), [("dark", {b"36", b"32"}), ("light", {b"34", b"32"}), ("plain", set())])
def test_the_diff_of_a_dream_follows_the_theme(ask, cococat, scripted, theme, codes):
    """Cyan fades on white, plain has no colours: the same as in a chat."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    server = scripted(says("one"), calls(("edit_file", EDIT)), says("done"))
    ask(server, "--no-dream", "I live in Lisbon")
    cococat("dream", "--base-url", server.base_url, "-m", "scripted")
    for words in (("diff", "1"), ("show", "1"), ("undo",)):
        with PseudoTerminal("cococat", "dream", *words, env={"COCOCAT_TERMINAL_THEME": theme}) as terminal:
            assert 0 == terminal.leave()
            removed = {b"31"} if words == ("undo",) and codes else set()
            assert (
                (codes - removed) | removed >= set(re.findall(rb"\x1b\[(3\d)m", terminal.raw)) >= codes & {b"36", b"34"}
            )


def test_a_module_in_the_working_folder_is_never_imported_by_a_dream(ask, scripted, home, tmp_path):
    """A repository cannot run code by naming a file like a library of ours."""
    (tmp_path / "openai.py").write_text("import pathlib\npathlib.Path('caught').touch()\n")
    server = scripted(says("one"), says("two"), says("three"), says("nothing to do"))
    for words in ("I live in Lisbon", "thanks"):
        ask(server, "--no-dream", words, cwd=home)

    words = ["ask", "--base-url", server.base_url, "-m", "scripted", "bye"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-P", "-m", "cococat", *words]
    subprocess.run(command, cwd=tmp_path, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    server.wait_for(4)

    assert not (tmp_path / "caught").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_every_folder_and_file_of_a_new_home_is_its_owners_alone(ask, scripted, tmp_path):
    """Whatever makes a folder first, its missing parents included; a dream needs the caches as well."""
    home = tmp_path / "new" / "home"
    env = {"COCOCAT_HOME": str(home), "COCOCAT_MEMORY_WAIT": "true"}
    server = scripted(says("one"), says("two"), says("three"), calls(("edit_file", EDIT)), says("done"))

    for words in ("I live in Lisbon", "thanks"):
        assert 0 == ask(server, "--no-dream", words, env=env).code
    assert 0 == ask(server, "bye", env=env).code

    modes = {str(path.relative_to(tmp_path)): path.stat().st_mode & 0o777 for path in tmp_path.rglob("*")}
    assert {"new/home/cache/tiktoken", "new/home/memory/MEMORY.md"} <= modes.keys()
    wanted = {name: 0o700 if (tmp_path / name).is_dir() else 0o600 for name in modes}
    assert wanted == modes


def test_the_log_lists_every_run_whatever_became_of_it(ask, cococat, scripted):
    """A failed run and an empty one stand there with their reasons, beside the one that changed the memory."""
    from tests.scripted import fault

    server = scripted(says("one"), fault(401), calls(("edit_file", EDIT)), says("done"), says("two"))
    at = ("--base-url", server.base_url, "-m", "scripted")
    ask(server, "--no-dream", "I live in Lisbon")
    cococat("dream", *at)
    cococat("dream", *at)
    ask(server, "--no-dream", "what is the capital of France?")
    cococat("dream", *at)

    failed, changed, nothing = cococat("dream", "log").stdout.splitlines()

    assert failed.startswith("   -  ")
    assert "failed" in failed
    assert "it will try again" in failed
    assert "   1  " in changed
    assert "memory unchanged · only questions" in nothing


def test_a_dream_by_hand_obeys_the_steps_it_is_given(ask, cococat, scripted, home):
    """--max-steps 1 is one round with the tools and one without, as for an answer; what was edited stands."""
    server = scripted(says("one"), calls(("edit_file", EDIT)), says("done"))
    ask(server, "--no-dream", "I live in Lisbon")

    ran = cococat("dream", "--base-url", server.base_url, "-m", "scripted", "--max-steps", "1")

    assert 0 == ran.code
    assert [True, False] == ["tools" in body for body in server.requests[1:]]
    assert "I live in Lisbon" in memory_of(home)
