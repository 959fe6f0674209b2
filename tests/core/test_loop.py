"""The loop over real HTTP: what it sends, what it tells, how it ends."""

import asyncio
import threading

import pytest

from cococat.core.events import (
    MessageAdded,
    Retrying,
    StepStarted,
    TextDelta,
    ToolCompleted,
    ToolFailed,
    ToolOutput,
    ToolRunning,
    TurnFinished,
    Working,
)
from cococat.core.limits import Limits, StopReason
from cococat.core.messages import Assistant, ToolResult, User
from cococat.core.tools import Allow, Ask, Deny, Report, ToolFailure, tool
from tests.scripted import STALL, broken, calls, fault, forever, reached, reasons, says, tool_results


@tool("reads")
async def echo(text: str) -> str:
    """Return text back."""
    return text


@tool("reads")
async def crash() -> str:
    """Crash."""
    raise ValueError("no\nsecond line")


@tool("reads")
async def refuse() -> str:
    """Fail in a way the model can fix."""
    raise ToolFailure("name another file")


def test_an_answer_without_tools_takes_one_request(scripted, run):
    """Text without calls is the answer, whatever was offered."""
    server = scripted(says("Hi ", "there", usage=(7, 2)))

    ran = run(server, [echo])

    assert ("Hi there", StopReason.ANSWERED, 1, 9) == (
        ran.turn.answer,
        ran.turn.stop.reason,
        ran.turn.steps,
        ran.turn.usage.total_tokens,
    )
    assert (User("go"), Assistant("Hi there")) == ran.turn.history
    events = [MessageAdded, StepStarted, Working, TextDelta, TextDelta, MessageAdded, TurnFinished]
    assert events == list(map(type, ran.events))
    assert (1, 0) == (ran.events[-1].requests, ran.events[-1].notes)


def test_results_go_back_in_call_order_whatever_finishes_first(scripted, run):
    """Reads overlap; the slow first one is still the first result."""
    second_done = asyncio.Event()

    @tool("reads")
    async def slow() -> str:
        """Wait for the other."""
        await second_done.wait()
        return "slow"

    @tool("reads")
    async def fast() -> str:
        """Let the other go."""
        second_done.set()
        return "fast"

    server = scripted(calls(("slow", {}), ("fast", {})), says("done"))

    ran = run(server, [slow, fast])

    assert ["slow", "fast"] == tool_results(server.requests[1])
    assert ["fast", "slow"] == [event.name for event in ran.of(ToolCompleted)]


def test_writing_tools_run_one_at_a_time_in_call_order(scripted, run):
    """Two writes never overlap, and a read between them sees the first."""
    log = []

    @tool("writes")
    async def write(text: str) -> str:
        """Write."""
        log.append(f"begin {text}")
        await asyncio.sleep(0)
        log.append(f"end {text}")
        return "ok"

    server = scripted(calls(("write", {"text": "1"}), ("write", {"text": "2"})), says("done"))

    run(server, [write])

    assert ["begin 1", "end 1", "begin 2", "end 2"] == log


def test_at_most_max_parallel_tools_overlap(scripted, run):
    """Five calls with two slots: never more than two at once."""
    now, most = 0, 0

    @tool("reads")
    async def count(n: int) -> str:
        """Count."""
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0)
        now -= 1
        return str(n)

    server = scripted(calls(*(("count", {"n": n}) for n in range(5))), says("done"))

    run(server, [count], limits=Limits(max_parallel_tools=2))

    assert 2 == most


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        pytest.param("nothing", {}, "no tool is called 'nothing'; there are crash, echo, refuse", id="unknown tool"),
        pytest.param("echo", "{not json", "Invalid JSON parse error", id="not JSON"),
        pytest.param("echo", {"txt": "a"}, "'text' is a required property", id="missing field"),
        pytest.param("echo", {"text": 5}, "5 is not of type 'string'", id="wrong type"),
        pytest.param("echo", '{"text": ' + "[" * 200 + "]" * 200 + "}", "nested deeper", id="absurd nesting"),
        pytest.param("crash", {}, "[TOOL_ERROR] ValueError: no", id="the tool crashes"),
        pytest.param("refuse", {}, "[TOOL_ERROR] ToolFailure: name another file", id="the tool explains"),
    ],
)
def test_whatever_is_wrong_with_a_call_becomes_its_result(scripted, run, name, arguments, said):
    """A bad call is an observation; the loop goes on and the model can fix it."""
    server = scripted(calls((name, arguments)), says("sorry"))

    ran = run(server, [echo, crash, refuse])

    assert StopReason.ANSWERED == ran.turn.stop.reason
    (result,) = tool_results(server.requests[1])
    assert said in result
    assert "second line" not in result
    assert 1 == len(ran.of(ToolFailed))


