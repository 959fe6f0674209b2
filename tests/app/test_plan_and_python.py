"""`todo` and `run_python` through ask: what the model is told, what the user sees, what outlives a compaction."""

import json
import re
import sys
import threading
from dataclasses import replace

import pytest
from inline_snapshot import snapshot

from cococat.ui.lines.format import plain
from cococat.ui.steps.plan import plan_rows
from cococat.ui.steps.view import Call, Step
from tests.screens import ready
from tests.scripted import calls, forever, says, tool_results

NOTES = "## Task\nBuild it.\n\n## State\nHalf.\n\n## Findings\n-\n\n## Next steps\nGo on."
PLAN = ["[x] read the module", "[>] write the test", "[ ] run it"]


SHOWN = ["  plan     ✓ read the module", "           ▸ write the test", "           ☐ run it"]


def test_a_plan_stands_once_at_the_end_and_the_model_is_told_the_count(ask, scripted, home):
    """As it stands then, on stderr alone; a list without states is refused with the shape; a replay says the same."""
    first = ["[>] read the module", "[ ] write the test", "[ ] run it"]
    server = scripted(*(calls(("todo", {"items": items})) for items in (["read"], first, PLAN)), says("done"))

    ran = ask(server, "--mode", "react", "build it")
    events = ask(
        scripted(calls(("todo", {"items": PLAN})), says("done")),
        "--output-format",
        "stream-json",
        "--mode",
        "react",
        "x",
    )

    wrong, begun, later = tool_results(server.requests[3])
    assert "has no state: write each as" in wrong
    assert begun.endswith("0 of 3 done")
    assert later.endswith("1 of 3 done")
    assert "done\n" == ran.stdout
    assert SHOWN == [
        line
        for line in ran.stderr.splitlines()
        if ("▸" in line or "✓" in line or "☐" in line) and "observe" not in line
    ]
    [ended] = [e for e in map(json.loads, events.stdout.splitlines()) if e["type"] == "tool_completed"]
    assert ("\n".join(["1 of 3 done:", *PLAN]), "1 of 3 done") == (ended["output"], ended["display"])


def test_on_a_narrow_screen_the_marks_of_a_plan_stand_below_each_other():
    """There is no column for labels, so the word stands above."""
    call = Call("a", "todo", json.dumps({"items": ["[x] look", "[ ] do"]}), "completed", display="1 of 2 done")

    assert ["plan", "  ✓ look", "  ☐ do"] == [plain(row) for row in plan_rows([Step(1, calls=(call,))], 40)]


def test_a_plan_is_written_in_ascii_where_the_locale_is(ask, scripted, cococat, home):
    """In the run and in its replay, also with everything shown."""
    server = scripted(calls(("todo", {"items": PLAN})), says("done"))

    ran = ask(server, "--mode", "react", "-v", "build it", env={"LC_ALL": "C"})
    (log,) = (home / "sessions").glob("*.jsonl")
    replayed = cococat("replay", log.stem, env={"LC_ALL": "C"})

    for text in (ran.stderr, replayed.stderr):
        rows = text.splitlines()
        at = rows.index("  plan     [x] read the module")
        assert snapshot(["           [>] write the test", "           [ ] run it"]) == rows[at + 1 : at + 3]
        assert rows[at + 3].startswith("2 steps")
    assert "done\n" == ran.stdout == replayed.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
def test_a_plan_ticks_off_while_the_turn_runs(scripted, chat):
    """It stands in the rows that are redrawn, a few items around the open one; once the turn is over it stands once."""
    steps, gates = [f"part {number}" for number in range(12)], [threading.Event() for _ in range(2)]

    def ticked(text):
        return [(mark, int(number)) for mark, number in re.findall(r"([✓▸☐]) part (\d+)", text)]

    def plan(done):
        return calls(("todo", {"items": [f"[{'x' if at < done else ' '}] {text}" for at, text in enumerate(steps)]}))

    held = plan(8)
    server = scripted(plan(1), replace(held, steps=(gates[0], *held.steps)), says(gates[1], "All done."))
    screen = chat(server, rows=30, columns=80)
    screen.press("build it\r")

    first = screen.until(lambda text: "✓ part 0" in text and "reading the prompt" in text)
    gates[0].set()
    later = screen.until(lambda text: "✓ part 7" in text and "reading the prompt" in text)
    gates[1].set()
    end = screen.until(lambda text: "All done." in text and ready(text))

    assert [("✓", 0), *(("☐", at) for at in range(1, 7))] == ticked(first)
    assert [*(("✓", at) for at in range(5, 8)), *(("☐", at) for at in range(8, 12))] == ticked(later)
    assert [*(("✓", at) for at in range(8)), *(("☐", at) for at in range(8, 12))] == ticked(end)
    assert 1 == end.count("part 2")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
