"""What keeps the house easy to walk through: signatures that can be read, ways that are short."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from bench.way import BARS, MOST_CALLS, WAYS, calls_a_delta, chapter

ROOT = Path(__file__).resolve().parent.parent
MAX_PARAMETERS = 8


def functions():
    """Every function of ours with its place."""
    for path in sorted((ROOT / "cococat").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{path.relative_to(ROOT).as_posix()}:{node.lineno} {node.name}", node


def parameters(function):
    """How many a caller has to think of."""
    own = function.args
    named = [one.arg for one in (*own.posonlyargs, *own.args, *own.kwonlyargs) if one.arg not in ("self", "cls")]
    return len(named) + sum(one is not None for one in (own.vararg, own.kwarg))


def test_no_function_has_more_than_eight_parameters():
    """What needs more takes a value that has a name."""
    counts = {place: parameters(node) for place, node in functions()}

    assert len(counts) > 1000
    assert {} == {place: count for place, count in counts.items() if count > MAX_PARAMETERS}


@pytest.mark.xdist_group("ways")
@pytest.mark.parametrize("name", BARS)
def test_a_way_through_the_house_becomes_no_longer(name):
    """What a command really enters, imports and runs is counted while it runs."""
    found = WAYS[name]().counts()

    assert {} == {what: most for what, most in BARS[name]._asdict().items() if getattr(found, what) > most}
    assert min(found) > 0


@pytest.mark.xdist_group("ways")
def test_one_more_delta_of_an_answer_takes_few_calls():
    """An answer of a thousand deltas is no work."""
    assert 0 < calls_a_delta() <= MOST_CALLS


@pytest.mark.xdist_group("ways")
def test_the_readme_tells_the_way_of_a_question_as_it_was_traced():
    """`python bench/way.py --readme` wrote it."""
    section = (ROOT / "README.md").read_text("utf-8").partition("## How it works")[2].partition("\n## ")[0]
    names = set(re.findall(r"`([a-z_]+/[a-z_/]+\.py)`", section))

    assert chapter(WAYS["ask"]()) in section
    assert [] == [name for name in names if not (ROOT / "cococat" / name).is_file()]
