"""Which folder tools may see, when nobody names one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.screens import ready
from tests.scripted import says
from tests.ui.pseudo_terminal import PseudoTerminal


def test_a_whole_system_is_seen_only_when_it_is_named(ask, scripted):
    """Started there by chance, a run ends with 2 and both ways out; --root and --no-tools go on."""
    folder = Path("/")

    refused = ask(scripted(), "hi", cwd=folder)
    named = ask(scripted(says("hello")), "--root", folder, "hi", cwd=folder)
    bare = ask(scripted(says("hello")), "--no-tools", "hi", cwd=folder)

    assert (2, "") == (refused.code, refused.stdout)
    assert f"--root {folder}" in refused.stderr
    assert "--no-tools" in refused.stderr
    assert ["hello\n", "hello\n"] == [named.stdout, bare.stdout]


@pytest.mark.parametrize("mode", ["single", "react"])
def test_in_the_home_folder_a_question_is_answered_without_file_tools(ask, scripted, tmp_path, mode):
    """One line says so, with both ways to have them; neither a file of it nor its name reaches the model."""
    (tmp_path / "AGENTS.md").write_text("guide")
    (tmp_path / "diary.txt").write_text("private")
    env, flags = {"HOME": str(tmp_path)}, ("--mode", mode, "--allow", "run_shell", "--allow", "write_file")
    bare, full = scripted(says("hello")), scripted(says("hello"))

    done = ask(bare, *flags, "hi", cwd=tmp_path, env=env)
    named = ask(full, *flags, "--root", tmp_path, "hi", cwd=tmp_path, env=env)

    (line,) = [line for line in done.stderr.splitlines() if "no file tools" in line]
    assert (0, "hello\n", "hello\n") == (done.code, done.stdout, named.stdout)
    assert f"--root {tmp_path}" in line
    assert "cd to a project" in line
    assert set() == offered(bare) - {"ask_user", "fetch_url", "finish", "todo", "web_search"}
    assert {"read_file", "run_shell", "write_file"} <= offered(full)
    assert "diary.txt" not in repr(bare.requests)
    assert "no file tools" not in named.stderr


def test_a_chat_in_the_home_folder_goes_on_without_file_tools(scripted, tmp_path, monkeypatch):
    """It says the same line before the first prompt."""
    server = scripted(says("hello"))
    monkeypatch.chdir(tmp_path)
    words = ("chat", "--base-url", server.base_url, "-m", "scripted")
    with PseudoTerminal("cococat", *words, env={"HOME": str(tmp_path), "PWD": str(tmp_path)}) as terminal:
        terminal.until(ready)
        terminal.press("hi\r")
        terminal.until(lambda text: "no file tools in your home folder" in text and "hello" in text)

    assert offered(server) & {"fetch_url", "read_file"} == {"fetch_url"}


def offered(server):
    """The names of the tools of a request."""
    return {tool["function"]["name"] for tool in server.requests[-1].get("tools", ())}


def test_a_folder_below_the_home_needs_no_flag(ask, scripted, tmp_path):
    """Nearly every run starts in one."""
    project = tmp_path / "project"
    project.mkdir()

    assert "hello\n" == ask(scripted(says("hello")), "hi", cwd=project, env={"HOME": str(tmp_path)}).stdout
