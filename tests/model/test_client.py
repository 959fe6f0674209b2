"""Requests and replies over real HTTP and the real SDK."""

import asyncio
import subprocess
import sys

import pytest

from cococat.core.limits import Usage
from cococat.core.messages import Assistant, ToolCall, ToolResult, User
from cococat.core.model import (
    CallPiece,
    ExtraPiece,
    FinishPiece,
    ReasoningPiece,
    Request,
    TextPiece,
    ToolSpec,
    UsagePiece,
)
from cococat.model.client import ChatModel, Endpoint
from tests.scripted import STALL, Delta, broken, calls, fault, raw, reasons, says

HELLO = Request((User("hello"),))
SPEC = ToolSpec("f", "does it", {"type": "object", "properties": {}})
DONE = b"data: [DONE]\n\n"


def test_text_comes_in_the_deltas_the_server_sends(scripted, ask):
    """Each delta is one piece; the cost and the end follow."""
    server = scripted(says("he", "llo", usage=(7, 3)))

    heard = ask(server)

    expected = [TextPiece("he"), TextPiece("llo"), UsagePiece(Usage(7, 3)), FinishPiece("stop")]
    assert expected == heard.pieces


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_reasoning_is_kept_apart_from_text(scripted, ask, key):
    """Both names for reasoning are understood."""
    server = scripted(reasons("hm", then=says("yes"), key=key))

    heard = ask(server)

    assert [ReasoningPiece("hm"), TextPiece("yes")] == [p for p in heard.pieces if not isinstance(p, ExtraPiece)][:2]


@pytest.mark.parametrize(
    "dialect",
    [
        "openai",
        "interleaved",
        "same_index",
        "no_index",
        "no_id",
        "empty_id",
        "duplicate_id",
        "split_name",
        "object",
        "whole",
    ],
)
def test_two_calls_stay_two_calls_in_every_dialect(scripted, ask, dialect):
    """N10, N11: names and arguments are told apart, and ids are there and differ."""
    server = scripted(calls(("read_file", {"path": "a"}), ("grep_search", {"pattern": "b"}), dialect=dialect))

    made = ask(server).message.calls

    assert [("read_file", '{"path": "a"}'), ("grep_search", '{"pattern": "b"}')] == [
        (c.name, c.arguments) for c in made
    ]
    assert 2 == len({call.id for call in made} - {""})


@pytest.mark.parametrize(
    "events",
    [
        [{"choices": None}, {"choices": []}, {"unknown": 1}, {"choices": [None]}, {"choices": [{}]}],
        [{"choices": [{"delta": None}]}, {"choices": [{"delta": {"content": None, "tool_calls": None}}]}],
        [{"choices": [{"delta": {"tool_calls": [None, 1], "content": 5, "role": 3}, "logprobs": {}}], "usage": None}],
        [{"choices": [], "usage": {"prompt_tokens": None}}],
    ],
    ids=["choices", "nulls", "types", "usage"],
)
def test_odd_chunks_are_passed_over(scripted, ask, events):
    """N13: what carries nothing changes nothing."""
    server = scripted(raw(*events, Delta({"content": "ok"}, "stop"), *events, DONE))

    heard = ask(server)

    assert ([TextPiece("ok"), FinishPiece("stop")], None) == (heard.pieces, heard.error)


def test_three_turns_use_one_connection(scripted, ask):
    """Every reply is read to its end."""
    server = scripted(says("a"), calls(("f", {})), says("c"))

    ask(server, HELLO, HELLO, HELLO)

    assert 1 == server.connections


@pytest.mark.parametrize("finish", ["stop", None])
def test_a_server_that_keeps_the_line_open_after_the_end_holds_nobody_up(scripted, ask, finish):
    """`[DONE]` ends the reply, whatever the server does then."""
    server = scripted(says("all", finish=finish) + raw(STALL))

    heard = ask(server, idle=30)

    assert ("all", None) == (heard.message.text, heard.error)


def test_a_request_holds_only_what_the_endpoint_needs(scripted, ask):
    """No field without a purpose, and no header that names more than the request."""
    server = scripted(says("x"))

    ask(server)

    expected = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "hello"}]}
    assert expected | {"stream_options": {"include_usage": True}} == server.requests[0]
    assert not [name for name in server.headers[0] if name.startswith(("x-stainless-os", "x-stainless-runtime"))]
    assert "Bearer sk-test-0123456789abcdef" == server.headers[0]["authorization"]


def test_every_field_arrives_where_the_api_wants_it(scripted, ask):
    """Tools, schema, limits and temperature; calls and results of the history."""
    server = scripted(says("x"))
    history = (User("q"), Assistant("", calls=(ToolCall("c1", "f", '{"a": 1}'),)), ToolResult("c1", "f", "out"))

    ask(server, Request(history, (SPEC,), {"type": "object"}, 77), temperature=0.5, max_output_tokens=5)

    body = server.requests[0]
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    assert {"role": "assistant", "content": None, "tool_calls": [call]} == body["messages"][1]
    assert {"role": "tool", "tool_call_id": "c1", "content": "out"} == body["messages"][2]
    assert ["f"] == [tool["function"]["name"] for tool in body["tools"]]
    assert {"name": "reply", "schema": {"type": "object"}} == body["response_format"]["json_schema"]
    assert (77, 0.5) == (body["max_tokens"], body["temperature"])


