"""What servers and networks do wrong, each with its one error."""

import json
import socket
import threading
import time
from email.utils import formatdate

import pytest

from cococat.core.model import TextPiece
from cococat.model.meaning import retry_after_s
from tests.scripted import CUT, PINGS, RESET, STALL, Delta, broken, calls, fault, raw, reasons, says

KEY = "sk-test-0123456789abcdef"
DONE = b"data: [DONE]\n\n"


def test_silence_after_a_delta_is_a_stall(scripted, ask):
    """N1: the idle limit ends it, and the text that came is kept."""
    server = scripted(broken("part", how=STALL))

    heard = ask(server, idle=0.1)

    assert ("part", ("stalled", True)) == (heard.message.text, heard.problem)


def test_pings_are_bytes_but_no_data(scripted, ask):
    """N2: comments keep the idle limit off, not the data limit."""
    server = scripted(broken("part", how=PINGS))

    heard = ask(server, idle=5, data_idle=0.2)

    assert ("stalled", True) == heard.problem
    assert "data_idle" in heard.error.problem.hint


def test_a_slow_reply_may_take_longer_than_any_limit(scripted, ask):
    """Each data event starts the limits afresh."""
    server = scripted(says("a", 0.4, "b", 0.4, "c", 0.4, "d"))

    heard = ask(server, idle=1, data_idle=1, silence=1)

    assert ("abcd", None) == (heard.message.text, heard.error)


@pytest.mark.parametrize(
    "turn",
    [broken(how=STALL), raw(b"", STALL), raw(PINGS), raw(Delta({"role": "assistant", "content": ""}), STALL)],
    ids=["no head", "no body", "comments", "a role"],
)
def test_a_server_that_never_answers_is_given_up(scripted, ask, turn):
    """N3: the limit of silence holds until the reply begins; a request that was taken is not sent again."""
    server = scripted(turn)

    heard = ask(server, silence=0.3, idle=0.1, data_idle=0.1)

    assert ("timeout", False) == heard.problem
    assert "sent nothing for 0.3 s" in heard.error.problem.message
    assert "timeouts.silence" in heard.error.problem.hint


def test_a_reply_may_begin_after_the_limits_that_hold_within_it(scripted, ask):
    """A prompt is read, or thoughts are had that nobody sends."""
    server = scripted(raw(b": reading\n\n", 0.5, Delta({"role": "assistant"}), 0.5) + says("there"))

    heard = ask(server, silence=9, idle=0.2, data_idle=0.2)

    assert ("there", None) == (heard.message.text, heard.error)


@pytest.mark.parametrize(
    "turn",
    [
        broken("part", how=CUT),
        raw(Delta({"content": "part"})),
        says("part", finish=None, done=False),
        reasons("hm", then=says(finish=None)),
    ],
    ids=["no end of transfer", "no finish_reason", "usage only", "reasoning and DONE"],
)
def test_a_reply_without_an_end_is_cut(scripted, ask, turn):
    """N4: a stream that just ends is never a success."""
    server = scripted(turn)

    heard = ask(server)

    assert ("stream_cut", True) == heard.problem


def test_done_stands_for_a_missing_finish_reason(scripted, ask):
    """Some servers leave finish_reason out; `[DONE]` after text is an end."""
    server = scripted(says("all", finish=None))

    heard = ask(server)

    assert ("all", None) == (heard.message.text, heard.error)


@pytest.mark.parametrize(
    ("turn", "told"),
    [
        (raw(b"<html><body>Sign in</body></html>", content_type="text/html"), "text/html: '<html><body>Sign in"),
        (raw(), "event-stream; charset=utf-8, empty"),
        (raw(DONE), "empty"),
        (raw(b'{"detail": "hi"}', content_type="application/json"), ""),
    ],
    ids=["html", "empty", "only DONE", "other json"],
)
def test_a_200_that_is_no_completion_is_named(scripted, ask, turn, told):
    """N5: content type and beginning are told; another try may help."""
    server = scripted(turn)

    heard = ask(server)

    assert told in heard.error.problem.message
    assert heard.error.retryable


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b'data: {"id":\n\n', "not JSON"),
        (b"data: \xff\xfe\n\n", "not UTF-8"),
        (b"data: " + b"[" * 100_000 + b"\n\n", "nested too deep"),
        (b"data: [1]\n\n", "not a JSON object"),
        (b"data: " + b"9" * 5000 + b"\n\n", "not JSON"),
    ],
    ids=["broken json", "bad utf-8", "deep", "array", "long number"],
)
def test_garbage_is_a_protocol_error(scripted, ask, data, why):
    """N6: whatever cannot be read ends in one error, after the text that could."""
    server = scripted(raw(Delta({"content": "part"}), data))

    heard = ask(server)

    assert ("part", ("protocol", False)) == (heard.message.text, heard.problem)
    assert why in heard.error.problem.message


