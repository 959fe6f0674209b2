"""JSON decisions: what is asked, and how a reply is read."""

from __future__ import annotations

import json
from typing import Annotated, Literal

import jsonschema
import pytest

from cococat.core.messages import Assistant, Attachment, Summary, System, ToolCall, ToolResult, User
from cococat.core.reply import Answer, Calls, Invalid, Replan
from cococat.core.tools import tool
from cococat.protocol.decision import LONG, REMINDER, SHORT, Decision
from cococat.protocol.examples import EXAMPLES


@tool("reads")
async def read_file(path: Annotated[str, "a file"], start_line: int | None = None) -> str:
    """Read a file."""
    return path


@tool("runs")
async def run_shell(command: str) -> str:
    """Run a command."""
    return command


@tool("writes")
async def todo(items: list[str], kind: Literal["new", "done"] = "new") -> str:
    """Note what is to do."""
    return str(items)


@tool("asks")
async def ask_user(question: str) -> str:
    """Ask the user."""
    return question


TOOLS = (read_file, run_shell, todo)
READ = {"action": "tool_call", "tool": "read_file", "tool_input": {"path": "a"}, "final": None}
DONE = {"action": "finish", "tool": None, "tool_input": None, "final": "ok"}


def _read(decision: object, tools=TOOLS):
    text = decision if isinstance(decision, str) else json.dumps(decision)
    return Decision().read(Assistant(text), tools)


@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        ("{hello", "Invalid JSON parse error: JSONDecodeError"),
        ('{"action": "finish", "final": "cut', "Invalid JSON parse error: JSONDecodeError"),
        ("[1]", "Invalid JSON parse error: JSONDecodeError"),
        ('{"a":' * 100_000, "Invalid JSON parse error: RecursionError"),
        ({"final": "x"}, "Missing required field: action"),
        ({**DONE, "action": "stop"}, "action must be one of tool_call, finish, replan, ask_user"),
        ({**DONE, "action": ["finish"]}, "action must be one of tool_call, finish, replan, ask_user"),
        ({**READ, "tool": 3}, "tool must be a string when action is tool_call"),
        ({**READ, "tool": "rm"}, "tool must be one of read_file, run_shell, todo"),
        ({**READ, "tool_input": "a"}, "tool_input must be an object when action is tool_call"),
        ({**READ, "final": "x"}, "final must be null when action is tool_call"),
        ({**READ, "tool_input": {}}, "Missing required tool_input field: path"),
        ({**READ, "tool_input": {"path": "a", "x": 1}}, "Unexpected tool_input field: x"),
        ({**READ, "tool_input": {"path": 1}}, "tool_input field path must be string"),
        ({**READ, "tool_input": {"path": "a", "start_line": True}}, "tool_input field start_line must be integer"),
        ({**DONE, "tool": "read_file"}, "tool and tool_input must be null when action is finish"),
        ({**DONE, "final": None}, "final must be a string when action is finish"),
        ({**DONE, "action": "replan", "final": 1}, "final must be a string when action is replan"),
    ],
)
def test_a_decision_is_refused_for_the_first_thing_that_is_wrong(decision, reason):
    """Structure, types and sense are checked in this order, and the model is told which it was."""
    assert Invalid(reason) == _read(decision)


@pytest.mark.parametrize(
    ("decision", "reply"),
    [
        (DONE, Answer("ok")),
        ({"action": "finish", "final": "ok"}, Answer("ok")),
        ({"action": "replan", "final": "look elsewhere"}, Replan("look elsewhere")),
        ({"action": "ask_user", "final": "which?"}, Answer("which?")),
        (f"```json\n{json.dumps(DONE)}\n```", Answer("ok")),
        (f"I look at {{this}} first. {json.dumps(DONE)} Done.", Answer("ok")),
        ('{"action":"finish","final":"two\nlines"}', Answer("two\nlines")),
        ('{"action":"finish","final":"\\ud83d"}', Answer("\ufffd")),
    ],
    ids=["whole", "terse", "replan", "question", "fence", "prose", "raw newline", "half a surrogate pair"],
)
def test_words_are_read_as_what_the_action_says(decision, reply):
    """Keys that are left out are null, and what is around the object is ignored."""
    assert reply == _read(decision)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(READ),
        '{"action":"tool_call","tool":"read_file","tool_input":{"path":"a"}}',
        '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>',
    ],
    ids=["whole", "terse", "tool_call tag"],
)
def test_a_tool_call_is_read_with_an_id_of_its_own(text):
    """Two equal decisions make two calls that a history can tell apart."""
    replies = [_read(text), _read(text)]

    calls = [reply.message.calls[0] for reply in replies if isinstance(reply, Calls)]
    assert [("read_file", {"path": "a"})] * 2 == [(call.name, json.loads(call.arguments)) for call in calls]
    assert 2 == len({call.id for call in calls} - {""})


