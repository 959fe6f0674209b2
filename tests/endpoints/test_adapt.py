"""What a refusal teaches: the request goes again in the form that the endpoint takes, and no more often than need be."""

import json

import pytest

from tests.scripted import fault, reasons, says

AT_MOST = 8  # requests of one run that end in an answer, or in one true line


def body_of(ran, server, number=-1):
    assert 0 == ran.code, ran.stderr
    return server.requests[number]


@pytest.mark.parametrize(
    ("status", "words", "field"),
    [
        (400, "Unsupported value: 'temperature' does not support 0.2 with this model.", "temperature"),
        (
            422,
            "Extra inputs are not permitted, field: 'stream_options', value: {'include_usage': True}",
            "stream_options",
        ),
        (500, "temperature 参数非法。请检查文档。", "temperature"),
        (503, "Unsupported value: 'temperature' does not support 0.2 with this model.", "temperature"),
    ],
    ids=["OpenAI", "vLLM", "in Chinese", "a gateway"],
)
def test_a_field_that_is_named_goes_whatever_the_status_and_the_language(scripted, ask, status, words, field):
    """Once in a run, and never again: the profile keeps it."""
    server = scripted(lambda body: fault(status, words) if field in body else says("hi"), says("hi"))
    server.items.insert(1, server.items[0])

    first, second = ask(server, "one"), ask(server, "two")

    assert ("hi\n", "hi\n", 3) == (first.stdout, second.stdout, len(server.requests))
    assert [True, False, False] == [field in body for body in server.requests]
    assert "attempt" not in first.stderr


def test_a_failure_that_passes_teaches_nothing(scripted, ask):
    """It is sent again as it was, although its words name a field."""
    passing = fault(503, "Service temporarily unavailable: temperature of the system is too high, try again")
    server = scripted(passing, says("hi"))

    ran = ask(server, "one", env={"COCOCAT_RETRY_BASE_MS": "1", "COCOCAT_RETRY_JITTER_MS": "0"})

    assert body_of(ran, server, 0) == body_of(ran, server, 1)


def test_an_endpoint_that_wants_back_what_it_refused_is_told_after_a_few_requests(scripted, ask):
    """Each form is tried once."""

    def reply(body):
        words = "unsupported" if "temperature" in body else "missing"
        return fault(400, f"{words} parameter: temperature")

    server = scripted(*[reply] * AT_MOST)

    ran = ask(server, "one")

    assert (3, 1) == (ran.code, ran.stderr.count("parameter: temperature"))
    assert AT_MOST > len(server.requests)


def test_two_things_in_one_refusal_are_both_met(scripted, ask):
    """The second refusal is of what is left."""

    def reply(body):
        wrong = [field for field in ("temperature", "stream_options") if field in body]
        return fault(400, f"unsupported: {', '.join(wrong)}") if wrong else says("hi")

    server = scripted(*[reply] * 3)

    body = body_of(ask(server, "one"), server)

    assert not {"temperature", "stream_options"} & body.keys()


def test_a_megabyte_of_reasoning_is_no_obstacle(scripted, ask):
    """It is no part of the answer, and a later turn is not burdened with it."""
    server = scripted(reasons(*["think " * 1000] * 180, then=says("done")), says("again"))

    first, second = ask(server, "one"), ask(server, "-c", "two")

    assert ("done\n", "again\n") == (first.stdout, second.stdout)
    assert 50_000 > len(json.dumps(server.requests[1]))
