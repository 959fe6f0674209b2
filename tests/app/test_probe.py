"""`cococat doctor --probe` asks an endpoint what it can really do, says it, and lets `auto` go by it."""

import json
import re
from dataclasses import replace

import pytest
from inline_snapshot import snapshot

from tests.scripted import calls, fault, forever, reasons, says
from tests.scripted.windows import REFUSALS, tokens_of

WRITTEN = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'
REFUSED = fault(400, "this model does not support tools")


def endpoint(*, tools=None, schema='{"capital": "Paris"}', window=0, reads=10**6, plain=None, refuses=()):
    """Answer each question of a probe as one kind of server does."""

    def play(body):
        if unknown := [field for field in refuses if field in body]:
            return fault(400, f"unknown field: {unknown[0]}")
        most = body.get("max_tokens", 0)
        usage = (min(reads, tokens_of(body)), 30)
        if window and tokens_of(body) + most > window:
            return fault(400, REFUSALS["vllm, newer"](window, tokens_of(body), most))
        if body.get("tools"):
            return tools or calls(("get_weather", {"city": "Paris"}), ("get_weather", {"city": "Rome"}), usage=usage)
        if body.get("response_format"):
            return says(schema, usage=usage) if isinstance(schema, str) else schema
        return plain or says("one ", "two ", "three", usage=usage)

    return forever(play)


@pytest.fixture
def probe(cococat):
    """Probe a server; give the process and what it found."""

    def run(server, *words, **options):
        flags = ("--base-url", server.base_url, "-m", "scripted", "--yes", "--json", *words)
        ran = cococat("doctor", "--probe", *flags, **options)
        return ran, json.loads(ran.stdout)["probe"] if ran.code == 0 else {}

    return run


def test_an_endpoint_that_can_do_everything(probe, scripted):
    """Few requests, few tokens, said before; one connection for all of them."""
    server = scripted(endpoint(window=32_000), models=({"id": "scripted", "owned_by": "vllm"}, "other"))

    ran, found = probe(server)

    asked = sum(tokens_of(body) + 30 for body in server.requests) + sum(tokens_of(body) + 500 for body in server.judged)
    assert "gets 13 small requests at most, of 4,000 tokens together" in ran.stderr
    assert found["requests"] == len(server.requests) + len(server.judged) + len(server.looked) <= 13
    assert asked / 2 < found["tokens"] <= asked <= 4000
    expected = {
        "listed": 2, "streams": True, "usage": True, "calls": "native", "tools": "native", "parallel": 2,
        "schema": "obeyed", "reasoning": False, "max_tokens": "max_tokens", "window": 32_000,
        "window_from": "refusal", "connections": 1, "server": "vLLM",
    }  # fmt: skip
    assert expected == {key: found[key] for key in expected}
    assert 0.9 < found["read"] / found["sent"] < 1.1


def test_what_was_found_is_a_table_on_the_terminal(cococat, scripted):
    """One row for each thing, and last what follows."""
    server = scripted(endpoint(window=32_000))

    ran = cococat("doctor", "--probe", "--yes", "--base-url", server.base_url, "-m", "scripted")

    rows = dict(line.split(None, 1) for line in ran.stdout.splitlines()[1:])
    assert 0 == ran.code
    assert snapshot("native, 2 calls in one reply when two were wanted") == rows["tools"]
    assert snapshot("32,000 tokens, told by its refusal") == rows["window"]
    assert "used again" == rows["connection"]
    assert snapshot("native: tools are called as such") == rows["so"]


@pytest.mark.parametrize(
    ("server_does", "word"),
    [
        ({}, "native"),
        ({"tools": REFUSED}, "json"),
        ({"tools": says("I cannot know the weather.")}, "json"),
        ({"tools": says(WRITTEN)}, "text"),
    ],
    ids=["native", "refused", "never called", "written"],
)
def test_auto_begins_with_what_works_here(probe, cococat, ask, scripted, server_does, word):  # noqa: PLR0917 - fixtures and cases
    """The first request of the next run goes by the probe; doctor says it in one word."""
    server = scripted(endpoint(window=32_000, **server_does))
    _, found = probe(server)
    asked = len(server.requests)
    at = {"COCOCAT_BASE_URL": server.base_url, "COCOCAT_MODEL": "scripted"}
    doctor = cococat("doctor", "--json", env=at)
    server.items.clear()
    server.add(says('{"action": "finish", "final": "hi"}' if word == "json" else "hi"))

    ran = ask(server, "hi")

    assert word == found["calls"]
    assert word in [check["detail"] for check in json.loads(doctor.stdout)["checks"] if check["name"] == "tools"]
    assert (0, "hi\n", 1) == (ran.code, ran.stdout, len(server.requests) - asked)
    offers = "response_format" if word == "json" else "tools"
    assert [offers] == [key for key in ("tools", "response_format") if key in server.requests[-1]]


def test_tools_that_were_refused_once_are_not_offered_in_the_next_run(ask, scripted):
    """Nobody probed: what a run learned is kept as well."""
    final = says('{"action": "finish", "final": "hi"}')
    server = scripted(REFUSED, final, final)

    ran = [ask(server, "hi") for _ in range(2)]

    assert ["hi\n", "hi\n"] == [one.stdout for one in ran]
    assert [True, False, False] == ["tools" in body for body in server.requests]


