"""How much work an answer has to rest on, and how many requests a run of one round may take."""

import json

import pytest

from cococat.core.events import Notice
from cococat.core.limits import Limits, StopReason
from cococat.core.tools import ToolFailure, tool
from cococat.protocol.decision import Decision
from tests.scripted import calls, forever, says

SINGLE = Limits(max_steps=1, spent=StopReason.ANSWERED)
LOOK = ("list_dir", {"path": "."})


def decides(action, **rest):
    return says(json.dumps({"action": action, **rest}))


@tool("reads")
async def echo(text: str) -> str:
    """Return text back."""
    return text


@tool("reads")
async def refuse() -> str:
    """Fail."""
    raise ToolFailure("name another file")


def test_a_failed_call_is_no_work(scripted, run):
    """An answer that rests on nothing but a failure is sent back like a guess."""
    server = scripted(calls(("refuse", {})), says("I guess"), calls(("echo", {"text": "fact"})), says("I know"))

    ran = run(server, [echo, refuse], limits=Limits(min_tool_calls=1))

    assert ("I know", 4) == (ran.turn.answer, len(server.requests))
    assert "must use tools" in str(server.requests[2]["messages"][-1])


@pytest.mark.parametrize(
    ("script", "requests", "done"),
    [
        ((says("I guess"),), 1, 0),
        ((calls(("refuse", {})), says("I guess")), 2, 0),
        ((calls(("echo", {"text": "x"}), ("refuse", {})), says("I guess")), 2, 1),
        ((calls(("echo", {"text": "x"}), ("echo", {"text": "y"})), says("I guess")), 2, 2),
    ],
    ids=["no call", "a failed one", "one of two", "two"],
)
def test_one_round_that_owes_work_is_answered_with_a_warning(scripted, run, script, requests, done):
    """No tool is asked for that is not offered: the answer counts, and the user hears what it rests on."""
    ran = run(scripted(*script), [echo, refuse], limits=Limits(1, min_tool_calls=2, spent=StopReason.ANSWERED))

    warned = [(event.text, event.level) for event in ran.of(Notice)]
    expected = [(f"the answer rests on {done} of the 2 tool calls of --min-tool-calls", "warning")]
    assert (StopReason.ANSWERED, "I guess", requests) == (ran.turn.stop.reason, ran.turn.answer, ran.turn.steps)
    assert (expected if done < 2 else []) == warned


@pytest.mark.parametrize("text", ["", "I look once more."], ids=["bare", "with words"])
def test_one_round_takes_two_requests_whatever_the_second_reply_is(scripted, run, text):
    """A call in the last reply is not run: its text is the answer, else an account of what was done."""
    again = calls(("echo", {"text": "again"}), text=text)
    server = scripted(calls(("echo", {"text": "x"})), forever(again))

    ran = run(server, [echo], limits=SINGLE)

    assert (StopReason.ANSWERED, 2) == (ran.turn.stop.reason, len(server.requests))
    assert text in ran.turn.answer
    assert bool(text) != ('- echo({"text": "x"}): completed' in ran.turn.answer)
    assert "again" not in ran.turn.answer


def test_ask_answers_in_two_requests_and_warns_of_what_it_owes(scripted, cococat):
    """On stdout the account, on stderr the warning, exit 0."""
    server = scripted(forever(calls(LOOK)))
    words = ["--base-url", server.base_url, "-m", "m", "--min-tool-calls", "3", "--output-format", "json"]

    ran = cococat("ask", *words, "what is here?")

    result = json.loads(ran.stdout)
    assert (0, "answered", 2) == (ran.code, result["stop_reason"], len(server.requests))
    assert "list_dir" in result["answer"]
    assert "the answer rests on 1 of the 3 tool calls of --min-tool-calls" in ran.stderr


@pytest.mark.parametrize(
    ("second", "answer"),
    [
        (decides("tool_call", tool="echo", tool_input={"text": "again"}), None),
        (says('{"action": "finish", '), None),
        (says(""), None),
        (decides("finish", final=" "), None),
        (decides("replan", final="I would look again."), "I would look again."),
    ],
    ids=["a decision for a tool", "unreadable", "empty", "an empty answer", "a plan"],
)
def test_one_round_of_json_decisions_takes_two_requests_as_well(scripted, run, second, answer):
    """What can be no answer is not asked for again: a plain account stands in its place."""
    server = scripted(decides("tool_call", tool="echo", tool_input={"text": "x"}), forever(second))

    ran = run(server, [echo], limits=SINGLE, protocol=Decision())

    assert (StopReason.ANSWERED, 2) == (ran.turn.stop.reason, len(server.requests))
    assert answer == ran.turn.answer or (answer is None and '- echo({"text": "x"}): completed' in ran.turn.answer)


def test_an_empty_second_reply_to_native_calls_is_an_account_too(scripted, run):
    """`single` promises two requests, whatever the protocol."""
    server = scripted(calls(("echo", {"text": "x"})), forever(says("")))

    ran = run(server, [echo], limits=SINGLE)

    assert (StopReason.ANSWERED, 2) == (ran.turn.stop.reason, len(server.requests))
    assert '- echo({"text": "x"}): completed' in ran.turn.answer
