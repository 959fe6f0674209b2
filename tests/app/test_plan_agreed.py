"""Plan mode ends in a plan that the user agrees to, and nothing is written before."""

import json
import sys

import pytest

from tests.screens import ready
from tests.scripted import calls, says

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
WRITE = calls(("write_file", {"path": "a.txt", "content": "x"}))
PLAN = ("todo", {"items": ["[ ] write a.txt", "[ ] run it"], "ready": True})


def offered(request):
    """The tools of one request."""
    return {tool["function"]["name"] for tool in request["tools"]}


@pytest.mark.parametrize(("key", "mode"), [("y", "ask-first"), ("e", "edits")], ids=["asking", "editing"])
def test_a_plan_that_the_user_agrees_to_is_carried_out_in_the_same_turn(chat, scripted, tmp_path, key, mode):
    """Before it only reading tools are offered; after it those that write are, in the mode that was chosen."""
    server = scripted(calls(PLAN), WRITE, says("Written."))
    terminal = chat(server, "--permission", "plan")

    terminal.press("write a file\r")
    terminal.until("carry out this plan?")
    assert not (tmp_path / "a.txt").exists()
    terminal.until("ask at each change")
    terminal.press(key)
    if mode == "ask-first":
        terminal.until("[y]es once")
        terminal.press("y")
    text = terminal.until(lambda text: "Written." in text and ready(text) and f"react · {mode}" in text)

    assert "[ ] write a.txt" in text
    assert "x" == (tmp_path / "a.txt").read_text()
    assert "write_file" not in offered(server.requests[0])
    assert "write_file" in offered(server.requests[1])
    system = [request["messages"][0]["content"].partition("Without asking run: ")[2] for request in server.requests]
    assert [False, mode == "edits"] == ["edit_file" in words for words in system[:2]]
    assert system[1] == system[2]
    assert f"the permission mode is {mode}" in json.dumps(server.requests[1]["messages"][-1])


def test_a_plan_that_is_refused_changes_nothing_and_the_reason_reaches_the_model(chat, scripted, tmp_path):
    """The mode stays, and what is called all the same is refused."""
    server = scripted(calls(PLAN), WRITE, says("As you like."))
    terminal = chat(server, "--permission", "plan")

    terminal.press("write a file\r")
    terminal.until("no, for a [r]eason")
    terminal.press("r")
    terminal.until("why not?")
    terminal.press("too much\r")
    terminal.until(lambda text: "As you like." in text and ready(text) and "react · plan" in text)

    assert "does not agree to the plan: too much" in json.dumps(server.requests[1]["messages"][-1])
    assert not (tmp_path / "a.txt").exists()
    assert all("write_file" not in offered(request) for request in server.requests)


def test_outside_of_plan_mode_a_plan_asks_nothing(scripted, cococat):
    """Nobody can be asked in `ask`, and no other mode has a byte more for it."""
    for mode in ("plan", "ask-first"):
        server = scripted(says("Yes."))
        cococat("ask", "--mode", "react", "--permission", mode, "--base-url", server.base_url, "-m", "m", "hi")
        (todo,) = [tool["function"] for tool in server.requests[0]["tools"] if tool["function"]["name"] == "todo"]

        assert ["items"] == list(todo["parameters"]["properties"])
