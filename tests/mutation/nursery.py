"""
A pytest that has collected every test, and forks itself for each mutant, which is put into what was imported.

What importing and collecting take is then taken once, and a mutant costs what its tests cost.

Public: Nursery.
"""

from __future__ import annotations

import ast
import functools
import gc
import importlib
import inspect
import json
import os
import re
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest


class Nursery:
    """
    The plugin of such a pytest, and the connection over which mutants are asked about.

    Args:
        limit: sets the CPU time of the test with this name.
    """

    def __init__(self, copy: Path, limit: Callable[[str], None]) -> None:
        self._memory, self._limit = copy / "cococat" / "memory", limit
        self._asked, self._answers = socket.socketpair()
        self._told: dict[str, object] = {}
        self._modules: dict[str, ModuleType] = {}
        self._child = False

    def judge(self, file: str, source: str, wanted: Sequence[str]) -> tuple[int, dict[str, object]] | None:
        """Run *wanted* with the functions of *source*; None where something else than functions was changed."""
        with self._asked.makefile("rw", encoding="utf-8") as lines:
            lines.write(json.dumps([file, source, list(wanted)]) + "\n")
            lines.flush()
        answer = self.answer()
        return (answer[0], answer[1]) if answer else None

    def answer(self) -> list[Any] | None:
        """Return what is said next; the first word, None, is said when everything is collected."""
        self._answers.close()  # the other one's
        with self._asked.makefile(encoding="utf-8") as lines:
            if not (line := lines.readline()):
                raise RuntimeError("the tests could not be collected: see `nursery` in the copy")
            return json.loads(line)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        before = {
            path.relative_to(self._memory).as_posix(): path.read_text("utf-8") for path in self._memory.rglob("*.py")
        }
        self._modules = {
            name: importlib.import_module(f"cococat.memory.{name.removesuffix('.py').replace('/', '.')}")
            for name in before
        }
        self._asked.close()
        gc.freeze()  # so that a child copies no page only to look for garbage on it
        with self._answers.makefile("rw", encoding="utf-8") as lines:
            lines.write("null\n")
            lines.flush()
            for line in lines:
                file, source, wanted = json.loads(line)
                changed = _changes(self._modules[file], before[file], source)
                answer = self._forked([items[name] for name in wanted if name in items], changed) if changed else None
                lines.write(json.dumps(answer) + "\n")
                lines.flush()
        return True

    def _forked(self, items: Sequence[pytest.Item], changed: Sequence[Callable[[], None]]) -> tuple[int, object]:
        told, ours = socket.socketpair()
        if (pid := os.fork()) == 0:
            told.close()
            self._be(items, changed, ours)
        ours.close()
        with told.makefile(encoding="utf-8") as lines:
            text = lines.readline()
        told.close()
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        return code, json.loads(text or "{}")

    def _be(self, items: Sequence[pytest.Item], changed: Sequence[Callable[[], None]], told: socket.socket) -> None:
        code = 4
        try:
            self._child, sys.dont_write_bytecode = True, True
            for change in changed:
                change()
            for one in (one for module in self._modules.values() for one in vars(module).values()):
                if isinstance(one, functools._lru_cache_wrapper):
                    one.cache_clear()
            code = self._first_failure(items)
            told.sendall(json.dumps(self._told).encode() + b"\n")
        finally:
            sys.stdout.flush()
            os._exit(code)

    def _first_failure(self, items: Sequence[pytest.Item]) -> int:
        for item, following in zip(items, [*items[1:], None], strict=True):
            self._limit(item.nodeid)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self._told:
                return 1
        return 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if self._child and report.failed and not self._told:
            self._told = {"test": report.nodeid, "late": "imeout" in report.longreprtext}


def _changes(module: ModuleType, before: str, source: str) -> list[Callable[[], None]]:
    """Return what makes the *module* that was imported as *before* one of *source*; nothing where that cannot be said."""
    old, new = (_namespace(module, text) for text in (before, source))
    live, was, now = (dict(_functions(module.__name__, one)) for one in (vars(module), old, new))
    found: list[Callable[[], None]] = []
    for name, function in now.items():
        if name not in was or name not in live or function.__code__.co_freevars != live[name].__code__.co_freevars:
            return []
        if _shape(was[name].__code__) != _shape(function.__code__):
            found.append(partial(setattr, live[name], "__code__", function.__code__))
        found += [
            partial(setattr, live[name], part, getattr(function, part))
            for part in ("__defaults__", "__kwdefaults__")
            if repr(getattr(was[name], part)) != repr(getattr(function, part))
        ]
    for name, value in new.items():
        if not isinstance(value, FunctionType | type | ModuleType) and _value(value) != _value(old.get(name)):
            found += [partial(setattr, one, name, value) for one in _holders(name, vars(module).get(name))]
    return found


def _namespace(module: ModuleType, text: str) -> dict[str, object]:
    """Run *text* as *module* would be."""
    found: dict[str, object] = {"__name__": module.__name__, "__file__": module.__file__}
    exec(compile(ast.unparse(ast.parse(text)), str(module.__file__), "exec", dont_inherit=True), found)
    return found


def _functions(module: str, namespace: Mapping[str, object]) -> Iterator[tuple[str, FunctionType]]:
    """Return the functions of *module* and of its classes, also those that a decorator hides."""
    for value in namespace.values():
        one = inspect.unwrap(value.fget if isinstance(value, property) else getattr(value, "__func__", value))
        if isinstance(one, type) and one.__module__ == module:
            yield from _functions(module, vars(one))
        elif isinstance(one, FunctionType) and one.__module__ == module:
            yield one.__qualname__, one


def _holders(name: str, value: object) -> list[ModuleType]:
    """Return the modules that know *value* by this *name*."""
    return [one for one in [*sys.modules.values()] if isinstance(one, ModuleType) and vars(one).get(name) is value]


def _value(value: object) -> str:
    return value.pattern if isinstance(value, re.Pattern) else repr(value)


def _shape(code: CodeType) -> tuple[object, ...]:
    """Return what *code* does, wherever it stands in its file."""
    inner = [_shape(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts]
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, inner
