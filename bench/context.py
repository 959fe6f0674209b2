"""What a long run costs in windows of several sizes: cuts, what of a request its server has read before, tokens.

    python bench/context.py [WINDOW…]

The model is scripted: 80 steps, each with an output of an eightieth of the window in lines; its notes copy nothing.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


from cococat.context.budget import ContextBounds
from cococat.context.fit import Fitting
from cococat.core.agent import Agent, estimate_tokens
from cococat.core.events import ContextCompacted, Event
from cococat.core.limits import Limits
from cococat.core.loop import run_turn
from cococat.core.messages import User
from cococat.core.settings import Timeouts
from cococat.core.tools import allow_all, tool
from cococat.model.client import ChatModel, Endpoint
from cococat.protocol.native import Native
from tests.scripted import Turn, calls, forever, says, serve

STEPS = 80
NOTES = "## Task\nRead.\n\n## State\nRead on.\n\n## Findings\n-\n\n## Next steps\nRead on."


def main(windows: list[int]) -> None:
    """Print a line for each of *windows*."""
    print(f"{'window':>8}{'steps':>7}{'cuts':>6}{'notes':>7}{'read before':>13}{'prompt tokens':>15}")
    for window in windows:
        requests, events = asyncio.run(run(window))
        asked = [str(request["messages"]) for request in requests if request.get("tools")]
        before = [shared(*pair) for pair in itertools.pairwise(asked)]
        cuts = sum(isinstance(event, ContextCompacted) for event in events)
        part = sum(before) / sum(map(len, asked[1:]))
        tokens = sum(estimate_tokens(str(request["messages"])) for request in requests)
        print(f"{window:>8,}{len(asked):>7}{cuts:>6}{len(requests) - len(asked):>7}{part:>13.1%}{tokens:>15,}")


def shared(one: str, other: str) -> int:
    """How many characters both begin with."""
    return next((at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), len(one))


async def run(window: int) -> tuple[list[dict[str, Any]], list[Event]]:
    """Let the scripted model read on; return its requests and what happened."""
    events: list[Event] = []
    place = 0

    @tool("reads")
    async def look(place: int) -> str:
        """Look."""
        return "\n".join(f"{place}.{line} is a line of the file" for line in range(window // 200))

    def reply(body: dict[str, Any]) -> Turn:
        nonlocal place
        if not body.get("tools"):
            return says(NOTES, usage=None)
        place += 1
        return (
            calls(("look", {"place": place}), text=f"I look at {place}.", usage=None) if place < STEPS else says("ok")
        )

    with serve(forever(reply)) as server:
        model = ChatModel(Endpoint(server.base_url, "", "scripted"), Timeouts(5, 5, 5, 5))
        agent = Agent(
            model=model,
            protocol=Native(),
            system="Be brief.",
            tools=(look,),
            limits=Limits(max_steps=STEPS + 1, max_total_tokens=0),
            gate=allow_all,
            clock=time.monotonic,
            context=Fitting(ContextBounds(window, min(4096, window // 4))),
        )
        await run_turn(agent, (), User("read every place"), events.append)
        await model.aclose()
        return list(server.requests), events


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or [8000, 9500, 16_000, 32_000])
