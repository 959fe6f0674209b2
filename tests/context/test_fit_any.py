"""Fitting over any history and any run: properties, with a model that writes what it is told to."""

import asyncio
import time

from hypothesis import given
from hypothesis import strategies as st

from cococat.context.budget import ContextBounds, budget
from cococat.context.fit import Fitting
from cococat.core.agent import Agent, Need
from cococat.core.history import assert_valid
from cococat.core.limits import Limits, StopReason
from cococat.core.messages import Assistant, Summary, ToolCall, ToolResult, User
from cococat.core.model import CallPiece, FinishPiece, TextPiece
from cococat.core.tools import allow_all
from cococat.protocol.native import Native
from tests.context.histories import histories, rounds

NOTES = {
    "good": "## Task\nnotes\n## State\n-\n## Findings\n-\n## Next steps\n-",
    "calls": "## Task\nnotes\n## State\n-\n## Findings\n-\n## Next steps\n-",
    "bare": "notes",
    "empty": "",
    "blank": " \n",
    "long": "words " * 3000,
}


class Writer:
    """A model that writes one kind of notes; one kind calls a tool besides."""

    def __init__(self, kind):
        self.kind, self.requests = kind, []

    async def stream(self, request):
        self.requests.append(request)
        yield TextPiece(NOTES[self.kind])
        if self.kind == "calls":
            yield CallPiece(0, "sneaky", "run_shell", "{}")
        yield FinishPiece("tool_calls" if self.kind == "calls" else "stop")


def agent_with(model):
    return Agent(
        model=model,
        protocol=Native(),
        system="Be brief.",
        tools=(),
        limits=Limits(),
        gate=allow_all,
        clock=time.monotonic,
    )


def grown(history, step, number):
    """The history after a step of the loop: a round of calls, or words."""
    for index, item in enumerate(step):
        if isinstance(item, tuple):
            text, outputs, _ = item
            calls = [ToolCall(f"r{number}.{index}.{n}", "read_file", "{}") for n in range(len(outputs))]
            results = [ToolResult(call.id, call.name, output) for call, output in zip(calls, outputs, strict=True)]
            history = (*history, Assistant(text, calls=tuple(calls)), *results)
        else:
            history = (*history, item, User("go on", synthetic=True))
    return history


@given(
    histories,
    rounds,
    st.builds(
        ContextBounds,
        window=st.integers(300, 6000),
        reserved_output=st.integers(0, 2000),
        protect=st.integers(0, 600),
        keep=st.integers(0, 8),
    ),
    st.sampled_from(sorted(NOTES)),
)
def test_every_request_of_any_run_is_valid_holds_the_request_and_fits_or_the_run_stops(history, steps, bounds, kind):
    """At most two requests for notes in a row come to nothing; what already fits is not touched again."""
    writer = Writer(kind)
    agent, fitting = agent_with(writer), Fitting(bounds)
    asked = User("the request of this turn")
    history = (*history, asked)

    async def whole_run(history):
        failed = asked_before = 0
        for number, step in enumerate([[], *steps]):
            history = grown(history, step, number)
            fitted = await fitting(agent, Need(history))
            if fitted.summary:
                history = (fitted.summary, *history[fitted.summary.covers :])
            assert_valid(history)
            assert_valid(fitted.messages)
            assert any(message is asked for message in fitted.messages)
            failed = 0 if fitted.summary else failed + len(writer.requests) - asked_before
            asked_before = len(writer.requests)
            assert failed <= 2
            assert fitted.after_tokens <= bounds.window or fitted.stop.reason is StopReason.TOKEN_LIMIT
            if fitted.after_tokens <= budget(bounds.window, bounds.reserved_output, bounds.ratio):
                again = await fitting(agent, Need(history))
                assert (fitted.messages, "", None) == (again.messages, again.how, again.summary)

    asyncio.run(whole_run(history))
    assert all(not request.tools for request in writer.requests)


@given(histories, st.integers(300, 3000))
def test_a_refused_request_is_never_sent_again_as_it_was(history, window):
    """After a refusal there is less to send, or the run stops."""
    agent, fitting = agent_with(Writer("good")), Fitting(ContextBounds(window))
    history = (*history, User("the request of this turn"))

    async def refused_once():
        first = await fitting(agent, Need(history))
        after = (first.summary, *history[first.summary.covers :]) if first.summary else history
        return first, await fitting(agent, Need(after, refused="the prompt is too long"))

    first, second = asyncio.run(refused_once())

    assert second.stop or len(second.messages) <= len(first.messages)
    assert second.stop or (second.messages, second.reply_tokens) != (first.messages, first.reply_tokens)
    assert second.stop or second.reply_tokens <= first.reply_tokens
    assert_valid(second.messages)


def test_the_users_words_outlive_any_number_of_summaries():
    """Each summary quotes what the user typed so far, the words quoted by the one before it included."""
    agent = agent_with(Writer("good"))
    history = (User("my name is Dana\nand I live in Lisbon"), Assistant("filler " * 900))

    async def two_runs(history):
        for question in ("what is on the list?", "and now?"):
            history = (*history, User(question), *(Assistant("filler " * 500) for _ in range(6)))
            fitted = await Fitting(ContextBounds(4000, keep=2))(agent, Need(history))
            history = (fitted.summary, *history[fitted.summary.covers :])
        return history[0]

    summary = asyncio.run(two_runs(history))

    assert isinstance(summary, Summary)
    quotes = summary.text.partition("verbatim\n\n")[2]
    assert "> my name is Dana\n> and I live in Lisbon\n\n> what is on the list?\n\n> and now?" == quotes


def test_a_summary_gives_way_when_only_that_makes_a_request_possible():
    """What was said lately goes before notes on what was said long ago."""
    agent = agent_with(Writer("empty"))
    recent = tuple(User("filler " * 150) for _ in range(4))
    history = (Summary("notes " * 2000, 20), *recent)

    fitted = asyncio.run(Fitting(ContextBounds(2400))(agent, Need(history)))

    assert (recent, None) == (fitted.messages[1:], fitted.stop)
    assert "left out of this request: 1 older messages" in fitted.messages[0].text
