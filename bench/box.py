"""What the box costs: the median time of a command that does nothing, plain and in each tier of this machine.

python bench/box.py [RUNS]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from cococat.permissions.paths import secret, triggers  # noqa: E402 - it needs the line above
from cococat.sandbox.bounds import bounds  # noqa: E402 - as above
from cococat.sandbox.box import TIERS, find  # noqa: E402 - as above
from cococat.sandbox.survey import survey  # noqa: E402 - as above

NOTHING = ["/bin/bash", "-c", "true"]


def main() -> None:
    """Measure in turn, so that a busy moment is the same for all."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    with tempfile.TemporaryDirectory() as folder:
        root, private = Path(folder).resolve() / "root", Path(folder).resolve() / "private"
        root.mkdir()
        private.mkdir()
        subprocess.run(["git", "init", "-q", root], check=True)
        seen = survey(root, secret, triggers)
        limits = bounds(root, seen, [], private) if seen else None
        assert limits  # it is all but empty
        commands = {"plain": NOTHING}
        for tier in TIERS:
            if box := find([tier]):
                commands[tier] = box.words(limits, NOTHING)
        took: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(runs):
            for name, words in commands.items():
                took[name].append(_run(words, root))
    plain = median(took["plain"])
    for name, times in took.items():
        print(f"{name:<12} {median(times) * 1000:6.1f} ms  +{(median(times) - plain) * 1000:5.1f} ms")


def _run(words: Sequence[str], folder: Path) -> float:
    begun = time.perf_counter()
    subprocess.run(words, cwd=folder, check=True)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
