"""An answer given through finish() reaches the user exactly like one that was said."""

import json
import sys

import pytest
from inline_snapshot import snapshot

from tests.scripted import calls, says

pytestmark = pytest.mark.ask("--mode", "react")

ANSWER = "The port is 8080.\n\n- app.toml, line 1"
FINISH = calls(("finish", {"answer": ANSWER}), text="I have seen enough.")


def offered(request):
    return [tool["function"]["name"] for tool in request.get("tools", [])]


@pytest.mark.parametrize("permission", ["plan", "ask-first", "edits", "auto"])
def test_it_is_on_stdout_byte_for_byte_whatever_the_permissions(ask, scripted, permission):
    """To answer needs nobody's leave; the thought beside the call is not part of the answer."""
    server = scripted(FINISH)

    ran = ask(server, "--permission", permission, "which port?")

    assert (0, ANSWER + "\n") == (ran.code, ran.stdout)
    assert "I have seen enough." in ran.stderr


def test_json_and_stream_json_carry_it_in_the_result(ask, scripted):
    """The same object as for an answer that was said."""
    one = json.loads(ask(scripted(FINISH), "--output-format", "json", "which port?").stdout)
    lines = ask(scripted(FINISH), "--output-format", "stream-json", "which port?").stdout.splitlines()
    last = json.loads(lines[-1])

    for result in (one, last):
        assert (ANSWER, "answered", 0, None) == tuple(
            result[key] for key in ("answer", "stop_reason", "exit_code", "error")
        )


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
@pytest.mark.parametrize("env", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["live", "no colour", "dumb"])
def test_a_terminal_shows_it_once(scripted, tmp_path, env):
    """Rendered or plain, the answer stands below the steps."""
    from tests.ui.pseudo_terminal import PseudoTerminal

    server = scripted(FINISH)
    flags = ["ask", "--base-url", server.base_url, "-m", "x", "--mode", "react", "--root", tmp_path, "which port?"]
    terminal = PseudoTerminal("cococat", *flags, env=env)

    code = terminal.leave()

    shown = terminal.text
    assert 0 == code
    assert 1 == sum(row.strip() == snapshot("The port is 8080.") for row in shown.splitlines())
    assert shown.index("I have seen enough.") < shown.index("\nThe port is 8080.")
    assert 1 == sum("app.toml, line 1" in row for row in shown.splitlines())


def test_it_is_offered_last_and_only_where_it_serves(ask, cococat, scripted):
    """Not in single mode, which has one round, whatever the rules allow."""
    react, single = scripted(says("ok")), scripted(says("ok"))

    ask(react, "hello")
    cococat("ask", "--base-url", single.base_url, "-m", "x", "--allow", "finish", "hello")

    assert "finish" == offered(react.requests[0])[-1]
    assert "finish" not in offered(single.requests[0])


def test_decisions_have_their_own_way_to_finish(ask, scripted, home):
    """The JSON protocol's prompt and schema name no tool of this name."""
    (home / "config.toml").write_text('[model]\nprotocol = "json"\n')
    call = {"action": "tool_call", "tool": "finish", "tool_input": {"answer": "called"}}
    server = scripted(says(json.dumps(call)), says(json.dumps({"action": "finish", "final": "done"})))

    ran = ask(server, "hello")

    assert (0, "done\n") == (ran.code, ran.stdout)
    assert "finish(" not in json.dumps(server.requests[0]["messages"])


def test_a_rule_of_the_user_can_forbid_it(ask, scripted, home):
    """A deny rule holds for every tool."""
    (home / "config.toml").write_text('[permissions]\ndeny = ["finish"]\n')
    server = scripted(FINISH, says("Said, then."))

    ran = ask(server, "which port?")

    assert (0, "Said, then.\n") == (ran.code, ran.stdout)


def test_a_session_goes_on_after_it(ask, cococat, scripted):
    """The answer is part of the history that the next turn sends."""
    ask(scripted(FINISH), "which port?")
    server = scripted(says("Yes."))

    ran = cococat("ask", "-c", "--base-url", server.base_url, "-m", "x", "sure?")

    assert (0, "Yes.\n") == (ran.code, ran.stdout)
    assert ANSWER in [message["content"] for message in server.requests[0]["messages"]]
