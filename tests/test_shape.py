"""What keeps the house easy to walk through: signatures that can be read, a way that is short."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAX_PARAMETERS = 8
MAX_FILES = 12  # on the way from a question to its answer
FLAGS = ("f.Job", "f.Job | None")  # what a function returns whose parameters are the flags of a command


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


def takes_flags(place, function):
    """Whether Typer calls it, one parameter a flag."""
    return place.startswith("cococat/cli/") and function.returns and ast.unparse(function.returns) in FLAGS


def test_no_function_has_more_than_eight_parameters():
    """What needs more takes a value that has a name; a command's flags are Typer's."""
    counts = {place: parameters(node) for place, node in functions() if not takes_flags(place, node)}

    assert len(counts) > 1000
    assert {} == {place: count for place, count in counts.items() if count > MAX_PARAMETERS}


def test_the_way_of_a_question_is_as_short_as_the_readme_says():
    """The files that it names are there, each once, and a newcomer can read them all."""
    section = (ROOT / "README.md").read_text("utf-8").partition("## How it works")[2].partition("\n## ")[0]
    way = re.findall(r"^\d+\. `([^`]+)`", section, re.MULTILINE)
    others = set(re.findall(r"`([a-z_]+/[a-z_/]+\.py)`", section)) - set(way)

    assert len(way) == len(set(way)) <= MAX_FILES
    assert [] == [name for name in (*way, *others) if not (ROOT / "cococat" / name).is_file()]
