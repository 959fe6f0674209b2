"""What servers say, in a status or in the middle of a stream, and what it means: once, or again, and when."""

import json
import re

import pytest

from cococat.core.events import Retrying
from cococat.core.limits import StopReason
from cococat.model.meaning import duration, local_time, wait_in_words_s
from tests.context.test_overflow import SAID
from tests.core.conftest import run
from tests.scripted import Delta, fault, forever, raw, says

__all__ = ["run"]
GEMINI = "You exceeded your current quota, please check your plan and billing details. Please retry in 25.36s."


def error(message="no", **fields):
    return {"message": message, **fields}


IN_STREAM = [
    ("invalid model", error("Model 'x' does not exist", type="invalid_request_error", code="invalid_model"), "not_found", 0),
    ("bad request", error("bad field", type="invalid_request_error"), "bad_request", 0),
    ("vllm", error("bad field", type="BadRequestError"), "bad_request", 0),
    ("key", error("no", type="authentication_error"), "auth", 0),
    ("key code", error("no", type="invalid_request_error", code="invalid_api_key"), "auth", 0),
    ("forbidden", error("no", type="permission_error"), "auth", 0),
    ("model", error("no", code="model_not_found"), "not_found", 0),
    ("quota", error("You exceeded your current quota", type="insufficient_quota"), "quota", 0),
    ("quota code", error("no", type="tokens", code="insufficient_quota"), "quota", 0),
    ("billing", error("no", type="billing_error"), "quota", 0),
    ("overflow", error("no", type="invalid_request_error", code="context_length_exceeded"), "context_overflow", 0),
    ("filter", error("blocked by the content filter", type="invalid_request_error"), "content_filter", 0),
    ("rate limit", error("slow down", type="rate_limit_error"), "rate_limit", 1),
    ("exhausted", error("slow down", status="RESOURCE_EXHAUSTED"), "rate_limit", 1),
    ("number wins", error("slow down", type="invalid_request_error", code=503), "server", 1),
    ("overloaded", error("Overloaded", type="overloaded_error"), "server", 1),
    ("api", error("oops", type="api_error"), "server", 1),
    ("unknown", error("oops", type="strange"), "server", 1),
    ("text", "boom", "server", 1),
]  # fmt: skip
REFUSALS = [
    (429, error("Rate limit reached for requests", code="rate_limit_exceeded"), "rate_limit", 1),
    (429, error("You exceeded your current quota, please check your plan and billing", code="insufficient_quota"), "quota", 0),
    (429, error("Quota exceeded"), "quota", 0),
    (429, error("Payment required: add credits"), "quota", 0),
    (429, error("You have reached your monthly usage limit"), "quota", 0),
    (429, error("Your account is not active, please check your billing details"), "quota", 0),
    (429, error(GEMINI, status="RESOURCE_EXHAUSTED"), "rate_limit", 1),
    (429, error("Quota exceeded for quota metric 'Requests per minute'"), "rate_limit", 1),
    (429, error("insufficient_quota: try again in 5s"), "quota", 0),
    (403, error("Your credit balance is too low"), "quota", 0),
    (400, error("API key not valid. Please pass a valid API key.", status="INVALID_ARGUMENT"), "auth", 0),
    (400, error("Incorrect API key provided"), "auth", 0),
    (400, error("You didn't provide an API key."), "auth", 0),
    (400, error("no", code="invalid_api_key"), "auth", 0),
    (422, error("missing api key"), "auth", 0),
    (400, error("No connected db."), "auth", 0),
    (400, error("x is not a valid model ID"), "not_found", 0),
    (400, error("Unknown model: x"), "not_found", 0),
    (400, error("The response was filtered due to the prompt triggering the content management policy", code="content_filter"), "content_filter", 0),
    (400, error("no", code="content_policy_violation"), "content_filter", 0),
    (400, error("top_k must be at most 1"), "bad_request", 0),
    (400, error("the key of item 3 is not known"), "bad_request", 0),
]  # fmt: skip


@pytest.mark.parametrize(("said", "kind", "again"), [row[1:] for row in IN_STREAM], ids=[row[0] for row in IN_STREAM])
def test_the_code_and_type_of_an_error_in_a_stream_decide(scripted, ask, said, kind, again):
    """Only what may pass is worth another request; a status in words is one."""
    server = scripted(raw(Delta({"role": "assistant"}), {"error": said}))

    assert (kind, bool(again)) == ask(server).problem