@pytest.mark.parametrize(
    ("said", "gone", "instead"),
    [
        (
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            "max_tokens",
            "max_completion_tokens",
        ),
        ("Unsupported value: 'temperature' does not support 0.2 with this model.", "temperature", "model"),
        ("unknown field stream_options", "stream_options", "model"),
        ("response_format is not available", "response_format", "model"),
    ],
    ids=["max_tokens", "temperature", "stream_options", "response_format"],
)
def test_a_field_the_endpoint_refuses_is_left_out_from_then_on(scripted, ask, said, gone, instead):
    """One more request, then it is remembered."""
    server = scripted(fault(400, said), says("one"), says("two"))
    request = Request((User("hello"),), schema={"type": "object"}, max_output_tokens=9)

    heard = ask(server, request, request, temperature=0.2)

    assert "two" == heard.message.text
    assert [True, False, False] == [gone in body for body in server.requests]
    assert [True, True] == [instead in body for body in server.requests[1:]]


def test_a_field_is_left_out_only_once(scripted, ask):
    """A server that goes on complaining gets no third request."""
    server = scripted(fault(400, "bad temperature"), fault(400, "bad temperature"))

    heard = ask(server, temperature=0.2)

    assert ("bad_request", False) == heard.problem
    assert 2 == len(server.requests)


def test_the_environment_of_the_sdk_sends_nothing_to_another_host(scripted, ask, monkeypatch):
    """OPENAI_* names neither the host nor the key nor any header."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer sk-custom\nX-Secret: 1")
    server = scripted(says("x"))

    ask(server, key="")

    headers = server.headers[0]
    assert "Bearer none" == headers["authorization"]
    assert not {"openai-organization", "x-secret"} & set(headers)


def test_a_proxy_is_not_asked_for_a_server_on_this_machine(scripted, ask, monkeypatch):
    """HTTP_PROXY is for other machines."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    server = scripted(says("x"))

    heard = ask(server)

    assert "x" == heard.message.text


def test_a_proxy_is_asked_for_a_name_that_only_begins_like_this_machine(scripted, ask, monkeypatch):
    """`127.` is the beginning of many a name."""
    server = scripted(says("x"))
    monkeypatch.setenv("HTTP_PROXY", server.base_url.removesuffix("/v1"))

    heard = ask("http://127.elsewhere.example/v1")

    assert "x" == heard.message.text


def test_a_stream_that_is_closed_early_hangs_up(scripted):
    """Whoever stops reading stops the server's work too, and can go on with the next request."""
    server = scripted(broken("first", how=STALL), says("second"))

    async def main():
        model = ChatModel(Endpoint(server.base_url, name="m"))
        stream = model.stream(HELLO)
        first = await anext(stream)
        await stream.aclose()
        rest = [piece async for piece in model.stream(HELLO)]
        await model.aclose()
        return first, rest[0]

    pieces = asyncio.run(main())

    assert (TextPiece("first"), TextPiece("second")) == pieces
    assert 2 == server.connections


def test_a_cancelled_request_leaves_nothing_behind(scripted):
    """Cancelling while a reply is awaited ends at once."""
    server = scripted(raw(STALL), says("next"))

    async def main():
        model = ChatModel(Endpoint(server.base_url, name="m"))
        task = asyncio.ensure_future(anext(model.stream(HELLO)))
        await asyncio.to_thread(server.wait_for, 1)
        task.cancel()
        await asyncio.wait({task}, timeout=60)
        after = [piece async for piece in model.stream(HELLO)]
        await model.aclose()
        return task.cancelled(), after[0]

    assert (True, TextPiece("next")) == asyncio.run(main())


def test_importing_the_client_loads_no_sdk():
    """Start-up does not pay for a request that may never come."""
    code = "import sys, cococat.model.client, cococat.model.catalog, cococat.model.tokens; print(*sys.modules)"

    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    assert not {"openai", "httpx2", "tiktoken", "pydantic", "anyio"} & set(loaded)


def test_a_reply_that_was_not_streamed_is_read_all_the_same(scripted, ask):
    """Some servers answer with one JSON object, pretty-printed or not."""
    whole = b'{\n "choices": [{"message": {"role": "assistant", "content": "all"}, "finish_reason": "stop"}],\n "usage": {}}'
    server = scripted(raw(whole, content_type="application/json"))

    heard = ask(server)

    assert [TextPiece("all"), FinishPiece("stop")] == heard.pieces