def test_a_question_is_a_call_of_ask_user_where_that_is_offered():
    """In the REPL the user can answer within the same turn."""
    reply = _read({"action": "ask_user", "final": "which?"}, (*TOOLS, ask_user))

    assert isinstance(reply, Calls)
    assert ("ask_user", '{"question": "which?"}') == (reply.message.calls[0].name, reply.message.calls[0].arguments)


def test_native_calls_win():
    """A server that calls natively although it was not asked to is understood."""
    message = Assistant("", calls=(ToolCall("1", "read_file", "{}"),))

    assert Calls(message) == Decision().read(message, TOOLS)


def test_without_tools_plain_words_are_the_answer():
    """A server that ignores the schema of the last request still gives an answer."""
    assert Answer("It is blue.") == _read("It is blue.", ())


def test_every_example_fits_the_schema_and_passes_the_check():
    """What a model is shown is what it may write."""
    names = {name for example in EXAMPLES for name, _, _ in example.calls}
    request = Decision().request("", [User("x")], TOOLS)
    shown = [message.text for message in request.messages if isinstance(message, Assistant)]

    assert names <= {"list_dir", "read_file", "glob", "grep_search", "write_file", "edit_file", "run_shell"}
    assert 6 <= len(shown) <= 20
    for text in shown:
        jsonschema.validate(json.loads(text), request.schema)
        assert not isinstance(_read(text), Invalid)


def test_examples_use_only_tools_that_are_offered():
    """A tool that is not there is not taught."""
    request = Decision().request("", [User("x")], (todo,))

    assert all('"tool_call"' not in message.text for message in request.messages if isinstance(message, Assistant))


def test_a_request_is_plain_text_with_each_tool_on_a_line():
    """Nothing of the native tool fields is used; the system text comes along."""
    request = Decision().request("Be brief.", [User("hello")], TOOLS)

    head, last = request.messages[0], request.messages[-1]
    assert () == request.tools
    assert isinstance(head, System)
    assert (
        "- read_file(path: string, start_line?: integer): Read a file.\n- run_shell(command: string): Run a command."
        in head.text
    )
    assert head.text.endswith("Be brief.")
    assert User("hello") == last


def test_the_schema_has_one_shape_for_each_tool_and_one_for_words():
    """The input of each tool is closed, and every string and array in it is bounded."""
    schema = Decision().request("", [User("x")], (*TOOLS, ask_user)).schema

    jsonschema.Draft202012Validator.check_schema(schema)
    *calls, words = schema["anyOf"]
    inputs = {shape["properties"]["tool"]["const"]: shape["properties"]["tool_input"] for shape in calls}
    assert ["read_file", "run_shell", "todo"] == list(inputs)
    assert {"type": "string", "maxLength": SHORT} == inputs["read_file"]["properties"]["path"]
    assert {"type": "string", "maxLength": LONG} == inputs["run_shell"]["properties"]["command"]
    assert {"type": "string", "enum": ["new", "done"]} == {
        key: value for key, value in inputs["todo"]["properties"]["kind"].items() if key in ("type", "enum")
    }
    assert 20 == inputs["todo"]["properties"]["items"]["maxItems"]
    assert ["finish", "replan", "ask_user"] == words["properties"]["action"]["enum"]
    assert {"type": "string", "maxLength": LONG} == words["properties"]["final"]