@pytest.mark.parametrize("line", [b"data: " + b"x" * (1 << 20), b": " + b"x" * (1 << 20)], ids=["data", "comment"])
def test_an_endless_line_is_not_kept(scripted, ask, line):
    """N7: nothing grows past 8 MiB."""
    server = scripted(raw(*[line.replace(b"\n", b"")] * 12))

    heard = ask(server)

    assert ("protocol", False) == heard.problem
    assert "8 MiB" in heard.error.problem.message


def test_an_endless_response_is_not_read(scripted, ask):
    """N7: small events have a limit in total too."""
    server = scripted(raw(*[b": " + b"x" * (1 << 20) + b"\n"] * 70))

    heard = ask(server)

    assert "64 MiB" in heard.error.problem.message


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ({"error": {"message": "overloaded", "code": 503}}, ("server", True)),
        ({"error": {"message": "slow down", "type": "rate_limit_error"}}, ("rate_limit", True)),
        ({"error": "boom"}, ("server", True)),
        ({"error": {"message": "Your prompt is too long", "code": "400"}}, ("context_overflow", False)),
        ({"object": "error", "message": "no", "code": 400}, ("bad_request", False)),
        ({"choices": [{"finish_reason": "error", "error": {"message": "gone", "code": 502}}]}, ("server", True)),
    ],
    ids=["503", "rate limit", "text", "overflow", "old style", "in the choice"],
)
def test_an_error_in_the_stream_keeps_the_text_before_it(scripted, ask, event, expected):
    """N8: the error is read as if it had been the answer."""
    server = scripted(raw(Delta({"content": "part"}), event))

    heard = ask(server)

    assert ("part", expected) == (heard.message.text, heard.problem)


def test_a_reset_before_anything_may_be_retried(scripted, ask):
    """N9, third case."""
    server = scripted(broken(how=RESET))

    heard = ask(server)

    assert ([], ("connection", True)) == (heard.pieces, heard.problem)


