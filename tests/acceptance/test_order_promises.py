"""What the project's owner ordered, seen as a user sees it; the ids are those of acceptance.toml."""

from __future__ import annotations

import ast
import sys
import threading
from pathlib import Path

import pytest

from tests.screens import ready
from tests.scripted import calls, reasons, says

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
WORDS = {"ask": ["which port?"], "chat": []}


@pytest.fixture
def terminal(tmp_path):
    """Start a command on a terminal, in *tmp_path*, against a scripted server, and let it be asked."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    started = []

    def start(server, command, *flags):
        words = [command, "--base-url", server.base_url, "-m", "scripted", "--root", tmp_path, *flags]
        started.append(PseudoTerminal("cococat", *words, *WORDS[command], env={"PWD": str(tmp_path)}))
        if command == "chat":
            started[-1].until(ready)
            started[-1].press("which port?\r")
        return started[-1]

    yield start
    for each in started:
        each.child.close(force=True)


@pytest.mark.parametrize("command", ["ask", "chat"])
@pytest.mark.parametrize("mode", ["single", "react"])
def test_each_command_takes_each_mode(terminal, scripted, command, mode):
    """F1, F7: `single` asks once with tools that read and once without, `react` goes on with all of them."""
    look = calls(("list_dir", {"path": "."}))
    server = scripted(look, *([look] if mode == "react" else []), says("Port 8080."))

    terminal(server, command, "--mode", mode).until("Port 8080.")

    offered = [[tool["function"]["name"] for tool in request.get("tools", ())] for request in server.requests]
    if mode == "single":
        assert {"list_dir", "read_file", "grep_search"} <= set(offered[0])
        assert (2, [], False) == (len(offered), offered[1], "edit_file" in offered[0])
    else:
        assert 3 == len(offered)
        assert all("edit_file" in tools for tools in offered)


@pytest.mark.parametrize("command", ["ask", "chat"])
def test_each_step_is_labelled_and_live(terminal, scripted, tmp_path, command):
    """F2, F3: thinking is on the screen while it lasts, also that of the answer; act and observe stand under it."""
    (tmp_path / "app.toml").write_text("port = 8080\n")
    first, second = threading.Event(), threading.Event()
    try:
        read = calls(("read_file", {"path": "app.toml"}))
        server = scripted(
            reasons("The config will name it.", then=says(first, finish=None, done=False) + read),
            reasons("Line one says it.", then=says(second, "It is **8080**.")),
        )
        screen = terminal(server, command, "--mode", "react")

        live = screen.until("The config will name it.")
        first.set()
        answering = screen.until("Line one says it.")
        second.set()
        done = screen.until("It is 8080.")
    finally:
        first.set()
        second.set()

    assert "observe" not in live
    rows = [row.strip() for row in answering.splitlines()]
    places = [
        next(n for n, row in enumerate(rows) if word in row) for word in ("act  ", "observe  ", "Line one says it.")
    ]
    assert places == sorted(places)
    assert places[0] > next(n for n, row in enumerate(rows) if "think" in row)
    assert "**" not in done


def imports(room):
    """What the files of one room import from outside, at their top or where it is used."""
    names = set()
    for path in (ROOT / "cococat" / room).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                names.add((node.module or "").partition(".")[0])
    return names


@pytest.mark.parametrize(
    ("library", "room"),
    [
        ("typer", "cli"),
        ("rich", "ui"),
        ("prompt_toolkit", "ui"),
        ("openai", "model"),
        ("tiktoken", "model"),
        ("platformdirs", "config"),
    ],
)
def test_each_library_is_used_for_what_it_is_for(library, room):
    """F3, F8: commands, screens, lines, requests, tokens and folders."""
    assert library in imports(room)


def test_what_was_ordered_stands_at_the_top(cococat):
    """F9: one look at the folder shows the package, its tests, what to read and what to set; the package is what runs."""
    there = {path.name for path in ROOT.iterdir()}

    assert {"pyproject.toml", "cococat", "tests", "README.md", "config.example.toml"} <= there
    assert f"## {cococat('--version').stdout.split()[1]}" in (ROOT / "CHANGELOG.md").read_text("utf-8")
