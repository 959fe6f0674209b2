"""`todo` and `run_python` through ask: what the model is told, what the user sees, what outlives a compaction."""

import json
import sys

from tests.scripted import calls, forever, says

NOTES = "## Task\nBuild it.\n\n## State\nHalf.\n\n## Findings\n-\n\n## Next steps\nGo on."
PLAN = ["[x] read the module", "[>] write the test", "[ ] run it"]


def test_a_plan_is_shown_ticking_off_and_the_model_is_told_the_count(ask, scripted, home):
    """Each call shows the list as it stands; a list without states is refused with the shape."""
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

    wrong, begun, later = (m["content"] for m in server.requests[3]["messages"] if m["role"] == "tool")
    assert "has no state: write each as" in wrong
    assert begun.endswith("0 of 3 done")
    assert later.endswith("1 of 3 done")
    for line in (*first, *PLAN):
        assert line in ran.stderr
    [ended] = [e for e in map(json.loads, events.stdout.splitlines()) if e["type"] == "tool_completed"]
    assert ("\n".join(["1 of 3 done:", *PLAN]), "1 of 3 done") == (ended["output"], ended["display"])


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
    told, late = (m["content"] for m in server.requests[2]["messages"] if m["role"] == "tool")
    assert (0, "ok\n") == (ran.code, ran.stdout)
    assert "exit 3" in told
    assert f"None {tmp_path}/.venv/bin/python" in told
    assert "made.txt (new)" in told
    assert "TimeoutError: ended after 1 s" in late