@pytest.mark.parametrize(
    "delta", [{"content": "part"}, {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f"}}]}]
)
def test_a_reset_after_a_delta_keeps_what_came(scripted, ask, delta):
    """N9: the caller has seen the delta before the error."""
    gate = threading.Event()
    server = scripted(raw(Delta(delta), gate, RESET))

    heard = ask(server, seen=lambda piece: gate.set())

    assert (1, ("connection", True)) == (len(heard.pieces), heard.problem)


def test_a_reset_after_the_end_is_no_error(scripted, ask):
    """What was complete stays complete."""
    gate = threading.Event()
    server = scripted(raw(Delta({"content": "all"}, "stop"), gate, RESET))

    heard = ask(server, seen=lambda piece: gate.set())

    assert ("all", None) == (heard.message.text, heard.error)


def test_the_wait_a_server_asks_for_is_passed_on(scripted, ask):
    """N14: a 429 may be retried when it says."""
    server = scripted(fault(429, "slow down", headers={"Retry-After": "2"}))

    heard = ask(server)

    assert (("rate_limit", True), 2.0, 429) == (heard.problem, heard.error.retry_after_s, heard.error.status)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "600"}, 600.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": formatdate(1_000_030, usegmt=True)}, 30.0),
        ({"retry-after": formatdate(999_000, usegmt=True)}, 0.0),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "abc"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "9" * 400}, None),
        ({"retry-after-ms": "x", "retry-after": "3"}, 3.0),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_all_its_forms(headers, expected):
    """N14: seconds, milliseconds, a date; what makes no sense is not there."""
    assert expected == retry_after_s(headers, now=1_000_000)


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        (fault(429, "You exceeded your current quota", code="insufficient_quota"), ("quota", False)),
        (fault(402, "pay"), ("quota", False)),
        (fault(400, "Your credit balance is too low"), ("quota", False)),
        (fault(401, "bad key"), ("auth", False)),
        (fault(403, "country not supported"), ("auth", False)),
        (fault(404, "The model `m` does not exist", code="model_not_found"), ("not_found", False)),
        (fault(404, "not here"), ("not_found", False)),
        (fault(400, "invalid model ID"), ("not_found", False)),
        (fault(422, "no"), ("bad_request", False)),
        (fault(400, "This model's maximum context length is 8192 tokens", code="context_length_exceeded"), ("context_overflow", False)),
        (fault(500, "x", code="context_length_exceeded"), ("context_overflow", False)),
        (fault(400, "the prompt is longer than the maximum model length of 4096"), ("context_overflow", False)),
        (fault(400, "`inputs` tokens + `max_new_tokens` must be <= 4097"), ("context_overflow", False)),
        (fault(400, "the input exceeds the maximum number of tokens allowed (8192)"), ("context_overflow", False)),
        (fault(400, "Your request exceeded model token limit: 131072"), ("context_overflow", False)),
        (fault(400, "x", kind="exceed_context_size_error"), ("context_overflow", False)),
        (fault(413, "x"), ("context_overflow", False)),
        (fault(400, "registry.ollama.ai/library/gemma does not support tools"), ("tools_unsupported", False)),
        (fault(500, "tools param requires --jinja flag"), ("tools_unsupported", False)),
        (fault(404, "No endpoints found that support tool use."), ("tools_unsupported", False)),
        (fault(400, "Invalid 'tools[0].function.name': does not match"), ("bad_request", False)),
        (
            fault(400, "'tool_calls' must be followed by tool messages. The following ids did not have response messages"),
            ("refused_history", False),
        ),
        (fault(400, "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."), ("refused_history", False)),
        (fault(400, "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after"), ("refused_history", False)),
        (fault(400, "Not the same number of function calls and responses"), ("refused_history", False)),
        (fault(400, "Please ensure that the number of function response parts is equal to the number of function call parts"), ("refused_history", False)),
        (fault(422, "Unexpected role 'tool' after role 'system'"), ("refused_history", False)),
        (fault(408, "x"), ("timeout", True)),
        (fault(409, "x"), ("server", True)),
        (fault(425, "x"), ("server", True)),
        (fault(500, "x"), ("server", True)),
        (fault(501, "x"), ("server", False)),
        (fault(503, "x"), ("server", True)),
        (fault(529, "x"), ("server", True)),
        (raw(b"<html><h1>Bad Gateway</h1></html>", status=502, content_type="text/html"), ("server", True)),
        (raw(status=504), ("server", True)),
    ],
    ids=lambda value: f"{value.status}" if hasattr(value, "status") else value[0],
)  # fmt: skip
def test_each_refusal_has_its_kind(scripted, ask, turn, expected):
    """N15-N17: only what may pass is retryable, and one request is all that is sent."""
    server = scripted(turn)

    heard = ask(server)

    assert (expected, 1) == (heard.problem, len(server.requests))
    assert turn.status == heard.error.status
    assert "\n" not in heard.error.problem.message


@pytest.mark.parametrize("key", [KEY, "no-usual-shape/9876543210"], ids=["usual", "unusual"])
@pytest.mark.parametrize("status", [400, 401, 500, 200])
def test_a_key_that_the_server_echoes_is_masked(scripted, ask, status, key):
    """N16: no message holds a key, ours whatever its shape, or another of the usual shape."""
    said = f"bad key {key} or sk-other-0123456789abcdef\x1b[2J"
    turn = fault(status, said) if status != 200 else raw({"error": {"message": said}})
    server = scripted(turn)

    message = ask(server, key=key).error.problem.message

    assert "bad key [key] or [key]?[2J" in message
    assert not [secret for secret in (key, "0123456789") if secret in message]


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(scripted, ask, status):
    """N20: both hosts are named, and the other one hears nothing."""
    other = scripted(says("stolen"))
    server = scripted(fault(status, headers={"location": f"{other.base_url}/chat/completions"}))

    heard = ask(server)

    assert ("redirect", False) == heard.problem
    assert [True, True] == [f"127.0.0.1:{one.port}" in heard.error.problem.message for one in (server, other)]
    assert [] == other.requests