def test_a_hung_tool_ends_at_its_limit_and_delays_no_other(scripted, run):
    """The others' results are real; the hung one's says that it gave none."""
    hung = tool("reads", timeout_s=0.05)(_hang)
    server = scripted(calls(("_hang", {}), ("echo", {"text": "here"})), says("done"))

    run(server, [hung, echo])

    first, second = tool_results(server.requests[1])
    assert "no result after" in first
    assert "here" == second


async def _hang() -> str:
    """Wait for ever."""
    await asyncio.Event().wait()
    return ""


def test_a_denied_call_does_not_run_and_the_model_is_told_why(scripted, run):
    """Deny is an observation."""
    server = scripted(calls(("echo", {"text": "x"})), says("ok"))

    ran = run(server, [echo], gate=lambda tool, arguments: Deny("the rules forbid it"))

    assert "the rules forbid it" in tool_results(server.requests[1])[0]
    assert [] == ran.of(ToolRunning)


@pytest.mark.parametrize(("answer", "ran_it"), [("yes", True), ("no", False)])
def test_a_person_decides_where_the_gate_asks(scripted, run, answer, ran_it):
    """Yes runs this call; no is told to the model and the loop goes on."""

    async def consent(tool, arguments, ask):
        return answer

    server = scripted(calls(("echo", {"text": "x"})), says("ok"))

    ran = run(server, [echo], gate=lambda tool, arguments: Ask("why", ("echo",)), consent=consent)

    assert ran_it == bool(ran.of(ToolRunning))
    assert StopReason.ANSWERED == ran.turn.stop.reason


def asks_for(text):
    """A gate that lets nothing but *text* pass."""
    return lambda tool, arguments: (
        Allow() if arguments["text"] == text else Ask("echo is loud", (f"echo({arguments['text']})",))
    )


def test_a_call_that_may_not_run_is_told_to_the_model_and_its_siblings_run(scripted, run):
    """The result says what was refused, what runs unasked and the flag; the answer ends with permission_denied."""
    server = scripted(calls(("echo", {"text": "x y"}), ("echo", {"text": "free"})), says("Done but for x."))

    ran = run(server, [echo], gate=asks_for("free"), permitted="list_dir, echo(free)")

    denied, done = (message["content"] for message in server.requests[1]["messages"][-2:])
    assert all(words in denied for words in ("echo is loud", "list_dir, echo(free)", "--allow 'echo(x y)'"))
    assert (1, "free") == (len(ran.of(ToolRunning)), done)
    assert (StopReason.PERMISSION_DENIED, "Done but for x.") == (ran.turn.stop.reason, ran.turn.answer)
    assert "--allow 'echo(x y)'" == ran.turn.stop.problem.hint


@pytest.mark.parametrize(("texts", "rounds"), [(["x"] * 9, 3), ([str(n) for n in range(9)], 8)], ids=["equal", "other"])
def test_denied_calls_are_bounded_and_an_answer_is_still_asked_for(scripted, run, texts, rounds):
    """Three denials of one call or eight in all: one more request without tools, whose text is the answer."""
    server = scripted(*(calls(("echo", {"text": text})) for text in texts[:rounds]), says("It may not."))

    ran = run(server, [echo], gate=asks_for("free"), closing="Sum up.")

    assert (rounds + 1, "It may not.") == (len(server.requests), ran.turn.answer)
    assert "tools" not in server.requests[-1]
    assert StopReason.PERMISSION_DENIED == ran.turn.stop.reason
    assert len(set(texts[:rounds])) == ran.turn.stop.problem.hint.count("--allow")


def test_steps_are_counted_and_the_last_request_offers_no_tools(scripted, run):
    """max_steps rounds with tools, then one without and with the reminder; its text is the answer."""
    server = scripted(*(calls(("echo", {"text": str(n)})) for n in range(3)), says("so far"))

    ran = run(server, [echo], limits=Limits(max_steps=3), closing="Sum up.")

    assert (StopReason.STEP_LIMIT, "so far", 4) == (ran.turn.stop.reason, ran.turn.answer, len(server.requests))
    assert "tools" not in server.requests[-1]
    assert "Sum up." == server.requests[-1]["messages"][-1]["content"]
    assert "Sum up." not in str(ran.turn.history)