@pytest.mark.parametrize(("status", "said", "kind", "again"), REFUSALS, ids=range(len(REFUSALS)))
def test_the_words_of_a_refusal_decide(scripted, ask, status, said, kind, again):  # noqa: PLR0917 - the table's columns
    """Quota is not rate, unless a wait or a short span stands beside it; a key is a key at any status."""
    server = scripted(raw(json.dumps({"error": said}).encode(), status=status, content_type="application/json"))

    assert (kind, bool(again)) == ask(server).problem


@pytest.mark.parametrize("status", [400, 413, 422, 500])
def test_every_wording_of_too_long_a_request_is_one(scripted, ask, status):
    """At whatever status a server says it; so the history is made smaller, and the request is sent once more."""
    about = {name: words for name, (words, _) in SAID.items() if name not in ("groq", "embedded") or status == 413}
    server = scripted(*(fault(status, words) for words in about.values()))

    kinds = {name: ask(server).problem for name in about}

    print(f"{len(about)} wordings")  # noqa: T201 - the number is what it shows
    assert dict.fromkeys(about, ("context_overflow", False)) == kinds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Rate limit reached. Please try again in 6m0s.", 360),
        ("Please try again in 1.5s. Visit ...", 1.5),
        ("try again in 20ms", 0.02),
        ("Please retry in 25.36s.", 25.36),
        ("Please retry after 20 seconds", 20),
        ("Too many requests, please wait 2 minutes", 120),
        ("Try again in 1 hour and 5 minutes", 3900),
        ("try again in 1h2m3.5s", 3723.5),
        ('{"details": [{"@type": "RetryInfo", "retryDelay": "25s"}]}', 25),
        ('{"retry_after": 12}', 12),
        ('{"retry_after_ms": 1500}', 1.5),
        ("rate limit resets in 30 seconds", 30),
        ("Limit 6000, requested 8000", None),
        ("try again later", None),
        ("wait for 3 models", None),
        ("retry 5 times", None),
        ("retry_after: 5x", None),
        ("try again in " + "9" * 400 + "s", None),
    ],
)
def test_a_wait_is_read_out_of_words(text, seconds):
    """As servers write it: spans of Go, sentences, fields."""
    assert seconds == (found if (found := wait_in_words_s(text)) is None else pytest.approx(found))


def test_a_long_wait_is_said_with_its_time():
    """In the words of a clock."""
    spans = [(600, "10 min"), (5400, "90 min"), (7200, "2 h"), (9000, "2 h 30 min"), (3 * 86400, "3 days")]
    assert [words for _, words in spans] == [duration(seconds) for seconds, _ in spans]
    assert re.fullmatch(r"(\d{4}-\d\d-\d\d )?\d\d:\d\d", local_time(600, 1_000_000))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d", local_time(3 * 86400, 1_000_000))


def test_the_wait_in_a_body_is_waited(scripted, run):
    """Where no header says it, in a refusal and in a stream."""
    server = scripted(
        fault(429, "Rate limit reached: try again in 20ms"),
        raw({"error": {"message": "Overloaded, retry after 30ms", "type": "overloaded_error"}}),
        says("at last"),
    )

    ran = run(server)

    assert ("at last", [0.02, 0.03]) == (ran.turn.answer, [event.delay_s for event in ran.of(Retrying)])


@pytest.mark.parametrize(
    ("turn", "kind"),
    [
        (raw({"error": IN_STREAM[0][1]}), "not_found"),
        (fault(429, "Quota exceeded"), "quota"),
        (fault(503, "down", headers={"x-should-retry": "false"}), "server"),
        (fault(429, "slow down", headers={"retry-after": "600"}), "rate_limit"),
        (fault(429, "Rate limit reached, try again in 10m0s"), "rate_limit"),
    ],
    ids=["in the stream", "quota", "x-should-retry", "retry-after", "wait in the body"],
)
def test_ask_sends_once_what_another_try_cannot_mend(scripted, cococat, turn, kind):
    """One request, exit 3, and for a wait the time."""
    server = scripted(forever(turn))

    ran = cococat("ask", "--base-url", server.base_url, "-m", "x", "--output-format", "json", "hi")

    result = json.loads(ran.stdout)
    assert (3, kind, 1) == (ran.code, result["error"]["kind"], len(server.requests))
    assert (kind == "rate_limit") == bool(re.search(r"wait 10 min: try again at .*\d\d:\d\d", ran.stderr))


def test_a_prompt_that_a_filter_refuses_ends_as_a_filtered_reply_does(scripted, run):
    """Another try is not made, and the stop reason is the same."""
    server = scripted(fault(400, "The prompt was flagged by our content filter", code="content_filter"))

    turn = run(server).turn

    assert (StopReason.CONTENT_FILTER, "content_filter") == (turn.stop.reason, turn.stop.problem.kind)
