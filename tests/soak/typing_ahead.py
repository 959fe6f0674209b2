"""Any interleaving of typing, waiting and questions of consent, on a real terminal and a clock of its own."""

from __future__ import annotations

import asyncio
import io
import os
import random
import select
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from cococat.ui.prompt.confirm import KEYS, confirm
from cococat.ui.prompt.turn_keys import KeyWatch

CHOICES = ("yes", "session", "always", "no", "rule(x)")
ANSWERS = {**KEYS, "1": "no"}
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


def scenario(seed: int) -> Iterator[str | int | None]:
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


async def settled(slave: int) -> None:
    """Let the loop do what it can do now."""
    while select.select([slave], [], [], 0)[0]:
        await asyncio.sleep(0)
    for _ in range(9):
        await asyncio.sleep(0)


async def played(steps: Iterable[str | int | None]) -> tuple[list[str], list[str], list[str], str, str]:
    """What the program answered and took in, and what the rule says that it must be."""
    loop = asyncio.get_running_loop()
    master, slave = os.openpty()
    queued, answers, typed, expected = [], [], "", []
    asked, last = None, -QUIET_MS
    with KeyWatch(lambda: answers.append("stopped"), lambda: None, queued.append, fd=slave) as keys:
        for step in steps:
            match step:
                case None if asked is None or asked.done():
                    asked = asyncio.ensure_future(confirm("?", "ls", CHOICES, keys=keys, out=io.StringIO()))
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


@dataclass(slots=True)
class Typed:
    """What interleavings came to; *early* answers and *lost* characters are there to be 0."""

    runs: int = 0
    answers: int = 0
    keys: int = 0
    early: int = 0
    lost: int = 0
    seeds: list[int] = field(default_factory=list)  # of what went wrong

    @property
    def good(self) -> bool:
        """Nothing was answered early or lost, and questions were answered."""
        return not self.seeds and self.answers >= self.runs

    def report(self) -> str:
        """The numbers in a line."""
        wrong = f"; seeds {self.seeds[:20]}" if self.seeds else ""
        return (
            f"{self.runs} interleavings, {self.answers} answers, {self.keys} keys of drafts: "
            f"{self.early} answers from keys typed before, {self.lost} characters lost from drafts{wrong}"
        )


def interleave(seeds: Iterable[int]) -> Typed:
    """Play the interleavings of *seeds*."""
    typed = Typed()
    for seed in seeds:
        with asyncio.Runner(loop_factory=Clocked) as runner:
            answers, expected, queued, rest, keys = runner.run(played(scenario(seed)))
        *lines, last = keys.split("\r")
        wanted = "\r".join([*(line for line in lines if line.strip()), last])
        kept = "\r".join([*queued, rest])
        typed.runs, typed.answers, typed.keys = typed.runs + 1, typed.answers + len(answers), typed.keys + len(keys)
        if expected != answers or wanted != kept:
            typed.seeds.append(seed)
            typed.early += max(1, len(answers) - len(expected)) if expected != answers else 0
            typed.lost += max(1, len(wanted) - len(kept)) if wanted != kept else 0
    return typed