def test_air_parts_a_plan_from_what_the_turn_cost_and_what_ctrl_o_says_from_the_prompt(scripted, chat):
    """Each stands apart from what follows it; in full the plan has its marks, and nothing that is for the model."""
    screen = chat(scripted(calls(("todo", {"items": ["[x] look", "[ ] do"]})), says("Done.")), rows=40, columns=80)
    screen.press("build it\r")
    screen.until(lambda text: " tokens · " in text and ready(text))

    screen.press("\x0f")
    text = screen.until(lambda text: "Ctrl-O folds them" in text and ready(text))

    rows = [row.rstrip() for row in text.splitlines()]
    at = rows.index("           ☐ do")
    assert ["", "── 2 steps"] == [rows[at + 1], rows[at + 2].partition(" · ")[0]]
    assert ["", ">"] == rows[(told := rows.index("steps are shown in full; Ctrl-O folds them")) + 1 : told + 3]
    assert "           ☐ do" in rows[rows.index("the last turn in full:") :]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
def test_what_a_command_of_the_user_prints_has_air_around_it(scripted, chat):
    """As what a slash command says has."""
    screen = chat(scripted(), rows=40, columns=80)

    screen.press("!echo four; exit 3\r")
    text = screen.until(lambda text: "\nexit 3" in text and ready(text))

    rows = [row.rstrip() for row in text.splitlines()]
    at = rows.index("> !echo four; exit 3")
    assert ["", "four", "exit 3", "", ">"] == rows[at + 1 : at + 6]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
def test_config_names_what_was_set_with_its_value(scripted, chat, home):
    """Where a setting comes from says little without what it is."""
    (home / "config.toml").write_text("[agent]\nmax_steps = 7\n")
    screen = chat(scripted(), rows=40, columns=100)

    screen.press("/config\r")
    text = screen.until(lambda text: "max_steps" in text and ready(text))

    assert re.search(r"agent\.max_steps +7 +\S*config\.toml:2", text)
    assert "temperature" not in text


def test_a_plan_is_given_back_after_a_compaction(ask, scripted, tmp_path):
    """The messages that held it are gone; the notes that stand for them end with it, also the second time."""
    (tmp_path / "long.txt").write_text("".join(f"{n} {'word ' * 30}\n" for n in range(2000)))
    steps = iter([calls(("todo", {"items": PLAN}))])
    place = 0

    def reply(body):
        nonlocal place
        if "You write the notes" in body["messages"][0]["content"]:
            return says(NOTES)
        place += 1
        page = calls(("read_file", {"path": "long.txt", "start_line": place * 20}), text="I read on. " + "so " * 900)
        return next(steps, page) if place < 14 else says("done")

    server = scripted(forever(reply))

    ran = ask(server, "--mode", "react", "build it", env={"COCOCAT_MODEL_CONTEXT_WINDOW": "10000"})

    assert "done\n" == ran.stdout
    notes = [m for m in server.requests if "You write the notes" in m["messages"][0]["content"]]
    assert len(notes) >= 2
    last = json.dumps(server.requests[-1]["messages"])
    assert "as `todo` had it last" in last
    assert all(line in last for line in PLAN)


def test_python_runs_by_the_interpreter_of_the_project_under_the_same_leash(ask, scripted, tmp_path, monkeypatch):
    """Without leave it does not run; the venv of the folder comes first; output, exit code and files are told."""
    monkeypatch.setenv("SECRET_OF_MINE", "hunter")
    code = "import os, sys; open('made.txt', 'w').close(); print(os.environ.get('SECRET_OF_MINE'), sys.executable); sys.exit(3)"
    wanted = calls(("run_python", {"code": code}))
    refused = ask(scripted(wanted, says("not run")), "--mode", "react", "go")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    server = scripted(wanted, calls(("run_python", {"code": "while True: pass", "timeout_s": 1})), says("ok"))

    ran = ask(server, "--mode", "react", "--allow", "run_python", "go")

    assert 4 == refused.code
    assert "--allow run_python" in refused.stderr
    told, late = tool_results(server.requests[2])
    assert (0, "ok\n") == (ran.code, ran.stdout)
    assert "exit 3" in told
    assert f"None {tmp_path}/.venv/bin/python" in told
    assert "made.txt (new)" in told
    assert "TimeoutError: ended after 1 s" in late
