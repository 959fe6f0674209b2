"""Hooks see a run, may veto and amend, and cannot break it or get round its checks."""

import asyncio
import threading
from dataclasses import replace

import pytest

from cococat.core.events import Notice, ToolCompleted, ToolFailed, TurnFinished
from cococat.core.hooks import Hooks
from cococat.core.limits import Limits, StopReason
from cococat.core.messages import Assistant, ToolResult
from cococat.core.tools import Allow, Deny, ToolFailure, tool
from tests.scripted import STALL, broken, calls, reached, says, tool_results


@tool("writes")
async def note(text: str) -> str:
    """Write a note."""
    if text == "fail":
        raise ToolFailure("no paper")
    return f"noted {text}"


def giving(value):
    async def hook(*given):
        return value

    return hook


def raising(error):
    async def hook(*given):
        raise error

    return hook


async def never(*given):
    await asyncio.Event().wait()


def test_every_moment_of_a_run_reaches_the_hooks_in_order(scripted, run):
    """Requests, replies, calls, results and the end, once each, before the world hears of the end."""
    seen = []

    async def before_think(messages):
        seen.append(("before_think", len(messages)))

    async def after_think(message):
        seen.append(("after_think", message.text))

    async def before_act(call, arguments):
        seen.append(("before_act", call.name, arguments["text"]))

    async def after_act(result):
        seen.append(("after_act", result.output, result.status))

    async def on_stop(end):
        seen.append(("on_stop", end.answer))

    hooks = Hooks("spy", before_think, after_think, before_act, after_act, on_stop)
    server = scripted(calls(("note", {"text": "a"}), text="I note."), calls(("note", {"text": "fail"})), says("done"))

    ran = run(server, [note], hooks=(hooks,))

    assert [
        ("before_think", 1),
        ("after_think", "I note."),
        ("before_act", "note", "a"),
        ("after_act", "noted a", "completed"),
        ("before_think", 3),
        ("after_think", ""),
        ("before_act", "note", "fail"),
        ("after_act", "[TOOL_ERROR] ToolFailure: no paper", "error"),
        ("before_think", 5),
        ("after_think", "done"),
        ("on_stop", "done"),
    ] == seen
    assert isinstance(ran.events[-1], TurnFinished)
    assert [] == ran.of(Notice)


def test_a_veto_is_told_to_the_model_and_the_tool_does_not_run(scripted, run):
    """The reason and the name of the hook reach the model."""
    hooks = Hooks("guard", before_act=giving(Deny("not on Sundays")))
    server = scripted(calls(("note", {"text": "a"})), says("done"))

    ran = run(server, [note], hooks=(hooks,))

    assert ["[TOOL_ERROR] PermissionDenied: not on Sundays (hook guard)"] == tool_results(server.requests[1])
    assert [] == ran.of(ToolCompleted)


def test_amended_arguments_run_and_are_told(scripted, run):
    """The next hook sees what the one before it gave; the user is told of each change."""
    first = Hooks("first", before_act=giving({"text": "b"}))
    second = Hooks("second")

    async def before_act(call, arguments):
        return {"text": arguments["text"] + "c"}

    server = scripted(calls(("note", {"text": "a"})), says("done"))

    ran = run(server, [note], hooks=(first, replace(second, before_act=before_act)))

    assert ["noted bc"] == tool_results(server.requests[1])
    assert [
        ("info", 'hook first.before_act changed the arguments of note to {"text": "b"}'),
        ("info", 'hook second.before_act changed the arguments of note to {"text": "bc"}'),
    ] == [(event.level, event.text) for event in ran.of(Notice)]


def test_amended_arguments_pass_the_schema_the_gate_and_the_user(scripted, run):
    """A hook cannot smuggle in what the model itself could not have run."""
    asked = []

    def gate(tool, arguments):
        asked.append(arguments["text"])
        return Deny("never that") if arguments["text"] == "bad" else Allow()

    server = scripted(calls(("note", {"text": "a"})), says("done"))
    run(server, [note], gate=gate, hooks=(Hooks("sly", before_act=giving({"text": "bad"})),))
    assert ["[TOOL_ERROR] PermissionDenied: never that"] == tool_results(server.requests[1])
    assert ["bad"] == asked

    server = scripted(calls(("note", {"text": "a"})), says("done"))
    run(server, [note], gate=gate, hooks=(Hooks("sly", before_act=giving({"text": 5, "more": 1})),))
    assert "InvalidArguments: a hook changed them" in tool_results(server.requests[1])[0]
    assert ["bad"] == asked


def test_the_repetition_guard_counts_what_would_really_run(scripted, run):
    """Different calls that a hook makes the same are a loop as well."""
    wanted = [calls(("note", {"text": text})) for text in "abc"]
    server = scripted(*wanted, says("done"))

    run(server, [note], hooks=(Hooks("same", before_act=giving({"text": "x"})),))

    assert "Repeated" in tool_results(server.requests[3])[2]


def test_a_hook_cannot_change_arguments_behind_the_checks(scripted, run):
    """It is given a copy, and what it gave is copied."""
    held = {"text": "b"}

    async def in_place(call, arguments):
        arguments["text"] = "changed in place"

    async def amend(call, arguments):
        return held

    def gate(tool, arguments):
        held["text"] = "changed later"
        return Allow()

    for hook, wanted in ((amend, "noted b"), (in_place, "noted a")):
        server = scripted(calls(("note", {"text": "a"})), says("done"))
        run(server, [note], gate=gate, hooks=(Hooks("sly", before_act=hook),))
        assert [wanted] == tool_results(server.requests[1])


