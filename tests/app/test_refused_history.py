"""N18: an endpoint that refuses how tool calls are written, through the command line and on the wire."""

import json

import pytest

from tests.scripted import calls, fault, says

REFUSED = "'tool_calls' must be followed by tool messages. The following tool_call_ids did not have response messages"
LOOK = calls(("list_dir", {"path": "."}))


def roles(body):
    return [message["role"] for message in body["messages"]]


def test_calls_are_told_in_words_after_one_refusal_and_the_run_goes_on(cococat, scripted, tmp_path):
    """One fix, one more request; later steps of the turn stay in words, and the session keeps the calls."""
    (tmp_path / "a.txt").write_text("x")
    server = scripted(LOOK, fault(400, REFUSED), calls(("list_dir", {"path": "./"})), says("done"))

    ran = cococat("ask", "--mode", "react", "--base-url", server.base_url, "-m", "s", "look", cwd=tmp_path)

    assert (0, "done\n", 4) == (ran.code, ran.stdout, len(server.requests))
    assert "tool" in roles(server.requests[1])
    for body in server.requests[2:]:
        assert {"system", "user", "assistant"} == set(roles(body))
        assert "[called list_dir(" in json.dumps(body)
        assert "a.txt" in json.dumps(body)
    assert "they are told in words" in ran.stderr


def test_a_second_refusal_ends_with_exit_3_and_a_report_without_what_was_said(cococat, scripted, tmp_path, home):
    """Repaired once and sent once more; then the shape of the history is kept for a bug report."""
    (tmp_path / "secret-name.txt").write_text("x")
    server = scripted(LOOK, fault(400, REFUSED), fault(400, REFUSED))

    ran = cococat("ask", "--mode", "react", "--base-url", server.base_url, "-m", "s", "look here", cwd=tmp_path)

    assert (3, 3) == (ran.code, len(server.requests))
    assert 'model.protocol = "json"' in ran.stderr
    (report,) = (home / "state" / "crashes").iterdir()
    text = report.read_text()
    assert "must be followed" in text
    assert "tool list_dir#" in text
    assert "secret-name" not in text
    assert "look here" not in text
    assert str(report) in ran.stderr
    assert 0o600 == report.stat().st_mode & 0o777


@pytest.mark.parametrize(
    "refusal",
    [
        fault(
            400,
            "litellm.UnsupportedParamsError: Bedrock doesn't support tool calling without `tools=` param specified. Pass "
            "`tools=` param OR set `litellm.modify_params = True` // `litellm_settings::modify_params: True`.",
        ),
        fault(500, "The toolConfig field must be defined when using toolUse and toolResult content blocks."),
        fault(400, "Requests which include `tool_use` or `tool_result` blocks must define tools."),
    ],
    ids=["LiteLLM", "Bedrock", "Anthropic"],
)
def test_calls_are_told_in_words_where_no_tools_are_offered_and_the_endpoint_wants_them(cococat, scripted, refusal):
    """At a limit and with --no-tools; it is learned once, and calls stay calls wherever tools are offered."""

    def reply(body):
        called = any("tool_calls" in message for message in body["messages"])
        return refusal if called and "tools" not in body else says("done") if called or "[called" in str(body) else LOOK

    server = scripted(*[reply] * 6)
    flags = ("--base-url", server.base_url, "-m", "s")

    ran = [
        cococat("ask", *flags, "--mode", "react", "--max-steps", "1", "look"),
        cococat("ask", *flags, "--no-tools", "-c", "again"),
        cococat("ask", *flags, "-c", "and again"),
    ]

    assert [(5, "done\n"), (0, "done\n"), (0, "done\n")] == [(each.code, each.stdout) for each in ran]
    asked = [
        ("tools" in body, any("tool_calls" in message for message in body["messages"])) for body in server.requests
    ]
    assert [(True, False), (False, True), (False, False), (False, False), (True, True)] == asked