def test_the_last_request_of_a_run_allows_only_an_answer():
    """Without tools a decision can end in nothing else."""
    history = [User("x"), Assistant("", calls=(ToolCall("1", "read_file", "{}"),)), ToolResult("1", "read_file", "A")]

    request = Decision().request("Be brief.", history, ())

    assert System("Be brief.") == request.messages[0]
    assert [["finish"]] == [shape["properties"]["action"]["enum"] for shape in request.schema["anyOf"]]


def test_a_chat_without_tools_is_plain_text():
    """There is nothing to decide, so no object is asked for."""
    history = [User("hi"), Assistant("Hello!"), User("what is HTTP?")]

    request = Decision().request("Be brief.", history, ())

    assert (System("Be brief."), *history) == request.messages
    assert request.schema is None


def test_a_history_reads_as_if_it_had_been_decided_here():
    """Calls become decisions, results observations, answers `finish`; roles alternate."""
    history = [
        Summary("They met.", 4),
        User("read a and b", (Attachment("x.txt", "text"),)),
        Assistant("", calls=(ToolCall("1", "read_file", '{"path":"a"}'), ToolCall("2", "read_file", "broken"))),
        ToolResult("1", "read_file", "AAA"),
        ToolResult("2", "read_file", "[TOOL_ERROR] x", "error"),
        Assistant("Both read."),
        User("go on"),
        Assistant("Try again."),
        User("Replan.", synthetic=True),
    ]

    request = Decision().request("", history, ())

    texts = [(type(message).__name__, message.text) for message in request.messages[-9:]]
    assert [
        ("User", "What was said before, in short: They met.\n\nread a and b"),
        ("Assistant", '{"action":"tool_call","tool":"read_file","tool_input":{"path":"a"}}'),
        ("User", "Observation: AAA\n(asked: read a and b)"),
        ("Assistant", '{"action":"tool_call","tool":"read_file","tool_input":"broken"}'),
        ("User", "Observation: [TOOL_ERROR] x\n(asked: read a and b)"),
        ("Assistant", '{"action":"finish","final":"Both read."}'),
        ("User", "go on"),
        ("Assistant", '{"action":"replan","final":"Try again."}'),
        ("User", "Replan."),
    ] == texts
    assert (Attachment("x.txt", "text"),) == request.messages[-9].attachments


def test_a_question_that_was_asked_is_shown_as_one():
    """`ask_user` is an action here, not a tool."""
    history = [
        User("fix it"),
        Assistant("", calls=(ToolCall("1", "ask_user", '{"question":"what?"}'),)),
        ToolResult("1", "ask_user", "the door"),
    ]

    messages = Decision().request("", history, ()).messages

    observed = User("Observation: the door\n(asked: fix it)", synthetic=True)
    assert [Assistant('{"action":"ask_user","final":"what?"}'), observed] == list(messages[-2:])


def test_a_long_question_is_said_again_only_in_part():
    """The reminder behind an observation is one short line."""
    history = [
        User("read\nthis " + "x" * 500),
        Assistant("", calls=(ToolCall("1", "read_file", '{"path":"a"}'),)),
        ToolResult("1", "read_file", "AAA"),
    ]

    last = Decision().request("", history, TOOLS).messages[-1]

    assert f"Observation: AAA\n(asked: read this {'x' * (REMINDER - 10)}…)" == last.text


def test_while_an_answer_could_only_be_a_guess_the_schema_allows_none():
    """A file that nobody looked into leaves calls alone; after one the model is free again."""
    asked = [User("what does a.txt say?")]
    read = [Assistant("", calls=(ToolCall("1", "read_file", '{"path":"a.txt"}'),)), ToolResult("1", "read_file", "A")]

    before = Decision().request("", asked, TOOLS).schema
    after = Decision().request("", [*asked, *read], TOOLS).schema

    assert [{"const": "tool_call"}] * 3 == [shape["properties"]["action"] for shape in before["anyOf"]]
    assert ["finish", "replan", "ask_user"] == after["anyOf"][-1]["properties"]["action"]["enum"]


def test_arguments_are_checked_against_the_whole_schema():
    """What the decision's own check leaves open is caught before the tool runs."""
    assert isinstance(Decision().arguments(todo, '{"items": [1]}'), Invalid)
    assert {"items": ["a"]} == Decision().arguments(todo, '{"items": ["a"]}')