def test_an_amended_result_is_marked_like_any_other_and_stays_the_result_of_its_call(scripted, run):
    """Only output, display and status are taken; screens and the model see the same."""
    amended = ToolResult("another", "other", "[hidden]", "error", "1 line")
    server = scripted(calls(("note", {"text": "a"})), says("done"))

    hooks = (Hooks("mask", after_act=giving(amended)),)
    ran = run(server, [note], hooks=hooks, observe=lambda name, text, whole: f"<{text}>")

    assert ["<[hidden]>"] == tool_results(server.requests[1])
    told = ran.of(ToolFailed)[0]
    assert ("note", "[hidden]", "1 line") == (told.name, told.output, told.display)


@pytest.mark.parametrize("moment", ["before_think", "after_think", "before_act", "after_act", "on_stop"])
@pytest.mark.parametrize(
    ("hook", "why"),
    [
        (raising(ValueError("no luck\nmore")), "ValueError: no luck"),
        (raising(asyncio.CancelledError()), "it was cancelled"),
        (never, "no end after 0.05 s"),
        (lambda *given: 5, "TypeError"),
        (lambda: None, "TypeError"),
    ],
    ids=["raises", "cancels itself", "hangs", "is not async", "takes nothing"],
)
def test_a_hook_that_fails_is_named_and_skipped(scripted, run, *, moment, hook, why):
    """The run goes on and ends as if the hook were not there."""
    server = scripted(calls(("note", {"text": "a"})), says("done"))

    ran = run(server, [note], hooks=(Hooks("bad", **{moment: hook}, timeout_s=0.05),))

    assert ("done", StopReason.ANSWERED) == (ran.turn.answer, ran.turn.stop.reason)
    assert ["noted a"] == tool_results(server.requests[1])
    told = ran.of(Notice)
    assert {"warning"} == {event.level for event in told}
    assert all(event.text.startswith(f"hook bad.{moment} failed and was skipped: {why}") for event in told)
    assert isinstance(ran.events[-1], TurnFinished)


@pytest.mark.parametrize(
    "hooks",
    [
        Hooks("odd", before_act=giving("text")),
        Hooks("odd", before_act=giving({"text": {1, 2}})),
        Hooks("odd", after_act=giving("text")),
        Hooks("odd", after_act=giving(ToolResult("c", "note", 5))),
        Hooks("odd", after_act=giving(ToolResult("c", "note", "x", "maybe"))),
    ],
    ids=["no arguments", "no JSON", "no result", "no text", "no status"],
)
def test_a_value_that_makes_no_sense_is_skipped(scripted, run, hooks):
    """What a hook gives is checked before it is taken."""
    server = scripted(calls(("note", {"text": "a"})), says("done"))

    ran = run(server, [note], hooks=(hooks,))

    assert ["noted a"] == tool_results(server.requests[1])
    assert ["warning"] == [event.level for event in ran.of(Notice)]


@pytest.mark.parametrize("moment", ["before_think", "after_think", "before_act", "after_act", "on_stop"])
def test_a_cancel_ends_a_hook_and_keeps_what_there_is(scripted, run, moment):
    """The history is valid, the text that was seen is kept, a tool that ran keeps its result."""
    inside = asyncio.Event()

    async def hook(*given):
        inside.set()
        await asyncio.Event().wait()

    async def during(task, ran):
        await inside.wait()
        task.cancel()

    server = scripted(calls(("note", {"text": "a"}), text="I note."), says("done"))

    ran = run(server, [note], hooks=(Hooks("slow", **{moment: hook}),), during=during)

    assert isinstance(ran.events[-1], TurnFinished)
    if moment == "on_stop":
        assert ("done", StopReason.ANSWERED) == (ran.turn.answer, ran.turn.stop.reason)
        return
    assert StopReason.CANCELLED == ran.turn.stop.reason
    if moment == "after_think":
        assert Assistant("I note.", cut="cancelled") == ran.turn.history[-1]
    if moment == "after_act":
        assert ["noted a"] == [message.output for message in ran.turn.history if isinstance(message, ToolResult)]


def test_a_hook_that_is_out_of_time_is_cancelled(scripted, run):
    """Nothing of it goes on behind the run."""
    cancelled, at_the_end = [], []

    async def slow(*given):
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append("yes")
            raise

    async def look(end):
        at_the_end.extend(cancelled)

    run(scripted(says("done")), hooks=(Hooks("slow", after_think=slow, on_stop=look, timeout_s=0.05),))

    assert ["yes"] == at_the_end


def test_hooks_see_the_end_of_a_run_that_was_stopped(scripted, run):
    """A cancelled run has an end as well."""
    shown, ends = threading.Event(), []

    async def on_stop(end):
        ends.append(end.stop.reason)

    async def during(task, ran):
        await asyncio.to_thread(shown.wait, 20)
        task.cancel()

    server = scripted(broken("Half", reached(shown), how=STALL))

    run(server, hooks=(Hooks("end", on_stop=on_stop),), during=during)

    assert [StopReason.CANCELLED] == ends


def test_a_hanging_hook_counts_towards_the_time_of_the_run(scripted, run):
    """The wall clock holds whatever hooks do."""
    server = scripted(says("done"))

    ran = run(server, hooks=(Hooks("slow", before_think=never),), limits=Limits(max_seconds=0.2))

    assert StopReason.TIME_LIMIT == ran.turn.stop.reason
    assert [] == server.requests
