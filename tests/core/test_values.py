"""Drafts, parts and tools: how values are folded and derived."""

from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cococat.core.events import TextDelta, ToolCompleted, ToolFailed, ToolOutput, ToolPending, ToolRunning
from cococat.core.model import CallPiece, Draft, FinishPiece, ReasoningPiece, TextPiece
from cococat.core.parts import IllegalMoveError, Part, ToolState, advance
from cococat.core.tools import Report, tool


def folded(*pieces):
    draft = Draft()
    for piece in pieces:
        draft.add(piece)
    return draft.message()


@pytest.mark.parametrize(
    ("pieces", "calls"),
    [
        pytest.param(
            [CallPiece(0, "a", "ls", '{"p"'), CallPiece(0, "", "", ":1}")], [("a", "ls", '{"p":1}')], id="split"
        ),
        pytest.param(
            [
                CallPiece(0, "a", "ls", "{"),
                CallPiece(1, "b", "cat", "{"),
                CallPiece(0, "", "", "}"),
                CallPiece(1, "", "", "}"),
            ],
            [("a", "ls", "{}"), ("b", "cat", "{}")],
            id="interleaved",
        ),
        pytest.param(
            [CallPiece(0, "a", "ls", '{"x":1}'), CallPiece(0, "b", "ls", '{"x":2}')],
            [("a", "ls", '{"x":1}'), ("b", "ls", '{"x":2}')],
            id="same index, other ids",
        ),
        pytest.param(
            [CallPiece(None, "", "ls", '{"x":1}'), CallPiece(None, "", "ls", '{"x":2}')],
            [("call_1", "ls", '{"x":1}'), ("call_2", "ls", '{"x":2}')],
            id="no index, no id",
        ),
        pytest.param(
            [CallPiece(None, "", "ls"), CallPiece(None, "", "pwd")],
            [("call_1", "ls", "{}"), ("call_2", "pwd", "{}")],
            id="names alone",
        ),
        pytest.param(
            [CallPiece(0, "a", "ls", "{}"), CallPiece(1, "a", "ls", "{}")],
            [("a", "ls", "{}"), ("call_2", "ls", "{}")],
            id="one id for two calls",
        ),
        pytest.param(
            [CallPiece(0, "a", "read_"), CallPiece(0, "", "file", "{}")], [("a", "read_file", "{}")], id="name split"
        ),
        pytest.param(
            [CallPiece(0, "a", "ls", ""), CallPiece(0, "a", "ls", "{}")], [("a", "ls", "{}")], id="name repeated"
        ),
        pytest.param([CallPiece(0, "a", "ls", "")], [("a", "ls", "{}")], id="no arguments"),
    ],
)
def test_tool_calls_are_put_together_in_every_dialect(pieces, calls):
    """Servers leave out indexes and ids, reuse them, and split names."""
    assert calls == [(call.id, call.name, call.arguments) for call in folded(*pieces).calls]


def test_ids_that_the_history_already_holds_are_replaced():
    """Some servers number the calls of each reply from zero."""
    draft = Draft()
    draft.add(CallPiece(0, "call_0", "ls", "{}"))

    assert "call_0" != draft.message(taken={"call_0"}).calls[0].id


@given(st.lists(st.text(max_size=4), max_size=20))
def test_a_draft_holds_all_text_in_order(texts):
    """However the text is split, the message is the same."""
    pieces = [TextPiece(text) for text in texts]

    assert "".join(texts) == folded(*pieces, ReasoningPiece("why"), FinishPiece("stop")).text


PENDING = Part("c", "s", "m1", "tool", "ls", ToolState())
RUNNING = advance(PENDING, ToolRunning("c", "ls", at=1.0))


def test_a_call_goes_from_pending_to_running_to_completed():
    """Each move is kept with its time and the output."""
    done = advance(advance(RUNNING, ToolOutput("c", "half ")), ToolCompleted("c", "ls", "whole", at=2.5))

    assert ToolState("completed", "", "whole", 1.0, 2.5) == done.state


@pytest.mark.parametrize(
    ("part", "event"),
    [
        pytest.param(PENDING, ToolCompleted("c", "ls", "x"), id="completed without running"),
        pytest.param(PENDING, ToolOutput("c", "x"), id="output before running"),
        pytest.param(RUNNING, ToolPending("c", "ls", "{}"), id="pending again"),
        pytest.param(
            advance(RUNNING, ToolFailed("c", "ls", "x")), ToolRunning("c", "ls"), id="run again after an error"
        ),
        pytest.param(
            advance(RUNNING, ToolCompleted("c", "ls", "x")), ToolFailed("c", "ls", "x"), id="fail after the end"
        ),
        pytest.param(RUNNING, TextDelta("x"), id="text in a tool part"),
        pytest.param(Part("t", "s", "m1", "text"), ToolRunning("c", "ls"), id="a text part that runs"),
    ],
)
def test_illegal_moves_of_a_part_are_refused(part, event):
    """A part cannot skip a state, go back, or end twice."""
    with pytest.raises(IllegalMoveError):
        advance(part, event)


@tool("reads")
async def sample(
    path: Annotated[str, "where"],
    kind: Literal["a", "b"] = "a",
    limit: int | None = None,
    names: list[str] | None = None,
    report: Report = print,
) -> str:
    """Do one thing.

    This paragraph is for people.
    """
    report("seen")
    return f"{path} {kind} {limit}"


def test_a_tool_is_derived_from_its_function():
    """Name, first paragraph and annotations make the spec; the report argument is not offered."""
    expected = {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "where"},
            "kind": {"type": "string", "enum": ["a", "b"]},
            "limit": {"type": "integer"},
            "names": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["path"],
        "additionalProperties": False,
    }

    assert ("sample", "Do one thing.", expected) == (sample.name, sample.description, sample.parameters)
    assert sample.concurrent


def test_tools_of_the_same_lines_have_the_arguments_that_each_was_made_with():
    """A tool is made anew for each turn, which works nothing out again; what is annotated otherwise is another."""

    def made(kind):
        @tool("reads")
        async def sized(size: kind) -> "str":
            """Do one thing."""
            return str(size)

        return sized

    kinds = [made(kind).parameters["properties"]["size"]["type"] for kind in (str, int, "bool", "float")]

    assert ["string", "integer", "boolean", "number"] == kinds


def test_an_annotation_without_a_json_counterpart_is_refused_at_once():
    """A tool that cannot be described must fail when it is made, not when it is called."""

    async def bad(path: bytes) -> str:
        return str(path)

    with pytest.raises(TypeError, match="bytes"):
        tool("reads")(bad)
