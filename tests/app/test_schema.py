"""`ask --schema`: stdout holds JSON that satisfies the schema, or nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from tests.scripted import broken, calls, fault, says
from tests.scripted.windows import NOTES

SHORT = "name, age int"
PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
GOOD = '{"name": "Ann", "age": 3}'
SUITE = "JSON_SCHEMA_TEST_SUITE"  # a checkout of json-schema-org/JSON-Schema-Test-Suite


def formats(server):
    """What each request asked for: tools, or the type of its format."""
    return ["tools" if "tools" in asked else asked.get("response_format", {}).get("type") for asked in server.requests]


@pytest.mark.parametrize("word", [SHORT, "\nname\nage int\n", json.dumps(PERSON), "person.json"], ids=repr)
def test_a_schema_is_a_file_or_json_or_fields_in_short(ask, scripted, tmp_path, word):
    """The model is told it in words as well as by the request; OpenAI's API holds it to this one strictly."""
    (tmp_path / "person.json").write_text(json.dumps(PERSON))
    server = scripted(says(GOOD))

    ran = ask(server, "--no-tools", "--schema", word, "who?")

    assert (0, GOOD + "\n") == (ran.code, ran.stdout)
    shape = server.requests[0]["response_format"]
    assert {"type": "json_schema", "json_schema": {"name": "answer", "schema": PERSON, "strict": True}} == shape
    assert json.dumps(PERSON) in server.requests[0]["messages"][0]["content"]


def test_the_short_form_describes_its_fields(ask, scripted):
    """As `llm` writes them; where they stand on lines, a comma is one of a sentence."""
    server = scripted(says('{"ok": true, "x": 1.5}'))

    ask(server, "--no-tools", "--schema", "ok bool: yes, or no\nx float", "so?")

    assert {"ok": {"type": "boolean", "description": "yes, or no"}, "x": {"type": "number"}} == (
        server.requests[0]["response_format"]["json_schema"]["schema"]["properties"]
    )


WRONG = {
    "no field": "name of",
    "no type": "age integer",
    "twice": "a, a int",
    "nothing": " , ",
    "no file": "missing.json",
    "no JSON": '{"type": }',
    "no object": "list.json",
    "no schema": '{"properties": {"a": {"type": "strin"}}}',
    "no dialect": '{"$schema": "https://example.com/mine"}',
    "elsewhere": '{"items": {"$ref": "https://example.com/a.json"}}',
    "nowhere": '{"items": {"$ref": "#/$defs/a"}}',
    "a circle": '{"$ref": "#"}',
    "no pattern": '{"pattern": "("}',
}


def test_a_schema_that_cannot_be_used_is_refused_before_anything_is_sent(ask, scripted, tmp_path):
    """Exit 2, with the place; nothing is fetched."""
    (tmp_path / "list.json").write_text("[]")
    server = scripted()

    ran = {name: ask(server, "--schema", word, "who?") for name, word in WRONG.items()}

    assert {(2, "")} == {(one.code, one.stdout) for one in ran.values()}
    assert snapshot(
        {
            "no field": "--schema: 'name of' is no field, no file and no JSON",
            "no type": "--schema: 'age integer' is no field, no file and no JSON",
            "twice": "--schema: 'a int' is no field, no file and no JSON",
            "nothing": "--schema: it names no field",
            "no file": "--schema missing.json: No such file or directory",
            "no JSON": "--schema: no JSON: Expecting value at line 1, column 10",
            "no object": "--schema list.json: a schema is a JSON object, this is not",
            "no schema": "--schema: no JSON Schema that can be used: $.properties.a.type: 'strin' is not valid under any of the given schemas",
            "no dialect": "--schema: no JSON Schema that can be used: $.$schema: https://example.com/mine is no dialect that is known here",
            "elsewhere": "--schema: no JSON Schema that can be used: 'https://example.com/a.json' is not in it; nothing is fetched",
            "nowhere": "--schema: no JSON Schema that can be used: '/$defs/a' is not in it; nothing is fetched",
            "a circle": "--schema: no JSON Schema that can be used: $: it refers to itself without end",
            "no pattern": "--schema: no JSON Schema that can be used: $.pattern: '(' is not a 'regex'",
        }
    ) == {name: one.stderr.splitlines()[0].partition("error: ")[2] for name, one in ran.items()}
    assert [] == server.requests


REPLIES = {
    "as it is": ([GOOD], GOOD),
    "in a fence": ([f"```json\n{GOOD}\n```"], GOOD),
    "among words": ([f"Here you are:\n\n```\n{GOOD}\n```\nAnything else?"], GOOD),
    "prose first": (["Ann is 3.", GOOD], GOOD),
    "two wrong": ([GOOD.replace("3", '"3"'), "{", GOOD], GOOD),
    "not what JSON is": ([GOOD.replace("3", "NaN"), GOOD.replace("3", "1e999"), GOOD], GOOD),
}


