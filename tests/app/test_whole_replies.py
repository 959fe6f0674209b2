"""A reply that is not whole is no answer: what `ask` makes of one that failed, was cut, or does not come."""

import json

import pytest
from inline_snapshot import snapshot

from tests.scripted import STALL, broken, calls, forever, reasons, says


def test_half_an_answer_of_a_server_that_failed_is_no_success(ask, scripted):
    """The text is printed, the code is 3, and the word is named."""
    ran = ask(scripted(says("Half of it", finish="insufficient_system_resource")), "hi")

    assert snapshot((3, "Half of it\n")) == (ran.code, ran.stdout)
    assert "insufficient_system_resource" in ran.stderr


def test_an_end_that_nobody_knows_is_told(ask, scripted):
    """It is an answer all the same."""
    ran = ask(scripted(says("All of it", finish="banana")), "hi")

    assert snapshot((0, "All of it\n")) == (ran.code, ran.stdout)
    assert "'banana'" in ran.stderr


def thinks(finish="length"):
    """Reasoning that the limit of the reply cut before there was a word of the answer."""
    return reasons("hm, hm", then=says(finish=finish))


@pytest.mark.parametrize("mode", ["single", "react"])
def test_a_reply_that_reasoning_used_up_is_asked_for_once_more_with_all_the_room_there_is(ask, scripted, mode):
    """The first limit was the server's own; the second is what the window leaves."""
    server = scripted(thinks(), says("Paris."))

    ran = ask(server, "--mode", mode, "hi", env={"COCOCAT_MODEL_CONTEXT_WINDOW": "32768"})

    assert (0, "Paris.\n") == (ran.code, ran.stdout)
    first, second = server.requests
    assert "max_tokens" not in first
    assert 20_000 < second["max_tokens"] < 32_768
    assert first["messages"] == second["messages"]


@pytest.mark.parametrize("protocol", ["native", "json"])
def test_reasoning_that_uses_up_that_too_ends_the_run(ask, scripted, protocol):
    """Two requests, and the code of a guard with what may help."""
    server = scripted(forever(thinks()))

    ran = ask(server, "--mode", "react", "hi", env={"COCOCAT_MODEL_PROTOCOL": protocol})

    assert (5, 2) == (ran.code, len(server.requests))
    assert "reasoning_effort" in ran.stderr


@pytest.mark.parametrize("field", ["", "max_tokens", "max_completion_tokens"])
def test_a_limit_that_is_set_is_never_raised(ask, scripted, field):
    """Asking again for the same would use it up again: one request."""
    server = scripted(forever(thinks()))
    flags, env = (("-o", f"{field}=2000"), {}) if field else ((), {"COCOCAT_MODEL_MAX_OUTPUT_TOKENS": "2000"})

    ran = ask(server, *flags, "hi", env=env)

    assert (5, [2000]) == (ran.code, [body[field or "max_tokens"] for body in server.requests])
    assert "2,000 tokens" in ran.stderr


def test_only_once_in_a_turn_is_more_room_asked_for(ask, scripted):
    """What was raised stays so for its later steps."""
    server = scripted(thinks(), calls(("list_dir", {"path": "."})), thinks())

    ran = ask(server, "--mode", "react", "hi")

    assert (5, 3) == (ran.code, len(server.requests))
    assert all("max_tokens" in body for body in server.requests[1:])


@pytest.mark.parametrize("row", [{"max_output_tokens": 9000}, {"top_provider": {"max_completion_tokens": 9000}}])
def test_a_limit_that_the_listing_tells_is_asked_for_from_then_on(ask, scripted, row):
    """Nothing is set: the first run learns it, and no refusal is paid for."""
    server = scripted(models=({"id": "scripted", "context_length": 64_000, **row},))
    server.add(says("o", server.listed, "k"), says("two"))

    ask(server, "hi")
    ask(server, "hi")

    assert [None, 9000] == [body.get("max_tokens") for body in server.requests]


STORY = '{"path": "story.txt", "content": "' + " ".join(map(str, range(4000)))


def test_a_call_that_the_limit_cut_is_told_with_the_limit_its_size_and_the_way(ask, scripted, tmp_path):
    """Nothing is written, and what arrived is not sent again with every request."""
    server = scripted(calls(("write_file", STORY), finish="MAX_TOKENS", usage=(900, 4096)), says("In parts, then."))

    ran = ask(server, "--mode", "react", "--allow", "write_file", "a long story")

    assert (0, "In parts, then.\n") == (ran.code, ran.stdout)
    call, result = server.requests[1]["messages"][-2:]
    arguments = call["tool_calls"][0]["function"]["arguments"]
    assert len(arguments) < 400
    assert "story.txt" in json.loads(arguments)["cut"]
    assert "4,096 tokens" in result["content"]
    assert f"{len(STORY):,} characters" in result["content"]
    assert "edit_file" in result["content"]
    assert not (tmp_path / "story.txt").exists()


def test_a_decision_that_the_limit_cut_is_told_the_same(ask, scripted):
    """Its JSON was not wrong but too long."""
    cut = says('{"action": "tool", "tool": "write_file", "arguments": ' + STORY, finish="length", usage=(900, 4096))
    server = scripted(cut, says('{"action": "finish", "final": "In parts, then."}'))

    ran = ask(server, "--mode", "react", "a long story", env={"COCOCAT_MODEL_PROTOCOL": "json"})

    assert 0 == ran.code
    assert "4,096 tokens" in server.requests[1]["messages"][-1]["content"]


@pytest.mark.parametrize("mode", ["single", "react"])
def test_a_server_that_is_silent_for_long_is_told_of_and_then_given_up_once(ask, scripted, mode):
    """One line on stderr while it waits, one request, and the setting that would have waited longer."""
    server = scripted(broken(how=STALL))
    env = {"COCOCAT_TIMEOUTS_FIRST_BYTE": "0.2", "COCOCAT_TIMEOUTS_SILENCE": "0.6"}

    ran = ask(server, "--mode", mode, "hi", env=env)

    assert (3, 1) == (ran.code, len(server.requests))
    assert 1 == ran.stderr.count("still waiting, 0.2 s; Ctrl-C stops")
    assert "timeouts.silence" in ran.stderr


def test_quiet_says_nothing_of_waiting(ask, scripted):
    """The answer, when it comes, is the same."""
    ran = ask(scripted(says(0.5, "here")), "-q", "hi", env={"COCOCAT_TIMEOUTS_FIRST_BYTE": "0.1"})

    assert (0, "here\n", "") == (ran.code, ran.stdout, ran.stderr)
