"""What the source documents promise of the loop and no other test shows; the ids are those of acceptance.toml."""

from __future__ import annotations

import ast
import asyncio
from pathlib import Path

import pytest

from cococat.core.events import Retrying, StepStarted, ToolFailed, ToolRunning
from cococat.core.limits import Limits, StopReason
from cococat.core.messages import Assistant, ToolResult, User
from cococat.core.settings import RetryPolicy
from cococat.core.tools import tool
from tests.scripted import calls, fault, forever, reasons, says

ROOM = Path(__file__).resolve().parents[2] / "cococat"


@tool("reads")
async def echo(text: str) -> str:
    """Return text back."""
    return text


@tool("reads")
async def lost(place: str) -> str:
    """Look somewhere in vain."""
    raise ValueError("nothing there")


@tool("writes")
async def write(text: str) -> str:
    """Write."""
    return "written"


def roles(request):
    """Who says what, in order."""
    return [message["role"] for message in request["messages"]]


def echoes(*texts):
    """One turn with a call for each text."""
    return calls(*(("echo", {"text": text}) for text in texts))


def test_a_request_is_the_system_prompt_the_history_and_the_schemas(scripted, run):
    """A3, B7, D18: system first, then what was said in order; each tool with its closed JSON Schema."""
    server = scripted(echoes("seen"), says("done"))
    history = (User("before"), Assistant("then"))

    run(server, [echo], history=history, prompt="now")

    first, second = server.requests
    assert ["system", "user", "assistant", "user"] == roles(first)
    assert ["Be brief.", "before", "then", "now"] == [message["content"] for message in first["messages"]]
    assert ["assistant", "tool"] == roles(second)[4:]
    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    assert [schema | {"additionalProperties": False}] == [t["function"]["parameters"] for t in first["tools"]]


def test_fifteen_rounds_are_the_default(scripted, run):
    """A4, C3, E17: without a setting the sixteenth request is the last, and offers no tools."""
    server = scripted(forever(lambda body: echoes(str(len(body["messages"])))))

    ran = run(server, [echo])

    assert (StopReason.STEP_LIMIT, 16) == (ran.turn.stop.reason, len(server.requests))
    assert [True] * 15 + [False] == ["tools" in request for request in server.requests]


def test_five_of_seven_calls_overlap(scripted, run):
    """A14, A16: the others wait until one of the five is done."""
    now, most, full = 0, 0, asyncio.Event()

    @tool("reads")
    async def wait(n: int) -> str:
        """Wait until five are here."""
        nonlocal now, most
        now += 1
        most = max(most, now)
        if now == 5:
            full.set()
        await full.wait()
        await asyncio.sleep(0)
        now -= 1
        return str(n)

    server = scripted(calls(*(("wait", {"n": n}) for n in range(7))), says("done"))

    ran = run(server, [wait])

    assert 5 == most
    assert [str(n) for n in range(7)] == [m.output for m in ran.turn.history if isinstance(m, ToolResult)]


@pytest.mark.parametrize(("attempts", "requests"), [(3, 3), (1, 1)], ids=["the default", "switched off"])
def test_a_call_is_given_up_after_its_attempts_with_an_error_not_an_exception(scripted, run, attempts, requests):
    """A7, A29, C1, C5, C24: retries stay inside one step; what is left is a typed end that can be shown."""
    server = scripted(forever(fault(503, "overloaded")))

    ran = run(server, retry=RetryPolicy(attempts, base_ms=1, jitter_ms=0))

    assert (StopReason.MODEL_ERROR, 1) == (ran.turn.stop.reason, ran.turn.steps)
    assert (requests, requests - 1) == (len(server.requests), len(ran.of(Retrying)))
    assert "overloaded" in ran.turn.stop.problem.message


def test_the_third_identical_call_is_refused_before_it_runs(scripted, run):
    """C13, C18, C25: it becomes an observation that asks for another plan, and the model can fix it."""
    server = scripted(*(echoes("again") for _ in range(3)), says("Stuck: nothing new."))

    ran = run(server, [echo])

    assert (2, 1) == (len(ran.of(ToolRunning)), len(ran.of(ToolFailed)))
    assert "change the plan" in server.requests[3]["messages"][-1]["content"]
    assert StopReason.ANSWERED == ran.turn.stop.reason


def test_a_cycle_of_two_calls_is_a_loop_too(scripted, run):
    """C13, D13: A, B, A, B, A, B across messages and through text in between."""
    turns = [calls(("echo", {"text": text}), text=f"thought {n}") for n, text in enumerate("abababab")]
    server = scripted(*turns, says("In circles."))

    ran = run(server, [echo])

    assert (StopReason.LOOP, "In circles.") == (ran.turn.stop.reason, ran.turn.answer)