def test_a_port_where_nothing_listens_is_named(ask):
    """N21: refused."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]

        heard = ask(f"http://127.0.0.1:{port}/v1")

    assert (("connection", True), f"nothing listens at 127.0.0.1:{port}") == (
        heard.problem,
        heard.error.problem.message,
    )


def test_a_host_without_an_address_is_named(ask):
    """N21: DNS."""
    heard = ask("http://nowhere.invalid/v1")

    assert "no address is known for nowhere.invalid" == heard.error.problem.message
    assert "connection" == heard.error.problem.kind


def test_tls_against_a_plain_server_is_named(scripted, ask):
    """N21: the wrong scheme is no reason to try again."""
    server = scripted(says("x"))

    heard = ask(server.base_url.replace("http:", "https:"))

    assert ("connection", False) == heard.problem
    assert "does not speak TLS" in heard.error.problem.message


def test_a_connection_that_does_not_come_is_a_timeout(ask):
    """N21: the connect limit holds for the handshake of TLS too."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        heard = ask(f"https://127.0.0.1:{silent.getsockname()[1]}/v1", connect=0.2)

    assert ("timeout", True) == heard.problem


@pytest.mark.parametrize(
    ("url", "key", "kind"),
    [
        ("http://127.0.0.1:9/v1", "sk-abc\ndef", "auth"),
        ("http://127.0.0.1:9/v1", "sk-schlüssel", "auth"),
        ("http://127.0.0.1:9/v1", "sk abc", "auth"),
        ("127.0.0.1:9/v1", "k", "bad_request"),
        ("ftp://127.0.0.1/v1", "k", "bad_request"),
        ("http://", "k", "bad_request"),
        ("http://[::1/v1", "k", "bad_request"),
        ("http://127.0.0.1:99999/v1", "k", "bad_request"),
        ("http://127.0.0.1:9/v1 x", "k", "bad_request"),
    ],
)
def test_an_endpoint_that_cannot_work_is_refused_before_any_request(ask, url, key, kind):
    """The text says what is wrong and never shows the key."""
    heard = ask(url, key=key)

    assert (kind, False) == heard.problem
    assert key not in heard.error.problem.message or len(key) == 1


def test_a_long_error_page_is_not_read_to_its_end(scripted, ask):
    """64 KiB of an error are enough."""
    server = scripted(raw(*[b"x" * 65536] * 4, STALL, status=500))
    began = time.monotonic()

    heard = ask(server, silence=20)

    assert ("server", True) == heard.problem
    assert time.monotonic() - began < 5


def test_text_before_the_error_arrives_before_it(scripted, ask):
    """The caller can show each delta while the reply is still open."""
    gate = threading.Event()
    server = scripted(says("one", gate, "two"))

    heard = ask(server, seen=lambda piece: gate.set() if piece == TextPiece("one") else None)

    assert "onetwo" == heard.message.text


def test_calls_and_length_are_told_as_they_are(scripted, ask):
    """N12, N13: the reason is passed on; what it means is decided elsewhere."""
    server = scripted(calls(("f", '{"a": '), finish="length"))

    heard = ask(server)

    assert '{"a": ' == heard.message.calls[0].arguments
    assert "length" in json.dumps([repr(piece) for piece in heard.pieces])
    assert heard.error is None


def test_an_error_in_a_list_is_read_as_the_one_it_is(scripted, ask):
    """Gemini's compatible endpoint answers so."""
    said = b'[{"error": {"code": 404, "message": "models/m is not found", "status": "NOT_FOUND"}}]'

    heard = ask(scripted(raw(said, status=404, content_type="application/json")))

    assert heard.error.problem.message.endswith("answered 404: models/m is not found")