@pytest.mark.parametrize(
    ("seen", "news"), [("{}", True), ("checked at 10:00:0{}, nothing is new", False)], ids=["news", "nearly the same"]
)
def test_at_the_limit_the_user_may_grant_as_many_steps_again(scripted, run, seen, news):
    """The same turn goes on with its state and its tools; a no ends it as without a user; whether it gets on is told."""
    asked = []

    async def more(used, gets_on):
        asked.append((used, gets_on))
        return used == 2

    server = scripted(*(calls(("echo", {"text": seen.format(n)})) for n in range(4)), says("so far"))

    ran = run(server, [echo], limits=Limits(max_steps=2), closing="Sum up.", more=more)

    assert ([(2, news), (4, news)], 5, "so far") == (asked, len(server.requests), ran.turn.answer)
    assert ["tools" in request for request in server.requests] == [True] * 4 + [False]
    assert "4 steps used" in ran.turn.stop.detail


def test_a_reply_cut_by_its_length_is_continued_and_stays_one_answer(scripted, run):
    """The partial text is kept and the model goes on from it; continuations are no steps."""
    server = scripted(says("one ", finish="length"), says("two ", finish="length"), says("three"))

    ran = run(server)

    assert ("one two three", 1, StopReason.ANSWERED) == (ran.turn.answer, ran.turn.steps, ran.turn.stop.reason)
    assert "one " == server.requests[1]["messages"][-2]["content"]


def test_a_reply_that_is_cut_again_and_again_ends_at_the_third_continuation(scripted, run):
    """Four requests in all, and the text so far is the answer."""
    server = scripted(forever(says("more ", finish="length")))

    ran = run(server)

    assert (StopReason.OUTPUT_LIMIT, 4, "more " * 4) == (ran.turn.stop.reason, len(server.requests), ran.turn.answer)


def test_a_call_cut_by_the_output_limit_never_runs(scripted, run):
    """`length` inside a call: every call of that message gets an error result."""
    server = scripted(calls(("echo", {"text": "x"}), finish="length"), says("shorter"))

    ran = run(server, [echo])

    assert [] == ran.of(ToolRunning)
    assert "cut by the output limit" in tool_results(server.requests[1])[0]


def test_calls_win_over_the_finish_reason(scripted, run):
    """Some servers say `stop` while they call tools."""
    server = scripted(calls(("echo", {"text": "x"}), finish="stop"), says("done"))

    ran = run(server, [echo])

    assert ("done", ["x"]) == (ran.turn.answer, tool_results(server.requests[1]))


def test_empty_replies_are_asked_again_then_without_tools_then_given_up(scripted, run):
    """Two more tries, one tool-less, then an error: four requests, never a silent nothing."""
    server = scripted(forever(reasons("hm")))

    ran = run(server, [echo])

    assert (StopReason.MODEL_ERROR, "empty_reply") == (ran.turn.stop.reason, ran.turn.stop.problem.kind)
    assert [True, True, True, False] == ["tools" in request for request in server.requests]


def test_a_transient_failure_is_retried_and_told(scripted, run):
    """503 twice: two Retrying events, one answer."""
    server = scripted(fault(503), fault(503), says("ok"))

    ran = run(server)

    assert ("ok", [1, 2]) == (ran.turn.answer, [event.attempt for event in ran.of(Retrying)])


def test_all_steps_of_a_run_share_six_retries(scripted, run):
    """A server that fails twice before each reply is given up on in the fourth step."""
    step = [fault(503), fault(503)]
    turns = [turn for n in range(3) for turn in (*step, calls(("echo", {"text": str(n)})))]
    server = scripted(*turns, fault(503))

    ran = run(server, [echo])

    assert (StopReason.MODEL_ERROR, 6, 10) == (ran.turn.stop.reason, len(ran.of(Retrying)), len(server.requests))


def test_nothing_is_retried_once_text_was_shown(scripted, run):
    """A cut after the first delta keeps the text and fails: it is never printed twice."""
    server = scripted(broken("Half"))

    ran = run(server)

    assert (StopReason.MODEL_ERROR, "Half", 1) == (ran.turn.stop.reason, ran.turn.answer, len(server.requests))
    assert StopReason.MODEL_ERROR == ran.turn.history[-1].cut


def test_a_cancel_in_the_stream_keeps_the_text_and_a_valid_history(scripted, run):
    """The next turn can go on from what was said."""
    shown = threading.Event()
    server = scripted(broken("Half an answer", reached(shown), how=STALL), says("whole"))

    async def during(task, ran):
        while not ran.of(TextDelta):
            await asyncio.sleep(0.005)
        task.cancel()

    ran = run(server, during=during)

    assert (StopReason.CANCELLED, "Half an answer") == (ran.turn.stop.reason, ran.turn.answer)
    assert Assistant("Half an answer", cut="cancelled") == ran.turn.history[-1]
    assert "whole" == run(server, history=ran.turn.history).turn.answer


