"""Histories of any length, and the loop against a scripted server over real HTTP."""

import asyncio
import time

import pytest

from cococat.context.budget import ContextBounds
from cococat.context.fit import Fitting
from cococat.core.agent import Agent
from cococat.core.history import assert_valid
from cococat.core.limits import Limits
from cococat.core.loop import run_turn
from cococat.core.messages import Assistant, ToolCall, ToolResult, User
from cococat.core.settings import RetryPolicy, Timeouts
from cococat.core.tools import allow_all
from cococat.model.client import ChatModel, Endpoint
from cococat.protocol.native import Native


class Ran:
    """A turn, its events, and the windows that were learned."""

    def __init__(self):
        self.events = []
        self.learned = []
        self.turn = None

    def of(self, kind):
        return [event for event in self.events if isinstance(event, kind)]


@pytest.fixture
def run():
    """Run one turn whose context is fitted to `bounds`; `during(task, ran)` may cancel it."""

    def start(server, history=(), prompt="go", *, bounds=None, tools=(), during=None, limits=None):
        ran = Ran()

        async def main():
            model = ChatModel(Endpoint(server.base_url, "", "scripted"), Timeouts(30, 30, 30, 30))
            agent = Agent(
                model=model,
                protocol=Native(),
                system="Be brief.",
                tools=tuple(tools),
                limits=limits or Limits(),
                gate=allow_all,
                clock=time.monotonic,
                retry=RetryPolicy(base_ms=1, jitter_ms=0),
                context=Fitting(
                    bounds or ContextBounds(128_000),
                    lambda window, assumed: ran.learned.append((window, assumed) if assumed else window),
                ),
            )
            task = asyncio.ensure_future(run_turn(agent, history, User(prompt), ran.events.append))
            if during:
                await during(task, ran)
            ran.turn = await task
            await model.aclose()

        asyncio.run(main())
        assert_valid(ran.turn.history)
        return ran

    return start


@pytest.fixture
def rounds():
    """Make finished turns, each with a question, a call, its output of `chars` characters, and an answer."""

    def make(number, chars, said=0):
        made = []
        for n in range(number):
            call = ToolCall(f"call_{n}", "read_file", f'{{"path": "file{n}.txt"}}')
            output = ToolResult(call.id, "read_file", f"<{n}>" + "x" * chars)
            made += [
                User(f"question {n}"),
                Assistant("", calls=(call,)),
                output,
                Assistant(f"answer {n}" + " " * bool(said) + "y" * said),
            ]
        return tuple(made)

    return make
