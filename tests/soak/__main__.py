"""Run a soak by hand: `python -m tests.soak kills|documents|hostile|exits|typing [--n N] [--seed N]`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Protocol


class Tally(Protocol):
    """What a soak saw."""

    @property
    def good(self) -> bool: ...

    def report(self) -> str: ...


def _kills(number: int, seed: int) -> Tally:
    from tests.soak.kills import soak

    with tempfile.TemporaryDirectory(prefix="cococat-soak-") as folder:
        return soak(Path(folder), number, seed, tell=lambda line: print(line, flush=True))  # noqa: T201 - a program


def _documents(number: int, seed: int) -> Tally:
    from tests.soak.documents import show

    return show(range(seed, seed + number))


def _hostile(number: int, seed: int) -> Tally:
    from tests.soak.hostile import attack

    return attack(number, seed)


def _exits(number: int, seed: int) -> Tally:
    from tests.soak.exits import leave

    with tempfile.TemporaryDirectory(prefix="cococat-soak-") as folder:
        return leave(Path(folder), number, seed)


def _typing(number: int, seed: int) -> Tally:
    from tests.soak.typing_ahead import interleave

    return interleave(range(seed, seed + number))


SOAKS: dict[str, tuple[Callable[[int, int], Tally], int]] = {
    "kills": (_kills, 1000),
    "documents": (_documents, 200),
    "hostile": (_hostile, 2000),
    "exits": (_exits, 200),
    "typing": (_typing, 500),
}


def main() -> int:
    """Run the soak that is asked for; give 0 when it found nothing and did what it is for."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("soak", choices=SOAKS)
    parser.add_argument("--n", type=int, default=0, help="how many; 0: as many as the soak is worth")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    run, number = SOAKS[options.soak]
    tally = run(options.n or number, options.seed)
    print(tally.report())  # noqa: T201 - as above
    return 0 if tally.good else 1


if __name__ == "__main__":
    sys.exit(main())
