"""The seven reference servers, both eras: `./coco test -m slow tests/servers`."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from tests.scripted import calls, says, tool_results
from tests.scripted.pictures import images_of
from tests.servers.reference import SERVERS, installed, missing
from tests.servers.test_sessions import REACT, offered

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture
def path():
    """Install servers; give a PATH on which their programs are."""

    def on(*names):
        for name in names:
            if why := missing(name):
                pytest.skip(why)
        return {"PATH": os.pathsep.join([*(str(installed(name)) for name in names), os.environ["PATH"]])}

    return on


@pytest.fixture
def added(cococat, path, tmp_path):
    """Add servers, in a folder that is a repository; give the environment they need."""
    (tmp_path / "notes.txt").write_text("the port is 8080\n")
    for words in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"],
    ):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)

    def add(*names):
        env = path(*names)
        for name in names:
            ran = cococat("mcp", "add", name, "--yes", "--", *SERVERS[name][0], env=env)
            assert 0 == ran.code, ran.stderr
        return env

    return add


@pytest.mark.parametrize("name", SERVERS)
def test_a_reference_server_is_added_with_all_its_tools(cococat, added, name):
    """None is left out, and `check` sees no change."""
    env = added(name)

    listed, checked = json.loads(cococat("mcp", "list", "--json").stdout), cococat("mcp", "check", name, env=env)

    assert [("ready", SERVERS[name][2])] == [(one["state"], one["tools"]) for one in listed]
    assert (0, False) == (checked.code, "changed:" in checked.stdout or "left out:" in checked.stdout)


@pytest.mark.parametrize(
    "case",
    [
        ("everything", "get-sum", {"a": 2, "b": 3}, "5"),
        ("everything", "get-structured-content", {"location": "New York"}, "temperature"),
        ("everything", "get-tiny-image", {}, "[image/png, "),
        ("everything", "trigger-long-running-operation", {"duration": 1, "steps": 2}, "completed"),
        ("everything", "trigger-elicitation-request", {}, "decline"),
        ("filesystem", "read_text_file", {"path": "notes.txt"}, "the port is 8080"),
        ("memory", "create_entities", {"entities": [{"name": "a", "entityType": "b", "observations": []}]}, "a"),
        ("git", "git_log", {"repo_path": "ROOT"}, "first"),
        ("time", "get_current_time", {"timezone": "Europe/Berlin"}, "Europe/Berlin"),
    ],
    ids=lambda case: case[1],
)
def test_a_tool_of_a_reference_server_gives_what_it_is_for(ask, scripted, added, tmp_path, case):
    """In `ask`, as a model calls it; the key of the model is not in the environment that a server tells of."""
    server, tool, arguments, told = case
    env = added(server)
    arguments = json.loads(
        json.dumps(arguments).replace("ROOT", str(tmp_path)).replace("notes.txt", str(tmp_path / "notes.txt"))
    )
    answers = [calls((f"{server}__{tool}", arguments)), says("ok")]
    model = scripted(*([calls(("everything__get-env", {}))] if server == "everything" else []), *answers)

    ran = ask(model, *REACT, "--allow", f"{server}__*", "--output-format", "stream-json", "go", env=env)

    assert 0 == ran.code, ran.stderr
    assert told in tool_results(model.requests[-1])[-1]
    if server == "everything":
        assert "HOME" in tool_results(model.requests[-1])[0]
        assert "OPENAI_API_KEY" not in tool_results(model.requests[-1])[0]
    names = {name for name in offered(model.requests[0]) if name.startswith(f"{server}__")}
    assert SERVERS[server][2] == len(names)


def test_the_picture_of_a_reference_server_is_seen(ask, scripted, added):
    """A real PNG behind its result, as the server made it."""
    env = added("everything")
    model = scripted(calls(("everything__get-tiny-image", {})), says("ok"))

    ran = ask(model, *REACT, "--allow", "everything__*", "go", env=env)

    assert (0, ["image/png"]) == (ran.code, [kind for kind, _ in images_of(model.requests[1])]), ran.stderr
    assert "kB: shown below]" in tool_results(model.requests[1])[0]


def test_all_seven_cost_no_more_than_their_share(ask, scripted, added):
    """A line a tool, in 3,000 tokens or a tenth of the window."""
    env = added(*SERVERS)
    model = scripted(says("ok"))

    ask(model, *REACT, "go", env={**env, "COCOCAT_MODEL_CONTEXT_WINDOW": "16000"})

    foreign = [tool for name, tool in offered(model.requests[0]).items() if "__" in name or name == "mcp_tools"]
    assert ["mcp_tools"] == [tool["name"] for tool in foreign]
    assert all(f"{name}__" in foreign[0]["description"] for name in SERVERS)
    assert len(json.dumps(foreign)) / 4 < 1_800
