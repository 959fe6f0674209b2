"""What a provider gives with a message comes back to it, word for word, and goes to nobody else."""

import json

import pytest

from tests.scripted import Delta, Turn, calls, reasons, says

LOOK = ("list_dir", {"path": "."})
THOUGHT = {"reasoning_content": "Let me look."}
SIGNED = {"extra_content": {"google": {"thought_signature": "c2ln+/=="}}}
DETAILS = [
    {"type": "reasoning.text", "text": "Let me look.", "format": "anthropic-claude-v1", "index": 0},
    {"type": "reasoning.encrypted", "data": "AAA", "id": "rs_1", "format": "openai-responses-v1", "index": 1},
]
PARTS = [{"type": "thinking", "thinking": [{"type": "text", "text": "Let me look."}]}]


def gives(*deltas, entry=None):
    """A call with *deltas* ahead of it; *entry* is added to the call."""
    steps = list(calls(LOOK).steps)
    if entry:
        first = next(at for at, step in enumerate(steps) if isinstance(step, Delta) and "tool_calls" in step.delta)
        (made,) = steps[first].delta["tool_calls"]
        steps[first] = Delta({"tool_calls": [made | entry]})
    return Turn((*map(Delta, deltas), *steps))


def called(body):
    """The last assistant message with calls in *body*."""
    return next(message for message in reversed(body["messages"]) if message.get("tool_calls"))


GIVEN = {
    "deepseek": (gives({"reasoning_content": "Let me"}, {"reasoning_content": " look."}), THOUGHT, {}),
    "vllm": (gives({"reasoning": "Let me look."}), {"reasoning": "Let me look."}, {}),
    "gemini": (gives(entry=SIGNED), {}, SIGNED),
    "gemini, on the message": (gives(SIGNED), SIGNED, {}),
    "a signature that is no text": (gives(entry={"signature": [1, None]}), {}, {"signature": [1, None]}),
    "openrouter": (
        gives({"reasoning": "Let me look.", "reasoning_details": DETAILS}),
        {"reasoning_details": DETAILS},
        {},
    ),
    "openrouter, streamed": (
        gives(
            {"reasoning_details": [{**DETAILS[0], "text": "Let me"}]},
            {"reasoning_details": [{**DETAILS[0], "text": " look."}]},
            {"reasoning_details": [DETAILS[1]]},
        ),
        {"reasoning_details": DETAILS},
        {},
    ),
    "mistral": (gives({"content": PARTS}), {"content": PARTS}, {}),
    "a field nobody has heard of": (gives({"vendor_state": {"a": [1, "é"]}}), {"vendor_state": {"a": [1, "é"]}}, {}),
}


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
def test_what_came_with_a_call_comes_back_with_it(scripted, ask, given):
    """Unchanged, where it came; a command that goes on with the session gives back what is not only for the running turn."""
    turn, of_message, of_call = given
    server = scripted(turn, says("done"), says("again"))

    ran, then = ask(server, "--mode", "react", "look"), ask(server, "-c", "and now?")

    assert ("done\n", "again\n") == (ran.stdout, then.stdout)
    now, later = called(server.requests[1]), called(server.requests[2])
    older = {name: value for name, value in of_message.items() if not isinstance(value, str)}
    assert of_message.items() <= now.items()
    assert older.items() <= later.items()
    assert not {"reasoning", "reasoning_content"} & later.keys()
    assert all(of_call.items() <= message["tool_calls"][0].items() for message in (now, later))


@pytest.mark.parametrize("flags", [("-m", "another"), ("-m", "another", "--fork")], ids=["resume", "fork"])
def test_another_model_gets_nothing_of_it(scripted, cococat, ask, home, flags):
    """Neither the fields nor the values; and a copy for it does not hold them."""
    server = scripted(gives({"vendor_state": "opaque-1"}, entry=SIGNED), says("done"), says("again"))

    ask(server, "--mode", "react", "look")
    cococat("ask", "--base-url", server.base_url, *flags, "-c", "and now?")

    assert "opaque-1" not in json.dumps(server.requests[2])
    assert "thought_signature" not in json.dumps(server.requests[2])
    held = ["opaque-1" in log.read_text() for log in sorted((home / "sessions").glob("*.jsonl"))]
    assert [True, False][: len(held)] == held


def test_another_endpoint_gets_nothing_of_it(scripted, ask):
    """A model of the same name at another address is another one."""
    first = scripted(gives({"vendor_state": "opaque-1"}, entry=SIGNED), says("done"))
    second = scripted(says("again"))

    ask(first, "--mode", "react", "look")
    ask(second, "-c", "and now?")

    assert "opaque-1" not in json.dumps(second.requests[0])
    assert "thought_signature" not in json.dumps(second.requests[0])


def test_no_export_holds_it_but_a_raw_one(scripted, ask, cococat):
    """Nor does an answer or what is printed of the steps."""
    server = scripted(gives({"vendor_state": "opaque-1"}, {"content": "Looking."}), says("done"))

    ran = ask(server, "--mode", "react", "--output-format", "stream-json", "look")

    session = json.loads(ran.stdout.splitlines()[-1])["session_id"]
    forms = [cococat("sessions", "export", session, "--format", form).stdout for form in ("md", "json", "html")]
    assert not any("opaque-1" in text for text in (ran.stdout, ran.stderr, *forms))
    assert "opaque-1" in cococat("sessions", "export", session, "--format", "json", "--raw").stdout


def test_more_than_a_mebibyte_is_not_kept(scripted, ask, home):
    """It still goes back in the running turn; the log goes without."""
    server = scripted(gives({"vendor_state": "x" * (2 << 20)}), says("done"), says("again"))

    ask(server, "--mode", "react", "-m", "gpt-4.1", "look")
    ran = ask(server, "-m", "gpt-4.1", "-c", "and now?")

    assert 2 << 20 == len(called(server.requests[1])["vendor_state"])
    assert "again\n" == ran.stdout
    assert "vendor_state" not in json.dumps(server.requests[2])
    assert 1 << 20 > sum(log.stat().st_size for log in (home / "sessions").glob("*.jsonl"))


def test_a_reply_that_another_turn_follows_keeps_its_plain_reasoning_to_itself(scripted, ask):
    """Most servers want it for the calls of the running turn, and some refuse it elsewhere."""
    server = scripted(reasons("hm", then=says("one")), says("two"))

    ask(server, "first")
    ask(server, "-c", "second")

    assert "reasoning_content" not in json.dumps(server.requests[1])
