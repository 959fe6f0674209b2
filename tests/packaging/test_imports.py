"""What the package imports: declared dependencies, and each other in one direction."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path

import pytest

import cococat

pytestmark = pytest.mark.xdist_group("imports")  # or each worker would parse the package
HOME = Path(cococat.__file__).parent
ROOT = HOME.parent


@cache  # three tests ask
def _imports(path: Path) -> tuple[str, ...]:
    """Every name that a module imports, wherever in it; `from a import b` gives `a` and `a.b`."""
    return tuple(_named(path))


def _named(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield module
                yield from (f"{module}.{alias.name}" for alias in names)
            case ast.Call(func=ast.Name("import_module"), args=[ast.Constant(str(name))]):
                yield name


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_module(path): path for path in sorted(HOME.rglob("*.py"))}


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _declared() -> tuple[set[str], set[str]]:
    """The distributions that are always installed, and those of the extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    core, extra = project["dependencies"], chain.from_iterable(project["optional-dependencies"].values())
    return tuple({_plain(re.match(r"[\w.-]+", line)[0]) for line in lines} for lines in (core, extra))


def _imported() -> dict[str, set[str]]:
    """The distributions that are imported, each with the modules that do."""
    known = packages_distributions()
    found: dict[str, set[str]] = {}
    for module, path in MODULES.items():
        for top in {name.partition(".")[0] for name in _imports(path)} - set(sys.stdlib_module_names) - {"cococat"}:
            for distribution in known.get(top, [top]):  # that of an extra may not be installed
                found.setdefault(_plain(distribution), set()).add(module)
    return found


def test_what_is_imported_is_declared():
    """What only another package brings may be gone with its next version."""
    core, extra = _declared()

    assert {} == {name: modules for name, modules in _imported().items() if name not in core | extra}


def test_what_is_declared_is_imported():
    """Nobody installs what nothing uses."""
    core, _ = _declared()

    assert set() == core - set(_imported())


def test_no_two_modules_import_each_other():
    """Not by way of others, not for types, not inside a function: of two modules one stands on the other."""
    uses = {module: {name for name in _imports(path) if name in MODULES} for module, path in MODULES.items()}

    TopologicalSorter(uses).prepare()  # a CycleError names the modules
