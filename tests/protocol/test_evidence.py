"""When an answer would be a guess, and what has to be called first."""

from __future__ import annotations

import json
import time

import pytest

from cococat.core.messages import Assistant, Attachment, Message, ToolCall, ToolResult, User
from cococat.core.tools import tool
from cococat.protocol.decision import must_call


@tool("reads")
async def read_file(path: str) -> str:
    """Read a file."""
    return path


@tool("reads")
async def grep_search(pattern: str) -> str:
    """Find text."""
    return pattern


@tool("runs")
async def run_shell(command: str) -> str:
    """Run a command."""
    return command


TOOLS = (read_file, grep_search, run_shell)
ALL = ["read_file", "grep_search", "run_shell"]


def _due(*history: Message) -> list[str]:
    return [due.name for due in must_call(history, TOOLS)]


def _called(name: str, given: object, output: str = "found", *, failed: bool = False) -> tuple[Message, Message]:
    arguments = given if isinstance(given, str) else json.dumps(given)
    result = ToolResult("1", name, output, "error" if failed else "completed")
    return Assistant("", calls=(ToolCall("1", name, arguments),)), result


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("What does notes.txt say?", ALL),
        ("who is it? See data/team.csv", ALL),
        ("What is in src/?", ALL),
        ("compare ./a/main.py.", ALL),
        ("open b.py, please", ALL),
        ("What is the capital of France?", []),
        ("What is HTTP, e.g. in 2.0 and/or 1.1?", []),
        ("What is https://example.org/a.html about?", []),
        ("I am ana@example.org", []),
        ("It works. Thanks", []),
    ],
)
def test_a_file_that_is_named_has_to_be_looked_into(text, due):
    """A path is a word with an ending, or one that ends in a slash; addresses and numbers are none."""
    assert due == _due(User(text))


def test_what_was_looked_into_before_may_be_talked_about():
    """A call of this turn or of one before is evidence, and so is a file that came with the question."""
    read = _called("read_file", {"path": "notes.txt"})

    assert [] == _due(User("What does notes.txt say?"), *read)
    assert [] == _due(User("hi"), *read, Assistant("Hello."), User("Is that all of notes.txt?"))
    assert ALL == _due(User("hi"), *read, Assistant("Hello."), User("And other.txt?"))
    assert [] == _due(User("What does notes.txt say?", (Attachment("notes.txt", "x"),)))


def test_a_guess_that_failed_leads_to_another_tool_that_looks():
    """Nothing is known after it; the second failure in a row may be told."""
    guess = _called("read_file", {"path": "tests.txt"}, "[TOOL_ERROR] no", failed=True)
    asked = User("Which file is about the tests?")

    assert ["grep_search"] == _due(asked, *guess)
    assert [] == _due(asked, *guess, *guess)


@pytest.mark.parametrize("piece", ["-", "w", ".", "a/", "a.", "w-"])
def test_a_long_text_without_files_costs_no_time(piece):
    """Whatever was pasted is looked through in one go."""
    began = time.process_time()

    _due(User(piece * 30_000))

    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("what does plan.txt say", ("read_file", {"path": "plan.txt"})),
        ("run the tests", ("run_shell", {"command": "make"})),
    ],
    ids=["the user named it", "the tool does more than look"],
)
def test_a_failure_that_answers_the_question_may_be_told(text, call):
    """What the user named is missing, or what the user was asked to allow was refused."""
    assert [] == _due(User(text), *_called(*call, "[TOOL_ERROR] no", failed=True))


def test_arguments_that_make_no_sense_are_no_evidence():
    """A history from elsewhere may hold anything."""
    for given in ("{", "[1]", ""):
        assert ["grep_search"] == _due(User("who?"), *_called("read_file", given, failed=True))
    assert [] == _due()
    assert [] == _due(Assistant("hello"), User("a.txt", synthetic=True))
