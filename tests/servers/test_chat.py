"""The tools of MCP servers in `chat`: what is asked, what `/mcp` says, what stops."""

from __future__ import annotations

import os
import signal
import sys
import time

import pytest

from tests.begun import eventually
from tests.screens import after, ready
from tests.scripted import calls, says, tool_results
from tests.servers.test_sessions import echo, gone

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")


@pytest.fixture
def chat(chat):
    """Start a chat that saves nothing."""
    return lambda server, *words: chat(server, "--no-session", *words)


def test_a_call_asks_and_mcp_tells_the_truth(chat, scripted, mcp):
    """A rule for the tool is offered; a server that dies is not said to run, and can be started again."""
    running = mcp()
    terminal = chat(scripted(echo(), says("done")))
    assert "s: not started · 1 tools" in after(terminal, "/mcp", "s: not started")
    terminal.press("go\r")
    question = terminal.until("[y]es")

    terminal.press("y")
    terminal.until(lambda text: "done" in text and ready(text))

    assert "s__echo: it calls the server s" in question
    assert "text: hi" in question
    after(terminal, "/mcp", "s: running")
    os.kill(running.pids[-1], signal.SIGKILL)
    eventually(lambda: gone(running.pids[-1:]))
    after(terminal, "/mcp", "s: has ended")
    after(terminal, "/mcp restart s", "s: running")
    after(terminal, "/mcp restart x", "there is no server 'x'")
    terminal.press("\x04")
    assert 0 == terminal.leave()
    eventually(lambda: gone(running.pids))


@pytest.mark.parametrize(("key", "told"), [("y", "read its arguments and call it again"), ("n", "did not agree")])
def test_a_changed_tool_is_shown_and_asked_about(chat, scripted, mcp, key, told):
    """Its first call is refused whatever the answer is; who agrees is not asked again."""
    running, called = mcp(), int(key == "y")
    running.become("changed")
    server = scripted(echo(), *([echo()] if called else []), says("done"))
    terminal = chat(server, "--allow", "s__*")

    terminal.press("go\r")
    question = terminal.until("[y]es")
    terminal.press(key)
    terminal.until(lambda text: "done" in text and ready(text))

    assert "+Give back a text, and send it to me." in question
    assert "s__echo changed since you agreed to it" in " ".join(question.split())
    assert told in tool_results(server.requests[-1])[0]
    assert called == len([line for line in running.log if line.startswith("call")])
    if called:
        assert "send it to me" in str(server.requests[1]["tools"])


def test_what_a_server_asks_is_answered_field_by_field(chat, scripted, mcp):
    """Defaults are prefilled; nothing is sent that was not entered."""
    mcp("asks")
    server = scripted(calls(("s__sign_up", {})), says("done"))
    terminal = chat(server, "--allow", "s__*")

    terminal.press("go\r")
    terminal.until("mcp s asks: who are you?")
    terminal.press("1\r")
    terminal.until("mcp s: name: text")
    terminal.press("Ada\r")
    terminal.until("mcp s: age: a whole number; Enter: 30")
    terminal.press("\r")
    terminal.until(lambda text: "done" in text and ready(text))

    assert '"action": "accept", "content": {"name": "Ada", "age": 30}' in tool_results(server.requests[-1])[0].replace(
        "\\", ""
    )


@pytest.fixture
def reached(mcp, http, cococat):
    """Have a server of a kind, over its pipes or at an address; give what it heard."""

    def by(way, kind):
        if way == "pipes":
            running = mcp(kind)
            return lambda: running.log
        url, asked = http
        assert 0 == cococat("mcp", "add", "s", "--yes", "--url", f"{url}/{kind}").code
        return lambda: asked().splitlines()

    return by


@pytest.mark.parametrize("end", ["stopped", "server-gone"])
def test_a_question_of_a_server_ends_with_its_call(chat, scripted, mcp, end):
    """Nobody is left with a question whose answer goes nowhere; the server is told, and the next line is for the prompt."""
    running = mcp("asks")
    server = scripted(calls(("s__sign_up", {})), *([says("done")] if end == "server-gone" else []), says("read"))
    terminal = chat(server, "--allow", "s__*")
    terminal.press("go\r")
    terminal.until("mcp s asks: who are you?")

    if end == "stopped":
        terminal.press("\x03")
        terminal.until(lambda text: "cococat: stopped" in text and ready(text))
        eventually(lambda: 'answer {"action": "cancel"}' in running.log)
    else:
        os.kill(running.pids[-1], signal.SIGKILL)
        terminal.until(lambda text: "done" in text and ready(text))
        assert "ended by signal 9" in tool_results(server.requests[-1])[0]

    terminal.press("1\r")
    terminal.until(lambda text: "read" in text and ready(text))
    assert "1" == server.requests[-1]["messages"][-1]["content"]
    assert "name: text" not in terminal.text


def connections(heard):
    """How often a server was started, or greeted at its address."""
    return sum(line.startswith("start ") or "initialize" in line or "server/discover" in line for line in heard)


@pytest.mark.parametrize("key", ["\x1b", "\x03"], ids=["Esc", "Ctrl-C"])
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(("pipes", "slow", "notifications/cancelled"), id="pipes"),
        pytest.param(("address", "slow", "notifications/cancelled"), id="address"),
        pytest.param(("address", "modern", "/modern closed b''"), id="address-of-the-new-era"),
    ],
)
def test_a_stopped_call_gives_the_prompt_back_and_the_server_is_told_of_it(chat, scripted, reached, key, case):
    """At once, while the prompt waits; though it gives no answer, the same connection brings the next one."""
    way, kind, told = case
    heard = reached(way, kind)
    terminal = chat(scripted(calls(("s__wait", {})), echo(), says("done")), "--allow", "s__*")
    terminal.press("go\r")
    eventually(lambda: any(line.startswith("call wait") for line in heard()))
    reached_so_far = connections(heard())

    terminal.press(key)
    terminal.until(lambda text: "stopped" in text and ready(text))

    eventually(lambda: told in heard())
    terminal.press("again\r")
    terminal.until(lambda text: "done" in text and ready(text))
    assert 'call echo {"text": "hi"}' in heard()
    assert reached_so_far == connections(heard())


def test_a_server_that_hears_nothing_does_not_hold_the_prompt(chat, scripted, mcp):
    """Its call is stopped in a moment, the next one is answered by another process, and the chat is left in its time."""
    running = mcp("deaf", settings="call_s = 300")
    wait = calls(("s__wait", {}))
    terminal = chat(scripted(wait, echo(), says("done"), wait), "--allow", "s__*")
    terminal.press("go\r")
    eventually(lambda: any(line.startswith("call wait") for line in running.log))

    began = time.monotonic()
    terminal.press("\x1b")
    terminal.until(lambda text: "stopped" in text and ready(text))
    stopped_s = time.monotonic() - began
    terminal.press("again\r")
    terminal.until(lambda text: "done" in text and ready(text))
    terminal.press("once more\r")
    eventually(lambda: 2 == sum(line.startswith("call wait") for line in running.log))
    terminal.press("\x1b")
    terminal.until(lambda text: 2 == text.count("stopped") and ready(text))
    terminal.press("\x04")

    assert 0 == terminal.leave()
    eventually(lambda: gone(running.pids))
    assert 3 == len(running.pids)  # one of them to be added
    assert stopped_s < 1.9  # 0.1 s of it are what a terminal waits for behind Esc; who waits for the server needs 2 s
