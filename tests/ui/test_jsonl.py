"""Output for machines: valid JSON whatever happens, and nothing else on stdout."""

import io
import json

import pytest

from cococat.core.events import (
    MessageAdded,
    Notice,
    SessionStarted,
    StepStarted,
    TextDelta,
    ToolCompleted,
    ToolPending,
    ToolRunning,
    TurnFinished,
)
from cococat.core.limits import Problem, Stop, StopReason, Usage
from cococat.core.messages import User
from cococat.core.result import Result
from cococat.ui.steps.jsonl import Json, JsonLines

RESULT = Result("42 日\ud800\x9b", StopReason.ANSWERED, 0, "s1", 1, Usage(1, 2), 0.5)
FAILED = Result(None, StopReason.USAGE_ERROR, 2, error=Problem("usage", "no", "--help"))
EVENTS = (
    SessionStarted("s1", "m", "h", "react"),
    MessageAdded(User("hi")),
    StepStarted(1),
    TextDelta("look\x1b[2J"),
    ToolPending("a", "glob", "{}"),
    ToolRunning("a", "glob"),
    ToolCompleted("a", "glob", "x", "1 file", 0.1),
    Notice("note"),
    TurnFinished("42", Stop(StopReason.ANSWERED), 1, Usage(1, 2), 0.5),
)


@pytest.mark.parametrize("result", [RESULT, FAILED], ids=["answered", "failed"])
def test_json_is_exactly_one_object(result):
    """Stdout holds the result object, also when nothing could be run; steps and errors are on stderr."""
    out, err = io.StringIO(), io.StringIO()
    sink = Json(out, err)

    for event in EVENTS:
        sink.emit(event)
    sink.finish(result)
    sink.close()

    assert result.as_json() == json.loads(out.getvalue())
    assert 1 == out.getvalue().count("\n")
    assert "  think    look␛[[2J]" == err.getvalue().splitlines()[0]


def test_quiet_json_says_nothing_on_stderr():
    """`-q` leaves the object alone."""
    out, err = io.StringIO(), io.StringIO()
    sink = Json(out, err, quiet=True)

    for event in EVENTS:
        sink.emit(event)
    sink.finish(RESULT)

    assert "" == err.getvalue()


def test_stream_json_is_one_object_a_line_with_the_result_last():
    """Public events in order, each with its type and the time; the recorder's own are left out."""
    out = io.StringIO()
    sink = JsonLines(out, now=lambda: 1700000000.1234)

    for event in EVENTS:
        sink.emit(event)
    sink.finish(RESULT)
    shown = [json.loads(line) for line in out.getvalue().splitlines()]

    assert [
        "session_started",
        "step_started",
        "text_delta",
        "tool_pending",
        "tool_running",
        "tool_completed",
        "notice",
        "result",
    ] == [line["type"] for line in shown]
    assert {1700000000.123} == {line["ts"] for line in shown}
    assert RESULT.as_json() == {key: value for key, value in shown[-1].items() if key != "ts"}
    assert {"type", "ts", "text"} == set(shown[2])


def test_the_lines_are_plain_ascii():
    """No locale, terminal or lone surrogate can spoil a line."""
    out = io.StringIO()
    sink = JsonLines(out)

    sink.emit(TextDelta("日\ud800\x9b\u202e\n"))
    sink.close()

    assert out.getvalue().isascii()
    assert "日\ud800\x9b\u202e\n" == json.loads(out.getvalue())["text"]
