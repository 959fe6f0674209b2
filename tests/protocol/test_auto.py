"""`auto`: native calls until they turn out not to work; what counts as a call in text, and what is seen of it."""

from __future__ import annotations

import json
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cococat.core.messages import Assistant, ToolCall
from cococat.core.reply import Answer, Calls, Invalid
from cococat.core.tools import tool
from cococat.protocol.decision import Decision
from cococat.protocol.native import Native
from cococat.protocol.written import Auto


@tool("reads")
async def read_file(path: Annotated[str, "a file"], start_line: int | None = None) -> str:
    """Read a file."""
    return path


@tool("reads")
async def list_dir(path: str = ".") -> str:
    """List a folder."""
    return path


TOOLS = (read_file, list_dir)
CALL = '{"name": "read_file", "arguments": {"path": "a.txt"}}'
FENCED = f"```json\n{CALL}\n```"
TAGGED = f"<tool_call>\n{CALL}\n</tool_call>"

CALLS = {
    "bare": CALL,
    "blanks around": f"\n  {CALL}\n",
    "fence": FENCED,
    "fence without a language": f"```\n{CALL}\n```",
    "tags": TAGGED,
    "function tags": f"<function_call>{CALL}</function_call>",
    "tags around a fence": f"<tool_call>\n{FENCED}\n</tool_call>",
    "no closing tag": f"<tool_call>{CALL}",
    "parameters": '{"type": "function", "name": "read_file", "parameters": {"path": "a.txt"}}',
    "tool": '{"tool": "read_file", "arguments": {"path": "a.txt"}}',
    "tool_input": '{"tool": "read_file", "tool_input": {"path": "a.txt"}}',
    "function object": f'{{"id": "1", "type": "function", "function": {CALL}}}',
    "function name": '{"function": "read_file", "arguments": {"path": "a.txt"}}',
    "arguments as text": json.dumps({"name": "read_file", "arguments": '{"path": "a.txt"}'}),
}
ANSWERS = {
    "prose": "The file says: buy milk.",
    "an example behind prose": f"Call it like this:\n\n{FENCED}",
    "an example before prose": f"{FENCED}\n\nThis reads a.txt.",
    "an object before prose": f"{CALL} is how it is called.",
    "an unknown tool": '{"name": "remove_all", "arguments": {}}',
    "arguments that are not valid": '{"name": "read_file", "arguments": {"file": "a.txt"}}',
    "no arguments": '{"name": "read_file"}',
    "no name": '{"arguments": {"path": "a.txt"}}',
    "two names": '{"name": "read_file", "tool": "list_dir", "arguments": {"path": "a.txt"}}',
    "a name that is no text": '{"name": ["read_file"], "arguments": {"path": "a.txt"}}',
    "other keys": '{"name": "read_file", "arguments": {"path": "a.txt"}, "note": "an example"}',
    "other keys around a function": f'{{"function": {CALL}, "name": "x"}}',
    "data": '{"colour": "green", "face": true}',
    "an empty object": "{}",
    "a list": f"[{CALL}]",
    "code": "```python\nx = {}\n```",
    "code in braces": "{ return 1; }",
    "broken JSON": '{"name": "read_file", "arguments": {"path": }}',
    "cut": CALL[:-2],
    "the second cut": TAGGED + TAGGED[:40],
    "the second unknown": CALL + '{"name": "remove_all", "arguments": {}}',
    "deep": '{"name": "read_file", "arguments": ' + "[" * 100_000 + "]" * 100_000 + "}",
}
SHOWN_AT_ONCE = ("prose", "an example behind prose", "data", "code", "code in braces", "a list")


def read(text, tools=TOOLS):
    return Auto().read(Assistant(text, "because"), tools)


@pytest.mark.parametrize("text", CALLS.values(), ids=CALLS.keys())
def test_a_reply_that_is_nothing_but_a_valid_call_is_a_call(text):
    """The words become a call of the tool; the reasoning stays with it, the JSON is not its thought."""
    reply = read(text)

    assert isinstance(reply, Calls)
    (call,) = reply.message.calls
    assert ("read_file", {"path": "a.txt"}) == (call.name, json.loads(call.arguments))
    assert ("", "because") == (reply.message.text, reply.message.reasoning)
    assert call.id


def test_calls_written_one_after_the_other_keep_their_order():
    """Models that may call in parallel write one pair of tags for each."""
    other = '<tool_call>{"name": "list_dir", "arguments": {}}</tool_call>'

    reply = read(f"{TAGGED}\n{other}")

    assert ["read_file", "list_dir"] == [call.name for call in reply.message.calls]
    assert 2 == len({call.id for call in reply.message.calls})


@pytest.mark.parametrize("text", ANSWERS.values(), ids=ANSWERS.keys())
def test_anything_else_stays_an_answer(text):
    """JSON in an answer, an unknown name and arguments that are not valid start nothing."""
    assert Answer(text) == read(text)


