"""Every row of the acceptance list is shown by a test that exists and runs, or is superseded by a resolution."""

from __future__ import annotations

import ast
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tests.mutation.register import wires

ROOT = Path(__file__).resolve().parents[2]
ROWS = {"A": 33, "B": 22, "C": 31, "D": 32, "E": 27, "F": 9}
IDS = {f"{seed}{number}" for seed, most in ROWS.items() for number in range(1, most + 1)}
NEVER = ("slow", "skip", "xfail")  # marks of tests that the default suite does not count on


@cache
def register() -> dict[str, dict[str, object]]:
    """The rows as they are mapped."""
    return tomllib.loads((ROOT / "tests" / "acceptance.toml").read_text())


@cache
def found_in(path: str) -> dict[str, tuple[str, ...]]:
    """The tests of a file by name, each with the marks that it bears, its class's and its file's included."""
    tree = ast.parse((ROOT / path).read_text())
    everywhere = tuple(
        mark
        for node in tree.body
        if isinstance(node, ast.Assign) and any(getattr(name, "id", "") == "pytestmark" for name in node.targets)
        for mark in marks([*node.value.elts] if isinstance(node.value, ast.List | ast.Tuple) else [node.value])
    )
    return {
        node.name: (*everywhere, *marks(node.decorator_list))
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }


def marks(nodes: list[ast.expr]) -> tuple[str, ...]:
    """The names of pytest marks: `pytest.mark.slow` and `pytest.mark.skip(...)` give `slow` and `skip`."""
    texts = [ast.unparse(node.func if isinstance(node, ast.Call) else node) for node in nodes]
    return tuple(text.removeprefix("pytest.mark.") for text in texts if text.startswith("pytest.mark."))


def test_every_row_has_a_wire_that_can_be_taken_out():
    """`python -m tests.mutation register` tries each row; one that is not in its table would not be missed."""
    wired = {row for wire in wires() for row in wire.rows}

    assert (set(), set()) == (IDS - wired, wired - IDS)
    assert [] == [
        wire.name for wire in wires() if (ROOT / "cococat" / wire.file).read_text("utf-8").count(wire.old) != 1
    ]


OPEN: set[str] = set()  # rows of which a part is not built yet; `open` says which


def test_what_is_open_is_known_and_says_what_is_missing():
    """A row may be shown in part only where it says what is not there."""
    said = {row: entry["open"] for row, entry in register().items() if "open" in entry}

    assert OPEN == said.keys()
    assert all(said.values())


def test_every_id_is_mapped_and_no_other():
    """A row that nobody shows is not done; a row that nobody asked for is a slip."""
    mapped = set(register())

    assert (set(), set()) == (IDS - mapped, mapped - IDS)


@pytest.mark.parametrize("row", sorted(register()))
def test_a_row_names_tests_that_exist_and_run(row):
    """Each test is found in its file, under its name, and the default suite runs it."""
    entry = register()[row]

    assert {"tests", "superseded", "open"} >= entry.keys()
    assert entry.get("tests") or str(entry.get("superseded", "")).startswith("by resolution ")
    assert "\n" not in str(entry.get("superseded", ""))
    for named in entry.get("tests", ()):
        path, _, name = named.partition("::")
        assert path.startswith("tests/"), named
        assert name in found_in(path), f"{named} does not exist"
        assert not set(NEVER) & set(found_in(path)[name]), f"{named} does not run"
