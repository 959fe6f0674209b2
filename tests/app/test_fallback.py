"""A model that is overloaded or down is replaced by the next one of the user's list."""

import json

import pytest

from tests.scripted import Turn, broken, calls, fault, says

ENV = {"COCOCAT_MODEL_FALLBACK": '["second", "third"]', "COCOCAT_RETRY_BASE_MS": "1", "COCOCAT_RETRY_JITTER_MS": "0"}
CUT_OFF = says(finish=None, usage=None, done=False)
DOWN = fault(503, "the engine is overloaded")


def asked(server):
    """The models of the requests, in order."""
    return [body["model"] for body in server.requests]


@pytest.mark.parametrize(
    "trouble",
    [[DOWN] * 3, [fault(429, "slow down", headers={"retry-after": "600"})], [CUT_OFF] * 3],
    ids=["overloaded", "asks for ten minutes", "breaks off"],
)
def test_the_next_model_answers_when_the_policy_is_spent(ask, scripted, trouble):
    """Said in one line and in the result; the question is sent as it was."""
    server = scripted(*trouble, says("hello"))

    ran = ask(server, "--output-format", "json", "hi", env=ENV)

    result = json.loads(ran.stdout)
    assert (0, "hello", "second", "answered") == (
        ran.code, result["answer"], result["model"], result["stop_reason"],
    )  # fmt: skip
    assert ["scripted"] * len(trouble) + ["second"] == asked(server)
    assert 1 == ran.stderr.count("second answers in the place of scripted")


def test_the_next_model_has_attempts_of_its_own(ask, scripted):
    """Those that the first one used up are not counted against it."""
    server = scripted(*[DOWN] * 9, says("hello"))

    ran = ask(server, "hi", env={**ENV, "COCOCAT_RETRY_ATTEMPTS": "5"})

    assert (0, "hello\n") == (ran.code, ran.stdout)
    assert ["scripted"] * 5 + ["second"] * 5 == asked(server)


def test_the_work_of_the_steps_before_is_kept(ask, scripted, tmp_path):
    """In the middle of a run; the second is down as well, the third goes on."""
    (tmp_path / "notes.txt").write_text("the boat leaves at noon")
    server = scripted(calls(("read_file", {"path": "notes.txt"})), *[DOWN] * 6, says("at noon"))

    ran = ask(server, "--mode", "react", "when?", env=ENV)

    assert (0, "at noon\n") == (ran.code, ran.stdout)
    assert ["scripted"] * 4 + ["second"] * 3 + ["third"] == asked(server)
    assert "the boat leaves at noon" in server.requests[-1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("trouble", "code"),
    [
        (fault(401, "Incorrect API key provided."), 3),
        (fault(429, "You exceeded your current quota", code="insufficient_quota"), 3),
        (fault(400, "blocked by the content filter", code="content_filter"), 5),
        (fault(404, "The model `scripted` does not exist", code="model_not_found"), 3),
    ],
    ids=["auth", "quota", "content", "no such model"],
)
def test_what_another_model_cannot_mend_is_told(ask, scripted, trouble: Turn, code):
    """Never after a refusal of the key, the account or the words."""
    server = scripted(trouble)

    ran = ask(server, "hi", env=ENV)

    assert code == ran.code
    assert ["scripted"] == asked(server)


def test_when_all_are_down_the_last_error_is_told(ask, scripted):
    """Three models, three tries each."""
    server = scripted(*[DOWN] * 9)

    ran = ask(server, "hi", env=ENV)

    assert 3 == ran.code
    assert "overloaded" in ran.stderr
    assert ["scripted"] * 3 + ["second"] * 3 + ["third"] * 3 == asked(server)


def test_an_answer_that_was_begun_is_not_begun_again(ask, scripted):
    """What was shown is the answer so far."""
    server = scripted(broken("The bo"))

    ran = ask(server, "--no-tools", "hi", env=ENV)

    assert (3, ["scripted"]) == (ran.code, asked(server))