def test_without_tools_every_text_is_an_answer():
    """The last request of a run offers none."""
    assert Answer(CALL) == read(CALL, ())


def test_native_calls_win_over_text():
    """What was called is what runs."""
    message = Assistant(CALL, "", (ToolCall("1", "list_dir", "{}"),))

    assert Calls(message) == Auto().read(message, TOOLS)


@pytest.mark.parametrize("text", CALLS.values(), ids=CALLS.keys())
def test_a_call_in_text_is_never_seen(text):
    """Not one character of it, however it arrives."""
    look = Auto().lens()

    assert "" == "".join(look(char) for char in text).strip()


@pytest.mark.parametrize("name", SHOWN_AT_ONCE)
def test_text_that_cannot_be_a_call_is_seen_before_its_end(name):
    """It is released whole, from its first character on."""
    text, look = ANSWERS[name], Auto().lens()

    shown = "".join(look(char) for char in text[:-1])

    assert text[:-1] == shown


@pytest.mark.parametrize(
    ("held", "released"),
    [("{", "a"), ("```", "p"), ("```json\n{", "1"), ("<", "p>"), (CALL, "."), ('{"name', 's"')],
)
def test_text_is_released_by_the_first_character_that_rules_a_call_out(held, released):
    """Until then it waits; from then on everything passes."""
    look = Auto().lens()

    assert ("", held + released, CALL) == (look(held), look(released), look(CALL))


@given(st.lists(st.sampled_from([*'{}[]":,\\ `<>', "name", "arguments", "```json", "<tool_call>", "x"]), max_size=30))
def test_what_is_seen_is_the_text_up_to_a_mark(parts):
    """No delta is lost or shown twice, and what is read as calls was not seen."""
    look, text = Auto().lens(), "".join(parts)

    shown = "".join(look(part) for part in parts)

    reply = read(text)
    assert text.startswith(shown)
    assert isinstance(reply, Answer) or shown.strip() == reply.message.text


THINKING = "I look into the file first."
DIALECTS = {
    "hermes": TAGGED,
    "qwen coder": "<function=read_file>\n<parameter=path>\na.txt\n</parameter>\n<parameter=start_line>\n2\n</parameter>\n</function>",
    "qwen coder, tagged": "<tool_call>\n<function=read_file>\n<parameter=path>\na.txt\n</parameter>\n</function>\n</tool_call>",
    "mistral": '[TOOL_CALLS][{"name": "read_file", "arguments": {"path": "a.txt"}}]',
    "gpt-oss": '<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"path": "a.txt"}<|call|>',
    "mistral, newer": '[TOOL_CALLS]read_file[ARGS]{"path": "a.txt"}',
    "llama": '<|python_tag|>{"name": "read_file", "parameters": {"path": "a.txt"}}',
    "deepseek": "<\uff5ctool▁calls▁begin\uff5c><\uff5ctool▁call▁begin\uff5c>function<\uff5ctool▁sep\uff5c>read_file\n```json\n"
    '{"path": "a.txt"}\n```<\uff5ctool▁call▁end\uff5c><\uff5ctool▁calls▁end\uff5c>',
    "deepseek, newer": '<\uff5ctool▁calls▁begin\uff5c><\uff5ctool▁call▁begin\uff5c>read_file<\uff5ctool▁sep\uff5c>{"path": "a.txt"}'
    "<\uff5ctool▁call▁end\uff5c><\uff5ctool▁calls▁end\uff5c>",
    "kimi": "<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>"
    '{"path": "a.txt"}<|tool_call_end|><|tool_calls_section_end|>',
}


