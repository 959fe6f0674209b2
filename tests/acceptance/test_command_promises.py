"""The loop and its decisions as `cococat ask` shows them on the wire; the ids are those of acceptance.toml."""

from __future__ import annotations

import json

import pytest

from tests.scripted import calls, forever, reasons, says, tool_results

pytestmark = pytest.mark.ask("--mode", "react", "--no-dream", "--output-format", "stream-json")
GOAL = "I couldn't produce a valid tool/action plan. Please clarify your goal and constraints."


def events(ran, kind):
    """The events of one kind, in order."""
    return [event for line in ran.stdout.splitlines() if (event := json.loads(line))["type"] == kind]


def result_of(ran):
    """How it ended."""
    return events(ran, "result")[0]


def decides(action, **fields):
    """One reply with one decision."""
    return says(json.dumps({"action": action, **fields}))


@pytest.fixture
def in_json(home):
    """Calls are decisions in JSON."""
    (home / "config.toml").write_text('[model]\nprotocol = "json"\n')


def test_text_without_calls_is_the_answer_to_one_request(ask, scripted):
    """A3, A10, A25, B7, B10, C4: system prompt, question, closed schemas; one step."""
    server = scripted(says("Hello."))

    ran = ask(server, "hi")

    (request,) = server.requests
    assert ["system", "user"] == [message["role"] for message in request["messages"]]
    assert request["messages"][0]["content"].startswith("You are cococat")
    assert all(tool["function"]["parameters"]["additionalProperties"] is False for tool in request["tools"])
    assert ("Hello.", 1) == (result_of(ran)["answer"], result_of(ran)["steps"])


def test_acts_of_every_kind_are_offered(ask, scripted):
    """E5: asking, searching, reading, writing, fetching and running."""
    server = scripted(says("Hello."))

    ask(server, "hi", env={"COCOCAT_WEB_SEARCH_URL": "http://127.0.0.1:1/search"})

    offered = {tool["function"]["name"] for tool in server.requests[0]["tools"]}
    assert {"ask_user", "web_search", "grep_search", "read_file", "write_file", "fetch_url", "run_shell"} <= offered


def test_a_cut_answer_is_continued_and_stays_one(ask, scripted):
    """A5, A8, A24, A28: what was said is sent back and not repeated; a continuation is no step."""
    server = scripted(says("one ", finish="length"), says("two ", finish="length"), says("three"))

    ran = ask(server, "count")

    assert ("one two three", 1, 3) == (result_of(ran)["answer"], result_of(ran)["steps"], len(server.requests))
    assert "one " == server.requests[1]["messages"][-2]["content"]


def test_an_answer_that_is_cut_for_ever_ends_at_the_third_continuation(ask, scripted):
    """A8, A24: four requests, what there is of it, exit 5."""
    ran = ask(scripted(forever(says("more ", finish="length"))), "count")

    assert (5, "more " * 4) == (ran.code, result_of(ran)["answer"])


def test_empty_replies_are_asked_again_and_then_given_up(ask, scripted):
    """A23: twice more, once without tools, then an error in words."""
    server = scripted(forever(reasons("hm")))

    ran = ask(server, "hi")

    assert [True, True, True, False] == ["tools" in request for request in server.requests]
    assert (3, "empty_reply") == (ran.code, result_of(ran)["error"]["kind"])


def test_calls_win_and_their_results_follow_in_their_order(ask, scripted, tmp_path):
    """A15, A27, B6: a reply that says `stop` beside its calls is acted on; each result is a message of the role tool."""
    for name in "abc":
        (tmp_path / name).write_text(f"text of {name}")
    server = scripted(calls(*(("read_file", {"path": name}) for name in "cab"), finish="stop"), says("Read."))

    ran = ask(server, "read")

    roles = [message["role"] for message in server.requests[1]["messages"]]
    assert ["assistant", "tool", "tool", "tool"] == roles[-4:]
    assert [True] * 3 == [
        f"text of {name}" in text for name, text in zip("cab", tool_results(server.requests[1]), strict=True)
    ]
    assert "Read." == result_of(ran)["answer"]


def test_whatever_is_wrong_with_a_call_is_told_and_the_run_goes_on(ask, scripted, tmp_path):
    """B12, D1, D7, D11, D23: an unknown tool, fields that are missing, unexpected or of another type, a file that is not there."""
    wrong = (
        ("paint", {}),
        ("read_file", {}),
        ("read_file", {"path": "a", "colour": "red"}),
        ("read_file", {"path": 5}),
        ("read_file", {"path": "gone.txt"}),
    )
    server = scripted(calls(*wrong), says("Sorry."))

    ran = ask(server, "go")

    told = tool_results(server.requests[1])
    words = ("UnknownTool", "'path' is a required property", "colour", "5 is not of type 'string'", "gone.txt")
    assert [True] * 5 == ["[TOOL_ERROR]" in text and word in text for text, word in zip(told, words, strict=True)]
    assert (0, "Sorry.") == (ran.code, result_of(ran)["answer"])


def test_the_output_of_a_command_streams(ask, scripted):
    """B13: it is told while the command runs, before its result is."""
    server = scripted(calls(("run_shell", {"command": "echo first"})), says("Done."))

    ran = ask(server, "--allow", "run_shell(echo first)", "go")

    kinds = [json.loads(line)["type"] for line in ran.stdout.splitlines()]
    assert kinds.index("tool_output") < kinds.index("tool_completed")
    assert "first" in events(ran, "tool_output")[0]["text"]


@pytest.mark.usefixtures("in_json")
def test_a_decision_that_cannot_be_read_is_asked_for_again(ask, scripted):
    """D1, D2, D3, D4, D5, D6, D10, D19, D24, D25: twice, each time with its fault, with the schema's rule; then it goes on."""
    server = scripted(says("{Sunny!"), decides("finish", tool="read_file", final="x"), decides("finish", final="ok"))

    ran = ask(server, "weather?")

    faults = ("Invalid JSON parse error: JSONDecodeError", "tool and tool_input must be null when action is finish")
    for request, fault in zip(server.requests[1:], faults, strict=True):
        told = f"Your previous output failed validation: {fault}. Output ONLY one valid JSON object"
        assert told in request["messages"][-1]["content"]
    assert (0, "ok") == (ran.code, result_of(ran)["answer"])


@pytest.mark.usefixtures("in_json")
def test_after_three_decisions_that_cannot_be_read_the_user_is_asked(ask, scripted):
    """D2, D3, D28: a question is the end, with its exit code."""
    server = scripted(forever(says("{I would rather chat.")))

    ran = ask(server, "go")

    assert (7, GOAL, 3) == (ran.code, result_of(ran)["answer"], len(server.requests))


@pytest.mark.usefixtures("in_json")
def test_a_new_plan_keeps_what_was_seen(ask, scripted, tmp_path):
    """C19, D11, D15, D30: a note goes with the next request, beside the observation, which a user's message holds."""
    (tmp_path / "a.txt").write_text("the port is 80")
    look = decides("tool_call", tool="read_file", tool_input={"path": "a.txt"})
    server = scripted(look, decides("replan", final="look again"), decides("finish", final="80"))

    ran = ask(server, "port?")

    seen = [message for message in server.requests[2]["messages"] if "the port is 80" in message["content"]]
    assert ["user"] == [message["role"] for message in seen]
    assert "Replan: the approach so far failed" in server.requests[2]["messages"][-1]["content"]
    assert (0, "80") == (ran.code, result_of(ran)["answer"].removeprefix("look again"))