def test_object_arguments_keep_their_letters(scripted, ask):
    """Arguments sent as an object become the JSON text they stand for."""
    server = scripted(calls(("f", {"x": "é"}, "c1"), dialect="object"))

    heard = ask(server)

    assert CallPiece(0, "c1", "f", '{"x": "é"}') == heard.pieces[0]


FIRST, SECOND = ("read_file", '{"path": "a"}'), ("grep_search", '{"pattern": "b", "glob": {}}')
HALVES = FIRST[1][:6], FIRST[1][6:]
ODD_CALLS = {
    "another id each time": [(0, "a", "read_file", ""), (0, "b", "", HALVES[0]), (0, "c", "", HALVES[1])],
    "another id each time, no index": [
        (None, "a", "read_file", ""),
        (None, "b", "", HALVES[0]),
        (None, "c", "", HALVES[1]),
    ],
    "another id and the name each time": [(0, "a", "read_file", HALVES[0]), (0, "b", "read_file", HALVES[1])],
    "an empty object first": [(0, "a", "read_file", "{}"), (0, "a", "", HALVES[0]), (0, "", "", HALVES[1])],
    "an empty object first, named again": [(0, "a", "read_file", "{}"), (0, "a", "read_file", FIRST[1])],
    "an empty object last": [(0, "a", "read_file", FIRST[1]), (0, "a", "", "{}")],
    "cumulative": [(0, "a", "read_file", FIRST[1][:n]) for n in (0, 2, 6, 9, 13)],
    "cumulative, bare": [(None, "", "read_file", FIRST[1][:n]) for n in (0, 2, 6, 9, 13)],
    "repeated at the end": [(0, "a", "read_file", HALVES[0]), (0, "", "", HALVES[1]), (0, "a", "read_file", FIRST[1])],
    "the name behind the arguments": [(0, "a", "", FIRST[1]), (0, "a", "read_file", "")],
    "a cumulative name": [(0, "a", "read", ""), (0, "a", "read_file", FIRST[1])],
}
ODD_PAIRS = {
    "interleaved by index": [(0, "a", FIRST, 0), (1, "b", SECOND, 0), (0, "", FIRST, 1), (1, "", SECOND, 1)],
    "interleaved by id": [(None, "a", FIRST, 0), (None, "b", SECOND, 0), (None, "a", FIRST, 1), (None, "b", SECOND, 1)],
    "interleaved by id under one index": [
        (0, "a", FIRST, 0),
        (0, "b", SECOND, 0),
        (0, "a", FIRST, 1),
        (0, "b", SECOND, 1),
    ],
    "one behind the other under one index": [
        (0, "a", FIRST, 0),
        (0, "", FIRST, 1),
        (0, "b", SECOND, 0),
        (0, "", SECOND, 1),
    ],
    "one id for both": [(0, "a", FIRST, 2), (0, "a", SECOND, 2)],
}


def sent(*deltas):
    """A reply of *deltas*, each an index, an id, a name and arguments."""
    entries = [
        {"index": index, "id": i, "function": {"name": name, "arguments": given}} for index, i, name, given in deltas
    ]
    return raw(*(Delta({"tool_calls": [entry]}) for entry in entries), Delta({}, "tool_calls"), DONE)


@pytest.mark.parametrize("deltas", ODD_CALLS.values(), ids=ODD_CALLS)
def test_one_call_is_one_call_however_its_deltas_are_marked(scripted, ask, deltas):
    """Its arguments are whole, once."""
    made = ask(scripted(sent(*deltas))).message.calls

    assert [FIRST] == [(call.name, call.arguments) for call in made]


@pytest.mark.parametrize("deltas", ODD_PAIRS.values(), ids=ODD_PAIRS)
def test_the_deltas_of_two_calls_are_told_apart(scripted, ask, deltas):
    """By the index, by the id where ids come again, or by where they start."""
    cut = {0: slice(0, 8), 1: slice(8, None), 2: slice(None)}
    rows = [(index, i, "" if part == 1 else call[0], call[1][cut[part]]) for index, i, call, part in deltas]

    made = ask(scripted(sent(*rows))).message.calls

    assert [FIRST, SECOND] == [(call.name, call.arguments) for call in made]


def test_two_calls_of_one_tool_are_two(scripted, ask):
    """Whole ones that follow each other under one index, and interleaved ones."""
    given = [(0, "a", "f", '{"n": 1}'), (0, "b", "f", '{"n": 2}')]
    mixed = [(0, "a", "f", ""), (0, "b", "f", ""), (0, "a", "", '{"n": 1}'), (0, "b", "", '{"n": 2}')]

    for deltas in (given, mixed):
        assert ['{"n": 1}', '{"n": 2}'] == [call.arguments for call in ask(scripted(sent(*deltas))).message.calls]


def test_a_call_without_a_name_is_none(scripted, ask):
    """Whatever came with it; the reply is its text."""
    heard = ask(scripted(raw(Delta({"content": "Hi."}), *sent((0, "a", "", '{"path": "a"}')).steps)))

    assert ("Hi.", ()) == (heard.message.text, heard.message.calls)
