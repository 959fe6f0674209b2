"""`mcp`: servers whose tools a model may call."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

from cococat.cli.flags import Command, Flag, Invocation, Job, folders_of, refuse_both, settings_of, shared, text_of
from cococat.errors import UsageError

GROUP = "Servers"  # of the help
ADD = """
Add a server: a program behind `--`, or an address.

It is started once, and shows its tools; what it says of itself nobody has checked. It is added when you agree. A program
gets PATH, HOME and their like, and the variables that --env names; no others. Every call asks before it runs, unless a rule
of yours allows it, as git__git_status or git__* do.
"""
CHECK = """
Start a server, or all of them, and show what it offers.

What has changed since you agreed to it is shown, and offered to models once you agree again. The exit code is 3 when one
does not work.
"""
IMPORT = """
Add the servers of a file that another program reads.

Its form is {"mcpServers": {"NAME": {"command": "PROGRAM", "args": []}}}. No such file is read by itself, wherever it is.
Values of variables and keys are not taken over.
"""
YES = Flag("--yes", "", "Do not ask: agree to what it offers.", GROUP, "-y")


def _list(given: Invocation) -> Job:
    from cococat.app.mcp import commands

    return partial(commands.list_all, settings_of(given), folders_of(given), as_json=given.has("--json"))


def _add(given: Invocation) -> Job:
    refuse_both(given, "--url", "--env")
    name, *argv = map(text_of, given.words)
    values: dict[str, Any] = {"command": argv} if argv else {}
    for flag, key in (("--env", "env"), ("--url", "url"), ("--key-env", "key_env")):
        values |= {key: given.flags[flag]} if flag in given.flags else {}
    if not (argv or given.has("--url")):
        raise UsageError("add: wanted a command or --url", f"cococat mcp add {name} -- COMMAND ARG…")
    from cococat.app.mcp import commands

    return partial(commands.add, settings_of(given), folders_of(given), name, values, yes=given.has("--yes"))


def _remove(given: Invocation) -> Job:
    from cococat.app.mcp import commands

    return partial(commands.remove, settings_of(given), folders_of(given), given.words[0])


def _check(given: Invocation) -> Job:
    from cococat.app.mcp import commands

    target = given.words[0] if given.words else ""
    return partial(commands.check, settings_of(given), folders_of(given), target, yes=given.has("--yes"))


def _call(given: Invocation) -> Job:
    from cococat.app.mcp import commands

    target, tool, *rest = map(text_of, given.words)
    defaults = given.has("--defaults")
    return partial(
        commands.call, settings_of(given), folders_of(given), target, tool, rest[0] if rest else "{}", defaults=defaults
    )


def _import(given: Invocation) -> Job:
    from cococat.app.mcp import commands

    path = Path(os.fspath(given.words[0]))
    return partial(commands.import_file, settings_of(given), folders_of(given), path, yes=given.has("--yes"))


CONFIG = shared("config")
MCP = Command(
    "Servers whose tools a model may call (Model Context Protocol).",
    examples=("cococat mcp add git -- mcp-server-git --repository .", "cococat mcp list", "cococat mcp check git"),
    below={
        "list": Command(
            "List the servers; none is started.",
            _list,
            [Flag("--json", "", "For machines.", GROUP), *CONFIG],
            examples=("cococat mcp list", "cococat mcp list --json", "cococat mcp list | grep 'not looked at'"),
        ),
        "add": Command(
            ADD,
            _add,
            [
                Flag("--env", "VAR", "A variable that the program gets; repeatable.", GROUP, many=True),
                Flag("--url", "URL", "Of a server that runs elsewhere: https, or this machine.", GROUP),
                Flag("--key-env", "VAR", "The variable with the key for that address.", GROUP),
                YES,
                *CONFIG,
            ],
            ["NAME_COMMAND"],
            1,
            many=True,
            examples=(
                "cococat mcp add git -- mcp-server-git --repository .",
                "cococat mcp add github --env GITHUB_TOKEN -- github-mcp-server stdio",
                "cococat mcp add docs --url https://docs.example/mcp --key-env DOCS_TOKEN",
            ),
        ),
        "remove": Command(
            "Remove a server.",
            _remove,
            CONFIG,
            ["NAME"],
            1,
            examples=(
                "cococat mcp remove git",
                "cococat mcp remove docs",
                "cococat mcp remove git && cococat mcp list",
            ),
        ),
        "check": Command(
            CHECK,
            _check,
            [YES, *CONFIG],
            ["NAME_OR_URL"],
            examples=("cococat mcp check", "cococat mcp check git", "cococat mcp check http://127.0.0.1:8000/mcp"),
        ),
        "call": Command(
            "Call one tool, and print what it gives.",
            _call,
            [Flag("--defaults", "", "Answer what the server asks with its defaults.", GROUP), *CONFIG],
            ["NAME_OR_URL", "TOOL", "JSON"],
            2,
            examples=(
                'cococat mcp call git git_log \'{"repo_path": "/home/ada/project"}\'',
                'cococat mcp call time get_current_time \'{"timezone": "Europe/Berlin"}\'',
                'cococat mcp call http://127.0.0.1:8000/mcp echo \'{"text": "hi"}\'',
            ),
        ),
        "import": Command(
            IMPORT,
            _import,
            [YES, *CONFIG],
            ["FILE"],
            1,
            examples=(
                "cococat mcp import .mcp.json",
                "cococat mcp import ~/.cursor/mcp.json",
                "cococat mcp import --yes mine.json",
            ),
        ),
    },
)
