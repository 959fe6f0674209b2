"""Run a soak by hand: `python -m tests.soak kills --n 1000 [--seed N]`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.soak.kills import soak


def main() -> int:
    """Run the soak that is asked for; give 0 when it found nothing and did what it is for."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("soak", choices=["kills"])
    parser.add_argument("--n", type=int, default=1000, help="how many kills")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cococat-soak-") as folder:
        tally = soak(Path(folder), options.n, options.seed, tell=lambda line: print(line, flush=True))  # noqa: T201 - a program
    print(tally.report())  # noqa: T201 - as above
    return 0 if tally.good else 1


if __name__ == "__main__":
    sys.exit(main())
