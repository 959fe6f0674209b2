"""Messages and events as JSON, and back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cococat.core.events import (
    ContextCompacted,
    DreamFinished,
    MessageAdded,
    Notice,
    ReasoningDelta,
    Retrying,
    SessionStarted,
    StepStarted,
    TextDelta,
    ToolCompleted,
    ToolFailed,
    ToolOutput,
    ToolPending,
    ToolRunning,
    TurnFinished,
)
from cococat.core.limits import Problem, Stop, StopReason, Usage
from cococat.core.messages import Assistant, Attachment, Summary, System, ToolCall, ToolResult, User
from cococat.core.public import as_public
from cococat.store.codec import from_record, to_record

TEXT = st.text(st.characters(), max_size=20)  # lone surrogates too
NUMBER = st.floats(allow_nan=False, allow_infinity=False)
COUNT = st.integers(0, 1 << 40)
CALLS = st.lists(st.builds(ToolCall, TEXT, TEXT, TEXT), max_size=3).map(tuple)
ATTACHMENTS = st.lists(
    st.builds(Attachment, TEXT, TEXT, st.sampled_from(["typed", "pasted", "file", "stdin"])), max_size=2
).map(tuple)
MESSAGES = st.one_of(
    st.builds(System, TEXT),
    st.builds(User, TEXT, ATTACHMENTS, st.booleans(), st.lists(TEXT, max_size=2).map(tuple)),
    st.builds(Assistant, TEXT, TEXT, CALLS, TEXT),
    st.builds(ToolResult, TEXT, TEXT, TEXT, st.sampled_from(["completed", "error"]), TEXT),
    st.builds(Summary, TEXT, COUNT),
)
STOPS = st.builds(Stop, st.sampled_from(StopReason), TEXT, st.one_of(st.none(), st.builds(Problem, TEXT, TEXT, TEXT)))
EVENTS = st.one_of(
    st.builds(SessionStarted, TEXT, TEXT, TEXT, TEXT),
    st.builds(StepStarted, COUNT),
    st.builds(TextDelta, TEXT),
    st.builds(ReasoningDelta, TEXT),
    st.builds(ToolPending, TEXT, TEXT, TEXT),
    st.builds(ToolRunning, TEXT, TEXT, NUMBER),
    st.builds(ToolOutput, TEXT, TEXT),
    st.builds(ToolCompleted, TEXT, TEXT, TEXT, TEXT, NUMBER, NUMBER),
    st.builds(ToolFailed, TEXT, TEXT, TEXT, TEXT, NUMBER, NUMBER),
    st.builds(Retrying, COUNT, NUMBER, TEXT),
    st.builds(ContextCompacted, COUNT, COUNT, TEXT),
    st.builds(Notice, TEXT, st.sampled_from(["info", "warning", "error"])),
    st.builds(DreamFinished, st.sampled_from(["changed", "held", "cancelled"]), TEXT, TEXT, COUNT),
    st.builds(MessageAdded, MESSAGES),
    st.builds(TurnFinished, TEXT, STOPS, COUNT, st.builds(Usage, COUNT, COUNT, st.booleans()), NUMBER),
)
SAMPLES = [
    MessageAdded(User("hi", (Attachment("a.txt", "text"),), synthetic=True)),
    MessageAdded(Assistant("text", "why", (ToolCall("1", "grep", "{}"),), "length")),
    MessageAdded(ToolResult("1", "grep", "out", "error", "shown")),
    TurnFinished("a", Stop(StopReason.LOOP, "d", Problem("k", "m", "h")), 1, Usage(1, 2), 0.5),
    ToolCompleted("1", "grep", "out", "shown", 0.1, 1.0),
    Notice("careful", "warning"),
]


@given(EVENTS)
def test_every_event_comes_back_equal(event):
    """Through ASCII JSON and back nothing is lost, not even half a surrogate pair."""
    stored = json.loads(json.dumps(to_record(event)))

    assert event == from_record(stored)


@given(EVENTS)
def test_keys_from_the_future_are_ignored(event):
    """A newer version may add keys; ours still reads what it knows."""
    stored = {**to_record(event), "tomorrow": [1]}

    assert event == from_record(stored)


@pytest.mark.parametrize("event", SAMPLES, ids=lambda event: type(event).__name__)
@pytest.mark.parametrize("wrong", [None, 1.5, [], {"a": 1}, "sideways"], ids=repr)
def test_a_value_of_the_wrong_kind_makes_the_record_unknown_not_an_error(event, wrong):
    """Reading never raises and never makes a message that breaks its types."""
    for key, value in to_record(event).items():
        read = from_record({**to_record(event), key: wrong})

        assert read is None or type(value) is type(wrong) or isinstance(value, float)


@pytest.mark.parametrize("event", SAMPLES, ids=lambda event: type(event).__name__)
def test_a_missing_key_makes_the_record_unknown(event):
    """What a type needs is needed."""
    record = to_record(event)

    for key in record:
        assert from_record({name: value for name, value in record.items() if name != key}) is None


@pytest.mark.parametrize("record", [{}, {"type": "tomorrow"}, {"type": []}, {"type": "message", "message": 3}], ids=str)
def test_unknown_types_are_none(record):
    """Whoever reads decides what to do with them."""
    assert from_record(record) is None


def test_public_events_have_the_names_of_the_contract():
    """Scripts rely on these names and fields; the recorder's own events are not public."""
    assert {"type": "text_delta", "text": "a"} == as_public(TextDelta("a"))
    assert {"type": "tool_running", "call_id": "1", "name": "grep", "at": 2} == as_public(ToolRunning("1", "grep", 2))
    assert {
        "type": "tool_failed",
        "call_id": "1",
        "name": "grep",
        "output": "why",
        "display": "",
        "seconds": 0,
        "at": 0,
    } == as_public(ToolFailed("1", "grep", "why"))
    assert as_public(MessageAdded(User("hi"))) is None
    assert as_public(SAMPLES[3]) is None
