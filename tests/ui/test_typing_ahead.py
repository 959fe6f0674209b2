"""Any interleaving of typing, waiting and questions: no key answers early, no character is lost."""

from __future__ import annotations

import asyncio
import io
import os
import random
import select

import pytest

from cococat.ui.choices import KEYS
from cococat.ui.confirm import Reply, confirm
from cococat.ui.turn_keys import KeyWatch

CHOICES = ("yes", "session", "always", "no", "rule(x)")
ANSWERS = {**KEYS, "1": "yes"}
QUIET_MS = 700
LETTERS = "ynsaYq hé你?1"
WAITS_MS = (0, 103, 301, 690, 710, 1500)  # no sum of them is QUIET_MS itself


class Clocked(asyncio.SelectorEventLoop):
    """A loop whose seconds pass only when they are told to."""

    def __init__(self) -> None:
        self.ms = 0
        super().__init__()

    def time(self) -> float:
        return self.ms / 1000


def scenario(seed):
    """Bursts of keys, waits and questions; alone among the keys, Enter completes a line."""
    chance = random.Random(seed)
    for _ in range(40):
        kind = chance.choice("kkkwwwa")
        if kind == "k":
            yield "".join(chance.choice(LETTERS) for _ in range(chance.choice([1, 1, 1, 2, 9])))
            if chance.random() < 0.2:
                yield "\r"
        else:
            yield chance.choice(WAITS_MS) if kind == "w" else None


async def settled(slave):
    """Let the loop do what it can do now."""
    while select.select([slave], [], [], 0)[0]:
        await asyncio.sleep(0)
    for _ in range(9):
        await asyncio.sleep(0)


async def played(steps):
    """What the program answered and took in, and what the rule says that it must be."""
    loop = asyncio.get_running_loop()
    master, slave = os.openpty()
    queued, answers, typed, expected = [], [], "", []
    asked, last = None, -QUIET_MS
    with KeyWatch(lambda: answers.append("stopped"), lambda: None, queued.append, fd=slave) as keys:
        for step in steps:
            match step:
                case None if asked is None or asked.done():
                    asked = asyncio.ensure_future(confirm("?", "ls", CHOICES, keys=keys, fd=slave, out=io.StringIO()))
                    asked.add_done_callback(lambda done: answers.append(done.result().answer))
                    last = loop.ms
                case int():
                    loop.ms += step
                case str():
                    stands = asked is not None and not asked.done() and loop.ms - last >= QUIET_MS
                    if stands and ANSWERS.get(step.lower()):
                        expected.append(ANSWERS[step.lower()])
                    else:
                        typed += step
                    last = loop.ms
                    os.write(master, step.encode())
                    assert select.select([slave], [], [], 5)[0]
                case _:
                    pass
            await settled(slave)
        if asked and not asked.done():
            loop.ms += QUIET_MS + 1
            await settled(slave)
            os.write(master, b"n")
            assert select.select([slave], [], [], 5)[0]
            await settled(slave)
            expected.append("no")
        rest = keys.take_rest().text
    os.close(master)
    os.close(slave)
    return answers, expected, [line.text for line in queued], rest, typed


def play(seeds):
    count = 0
    for seed in seeds:
        with asyncio.Runner(loop_factory=Clocked) as runner:
            answers, expected, queued, rest, typed = runner.run(played(scenario(seed)))
        assert expected == answers, seed
        *lines, last = typed.split("\r")
        assert [line for line in lines if line.strip()] == queued, seed
        assert last == rest, seed
        count += len(answers)
    return count


def test_sixty_interleavings_answer_nothing_early_and_lose_nothing():
    """The rule of 0.7 s and the draft, by a clock of the test's own and a real terminal."""
    assert 60 <= play(range(60))


@pytest.mark.slow
def test_five_hundred_interleavings_answer_nothing_early_and_lose_nothing():
    """Run with `pytest -m slow tests/ui/test_typing_ahead.py`."""
    assert 500 <= play(range(1000, 1500))


def test_an_escape_that_came_too_early_stops_the_turn_and_answers_nothing():
    """Esc is the key of the turn until the question has stood for a while."""

    async def pressed(wait_ms):
        loop = asyncio.get_running_loop()
        master, slave = os.openpty()
        stopped = []
        with KeyWatch(lambda: stopped.append(True), lambda: None, print, fd=slave) as keys:
            asked = asyncio.ensure_future(confirm("?", "ls", CHOICES, keys=keys, fd=slave, out=io.StringIO()))
            await settled(slave)
            loop.ms += wait_ms
            await settled(slave)
            os.write(master, b"\x1b")
            assert select.select([slave], [], [], 5)[0]
            await settled(slave)
            loop.ms += 60
            await settled(slave)
            done = asked.result() if asked.done() else None
            asked.cancel()
        os.close(master)
        os.close(slave)
        return bool(stopped), done

    with asyncio.Runner(loop_factory=Clocked) as runner:
        early, late = runner.run(pressed(690)), runner.run(pressed(710))

    assert (True, None) == early
    assert (False, Reply("no")) == late
