"""`cococat mcp`, against servers that nobody would want."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.servers.conftest import SERVER


def test_a_server_is_added_listed_called_and_removed(cococat, home, mcp):
    """What it is and what it says is shown; `list` starts nothing; what it gives is stdout, what it says beside that is not."""
    server = mcp()
    listed = json.loads(cococat("mcp", "list", "--json").stdout)
    started = len(server.pids)

    called = cococat("mcp", "call", "s", "echo", '{"text": "hi"}')
    removed = cococat("mcp", "remove", "s")

    assert [("s", "stdio", "ready", 1)] == [
        (one["name"], one["transport"], one["state"], one["tools"]) for one in listed
    ]
    assert 1 == started
    assert (0, "echo: hi\n", "cococat: 1/2 half\n") == called
    assert 0 == removed.code
    assert "mcp.servers.s" not in (home / "config.toml").read_text()
    assert "[]" == cococat("mcp", "list", "--json").stdout.strip()
    for pid in server.pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_nothing_is_added_that_nobody_agreed_to(cococat, home, mcp):
    """Off a terminal that is exit 4, with what was seen on stdout."""
    server = mcp()
    cococat("mcp", "remove", "s")

    ran = cococat("mcp", "add", "s", "--", *server.argv)

    assert (4, True) == (ran.code, "echo (says: reads only): Give back a text." in ran.stdout)
    assert [] == json.loads(cococat("mcp", "list", "--json").stdout)


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        pytest.param("exits", ("exited 3 after", "cannot open the database"), id="exits-at-once"),
        pytest.param("huge", ("sent more than 8 MiB in one piece",), id="nine-megabytes-in-a-line"),
    ],
)
def test_a_server_that_does_not_work_is_exit_3_with_its_last_line(cococat, kind, told, tmp_path):
    """The error names the server; it is not added."""
    ran = cococat("mcp", "add", "bad", "--yes", "--", "python3", SERVER, kind, tmp_path / "log")

    assert 3 == ran.code
    assert all(words in ran.stderr for words in ("mcp bad: ", *told)), ran.stderr


@pytest.mark.parametrize(
    ("path", "token", "told"),
    [
        pytest.param("/ok", "", "", id="works"),
        pytest.param("/401", "", 'wants a token: set key_env = "VARIABLE"', id="no-key"),
        pytest.param("/401", "wrong-token-54321", "refuses the key in DOCS_TOKEN", id="wrong-key"),
        pytest.param("/401", "right-token-12345", "", id="right-key"),
        pytest.param("/html", "", "is no MCP server (text/html)", id="a-page"),
        pytest.param("/500", "", "answers with HTTP 500", id="error"),
        pytest.param("/redirect", "right-token-12345", "not followed", id="another-origin"),
        pytest.param("/huge", "", "sent more than 8 MiB", id="nine-megabytes"),
    ],
)
def test_a_server_with_an_address_works_or_says_why_not(cococat, http, path, token, told):
    """No key goes to another origin, and none is in what is printed."""
    url, asked = http
    words = ["--key-env", "DOCS_TOKEN"] if token else []

    ran = cococat("mcp", "add", "docs", "--yes", "--url", url + path, *words, env={"DOCS_TOKEN": token})

    assert (3 if told else 0, True) == (ran.code, told in ran.stderr), ran.stderr
    assert not token or token not in ran.stdout + ran.stderr
    assert "elsewhere" not in asked()
    assert (f"Bearer {token}" in asked()) == bool(token)


def test_a_program_gets_the_variables_that_were_named_and_no_others(cococat, mcp, tmp_path):
    """Neither the key of the model nor anything else; it runs in a folder of its own, and `.` is the user's."""
    mcp("secrets", "s", "--env", "GITHUB_TOKEN", env={"GITHUB_TOKEN": "given"})

    env = {"GITHUB_TOKEN": "given", "OTHER": "kept back", "PATH": f".:{os.environ['PATH']}"}
    given = json.loads(cococat("mcp", "call", "s", "environ", env=env).stdout)

    assert "given" == given["env"]["GITHUB_TOKEN"]
    allowed = {"PATH", "HOME", "USER", "SHELL", "TERM", "LANG", "TMPDIR", "GITHUB_TOKEN"}
    own = {"LC_CTYPE", "PWD", "OLDPWD", "SHLVL", "_"}  # of Python's and a shell's making
    pyenv = {name for name in given["env"] if "PYENV" in name}
    assert set() == set(given["env"]) - allowed - own - pyenv
    assert "." not in given["env"]["PATH"].split(":")
    assert [] == [*Path(given["cwd"]).iterdir()]
    assert str(tmp_path) != given["cwd"]


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(".", id="working-folder"),
        pytest.param("", id="empty"),
        pytest.param("HERE/bin", id="below-the-working-folder"),
        pytest.param("HOME/folder", id="link-to-a-folder-below"),
        pytest.param("HOME/program", id="link-to-a-program-below"),
    ],
)
def test_nothing_of_the_working_folder_starts(cococat, tmp_path, home, entry):
    """A program of the folder is not run by its name, wherever PATH leads, nor a module of it imported; by its path it is."""
    for trap in (tmp_path / "mcp-trap", tmp_path / "bin" / "mcp-trap"):
        trap.parent.mkdir(exist_ok=True)
        trap.write_text('#!/bin/sh\ntouch "$HOME/sprung"\n')
        trap.chmod(0o755)
    (tmp_path / "trap.py").write_text("import os\nopen(os.environ['HOME'] + '/sprung', 'w')")
    (home / "program").mkdir()
    (home / "program" / "mcp-trap").symlink_to(tmp_path / "mcp-trap")
    (home / "folder").symlink_to(tmp_path / "bin")
    there = entry.replace("HERE", str(tmp_path)).replace("HOME", str(home))
    env = {"PATH": f"{there}:{os.environ['PATH']}", "HOME": str(home)}

    by_name = cococat("mcp", "add", "t", "--yes", "--", "mcp-trap", env=env)
    module = cococat("mcp", "add", "t", "--yes", "--", "python3", "-m", "trap", env=env)

    assert (3, 3) == (by_name.code, module.code)
    assert "its program is one of the folder you work in: write /" in by_name.stderr
    assert not (home / "sprung").exists()
    assert 3 == cococat("mcp", "add", "t", "--yes", "--", trap, env=env).code
    assert (home / "sprung").exists()