def test_a_cancel_in_a_tool_gives_every_call_one_result(scripted, run):
    """Done: the real result. Running: cancelled, with its partial output. Not begun: not run."""

    @tool("reads")
    async def stuck(report: Report) -> str:
        """Say something, then wait for ever."""
        report("halfway")
        await asyncio.Event().wait()
        return ""

    @tool("writes")
    async def write() -> str:
        """Never reached."""
        return "written"

    server = scripted(calls(("echo", {"text": "real"}), ("stuck", {}), ("write", {})))

    async def during(task, ran):
        while not (ran.of(ToolCompleted) and ran.of(ToolOutput)):
            await asyncio.sleep(0.005)
        task.cancel()

    ran = run(server, [echo, stuck, write], during=during)

    first, second, third = [message for message in ran.turn.history if isinstance(message, ToolResult)]
    assert ("real", "completed") == (first.output, first.status)
    assert "cancelled by user after" in second.output
    assert "halfway" in second.output
    assert third.output.startswith("not run")


def test_the_token_budget_cuts_a_stream(scripted, run):
    """The budget counts what streams in; the text so far is kept and the server is left."""
    server = scripted(forever(says(*["words and more words "] * 500)))

    ran = run(server, limits=Limits(max_total_tokens=200))

    assert StopReason.TOKEN_LIMIT == ran.turn.stop.reason
    assert 0 < len(ran.turn.answer) < 2000


def test_the_wall_clock_ends_a_stalled_run(scripted, run):
    """Time is up in the middle of a wait: the run stops, the history is valid."""
    server = scripted(broken("Half", how=STALL))

    ran = run(server, limits=Limits(max_seconds=0.3))

    assert (StopReason.TIME_LIMIT, "Half") == (ran.turn.stop.reason, ran.turn.answer)


@pytest.mark.parametrize("asked", ["consent", "more steps", "a question"])
def test_the_time_a_user_takes_to_answer_is_not_the_turns(scripted, run, asked):
    """A minute before a question is no minute of work: what ended tells the seconds without it."""
    passed = 0.0

    async def think(*_):
        nonlocal passed
        passed += 60

    async def consent(tool, arguments, ask):
        await think()
        return "yes"

    async def more(used, gets_on):
        await think()
        return True

    @tool("asks")
    async def ask_user() -> str:
        """Ask."""
        await think()
        return "blue"

    call = ("ask_user", {}) if asked == "a question" else ("echo", {"text": "a"})
    gate = (lambda *_: Ask("why", ("echo",))) if asked == "consent" else (lambda *_: Allow())
    limits = Limits(max_steps=1) if asked == "more steps" else Limits()

    ran = run(
        scripted(calls(call), says("done")),
        [echo, ask_user],
        clock=lambda: passed,
        consent=consent,
        more=more,
        gate=gate,
        limits=limits,
    )

    assert (60, "done") == (passed, ran.turn.answer)
    assert [0, 0] == [ran.turn.seconds, ran.of(TurnFinished)[0].seconds]


def test_min_tool_calls_makes_the_model_work_before_it_answers(scripted, run):
    """An answer without evidence is sent back once with a hint; the later answer counts."""
    server = scripted(says("I guess"), calls(("echo", {"text": "fact"})), says("I know"))

    ran = run(server, [echo], limits=Limits(min_tool_calls=1))

    assert "I know" == ran.turn.answer
    assert "must use tools" in server.requests[1]["messages"][-1]["content"]


def test_parts_record_each_text_and_call_with_its_state(scripted, run):
    """The audit trail: text, then a completed call with input and output, then text."""
    server = scripted(calls(("echo", {"text": "x"}), text="I echo."), says("done"))

    ran = run(server, [echo])

    assert [("text", None), ("tool", "completed"), ("text", None)] == [
        (part.type, part.state and part.state.status) for part in ran.turn.parts
    ]
    assert ('{"text": "x"}', "x") == (ran.turn.parts[1].state.input, ran.turn.parts[1].state.output)


def test_one_connection_serves_all_turns(scripted, run):
    """Nothing is set up again between the rounds of a run."""
    server = scripted(*(calls(("echo", {"text": str(n)})) for n in range(3)), says("done"))

    run(server, [echo])

    assert 1 == server.connections


def test_a_sink_sees_each_message_before_what_follows_from_it(scripted, run):
    """Calls are recorded before a tool starts, results before the next request."""
    server = scripted(calls(("echo", {"text": "x"})), says("done"))

    kinds = [
        event.message if isinstance(event, MessageAdded) else event
        for event in run(server, [echo]).events
        if isinstance(event, MessageAdded | ToolRunning | StepStarted)
    ]

    assert [User, StepStarted, Assistant, ToolRunning, ToolResult, StepStarted, Assistant] == list(map(type, kinds))
