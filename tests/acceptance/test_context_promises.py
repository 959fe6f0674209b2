"""Long histories on the wire; the ids are those of acceptance.toml."""

from __future__ import annotations

import pytest

from cococat.context.budget import ContextBounds
from cococat.context.fit import Fitting
from cococat.core.events import ContextCompacted
from cococat.core.limits import StopReason
from cococat.core.messages import Assistant, ToolCall, ToolResult, User
from cococat.core.tools import tool
from tests.scripted import calls, forever, says, tool_results

NOTES = "## Task\nThe notes.\n\n## State\n-\n\n## Findings\n-\n\n## Next steps\n-"
LONG = "filler " * 570  # about 1,000 tokens
HALF = "filler " * 285  # as long as an old output may be


@tool("reads")
async def echo(text: str) -> str:
    """Return text back."""
    return text


def talk(rounds):
    """A history of about as many thousand tokens as *rounds*."""
    return tuple(m for n in range(rounds) for m in (User(f"question {n}"), Assistant(f"answer {n} {LONG}")))


def read(rounds):
    """Half the size in outputs of a tool."""
    return tuple(
        m
        for n in range(rounds)
        for m in (
            User(f"question {n}"),
            Assistant(f"I read {n}.", calls=(ToolCall(f"c{n}", "read_file", "{}"),)),
            ToolResult(f"c{n}", "read_file", f"output {n} {HALF}"),
            Assistant(f"answer {n}"),
        )
    )


def window_for(tokens):
    """The window of which 70 %, less 1,000 tokens for the reply, are *tokens*."""
    return int(tokens / 0.7) + 1000


def bounded(tokens, **options):
    return Fitting(ContextBounds(window_for(tokens), reserved_output=1000, **options))


def texts(request):
    return [str(message["content"]) for message in request["messages"]]


@pytest.mark.parametrize(("room", "requests"), [(9_000, 2), (12_000, 1)], ids=["too long", "it fits"])
def test_notes_are_written_when_seven_tenths_of_the_window_are_full(scripted, run, room, requests):
    """A6, A12, A13, A17, C21: before the step the model sums the oldest up, without tools; the newest stay whole."""
    server = scripted(*[says(NOTES)] * (requests - 1), says("done"))

    ran = run(server, [echo], history=talk(10), context=bounded(room))

    assert ("done", requests) == (ran.turn.answer, len(server.requests))
    assert requests - 1 == len(ran.of(ContextCompacted))
    if requests > 1:
        notes, sent = server.requests
        assert "tools" not in notes
        assert "question 3" in texts(notes)[-1]
        assert "tools" in sent
        assert "The notes." in texts(sent)[1]
        assert [message.text for message in talk(10)[-3:]] == texts(sent)[-4:-1]
        assert "go" == texts(sent)[-1]


def test_compaction_is_looked_at_before_every_step(scripted, run):
    """A6: a run that grows too long in its middle sums up in its middle."""
    grown = calls(("echo", {"text": f"{LONG}{LONG}{LONG}"}))
    server = scripted(grown, says(NOTES), says("done"))

    ran = run(server, [echo], history=talk(7), context=bounded(9_000))

    assert [True, False, True] == ["tools" in request for request in server.requests]
    assert "done" == ran.turn.answer


def test_old_outputs_become_titles_before_anything_is_summed_up(scripted, run):
    """C20, E19, E24: the call and its title stay, the newest outputs are whole, and no request is spent."""
    server = scripted(says("done"))

    run(server, [echo], history=read(10), context=bounded(4_500, protect=2_000))

    outputs = tool_results(server.requests[0])
    assert ["[pruned: read_file,"] * 5 == [output[:19] for output in outputs[:5]]
    assert [f"output {n} {HALF}" for n in range(6, 10)] == outputs[6:]
    asked = [m for m in server.requests[0]["messages"] if m["role"] == "assistant" and m.get("tool_calls")]
    assert [f"I read {n}." for n in range(10)] == [message["content"] for message in asked]


def test_without_notes_the_oldest_are_left_out_in_whole_groups(scripted, run):
    """A18, A19: the system prompt, the request and the last four messages stay, and a mark for the rest."""
    server = scripted(forever(lambda body: says("done" if body.get("tools") else "")))

    ran = run(server, [echo], history=read(10), context=bounded(800, protect=10_000_000))

    sent = server.requests[-1]["messages"]
    assert ["system", "user", "assistant", "tool", "assistant", "user"] == [message["role"] for message in sent]
    assert ["I read 9.", f"output 9 {HALF}", "answer 9", "go"] == [message["content"] for message in sent[2:]]
    assert "left out of this request: 37 older messages" in sent[1]["content"]
    assert StopReason.ANSWERED == ran.turn.stop.reason