def test_a_program_of_the_users_own_runs_also_where_the_home_folder_is_worked_in(cococat, mcp, tmp_path):
    """What lies below it is chosen by the user, as ~/.local/bin is."""
    server = mcp("echo")
    own = tmp_path / ".local" / "bin" / "mcp-own"
    own.parent.mkdir(parents=True)
    own.write_text(f"#!/bin/sh\nexec {' '.join(server.argv)}\n")
    own.chmod(0o755)

    env = {"HOME": str(tmp_path), "PATH": f"{own.parent}:{os.environ['PATH']}"}
    ran = cococat("mcp", "add", "own", "--yes", "--", "mcp-own", env=env)

    assert 0 == ran.code, ran.stderr


@pytest.mark.parametrize("way", ["pipes", "schemas", "events"])
def test_of_hard_schemas_the_others_are_offered(cococat, mcp, http, way):
    """A tool that no request could carry, or whose calls could not be checked, is left out and named, whatever the way."""
    if way == "pipes":
        mcp("schemas", "b")
    else:
        assert 0 == cococat("mcp", "add", "b", "--yes", "--url", f"{http[0]}/{way}").code

    shown = cococat("mcp", "check", "b").stdout

    assert "b: 3 tools" in shown
    assert "network: its arguments refer to another document, which is never fetched" in shown
    left = ("list", "network", "deep", "deeper", "circle", "dangling", "invalid")
    assert all(f"left out: {name}: " in shown for name in left)
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_of_hard_names_the_others_are_offered(cococat, mcp):
    """One of our own name is another tool."""
    mcp("names", "a")
    mcp("many", "c")

    shown = [cococat("mcp", "check", name).stdout for name in ("a", "c")]

    told = [
        "its name is longer than 64",
        "a.b: another tool has the same name",
        "a/b: another tool has the same name",
    ]
    assert all(words in shown[0] for words in told)
    assert "a: 2 tools" in shown[0]
    assert "c: 128 tools" in shown[1]
    assert "left out: 364 more" in shown[1]


def test_a_change_is_shown_and_agreed_to_again(cococat, mcp):
    """Off a terminal only with --yes; until then the old one is what is offered."""
    server = mcp()
    server.become("changed")

    seen, again = cococat("mcp", "check", "s"), cococat("mcp", "check", "s", "--yes")

    assert (0, 0) == (seen.code, again.code)
    assert "+Give back a text, and send it to me." in seen.stdout
    assert "not offered to models before you agree" in seen.stderr
    assert "changed:" not in cococat("mcp", "check", "s").stdout


@pytest.mark.parametrize(
    ("one", "code", "said"),
    [
        ({"command": "python3", "args": [str(SERVER), "echo", "LOG"]}, 0, "my-server is added"),
        ({"command": "python3", "args": [str(SERVER), "echo", "LOG"], "env": {"A": "${A}"}}, 0, "variables: A"),
        ({"command": "x", "env": {"A": "sk-secret-1"}}, 2, "holds the value of A: export it, then --env A"),
        ({"command": "x", "args": ["${HOME}/run"]}, 2, "nothing is expanded in a command"),
        ({"url": "https://x", "headers": {"Authorization": "Bearer sk-secret-1"}}, 2, "then --key-env VARIABLE"),
        ({"url": "http://example.com/mcp"}, 2, "neither encrypted nor"),
        ([], 2, "names no servers"),
    ],
    ids=["command", "variable", "literal-secret", "expansion", "literal-header", "in-the-clear", "no-table"],
)
def test_a_file_of_another_program_is_imported_without_its_secrets(cococat, tmp_path, one, code, said):
    """Nothing of a value is shown or written."""
    file = tmp_path / "other.json"
    file.write_text(json.dumps({"mcpServers": {"My Server": one} if one else None}).replace("LOG", str(tmp_path / "l")))

    ran = cococat("mcp", "import", file, "--yes")

    assert (code, True) == (ran.code, said in ran.stderr), ran.stderr
    assert "sk-secret-1" not in ran.stdout + ran.stderr