@pytest.mark.parametrize(("replies", "answer"), REPLIES.values(), ids=REPLIES)
@pytest.mark.parametrize("flags", [("--no-tools",), (), ("--mode", "react")], ids=["no tools", "single", "react"])
def test_what_does_not_satisfy_the_schema_is_asked_for_again(ask, scripted, replies, answer, flags):
    """At most twice, without tools and in the format; the model is told the first error."""
    server = scripted(*map(says, replies))

    ran = ask(server, *flags, "--schema", SHORT, "who?")

    assert (0, answer + "\n") == (ran.code, ran.stdout)
    assert ["json_schema" if "--no-tools" in flags else "tools", *["json_schema"] * (len(replies) - 1)] == formats(
        server
    )


def test_each_repair_is_told_the_first_error(ask, scripted):
    """With its place in the JSON."""
    server = scripted(says('{"name": 1, "age": "x"}'), says("Ann"), says(GOOD))

    ask(server, "--schema", SHORT, "who?")

    assert snapshot(
        [
            "who?",
            "Your answer does not satisfy the schema: $.name: 1 is not of type 'string'. Answer with JSON alone that does.",
            "Your answer does not satisfy the schema: it is no JSON: Expecting value: line 1 column 1 (char 0). Answer with JSON alone that does.",
        ]
    ) == [asked["messages"][-1]["content"].splitlines()[-1] for asked in server.requests]


def test_after_two_repairs_there_is_nothing_on_stdout_and_exit_3(ask, scripted):
    """The reason is the first error of the last reply."""
    ran = ask(scripted(says("a"), says("b"), says('{"name": "Ann"}')), "--schema", SHORT, "who?")
    result = json.loads(ask(scripted(*map(says, "abc")), "--schema", SHORT, "--output-format", "json", "who?").stdout)

    assert (3, "") == (ran.code, ran.stdout)
    assert snapshot("cococat: error: no reply satisfied the schema: $: 'age' is a required property") == next(
        line for line in ran.stderr.splitlines() if "error" in line
    )
    assert (None, None, "schema_mismatch", 3) == tuple(
        result[key] for key in ("answer", "data", "stop_reason", "exit_code")
    )


def test_json_output_has_the_data(ask, scripted):
    """As JSON, beside the text; without a schema there is no such field."""
    flags = ("--output-format", "json", "who?")

    shaped, plain = (json.loads(ask(scripted(says(GOOD)), *more, *flags).stdout) for more in (("--schema", SHORT), ()))

    assert (json.loads(GOOD), GOOD) == (shaped["data"], shaped["answer"])
    assert "data" not in plain


def test_in_react_the_tool_that_ends_the_run_takes_the_fields(ask, scripted, tmp_path):
    """What is wrong with them is told twice, and then is the end."""
    (tmp_path / "a.txt").write_text("Ann, 3\n")
    look, wrong = calls(("read_file", {"path": "a.txt"})), calls(("finish", {"name": "Ann"}))
    good = scripted(look, wrong, calls(("finish", {"name": "Ann", "age": 3})))

    ran = ask(good, "--mode", "react", "--schema", SHORT, "who?")
    never = ask(scripted(wrong, wrong, wrong), "--mode", "react", "--schema", SHORT, "who?")

    assert (0, GOOD + "\n") == (ran.code, ran.stdout)
    finish = next(tool["function"] for tool in good.requests[0]["tools"] if tool["function"]["name"] == "finish")
    assert PERSON == finish["parameters"]
    assert "'age' is a required property" in good.requests[2]["messages"][-1]["content"]
    assert (3, "") == (never.code, never.stdout)


@pytest.mark.parametrize("schema", ['{"type": "array"}', '{"type": "object", "anyOf": [{}]}'], ids=["list", "choices"])
def test_a_schema_that_is_no_row_of_fields_is_no_tools(ask, scripted, schema):
    """Then the answer is said."""
    server = scripted(says("[1]" if "array" in schema else "{}"))

    ran = ask(server, "--mode", "react", "--schema", schema, "who?")

    assert 0 == ran.code
    assert "finish" not in [tool["function"]["name"] for tool in server.requests[0]["tools"]]


def test_decisions_end_in_it_as_well(ask, scripted, tmp_path, home):
    """Where tools are called by JSON decisions, the last request is held to the user's schema."""
    (home / "config.toml").write_text('[model]\nprotocol = "json"\n')
    (tmp_path / "a.txt").write_text("Ann, 3\n")
    look = {"action": "tool_call", "tool": "read_file", "tool_input": {"path": "a.txt"}}
    server = scripted(says(json.dumps(look)), says(GOOD))

    ran = ask(server, "--schema", SHORT, "who is in a.txt?")

    assert (0, GOOD + "\n") == (ran.code, ran.stdout)
    assert ["reply", "answer"] == [asked["response_format"]["json_schema"]["name"] for asked in server.requests]


