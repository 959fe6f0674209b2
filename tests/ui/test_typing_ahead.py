"""Any interleaving of typing, waiting and questions: no key answers early, no character is lost.

The long run is `python -m tests.soak typing --n 500`.
"""

from __future__ import annotations

import asyncio
import io
import os
import select

from cococat.ui.prompt.confirm import ConsentReply, confirm
from cococat.ui.prompt.turn_keys import KeyWatch
from tests.soak.typing_ahead import CHOICES, Clocked, interleave, settled


def test_sixty_interleavings_answer_nothing_early_and_lose_nothing():
    """The rule of 0.7 s and the draft, by a clock of the test's own and a real terminal."""
    typed = interleave(range(60))

    assert typed.good, typed.report()


def test_an_escape_that_came_too_early_stops_the_turn_and_answers_nothing():
    """Esc is the key of the turn until the question has stood for a while."""

    async def pressed(wait_ms):
        loop = asyncio.get_running_loop()
        master, slave = os.openpty()
        stopped = []
        with KeyWatch(lambda: stopped.append(True), lambda: None, print, fd=slave) as keys:
            asked = asyncio.ensure_future(confirm("?", "ls", CHOICES, keys=keys, out=io.StringIO()))
            await settled(slave)
            loop.ms += wait_ms
            await settled(slave)
            os.write(master, b"\x1b")
            assert select.select([slave], [], [], 5)[0]
            await settled(slave)
            loop.ms += 110
            await settled(slave)
            done = asked.result() if asked.done() else None
            asked.cancel()
        os.close(master)
        os.close(slave)
        return bool(stopped), done

    with asyncio.Runner(loop_factory=Clocked) as runner:
        early, late = runner.run(pressed(690)), runner.run(pressed(710))

    assert (True, None) == early
    assert (False, ConsentReply("no")) == late