def test_the_same_result_is_hinted_at_and_then_the_end(scripted, run):
    """D8, D13, D14, E14, E20, E22: other arguments, the same failure: a hint for one request, then a stop."""
    server = scripted(*(calls(("lost", {"place": place})) for place in "abc"), says("It is nowhere."))

    ran = run(server, [lost])

    assert (StopReason.NO_PROGRESS, "It is nowhere.", 4) == (ran.turn.stop.reason, ran.turn.answer, ran.turn.steps)
    hinted = ["change the method" in request["messages"][-1]["content"] for request in server.requests]
    assert [False, False, True, False] == hinted


def test_a_change_in_between_is_progress(scripted, run):
    """D13, E14: the same result after a write is news."""
    places = iter("abcdef")
    looks = [calls(("lost", {"place": next(places)})) for _ in range(4)]
    writes = [calls(("write", {"text": text})) for text in "xy"]
    server = scripted(looks[0], looks[1], writes[0], looks[2], looks[3], writes[1], says("done"))

    ran = run(server, [lost, write])

    assert StopReason.ANSWERED == ran.turn.stop.reason


def test_a_hint_lives_for_one_request(scripted, run):
    """B21, E12, E18, E23: said with the next request, then gone from the wire and from the history."""
    server = scripted(says("I guess"), echoes("fact"), says("I know"))

    ran = run(server, [echo], limits=Limits(min_tool_calls=1))

    assert [False, True, False] == ["must use tools" in str(request["messages"]) for request in server.requests]
    assert "must use tools" not in str(ran.turn.history)


def test_guards_come_before_the_least_work(scripted, run):
    """E8, E11, E12: a run that owes a tool call still ends at its step limit."""
    server = scripted(forever(says("no tools for me")))

    ran = run(server, [echo], limits=Limits(max_steps=3, min_tool_calls=1))

    assert (StopReason.STEP_LIMIT, 4) == (ran.turn.stop.reason, len(server.requests))


def test_when_even_the_last_request_fails_the_user_gets_an_account(scripted, run):
    """A26, B17, B18, C12: the guard is the reason, and what was done stands in for the answer."""
    server = scripted(echoes("one"), forever(fault(500)))

    ran = run(server, [echo], limits=Limits(max_steps=1))

    assert StopReason.STEP_LIMIT == ran.turn.stop.reason
    assert '- echo({"text": "one"}): completed' in ran.turn.answer
    assert ran.turn.stop.detail not in ran.turn.answer  # it is told as the error


def test_empty_replies_far_apart_do_not_add_up(scripted, run):
    """A23: two more tries each; what came in between was no empty reply."""
    turns = [turn for n in range(3) for turn in (reasons("hm"), echoes(str(n)))]
    server = scripted(*turns, says("done"))

    ran = run(server, [echo])

    assert ("done", StopReason.ANSWERED) == (ran.turn.answer, ran.turn.stop.reason)
    assert all("tools" in request for request in server.requests)


def test_single_and_react_share_the_token_budget(scripted, run):
    """E16: the bound of one round is no other than that of fifteen."""
    limits = Limits(max_steps=1, max_total_tokens=100, spent=StopReason.ANSWERED)

    ran = run(scripted(says("long", usage=(90, 20))), limits=limits)

    assert StopReason.TOKEN_LIMIT == ran.turn.stop.reason


def test_parts_tell_who_said_what_in_which_message(scripted, run):
    """C8, C10: reasoning, text and tool, each with its session, its message and its state."""
    server = scripted(reasons("hm", then=calls(("echo", {"text": "x"}), text="I echo.")), says("done"))

    parts = run(server, [echo], session_id="S").turn.parts

    assert [("reasoning", "hm"), ("text", "I echo."), ("tool", ""), ("text", "done")] == [
        (part.type, part.text) for part in parts
    ]
    assert [("echo", "completed", '{"text": "x"}', "x")] == [
        (part.tool, part.state.status, part.state.input, part.state.output) for part in parts if part.state
    ]
    assert {"S"} == {part.session_id for part in parts}
    assert 4 == len({part.id for part in parts})
    assert 2 == len({part.message_id for part in parts})


def test_after_each_kind_of_failure_the_model_decides_the_next_step(scripted, run):
    """B6, B12, D11: the failure goes back once for each call, and the next step is the model's."""
    server = scripted(calls(("lost", {"place": "a"}), ("echo", {"text": "b"})), echoes("c"), says("found c"))

    ran = run(server, [lost, echo])

    assert [1, 2, 3] == [event.step for event in ran.of(StepStarted)]
    assert ["assistant", "tool", "tool"] == roles(server.requests[1])[-3:]
    assert "found c" == ran.turn.answer


def test_the_loop_its_parts_its_retries_and_its_prompts_are_files_of_their_own():
    """B1, C31: loop, think and act are apart, and what the loop is made of does not know the loop."""
    for name in ("core/loop.py", "core/think.py", "core/act.py", "core/parts.py", "core/retry.py"):
        tree = ast.parse((ROOM / name).read_text())
        imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert (name == "core/loop.py") == ({"cococat.core.think", "cococat.core.act"} <= imported), name
        assert "cococat.core.loop" not in imported
    assert {"react.md", "single.md", "closing.md"} <= {path.name for path in (ROOM / "prompts").iterdir()}
