"""Take one wire of the product out for each row of the acceptance list, and name the rows whose tests do not mind.

    nice -n 19 python -m tests.mutation register [ROW…] [--done FILE]

`unwired.toml` says which text of which file is taken out for which rows; each is tried in a copy of the tree, with
the tests of those rows alone. What was red is kept in FILE, so that a run that was stopped goes on where it was.

Public: main, wires, Wire.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from tests.mutation.copies import ROOT, copied

COPIED = ("cococat", "tests", "docs", "bench", "README.md", "CHANGELOG.md", "config.example.toml", "pyproject.toml")
TIMEOUT_S = 240.0  # of the tests of one row
_FAILED = re.compile(r"^(?:FAILED|ERROR) (tests/[^\s\[]+)", re.MULTILINE)


class StaleError(Exception):
    """A wire that is not in the tree as the table has it."""


class Wire(NamedTuple):
    """A text of a file of the package that stands there once, what takes its place, and the rows that must notice."""

    rows: tuple[str, ...]
    file: str
    old: str
    new: str

    @property
    def name(self) -> str:
        """File, text and what takes its place, in one line."""
        return f"{self.file}: {' '.join(self.old.split())[:90]} -> {' '.join(self.new.split())[:60]}"


class Tree(NamedTuple):
    """The copy of the tree that is changed."""

    folder: Path

    def passes(self, tests: Sequence[str]) -> tuple[bool, tuple[str, ...]]:
        """Run *tests* until one fails; return whether none did, and which one did."""
        words = [sys.executable, "-m", "pytest", *tests, "-x", "-q", "-rfE", "-p", "no:cacheprovider", "-p", "no:xdist"]
        env = {**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            ran = subprocess.run(
                words,
                cwd=self.folder,
                env=env,
                capture_output=True,
                text=True,
                timeout=max(TIMEOUT_S, 10 * len(tests)),
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False, ()
        if ran.returncode not in (0, 1):
            raise RuntimeError(
                f"pytest {' '.join(tests)}: exit {ran.returncode}\n{ran.stdout[-2000:]}{ran.stderr[-500:]}"
            )
        return ran.returncode == 0, tuple(_FAILED.findall(ran.stdout))

    @contextmanager
    def without(self, wire: Wire) -> Iterator[None]:
        """
        Take *wire* out for a while.

        Raises: StaleError: its text is not there once, or the file cannot be imported without it.
        """
        path = self.folder / "cococat" / wire.file
        source = path.read_text("utf-8")
        if source.count(wire.old) != 1:
            raise StaleError(f"{wire.file} holds {source.count(wire.old)} times: {wire.old}")
        stat = path.stat()
        path.write_text(source.replace(wire.old, wire.new), "utf-8")
        try:
            self._check_import(wire.file)
            yield
        finally:
            path.write_text(source, "utf-8")
            os.utime(path, (stat.st_atime, stat.st_mtime))

    def _check_import(self, file: str) -> None:
        """A file that is broken as a whole would turn any test red."""
        if not file.endswith(".py"):
            return
        module = "cococat." + file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        words = [sys.executable, "-c", f"import {module}"]
        env = {**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        ran = subprocess.run(words, cwd=self.folder, env=env, capture_output=True, text=True, check=False)
        if ran.returncode:
            raise StaleError(f"{file} cannot be imported without its wire: {ran.stderr[-300:]}")


def wires() -> tuple[Wire, ...]:
    """Every wire that can be taken out."""
    table = tomllib.loads((Path(__file__).parent / "unwired.toml").read_text("utf-8"))
    return tuple(Wire(tuple(one["rows"].split()), one["file"], one["old"], one["new"]) for one in table["wire"])


def tests_of() -> dict[str, tuple[str, ...]]:
    """The tests of each row."""
    rows = tomllib.loads((ROOT / "tests" / "acceptance.toml").read_text("utf-8"))
    return {row: tuple(entry["tests"]) for row, entry in rows.items()}


def main(words: Sequence[str]) -> int:
    """Try every wire of the rows that are named, or of all; return the exit code."""
    parser = argparse.ArgumentParser("python -m tests.mutation register")
    parser.add_argument("rows", nargs="*", metavar="ROW")
    parser.add_argument("--done", type=Path, metavar="FILE", help="what was red before, and is not tried again")
    given = parser.parse_args(words)
    tests, every = tests_of(), wires()
    wanted = [row for row in tests if row in given.rows or not given.rows]
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(copied(Path(folder), COPIED))
        passed, failed = tree.passes(list(dict.fromkeys(test for row in wanted for test in tests[row])))
        if not passed:
            _say(f"with every wire in its place the tests fail: {', '.join(failed) or 'out of time'}")
            return 2
        bad = [line for wire in every for line in _tried(tree, wire, tests, wanted, given.done)]
    bad += [f"no wire: {row}" for row in wanted if not any(row in wire.rows for wire in every)]
    for line in bad:
        _say(line)
    kinds = Counter(line.partition(":")[0] for line in bad)
    _say(
        f"{len(wanted)} rows: {kinds['green']} wires not missed, {kinds['stale']} stale, {kinds['no wire']} rows without"
    )
    return 1 if bad else 0


def _tried(
    tree: Tree, wire: Wire, tests: dict[str, tuple[str, ...]], wanted: Sequence[str], done: Path | None
) -> Iterator[str]:
    """Try *wire*; give a line for each of its rows that stays green, or one when it is stale."""
    known = set(done.read_text("utf-8").splitlines()) if done and done.exists() else set()
    due = [row for row in wire.rows if row in wanted and f"{row} {wire.name}" not in known]
    try:
        for row, passed in _judged(tree, wire, due, tests) if due else ():
            _say(f"{'GREEN' if passed else 'red':<6}{row} {wire.name}")
            if passed:
                yield f"green: {row} {wire.name}"
            elif done:
                with done.open("a", encoding="utf-8") as file:
                    file.write(f"{row} {wire.name}\n")
    except StaleError as error:
        yield f"stale: {error}"


def _judged(
    tree: Tree, wire: Wire, rows: Sequence[str], tests: dict[str, tuple[str, ...]]
) -> Iterator[tuple[str, bool]]:
    """Say of each of *rows* whether its tests pass without *wire*; what failed once is not run again."""
    red: set[str] = set()
    tried: dict[tuple[str, ...], bool] = {}
    with tree.without(wire):
        for row in rows:
            own = tests[row]
            if own not in tried and not red.intersection(own):
                tried[own], failed = tree.passes(own)
                red.update(failed)
            yield row, not red.intersection(own) and tried[own]


def _say(text: str) -> None:
    with suppress(BrokenPipeError):
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