@pytest.mark.parametrize(
    ("server_does", "key", "value"),
    [
        ({"schema": "The capital of France is Paris."}, "schema", "ignored"),
        ({"schema": fault(400, "unknown field: response_format")}, "schema", "refused"),
        ({"plain": says("one two three", usage=None)}, "usage", False),
        ({"plain": says("one two three")}, "streams", False),
        ({"plain": reasons("numbers", then=says("one"))}, "reasoning", True),
        ({"refuses": ["max_tokens"]}, "max_tokens", "max_completion_tokens"),
        ({"plain": says(*["and so on "] * 200)}, "max_tokens", "ignored"),
        ({"reads": 250}, "read", 250),
        ({"window": 900}, "window", 900),
    ],
    ids=["prose", "no schema", "no usage", "no stream", "reasoning", "renamed", "no limit", "cut", "small"],
)
def test_what_does_not_work_is_found(probe, scripted, server_does, key, value):
    """Each by itself; the rest is asked all the same."""
    server = scripted(endpoint(**server_does))

    _, found = probe(server)

    assert value == found[key]
    assert found["requests"] <= 13


def test_what_failed_is_told_with_its_reason(cococat, scripted):
    """On the terminal beside the word, in JSON in a field of its own; the server's words come without what moves a cursor."""
    broken = fault(403, "no grammar engine\x1b[2J on this plan")
    server = scripted(endpoint(schema=broken, tools=broken, window=32_000))
    words = ("doctor", "--probe", "--yes", "--base-url", server.base_url, "-m", "scripted")

    shown, told = cococat(*words).stdout, cococat(*words, "--json").stdout

    found = json.loads(told)["probe"]
    assert ("failed", "failed") == (found["schema"], found["tools"])
    assert "no grammar engine" in found["schema_error"]
    assert "no grammar engine" in found["tools_error"]
    assert 2 == len(
        re.findall(r"^(?:JSON schema|tools) +failed: .*no grammar engine.* on this plan", shown, re.MULTILINE)
    )
    assert "\x1b" not in shown


def test_a_window_that_is_told_beside_the_listing_needs_no_refusal(probe, scripted):
    """llama.cpp names it in its properties."""
    server = scripted(endpoint(), models=({"id": "scripted", "owned_by": "llamacpp"},))
    server.told["/props"] = {"default_generation_settings": {"n_ctx": 2048}}

    _, found = probe(server)

    assert (2048, "server", "llama.cpp") == (found["window"], found["window_from"], found["server"])
    assert ["/v1/models", "/props"] == server.looked
    assert max(body["max_tokens"] for body in server.requests) < 2048


def test_a_server_that_objects_to_everything_gets_no_more_requests_than_was_said(probe, scripted):
    """Two more places to ask for the window, five fields to leave out: no room is left to provoke a refusal."""
    fields = ("max_tokens", "max_completion_tokens", "stream_options", "temperature", "response_format")
    server = scripted(endpoint(refuses=fields), models=({"id": "scripted", "owned_by": "organization_owner"},))

    _, found = probe(server)

    assert 13 == found["requests"] == len(server.requests) + len(server.judged) + len(server.looked)
    assert ("refused", "", 0) == (found["schema"], found["max_tokens"], found["window"])


def test_the_time_of_the_first_delta_and_the_pace_after_it_are_told(probe, scripted):
    """30 tokens that take three tenths of a second and more, a hundredth after the question."""
    slow = says(0.01, "one ", 0.3, "two ", "three", usage=(9, 30))

    _, found = probe(scripted(endpoint(plain=slow, window=32_000)))

    assert found["first_s"] >= 0.01
    assert 0 < found["per_s"] <= 29 / 0.05  # the first delta may be read late, where the machine is busy


def test_a_server_that_hangs_up_after_each_reply_is_found_out(probe, scripted):
    """A connection for each question, where others use one again."""
    closing = says("one ", "two ", usage=(9, 30))
    closing = replace(closing, headers={**closing.headers, "connection": "close"})

    _, found = probe(scripted(endpoint(plain=closing, tools=closing, schema=closing, window=32_000)))

    assert found["connections"] > 2


def test_the_window_that_was_found_holds_from_then_on(probe, ask, scripted):
    """The next question fits at once."""
    server = scripted(endpoint(window=2048))
    probe(server)
    before = len(server.requests)

    ran = ask(server, "--no-tools", "hi")

    assert (0, 1) == (ran.code, len(server.requests) - before)
    assert server.requests[-1]["max_tokens"] < 2048


def test_nothing_is_asked_without_leave(cococat, scripted):
    """In a script it takes --yes."""
    server = scripted(endpoint())

    ran = cococat("doctor", "--probe", "--base-url", server.base_url, "-m", "scripted")

    assert (4, []) == (ran.code, server.requests)
    assert "--yes" in ran.stderr


def test_an_endpoint_that_does_not_answer_is_told(probe, scripted):
    """The wrong key, and a model that it does not have: exit 3."""
    wrong = scripted(endpoint(), key="sk-right-0123456789")
    missing = scripted(forever(fault(404, "The model `scripted` does not exist", code="model_not_found")))

    ran = [probe(server)[0] for server in (wrong, missing)]

    assert [3, 3] == [one.code for one in ran]
    assert "does not exist" in ran[1].stderr
