"""`-o KEY=VALUE` and [model.options]: more fields of each request, sent as they are."""

from __future__ import annotations

import pytest

from tests.scripted import calls, says


def test_an_option_goes_out_with_every_request_as_what_it_is(ask, scripted, home):
    """Numbers, booleans and JSON are no text; a flag adds to the config and wins over it."""
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text('[model.options]\ntop_p = 0.5\nuser = "me"\n')
    server = scripted(calls(("list_dir", {"path": "."})), says("done"))

    words = (
        "-o",
        "top_p=0.9",
        "-o",
        "reasoning_effort=low",
        "--option",
        'logit_bias={"50256": -100}',
        "-o",
        "parallel_tool_calls=true",
    )
    ran = ask(server, "--mode", "react", *words, "go")

    assert (0, 2) == (ran.code, len(server.requests))
    for request in server.requests:
        sent = {name: request[name] for name in ("top_p", "user", "reasoning_effort", "logit_bias")}
        assert {"top_p": 0.9, "user": "me", "reasoning_effort": "low", "logit_bias": {"50256": -100}} == sent
        assert request["parallel_tool_calls"] is True


def test_an_option_wins_over_a_setting_that_is_sent_as_the_same_field(ask, scripted):
    """What somebody typed is meant."""
    server = scripted(says("ok"))

    ask(server, "-o", "temperature=1.5", "hi")

    assert 1.5 == server.requests[0]["temperature"]


@pytest.mark.parametrize("word", ["messages=[]", "stream=false", "tools=[]", "model=x", "novalue", "=1"])
def test_a_field_that_a_run_decides_is_refused_by_name(ask, scripted, word):
    """Exit 2 before anything is sent."""
    server = scripted()

    ran = ask(server, "-o", word, "hi")

    assert (2, []) == (ran.code, server.requests)
    name, _, value = word.partition("=")
    assert (f"-o: {name} is set by cococat itself" if name and value else "-o: wanted KEY=VALUE") in ran.stderr


@pytest.mark.parametrize("line", ["stream = true", "day = 2020-01-01", "x = nan"])
def test_a_table_that_cannot_be_sent_is_an_error_of_the_config(ask, scripted, home, line):
    """File, line and field are named."""
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(f"[model.options]\n{line}\n")

    ran = ask(scripted(), "hi")

    assert 2 == ran.code
    assert "config.toml:1: model.options" in ran.stderr
    assert line.partition(" ")[0] in ran.stderr
