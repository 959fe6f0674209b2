"""Histories: what is valid, and how a broken one is fixed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cococat.core.history import (
    UNKNOWN_OUTCOME,
    InvalidHistoryError,
    assert_valid,
    calls_as_text,
    distinct,
    open_calls,
    repair,
)
from cococat.core.messages import Assistant, Summary, ToolCall, ToolResult, User


def says(*ids, text=""):
    return Assistant(text, calls=tuple(ToolCall(i, "read_file", "{}") for i in ids))


def result(call_id):
    return ToolResult(call_id, "read_file", "text")


@pytest.mark.parametrize(
    "history",
    [
        pytest.param([], id="empty"),
        pytest.param([User("hi"), Assistant("hello")], id="no tools"),
        pytest.param(
            [User("hi"), says("a", "b"), result("b"), result("a"), Assistant("ok")], id="any order of results"
        ),
        pytest.param([Summary("earlier", 9), User("hi"), says("a"), result("a")], id="ends with results"),
    ],
)
def test_a_complete_history_is_valid_and_needs_no_repair(history):
    """Repairing a valid history gives calls their results in call order and changes nothing else."""
    assert_valid(history)

    assert len(history) == len(repair(history))


@pytest.mark.parametrize(
    ("history", "place"),
    [
        pytest.param([User("hi"), says("a")], "end of history", id="open call"),
        pytest.param([says("a"), User("next")], "message 1", id="user before the result"),
        pytest.param([result("a")], "message 0", id="orphan result"),
        pytest.param([says("a"), result("a"), result("a")], "message 2", id="two results"),
        pytest.param([says("a", "a"), result("a")], "message 0", id="one id twice"),
        pytest.param([says("a"), result("a"), says("a"), result("a")], "message 2", id="an id used again"),
        pytest.param([says(""), result("")], "message 0", id="empty id"),
    ],
)
def test_a_broken_history_is_refused_by_place_and_can_be_repaired(history, place):
    """The first offending message is named; the repair is valid and stable."""
    with pytest.raises(InvalidHistoryError, match=place):
        assert_valid(history)

    fixed = repair(history)

    assert_valid(fixed)
    assert fixed == repair(fixed)


def test_a_missing_result_becomes_an_unknown_outcome_and_user_text_moves_behind_it():
    """A call whose outcome is not known is never silently dropped, nor run again."""
    fixed = repair([User("go"), says("a"), User("still there?")])

    expected = (User("go"), says("a"), ToolResult("a", "read_file", UNKNOWN_OUTCOME, "error"), User("still there?"))
    assert expected == fixed


def test_open_calls_are_those_of_the_last_message_without_results():
    """Results may come in any order; what is left is in call order."""
    history = [User("go"), says("a", "b", "c"), result("b")]

    assert ["a", "c"] == [call.id for call in open_calls(history)]


messages = st.one_of(
    st.builds(User, st.text(max_size=5)),
    st.builds(
        lambda ids, text: says(*ids, text=text), st.lists(st.sampled_from("abcd"), max_size=3), st.text(max_size=3)
    ),
    st.builds(result, st.sampled_from("abcd")),
    st.builds(Summary, st.text(max_size=5), st.integers(0, 9)),
)


@given(st.lists(messages, max_size=12))
def test_any_sequence_of_messages_can_be_repaired_and_the_repair_is_idempotent(history):
    """Whatever a log holds, the model is sent a valid history that keeps all the user's words."""
    fixed = repair(history)

    assert_valid(fixed)
    assert fixed == repair(fixed)
    assert [m for m in history if isinstance(m, User)] == [m for m in fixed if isinstance(m, User)]


def test_ids_that_come_again_get_names_of_their_own_with_their_results():
    """What a summary covered may use the ids of what came after it; nothing is dropped when both stand together."""
    half = [User("hi"), says("a", "a_2"), result("a_2"), result("a"), Assistant("ok")]

    told = distinct([*half, *half, *half])

    assert_valid(told)
    assert len(told) == 3 * len(half)
    calls = [call.id for message in told if isinstance(message, Assistant) for call in message.calls]
    assert ["a", "a_2", "a_3", "a_2_2", "a_4", "a_2_3"] == calls
    assert tuple(half) == distinct(half)


def test_calls_told_in_words_keep_what_was_called_and_found():
    """An endpoint that refuses calls still learns what happened."""
    told = calls_as_text([User("hi"), says("a", "b", text="I look."), result("a"), result("b"), Assistant("ok")])

    assert [User, Assistant, User, Assistant] == [type(message) for message in told]
    assert "I look.\n[called read_file({})]\n[called read_file({})]" == told[1].text
    assert "[result of read_file]\ntext\n\n[result of read_file]\ntext" == told[2].text
