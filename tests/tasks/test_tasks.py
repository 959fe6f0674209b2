"""A strong model does six tasks, by `ask` with rules and by `chat` with consents: each ends right."""

from __future__ import annotations

import json
import sys

import pytest

from tests.screens import ready
from tests.scripted import forever
from tests.tasks.player import Player, lay_out, tasks

TASKS = tasks()


@pytest.fixture
def project(tmp_path):
    """Lay a task's project out in a folder of its own."""
    root = tmp_path / "project"
    root.mkdir()

    def lay(task):
        lay_out(task, root)
        return root

    return lay


@pytest.mark.parametrize("name", TASKS)
def test_a_task_ends_right_in_ask(cococat, scripted, project, name):
    """With the rules that it needs: exit 0, the answer on stdout, no call refused."""
    task, player = TASKS[name], Player(TASKS[name])
    root, server = project(task), scripted(forever(player))
    rules = [word for rule in task.allow for word in ("--allow", rule)]
    words = ["--base-url", server.base_url, "-m", "scripted", "--mode", "react", "--output-format", "json"]

    ran = cococat("ask", *words, *rules, "--root", root, task.prompt, cwd=root)

    result = json.loads(ran.stdout)
    assert (0, task.final, "answered") == (ran.code, result["answer"], result["stop_reason"]), ran.stderr
    assert ([], True) == (player.unseen, task.is_done(root))
    assert result["steps"] == len(task.rounds) + 1


@pytest.mark.parametrize("name", [name for name, task in TASKS.items() if task.check])
def test_the_projects_own_test_fails_before_where_something_is_broken(project, name):
    """A task whose test passed at once would show nothing."""
    root = project(TASKS[name])

    assert (name in ("rename", "refactor")) == TASKS[name].passes(root)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
@pytest.mark.parametrize("name", TASKS)
def test_a_task_ends_right_in_chat(scripted, project, name):
    """Each call that is asked about is allowed by a key; the answer is on the screen, and the same is done."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    task, player = TASKS[name], Player(TASKS[name])
    root, server = project(task), scripted(forever(player))
    flags = ["chat", "--base-url", server.base_url, "-m", "scripted", "--no-dream", "--root", root]

    with PseudoTerminal("cococat", *flags, env={"PWD": str(root)}, rows=40, columns=200) as terminal:
        terminal.until(ready)
        terminal.press(f"{task.prompt}\r")
        consents = player.agree(terminal)
        shown = " ".join(terminal.text.split())

    assert all(word in shown for word in task.final.replace("`", "").split())
    assert ([], True) == (player.unseen, task.is_done(root))
    assert consents == sum(
        name in ("edit_file", "write_file", "run_shell") for step in task.rounds for name, _ in step.calls
    )


def test_what_is_not_allowed_is_left_out_and_named(cococat, scripted, project):
    """The edit is made, the answer printed; exit 4, and stderr names the exact --allow for the command."""
    task = TASKS["feature"]
    root, server = project(task), scripted(forever(Player(task)))
    words = ["--base-url", server.base_url, "-m", "scripted", "--mode", "react", "--allow", "edit_file(shop/**)"]

    ran = cococat("ask", *words, "--root", root, task.prompt, cwd=root)

    assert (4, f"{task.final}\n") == (ran.code, ran.stdout)
    assert "--allow 'run_shell(python3 -m unittest **)'" in ran.stderr
    assert task.is_done(root)
