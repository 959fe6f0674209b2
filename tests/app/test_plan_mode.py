"""Plan mode: no tool is offered that could only be refused."""

import json

import pytest

from tests.scripted import calls, says, tool_results

CHANGES = {"write_file", "edit_file", "run_shell", "run_python", "fetch_url"}


@pytest.mark.parametrize(("permission", "offered"), [("plan", set()), ("ask-first", CHANGES)])
def test_plan_mode_offers_no_tool_that_it_could_only_refuse(cococat, scripted, permission, offered):
    """What reads is offered all the same; with other permissions everything is."""
    server = scripted(says("done"))

    ran = cococat("ask", "--base-url", server.base_url, "-m", "x", "--permission", permission, "--mode", "react", "hi")

    names = {tool["function"]["name"] for tool in server.requests[0]["tools"]}
    assert (0, offered) == (ran.code, names & CHANGES), ran.stderr
    assert {"read_file", "list_dir", "grep_search"} <= names


def test_a_tool_that_plan_mode_does_not_offer_is_refused_with_the_reason(cococat, scripted):
    """A model that calls it from memory learns that the mode refuses it, not that there is no such tool."""
    server = scripted(calls(("run_shell", {"command": "touch made"})), says("I only describe it."))

    ran = cococat("ask", "--base-url", server.base_url, "-m", "x", "--permission", "plan", "--mode", "react", "make it")

    told = tool_results(server.requests[1])
    assert "run_shell is not available in plan mode" in told[0], json.dumps(told)
    assert "I only describe it." in ran.stdout
