"""Replies that a provider's filter ended, and refusals: they end the turn, and nothing in them runs."""

import json

import pytest

from cococat.core.events import TextDelta, ToolRunning
from cococat.core.limits import StopReason
from cococat.core.tools import tool
from cococat.protocol.decision import Decision
from cococat.protocol.written import Auto
from tests.scripted import Delta, calls, forever, raw, reasons, says

WRITE = ("write_file", {"path": "a.txt", "content": "half of it"})
FILTERS = ["content_filter", "refusal", "SAFETY", "content-filter", "PROHIBITED_CONTENT", "sensitive"]
EMPTY = [(FILTERS[1], protocol, "") for protocol in (Auto, Decision)]


@tool("reads")
async def echo(text: str) -> str:
    """Return text back."""
    return text


@pytest.mark.parametrize(
    ("reason", "protocol", "text"),
    [*((reason, Auto, "Once upon") for reason in FILTERS), (*FILTERS[:1], Decision, "Once upon"), *EMPTY],
)
def test_a_filtered_reply_ends_the_turn_with_its_text(scripted, run, reason, protocol, text):
    """One request, whatever the protocol and the provider's word for it; the text is shown and kept."""
    server = scripted(forever(says(text, finish=reason)))

    ran = run(server, [echo], protocol=protocol())

    assert (StopReason.CONTENT_FILTER, 1) == (ran.turn.stop.reason, len(server.requests))
    assert text in ran.turn.answer
    assert text == "".join(event.text for event in ran.of(TextDelta))
    assert [text] * bool(text) == [message.text for message in ran.turn.history[1:]]


def test_a_refusal_is_the_answer_and_no_success(scripted, run):
    """The field `refusal` of a reply that ends with `stop` says why there is no answer."""
    refusal = raw(Delta({"content": None, "refusal": "I cannot "}), Delta({"refusal": "help with that."}, "stop"))
    server = scripted(forever(refusal))

    ran = run(server, [echo])

    assert ("I cannot help with that.", StopReason.CONTENT_FILTER) == (ran.turn.answer, ran.turn.stop.reason)
    assert "the model refused to answer" == ran.turn.stop.detail
    assert 1 == len(server.requests)


def test_reasoning_alone_before_a_filter_is_no_empty_reply(scripted, run):
    """Nothing is asked for again, and what was done is told in place of an answer."""
    server = scripted(
        calls(("echo", {"text": "x"})), reasons("hm", then=says(finish="content_filter")), forever(says("no"))
    )

    ran = run(server, [echo])

    assert (StopReason.CONTENT_FILTER, 2) == (ran.turn.stop.reason, len(server.requests))
    assert "echo" in ran.turn.answer


@pytest.mark.parametrize("finish", ["content_filter", "refusal"])
def test_a_call_of_a_filtered_reply_never_runs(scripted, run, finish):
    """Complete or not: its result says so, and the history is valid."""
    server = scripted(calls(("echo", {"text": "x"}), text="I look.", finish=finish), says("no"))

    ran = run(server, [echo])

    assert [] == ran.of(ToolRunning)
    assert (StopReason.CONTENT_FILTER, "I look.") == (ran.turn.stop.reason, ran.turn.answer)
    assert "content filter" in ran.turn.history[-1].output


def test_a_filtered_decision_shows_the_words_of_its_answer(scripted, run):
    """Of a decision that was cut, what had been shown is the answer; never its JSON."""
    server = scripted(says('{"action": "finish", "final": "It is', finish="content_filter"), says("no"))

    ran = run(server, [echo], protocol=Decision())

    assert ("It is", StopReason.CONTENT_FILTER) == (ran.turn.answer, ran.turn.stop.reason)


def test_ask_writes_nothing_that_a_filter_cut(scripted, cococat, tmp_path):
    """Exit 5 with the text, one request, no file."""
    server = scripted(calls(WRITE, text="I write.", finish="content_filter"), says("Written."))
    words = ["--base-url", server.base_url, "-m", "m", "--mode", "react", "--allow", "write_file"]

    ran = cococat("ask", *words, "--output-format", "json", "write a story")

    result = json.loads(ran.stdout)
    assert (5, "content_filter", "I write.") == (ran.code, result["stop_reason"], result["answer"])
    assert "the provider's content filter" in ran.stderr
    assert 1 == len(server.requests)
    assert not (tmp_path / "a.txt").exists()
