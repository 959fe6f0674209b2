"""Try mutants of cococat/memory against tests/memory, each in a copy of the tree, and print who survived.

    nice -n 19 python -m tests.mutation --sample 120 --seen FILE   # FILE: so that the next one begins at once
    nice -n 19 python -m tests.mutation register [ROW…]   # the acceptance list instead: see register.py

Exits 1 when fewer than 90 % of the mutants are noticed; those that change nothing one could notice are listed in
`equivalent.py` with the reason, and not counted.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.mutation import register
from tests.mutation.children import Fate, Suite
from tests.mutation.copies import ROOT, copied
from tests.mutation.equivalent import EQUIVALENT
from tests.mutation.mutants import Mutant, mutants_of, mutated

MEMORY = ROOT / "cococat" / "memory"
FILES = tuple(sorted(path.relative_to(MEMORY).with_suffix("").as_posix() for path in MEMORY.rglob("[!_]*.py")))
BAR = 0.9
COPIED = ("cococat", "tests", "bench", "pyproject.toml")


class Tried(NamedTuple):
    """A mutant and what became of it."""

    mutant: Mutant
    fate: Fate


def main(words: Sequence[str]) -> int:
    """Run; give the exit code."""
    if words[:1] == ["register"]:
        return register.main(words[1:])
    given = _parsed(words)
    mutants = _sampled(given.file, given.sample, given.seed)
    if given.list:
        _say("\n".join(f"{one.file}:{one.line} {one.name}" for one in mutants))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(Path(folder), COPIED)
        suite = Suite(copy, given.patience)
        for name in suite.measure(given.seen):
            _say(f"not asked, since it fails without a mutant: {name}")
        tried = [_try(suite, copy, mutant) for mutant in mutants]
        if not suite.sound():
            _say(f"a test that noticed a mutant fails without one:\n{suite.output()}")
            return 2
    return _told(tried)


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.mutation")
    parser.add_argument("--sample", type=int, default=120, metavar="N", help="mutants to try; 0 = all")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="which sample")
    parser.add_argument("--file", choices=FILES, action="append", help="only this file of cococat/memory")
    parser.add_argument("--seen", type=Path, metavar="FILE", help="where to keep what each test takes and calls")
    parser.add_argument("--patience", type=float, default=5.0, metavar="S", help="seconds; slower tests are not asked")
    parser.add_argument("--list", action="store_true", help="name the mutants and leave")
    return parser.parse_args(words)


def _sampled(files: Sequence[str] | None, size: int, seed: int) -> list[Mutant]:
    """Take mutants that are the same in every run with the same seed."""
    every = [
        mutant
        for name in files or FILES
        for mutant in mutants_of(f"{name}.py", (ROOT / "cococat" / "memory" / f"{name}.py").read_text("utf-8"))
    ]
    return random.Random(seed).sample(every, min(size, len(every))) if size else every


def _try(suite: Suite, copy: Path, mutant: Mutant) -> Tried:
    """Make *mutant* in the copy, run the tests, and put the file back."""
    if f"{mutant.file} {mutant.name}" in EQUIVALENT:
        return Tried(mutant, "equivalent")
    path = copy / "cococat" / "memory" / mutant.file
    source, stat = path.read_text("utf-8"), path.stat()
    path.write_text(mutated(source, mutant), "utf-8")
    try:
        fate, test = suite.judge(mutant)
    finally:
        path.write_text(source, "utf-8")
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # what was compiled of it holds again
    _say(f"{fate:<9} {mutant.file}:{mutant.line} {mutant.name}" + (f"  by {test.rpartition('/')[2]}" if test else ""))
    return Tried(mutant, fate)


def _told(tried: Sequence[Tried]) -> int:
    """Print the table and the score."""
    counts = Counter((one.mutant.file, one.fate) for one in tried)
    _say(f"\n{'file':<14}{'mutants':>8}{'killed':>8}{'timeout':>8}{'equal':>8}{'alive':>8}")
    for file in dict.fromkeys(one.mutant.file for one in tried):
        row = [counts[file, fate] for fate in ("killed", "timeout", "equivalent", "survived")]
        _say(f"{file:<14}{sum(row):>8}" + "".join(f"{count:>8}" for count in row))
    for one in tried:
        if one.fate == "survived":
            _say(f"alive: cococat/memory/{one.mutant.file}:{one.mutant.line} {one.mutant.name}")
        if one.fate == "equivalent":
            name = f"{one.mutant.file} {one.mutant.name}"
            _say(f"equal: {name}: {EQUIVALENT[name]}")
    fates = Counter(one.fate for one in tried)
    noticed, counted = fates["killed"] + fates["timeout"], len(tried) - fates["equivalent"]
    score = noticed / counted if counted else 1.0
    _say(f"score: {noticed} of {counted} mutants noticed, {score:.1%} (the bar is {BAR:.0%})")
    return 0 if score >= BAR else 1


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
