"""Run the loop against a scripted server over real HTTP."""

import asyncio
import time

import pytest

from cococat.core.agent import Agent
from cococat.core.history import assert_valid
from cococat.core.limits import Limits
from cococat.core.loop import run_turn
from cococat.core.messages import User
from cococat.core.settings import RetryPolicy, Timeouts
from cococat.core.tools import allow_all
from cococat.model.client import ChatModel, Endpoint
from cococat.protocol.native import Native

FAST = RetryPolicy(base_ms=1, jitter_ms=0)


class Ran:
    """A turn with everything that was told on the way."""

    def __init__(self):
        self.events = []
        self.turn = None

    def of(self, kind):
        return [event for event in self.events if isinstance(event, kind)]


@pytest.fixture
def run():
    """Run one turn; `during(task, ran)` may cancel it."""

    def start(server, tools=(), history=(), *, prompt="go", during=None, limits=None, **fields):
        ran = Ran()

        async def main():
            model = ChatModel(Endpoint(server.base_url, "", "scripted"), Timeouts(30, 30, 30, 30))
            given = {
                "gate": allow_all,
                "retry": FAST,
                "protocol": Native(),
                "system": "Be brief.",
                "clock": time.monotonic,
                **fields,
            }
            agent = Agent(model=model, tools=tuple(tools), limits=limits or Limits(), **given)
            task = asyncio.ensure_future(run_turn(agent, history, User(prompt), ran.events.append))
            if during:
                await during(task, ran)
            ran.turn = await task
            await model.aclose()

        asyncio.run(main())
        assert_valid(ran.turn.history)
        return ran

    return start
