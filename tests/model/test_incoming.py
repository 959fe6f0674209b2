"""Which of what a server sends is the reply, and what it means that it ended."""

import time

import pytest

from cococat.core.model import FinishPiece
from tests.scripted import RESET, STALL, Delta, raw, says

DONE = b"data: [DONE]\n\n"
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
WHOLE = {"role": "assistant", "content": "hello", "tool_calls": [CALL]}


def chunk(index=0, finish=None, **fields):
    return {"choices": [{"index": index, **fields, "finish_reason": finish}]}


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("length", "length MAX_TOKENS max_tokens Length model_length max-tokens FINISH_REASON_MAX_TOKENS"),
        ("content_filter", "SAFETY RECITATION content_filter content-filter PROHIBITED_CONTENT ContentFilter"),
        ("stop", "stop STOP eos eos_token end_turn tool_calls function_call tool_use stop_sequence COMPLETE"),
    ],
)
def test_a_finish_reason_means_the_same_in_every_spelling(scripted, ask, reason, words):
    """Case, - and _ make no difference, and the loop sees one word of three."""
    told = [ask(scripted(says("text", finish=word))).pieces[-1] for word in words.split()]

    assert {FinishPiece(reason)} == set(told)


@pytest.mark.parametrize(
    "word",
    [
        "error",
        "network_error",
        "abort",
        "insufficient_system_resource",
        "MALFORMED_FUNCTION_CALL",
        "malformed-function-call",
    ],
)
def test_a_finish_reason_that_is_a_failure_is_one(scripted, ask, word):
    """The text that came is kept, the error names the word, and another try may help."""
    heard = ask(scripted(says("half", finish=word)))

    assert ("half", ("server", True)) == (heard.message.text, heard.problem)
    assert word in heard.error.problem.message


def test_a_word_that_nobody_knows_is_an_end_that_names_it(scripted, ask):
    """The reply is not lost, and the user can look."""
    heard = ask(scripted(says("whole", finish="banana")))

    assert ("whole", FinishPiece("stop", "banana")) == (heard.message.text, heard.pieces[-1])


@pytest.mark.parametrize(
    "events",
    [
        [chunk(delta={"content": "hello", "tool_calls": [CALL]}, message=WHOLE, finish="stop")],
        [chunk(delta={"content": "hello"}), chunk(delta={"tool_calls": [CALL]}), chunk(message=WHOLE, finish="stop")],
        [chunk(delta={"content": "hel"}), chunk(delta={"content": "lo"}), chunk(delta={}, message=WHOLE, finish="stop")],
        [chunk(message={"content": "hel"}), chunk(message={"content": "lo", "tool_calls": [CALL]}, finish="stop")],
        [chunk(message={"content": "hel"}), chunk(message=WHOLE), chunk(message=WHOLE, finish="stop")],
        [chunk(0, delta={"content": "hello"}), chunk(1, delta={"content": "goodbye"}, finish="length"),
         chunk(1, delta={"tool_calls": [CALL]}), chunk(0, finish="stop")],
        [{"choices": [{"index": 1, "delta": {"content": "hello"}}, {"index": 0, "delta": {"content": "bye"}}]},
         chunk(1, delta={"tool_calls": [CALL]}, finish="stop")],
        [{"choices": [{"message": {"content": "hello"}}, {"message": {"tool_calls": [CALL]}, "finish_reason": "stop"}]}],
    ],
    ids=["beside", "behind", "behind, empty delta", "in parts", "growing", "two choices", "one event", "a choice each"],
)  # fmt: skip
def test_each_text_and_each_call_comes_once(scripted, ask, events):
    """A `message` beside or behind the deltas, and choices of another index, say nothing twice."""
    heard = ask(scripted(raw(*events, DONE)))

    assert ("hello", [("f", '{"a": 1}')]) == (heard.message.text, [(c.name, c.arguments) for c in heard.message.calls])
    assert (FinishPiece("stop"), None) == (heard.pieces[-1], heard.error)


@pytest.mark.parametrize(
    ("refused", "usage", "most_s"),
    [(False, None, 7), (False, (7, 3), 1), (True, None, 1)],
    ids=["asked", "told", "refused"],
)
def test_only_a_usage_that_was_asked_for_keeps_a_finished_reply_waiting(scripted, ask, refused, usage, most_s):
    """The server has said why it ended and keeps the line open."""
    fault_first = [raw(b'{"error": {"message": "unknown field stream_options"}}', status=400)] if refused else []
    server = scripted(*fault_first, says("all", usage=usage, done=False) + raw(STALL))
    began = time.monotonic()

    heard = ask(server, idle=30)

    assert ("all", None) == (heard.message.text, heard.error)
    assert time.monotonic() - began < most_s + 0.5 * (most_s == 1)


@pytest.mark.parametrize("role", [{}, {"role": "assistant", "content": ""}], ids=["text first", "role first"])
def test_a_finish_reason_with_every_delta_is_none_before_the_end(scripted, ask, role):
    """Pauses between such deltas lose nothing of the reply."""
    steps = [Delta(role, "stop"), 0.8, Delta({"content": "a"}, "stop"), 0.8, Delta({"content": "b"}, "stop")]
    server = scripted(raw(*steps, DONE))

    heard = ask(server)

    assert ("ab", [FinishPiece("stop")]) == (
        heard.message.text,
        [p for p in heard.pieces if isinstance(p, FinishPiece)],
    )


@pytest.mark.parametrize("how", [STALL, RESET], ids=["stall", "reset"])
def test_a_finish_reason_with_every_delta_makes_no_reply_whole_that_broke_off(scripted, ask, how):
    """Half an answer is never taken for one."""
    server = scripted(raw(Delta({"content": "a"}, "stop"), Delta({"content": "b"}, "stop"), 0.1, how))

    heard = ask(server, idle=0.5)

    assert "ab" == heard.message.text
    assert heard.error


def test_text_behind_a_finish_reason_needs_another_end(scripted, ask):
    """The end of the transfer alone is none."""
    heard = ask(scripted(raw(Delta({"content": "a"}), Delta({}, "stop"), Delta({"content": "b"}))))

    assert ("ab", ("stream_cut", True)) == (heard.message.text, heard.problem)