@pytest.mark.parametrize("thought", ["", THINKING + "\n\n"], ids=["alone", "behind a thought"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_call_in_the_dialect_of_its_family_is_a_call(dialect, thought):
    """The thought is seen and kept, the call runs and is never seen, wherever the deltas are split."""
    text, look = thought + DIALECTS[dialect], Auto().lens()

    shown = "".join(look(char) for char in text)
    reply = read(text)

    assert isinstance(reply, Calls), reply
    assert (thought.strip(), thought.strip()) == (shown.strip(), reply.message.text)
    [call] = reply.message.calls
    assert ("read_file", "a.txt") == (call.name, json.loads(call.arguments)["path"])


def test_the_calls_of_one_dialect_keep_their_order_and_types():
    """A parameter is what its schema says, whatever it looks like."""
    text = "".join(
        f"<function=read_file><parameter=path>{n}</parameter><parameter=start_line>{n}</parameter></function>\n"
        for n in (7, 8)
    )

    given = [json.loads(call.arguments) for call in read(text).message.calls]

    assert [{"path": "7", "start_line": 7}, {"path": "8", "start_line": 8}] == given


def test_a_mark_that_is_quoted_before_a_call_is_a_word():
    """The call behind it is made, and the prose before it is said."""
    said = "I write `<tool_call>` now."

    reply = read(f'{said}\n<tool_call>{{"name": "read_file", "arguments": {{"path": "a.txt"}}}}</tool_call>')

    assert isinstance(reply, Calls)
    assert (said, ["read_file"]) == (reply.message.text, [call.name for call in reply.message.calls])


@pytest.mark.parametrize(
    "call",
    [
        '<tool_call>{{"name": "read_file", "arguments": {{"path": "{}"}}}}</tool_call>',
        "<function=read_file><parameter=path>{}</parameter></function>",
    ],
    ids=["JSON", "parameters"],
)
def test_prose_between_calls_is_said_and_both_are_made(call):
    """In their order; with prose behind the last, or one of them quoted, the text is an answer."""
    both = f"First this.\n{call.format('a')}\nThen that.\n{call.format('b')}"

    reply = read(both)

    assert isinstance(reply, Calls)
    assert ["a", "b"] == [json.loads(made.arguments)["path"] for made in reply.message.calls]
    assert "First this.\n\nThen that." == reply.message.text
    assert isinstance(read(f"{both}\nThat is how it is written."), Answer)
    assert isinstance(read(f"{call.format('a')} or\n```\n{call.format('b')}\n```"), Answer)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "answer",
    ["It is written so:\n\n```\n{}\n```\n", "It writes `{}`.", "{}\n\nThat is how it is written.", "```text\n{}"],
    ids=["fence", "quoted", "before prose", "open fence"],
)
def test_an_answer_about_a_dialect_stays_an_answer(dialect, answer):
    """What is shown as an example is none of the model's calls."""
    text = answer.replace("{}", DIALECTS[dialect])

    assert Answer(text) == read(text)


@pytest.mark.parametrize(
    "text",
    [
        "<function=remove_all></function>",
        "<function=read_file><parameter=path>a</parameter><parameter=path>b</parameter></function>",
        "<function=read_file><parameter=path>a</parameter> and more</function>",
        "<function=read_file><parameter=path>a</parameter>",
        "<function=read_file><parameter=file>a</parameter></function>",
        '[TOOL_CALLS][{"name": "read_file", "arguments": {"path": "a.txt"}}',
        "[TOOL_CALLS]nothing",
    ],
)
def test_what_is_no_valid_call_of_a_tool_that_is_offered_is_not_run(text):
    """Half a call, another tool, a parameter twice: it stays text."""
    assert Answer(text) == read(text)


def test_it_changes_once_and_says_so_once():
    """From the change on it asks, shows and reads like JSON decisions, and has nothing more to say."""
    auto = Auto()
    before = (auto.name, auto.continues, auto.request("", (), TOOLS))

    said = auto.degrade("tools_unsupported")

    assert ("native", True, Native().request("", (), TOOLS)) == before
    assert said.endswith("using JSON decisions")
    assert "\n" not in said
    assert ("json", False) == (auto.name, auto.continues)
    assert Decision().request("", (), TOOLS) == auto.request("", (), TOOLS)
    assert "Hi" == auto.lens()('{"action": "finish", "final": "Hi"}')
    assert "" == auto.degrade("tools_unsupported")


def test_other_failures_change_nothing():
    """A wrong key is no reason to ask in another way."""
    auto = Auto()

    assert ("", "native") == (auto.degrade("auth"), auto.name)


def test_protocols_that_were_chosen_never_change():
    """`model.protocol` is the user's word."""
    assert ["", ""] == [chosen.degrade("tools_unsupported") for chosen in (Native(), Decision())]


def test_after_the_change_a_model_may_still_write_its_own_shapes():
    """Where no schema holds it, a model goes on as it was trained to; what is no call is asked for again."""
    auto = Auto()
    auto.degrade("tools_unsupported")

    own = auto.read(Assistant(CALLS["function object"]), TOOLS)
    unknown = auto.read(Assistant(ANSWERS["data"]), TOOLS)

    assert isinstance(own, Calls)
    assert isinstance(unknown, Invalid)


def test_arguments_are_validated_in_full():
    """The same check as for every other call."""
    assert {"path": "a"} == Auto().arguments(read_file, '{"path": "a"}')
    assert isinstance(Auto().arguments(read_file, "{}"), Invalid)


@pytest.mark.parametrize("text", ["Two coats.", "Use `x = {1: 2}` here.", "```c\n{ return 1; }\n```"])
def test_prose_is_an_answer_after_the_change_where_no_tools_are_offered(text):
    """Notes and plain chats may hold braces; nothing is asked for again."""
    auto = Auto()
    auto.degrade("tools_unsupported")

    assert Answer(text) == auto.read(Assistant(text), ())