def test_an_endpoint_that_refuses_is_asked_for_any_json_and_then_in_words(ask, scripted):
    """What it said is kept: neither is tried again, here or by the next command."""
    no = "response_format is not supported"
    server = scripted(fault(400, f"{no}: json_schema"), fault(400, no), says("Ann"), says(GOOD), says(GOOD))

    first, second = (ask(server, "--no-tools", "--schema", SHORT, "who?") for _ in range(2))

    assert [(0, GOOD + "\n")] * 2 == [(ran.code, ran.stdout) for ran in (first, second)]
    assert ["json_schema", "json_object", None, None, None] == formats(server)


def test_a_schema_that_the_endpoint_cannot_hold_says_nothing_of_others(ask, scripted):
    """One that its grammar lacks is checked here alone, the next is sent."""
    server = scripted(fault(400, "JSON schema conversion failed: failed to parse grammar"), says("[]"), says(GOOD))

    ask(server, "--no-tools", "--schema", '{"type": "array"}', "who?")
    ask(server, "--no-tools", "--schema", SHORT, "who?")

    assert ["json_schema", "json_object", "json_schema"] == formats(server)


STOPS = {
    "a question": ([calls(("ask_user", {"question": "Which Ann?"}))], (), (7, "")),
    "the step limit": ([calls(("list_dir", {"path": "."})), says(GOOD)], ("--max-steps", "1"), (5, GOOD + "\n")),
    "a filter": ([says(GOOD, finish="content_filter")], (), (5, "")),
    "a cut stream": ([broken(GOOD)], ("--no-tools",), (3, "")),
    "the output limit": ([says(GOOD[:9], finish="length"), says(GOOD)], (), (0, GOOD + "\n")),
}


@pytest.mark.parametrize(("turns", "flags", "ended"), STOPS.values(), ids=STOPS)
def test_whatever_ends_the_run_nothing_else_is_on_stdout(ask, scripted, turns, flags, ended):
    """A question stands on stderr; a reply that was cut is no answer, and none is put together of two."""
    ran = ask(scripted(*turns), "--mode", "react", *flags, "--schema", SHORT, "who?")

    assert ended == (ran.code, ran.stdout)
    assert (ended[0] == 7) == ("Which Ann?" in ran.stderr)


def test_the_session_goes_on_in_words(ask, scripted):
    """The schema is one of a single question."""
    ask(scripted(says(GOOD)), "--schema", SHORT, "who?")
    server = scripted(says("She is Ann."))

    ran = ask(server, "-c", "--no-tools", "and in words?")

    assert (0, "She is Ann.\n", [None]) == (ran.code, ran.stdout, formats(server))
    assert GOOD in [message["content"] for message in server.requests[0]["messages"]]


def test_the_notes_of_a_long_session_are_words(ask, scripted):
    """What does not fit the window is summed up for an answer in JSON as for any other."""
    env = {"COCOCAT_MODEL_CONTEXT_WINDOW": "5000", "COCOCAT_MODEL_MAX_OUTPUT_TOKENS": "500"}
    for number in range(4):
        words = " ".join(f"word-{number}-{word}" for word in range(200))
        ask(scripted(says(f"Fine. {words}")), *["-c"][:number], "--no-tools", "more", env=env)
    server = scripted(says(NOTES), says(GOOD))

    ran = ask(server, "-c", "--no-tools", "--schema", SHORT, "who?", env=env)

    assert (0, GOOD + "\n", [None, "json_schema"]) == (ran.code, ran.stdout, formats(server))


def test_a_form_is_one_or_the_other(ask, scripted):
    """-x wants a fence, --schema wants none."""
    assert 2 == ask(scripted(), "-x", "--schema", SHORT, "who?").code


@pytest.mark.slow
@pytest.mark.skipif(SUITE not in os.environ, reason=f"{SUITE} names no checkout of the JSON-Schema-Test-Suite")
def test_the_json_schema_test_suite_agrees(ask, scripted):
    """What draft 2020-12 requires: an instance is printed where the suite calls it valid; what is refused refers elsewhere."""
    refused, wrong, seen = [], [], 0
    for file in sorted(Path(os.environ[SUITE], "tests", "draft2020-12").glob("*.json")):
        groups = [group for group in json.loads(file.read_text("utf-8")) if isinstance(group["schema"], dict)]
        for group in groups:
            flags = ("--no-tools", "--no-session", "--schema", json.dumps(group["schema"]))
            for one in group["tests"]:
                said = json.dumps(one["data"])
                server = scripted(*[says(said)] * 3)
                ran = ask(server, *flags, "?")
                server.close()
                if ran.code == 2:
                    refused.append(ran.stderr)
                    break
                seen += 1
                if (ran.code, ran.stdout) != ((0, said + "\n") if one["valid"] else (3, "")):
                    wrong.append((file.name, group["description"], one["description"], ran))

    known = ("nothing is fetched", "no dialect that is known here", r"\\p{Letter}")
    assert [] == wrong
    assert seen > 1000
    assert [] == [line for line in refused if not any(words in line for words in known)]
