"""A tool that ends the run: its answer is the answer, and the guards hold."""

import pytest

from cococat.core.events import ToolCompleted, ToolFailed
from cococat.core.limits import Limits, StopReason
from cococat.core.messages import Assistant, ToolResult
from cococat.core.tools import tool
from cococat.tools.finish import finish_tool
from tests.scripted import calls, says, tool_results

FINISH = finish_tool()


@tool("reads")
async def echo(text: str) -> str:
    """Return text back."""
    return text


@tool("writes")
async def note(text: str) -> str:
    """Write a note."""
    return f"noted {text}"


def test_finish_ends_the_run_with_its_answer(scripted, run):
    """No further request; the history ends with the answer as if it had been said."""
    server = scripted(calls(("finish", {"answer": "42"}), text="That is all."))

    ran = run(server, [echo, FINISH])

    assert ("42", StopReason.ANSWERED, 1) == (ran.turn.answer, ran.turn.stop.reason, len(server.requests))
    assert [ToolResult, Assistant] == [type(message) for message in ran.turn.history[-2:]]
    assert Assistant("42") == ran.turn.history[-1]


def test_the_next_turn_can_be_sent(scripted, run):
    """A history with a finished turn is one that servers accept."""
    first = run(scripted(calls(("finish", {"answer": "42"}))), [FINISH])
    server = scripted(says("Because."))

    ran = run(server, [FINISH], history=first.turn.history, prompt="why?")

    assert "Because." == ran.turn.answer
    assert ["system", "user", "assistant", "tool", "assistant", "user"] == [
        message["role"] for message in server.requests[0]["messages"]
    ]


@pytest.mark.parametrize("answer", ["", " \n"])
def test_an_empty_answer_is_refused(scripted, run, answer):
    """The model is told and may try again."""
    server = scripted(calls(("finish", {"answer": answer})), calls(("finish", {"answer": "42"})))

    ran = run(server, [FINISH])

    assert "42" == ran.turn.answer
    assert "the answer is empty" in tool_results(server.requests[1])[0]


def test_finish_waits_for_the_calls_that_must_come_first(scripted, run):
    """Neither itself nor calls of the same reply count: their results were not seen."""
    server = scripted(
        calls(("finish", {"answer": "guessed"})),
        calls(("echo", {"text": "a"}), ("finish", {"answer": "guessed too"})),
        calls(("finish", {"answer": "a"})),
    )

    ran = run(server, [echo, FINISH], limits=Limits(min_tool_calls=1))

    assert ("a", 3) == (ran.turn.answer, ran.turn.steps)
    assert "TooEarly: 0 of 1 calls" in tool_results(server.requests[1])[0]
    assert "TooEarly: 0 of 1 calls" in tool_results(server.requests[2])[2]


def test_nothing_runs_after_finish(scripted, run):
    """Calls behind it in the same reply are refused; those before it have run."""
    server = scripted(calls(("note", {"text": "a"}), ("finish", {"answer": "42"}), ("note", {"text": "b"})))

    ran = run(server, [note, FINISH])

    assert ["note", "finish"] == [event.name for event in ran.of(ToolCompleted)]
    assert ["not run: the run was stopped"] == [event.output for event in ran.of(ToolFailed)]
    assert "42" == ran.turn.answer


def test_finish_replaces_what_was_said_before(scripted, run):
    """A reply that was cut and continued with a call leaves no half sentence in the answer."""
    server = scripted(says("The answer wo", finish="length"), calls(("finish", {"answer": "42"})))

    assert "42" == run(server, [FINISH]).turn.answer
