"""`[mcp.servers.NAME]` of the config file."""

from __future__ import annotations

import pytest

from cococat.config import all_keys, load, resolve
from cococat.config.write import set_server, set_value
from cococat.core.settings import ServerSettings
from cococat.errors import ConfigError

GIT = {"command": ["mcp-server-git"]}


def test_a_server_is_read_with_its_defaults():
    """A command and a url, each with what it need not say."""
    servers = resolve(
        {"mcp": {"servers": {"git": GIT, "docs": {"url": "https://x.example/m", "call_s": 5}}}}, {}, {}
    ).mcp

    assert ServerSettings(("mcp-server-git",)) == servers["git"]
    assert ServerSettings(url="https://x.example/m", call_s=5.0) == servers["docs"]
    assert (20.0, 60.0, ()) == (servers["git"].start_s, servers["git"].call_s, servers["git"].tools)


@pytest.mark.parametrize(
    ("name", "server", "said"),
    [
        pytest.param("git", {}, "wanted either a command or a url", id="neither"),
        pytest.param("git", {**GIT, "url": "https://x"}, "wanted either a command or a url", id="both"),
        pytest.param("git", {"command": "mcp-server-git"}, "wanted a list of strings", id="a-line-for-a-shell"),
        pytest.param("git", {"command": [""]}, "wanted a list of strings", id="no-program"),
        pytest.param("git", {"command": ["./run"]}, "whatever folder you are in", id="of-the-working-folder"),
        pytest.param("git", {"command": ["bin/run"]}, "whatever folder you are in", id="below-the-working-folder"),
        pytest.param("git", {"url": "http://10.0.0.7/mcp"}, "neither encrypted nor", id="in-the-clear"),
        pytest.param("git", {"url": "https://me:secret@x/mcp"}, "holds a user name", id="a-login"),
        pytest.param("git", {**GIT, "key_env": "K"}, "key_env belongs to a url", id="a-key-for-a-command"),
        pytest.param("git", {"url": "https://x", "env": ["A"]}, "env belongs to a command", id="env-for-a-url"),
        pytest.param("git", {**GIT, "env": ["TOKEN=abc"]}, "never their values", id="a-value"),
        pytest.param("git", {**GIT, "env": {"TOKEN": "abc"}}, "never their values", id="a-table-of-values"),
        pytest.param("git", {"url": "https://x", "key_env": "sk-abc"}, "never the key itself", id="a-key"),
        pytest.param("git", {**GIT, "start_s": 301}, "from 1 to 300", id="start_s"),
        pytest.param("git", {**GIT, "commands": []}, "unknown key", id="misspelt"),
        pytest.param("My_Git", GIT, "1 to 20 small letters", id="name"),
        pytest.param("a" * 21, GIT, "1 to 20 small letters", id="long-name"),
        pytest.param("git", [], "wanted a table", id="no-table"),
    ],
)
def test_what_no_server_can_be_is_told_with_its_place(name, server, said):
    """One error of two lines, which never shows a value that may be a key."""
    with pytest.raises(ConfigError) as error:
        resolve({"mcp": {"servers": {name: server}}}, {}, {})

    assert said in str(error.value)
    assert error.value.hint
    assert f"mcp.servers.{name[:10]}" in str(error.value)
    assert "abc" not in f"{error.value}{error.value.hint}"


def test_there_are_at_most_eight_servers():
    """A ninth is refused, and so is any other key of the table."""
    for mcp, said in (({"servers": {f"s{n}": GIT for n in range(9)}}, "at most 8"), ({"git": GIT}, "unknown key")):
        with pytest.raises(ConfigError, match=said):
            resolve({"mcp": mcp}, {}, {})


def test_the_key_of_a_server_is_a_key_and_belongs_to_no_model(tmp_path):
    """It is masked wherever it turns up, and `key_for` does not know it."""
    settings = resolve({"mcp": {"servers": {"docs": {"url": "https://x/m", "key_env": "DOCS"}}}}, {}, {})

    assert ("a-token",) == all_keys(settings, {"DOCS": "a-token"})
    assert "DOCS" not in {home.variable for home in settings.keys}


def test_a_server_is_written_below_what_is_there_and_removed_again(tmp_path):
    """Comments stay, a server that could not be read back is not written."""
    path = tmp_path / "config.toml"
    path.write_text('# mine\n[model]\nname = "m"  # kept\n')
    before = path.read_text()

    set_server(path, "git", {"command": ("mcp-server-git", "-r", '"x"'), "env": ("A",)})
    set_value(path, "agent.max_steps", "9")
    with pytest.raises(ConfigError):
        set_server(path, "bad", {"command": ("./x",)})

    assert {"git": ServerSettings(("mcp-server-git", "-r", '"x"'), ("A",))} == load(path, {}, {}).mcp
    assert path.read_text().startswith(before)
    assert "[mcp.servers.git]" in path.read_text()
    set_server(path, "git", None)
    assert {} == load(path, {}, {}).mcp


def test_one_key_of_a_server_is_read_and_changed_and_no_server_is_made(cococat, home):
    """What none can be is refused; who adds one is shown what it offers first, so that is another command's."""
    file = home / "config.toml"
    file.write_text('[mcp.servers.git]\ncommand = ["mcp-server-git"]  # mine\n')

    def config(*words):
        ran = cococat("config", *words)
        return ran.code, ran.stdout or ran.stderr

    assert (0, '["mcp-server-git"]\n') == config("get", "mcp.servers.git.command")
    assert 0 == config("set", "mcp.servers.git.call_s", "5")[0]
    assert (0, "5\n") == config("get", "mcp.servers.git.call_s")
    before = file.read_text()
    assert "# mine" in before
    for words, said in (
        (("get", "mcp.servers.docs.url"), "cococat mcp add docs -- COMMAND"),
        (("set", "mcp.servers.docs.call_s", "5"), "cococat mcp add docs -- COMMAND"),
        (("set", "mcp.servers.git.start_s", "500"), "from 1 to 300"),
        (("set", "mcp.servers.git.url", "https://x.example/m"), "either a command or a url"),
        (("get", "mcp.servers.git"), "mcp.servers.NAME.command"),
        (("set", "mcp.servers.git", "x"), "mcp.servers.NAME.command"),
    ):
        code, told = config(*words)
        assert (2, True) == (code, said in told), told
    assert before == file.read_text()
