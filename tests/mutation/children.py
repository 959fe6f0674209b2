"""Run the tests of the memory in children that are forked with every library imported; time is CPU time.

A first run without a mutant notes what each test takes and which functions of the memory it calls. A mutant meets
those tests alone that call the function which was changed or start processes: first what noticed others of its file,
then those that look at least besides.

Public: Suite, Seen, Fate.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import resource
import signal
import sys
import threading
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Literal, NamedTuple, NoReturn, TypeAlias

import pytest

from tests.forks import LIBRARIES
from tests.mutation.copies import ROOT
from tests.mutation.mutants import Mutant
from tests.mutation.nursery import Nursery

SLOW = ("test_story.py",)  # too slow to be asked; what they notice is not counted
SHARED = ("openai", "tiktoken", "rich.console", "typer", "pexpect", "pyte", "tomlkit", *LIBRARIES)
FIRST = 30  # tests that a mutant meets before all others are even imported
STUCK_S = 180  # wall clock for one test: it waits for what does not come, which has to happen twice to count
_OPTIONS = (
    *(f"--ignore=tests/memory/{name}" for name in SLOW),
    *f"-o timeout={STUCK_S} -p no:cacheprovider -p no:xdist".split(),
    "-Wignore:Module already imported",
)
_PROCESS = "a process"  # a test that starts one may run any function in it
_STARTERS = ("Forks.start", "Popen.__init__", "fork", "forkpty")
Fate: TypeAlias = Literal["killed", "timeout", "equivalent", "survived"]


class Seen(NamedTuple):
    """What a test took and called when nothing was changed; *seconds* as on a clock, *cpu* its own."""

    seconds: float
    cpu: float
    calls: list[str]

    @property
    def takes(self) -> float:
        """Seconds that it takes; what runs in one process waits for nobody but a busy machine, which is not its fault."""
        return self.seconds if _PROCESS in self.calls else self.cpu

    @property
    def generality(self) -> tuple[bool, int, float]:
        """What sorts a test behind those that look at less, which tell most about it."""
        return _PROCESS in self.calls, len(self.calls), self.takes


class Suite:
    """
    The tests of a copy of the tree, and what they noticed so far.

    Args:
        patience_s: tests that took longer when they were measured are not asked, and what they notice is not counted.
    """

    def __init__(self, copy: Path, patience_s: float) -> None:
        self._copy, self._patience_s = copy, patience_s
        self._seen: dict[str, Seen] = {}
        self._kills: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for name in SHARED:
            with suppress(ImportError):  # of an extra that is not installed
                importlib.import_module(name)

    def measure(self, kept: Path | None = None) -> list[str]:
        """
        Run everything once; return what fails, and is not asked, as where the machine is too busy for a test.

        Args:
            kept: where what was noted is kept for the next run, which then runs only files that have changed since.
        """
        told = (
            json.loads(kept.read_text("utf-8")) if kept and kept.exists() else {"files": {}, "seen": {}, "failed": []}
        )
        files = {f"tests/memory/{path.name}": _digest(path) for path in (self._copy / "tests/memory").glob("test_*.py")}
        if changed := [
            name for name in files if files[name] != told["files"].get(name) and Path(name).name not in SLOW
        ]:
            new = self._run(None, changed)[1]
            told["seen"] = {**_outside(changed, told["seen"]), **new["seen"]}
            told["failed"] = [*_outside(changed, dict.fromkeys(told["failed"])), *new["failed"]]
        told["files"] = files
        every = {name: Seen(*row) for name, row in told["seen"].items()}
        self._seen = {name: seen for name, seen in every.items() if seen.takes <= self._patience_s}
        if kept:
            kept.write_text(json.dumps(told), "utf-8")
        self._nursery = Nursery(self._copy, self._limit)
        if os.fork() == 0:
            _become(self._copy, self._nursery, "nursery", ["tests/memory"])
        self._nursery.answer()
        return told["failed"]

    def judge(self, mutant: Mutant) -> tuple[Fate, str]:
        """Return what becomes of *mutant*, which stands in the copy, and the test that noticed it."""
        kills, function = self._kills[mutant.file], f"{mutant.file} {mutant.name.partition(':')[0]}"
        everywhere = all(function not in seen.calls for seen in self._seen.values())  # it is no function, or unused
        wanted = [name for name, seen in self._seen.items() if everywhere or {function, _PROCESS} & {*seen.calls}]
        wanted.sort(key=lambda name: (-kills[name], *self._seen[name].generality))
        code, told = self._met(mutant, wanted)
        test = told.get("test", "")
        if told.get("late"):
            code, _ = self._run([test])
        kills[test] += 1
        if code == 0:
            return "survived", ""
        return ("timeout", "") if code == -signal.SIGXCPU else ("killed", test)

    def _met(self, mutant: Mutant, wanted: Sequence[str]) -> tuple[int, dict[str, object]]:
        source = (self._copy / "cococat" / "memory" / mutant.file).read_text("utf-8")
        if found := self._nursery.judge(mutant.file, source, wanted):
            return self._checked(*found)
        code, told = self._run(wanted[:FIRST])
        return self._run(wanted[FIRST:]) if code == 0 and wanted[FIRST:] else (code, told)

    def _limit(self, name: str) -> None:
        """Give the test that begins some times the CPU time that it took."""
        limit = int(time.process_time() + 10 + 5 * self._seen[name].cpu)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))

    def sound(self) -> bool:
        """Return whether every test that noticed a mutant passes without one."""
        tests = {test: None for kills in self._kills.values() for test in kills if test in self._seen}
        return not tests or self._run([*tests])[0] == 0

    def output(self) -> str:
        """Return the end of what pytest printed last."""
        return (self._copy / "output").read_text("utf-8")[-2000:]

    def _run(self, wanted: Sequence[str] | None, files: Sequence[str] = ()) -> tuple[int, dict[str, object]]:
        """Run *wanted* in this order until one fails, or all of *files*; give the exit code or signal, and what was told."""
        told = self._copy / "told.json"
        told.unlink(missing_ok=True)
        if (pid := os.fork()) == 0:
            plugin = _Plugin(told, wanted, files, self._limit)
            _become(self._copy, plugin, "output", [*plugin.files, *(["-x"] if plugin.ordered else [])])
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        return self._checked(code, json.loads(told.read_text("utf-8")) if told.exists() else {})

    def _checked(self, code: int, told: dict[str, object]) -> tuple[int, dict[str, object]]:
        if code in (3, 4) or (code < 0 and code != -signal.SIGXCPU):
            raise RuntimeError(f"pytest ended with {code}:\n{self.output()}")
        return code, told


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _outside(files: Collection[str], rows: Mapping[str, object]) -> dict[str, object]:
    """Return the rows of tests in other files than *files*."""
    return {name: row for name, row in rows.items() if name.partition("::")[0] not in files}


def _become(copy: Path, plugin: object, output: str, words: Sequence[str]) -> NoReturn:
    """Be a pytest of *copy*."""
    code = 4
    try:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(os.open(copy / output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
        os.dup2(1, 2)
        os.chdir(copy)
        for name in [name for name in sys.modules if name.partition(".")[0] in ("cococat", "tests")]:
            del sys.modules[name]
        sys.path[:] = [str(copy), *(one for one in sys.path if one not in ("", str(ROOT)))]
        os.environ["PYTHONPATH"] = str(copy)
        sys.dont_write_bytecode = "-x" in words  # the first run leaves what pytest compiles; a mutant nothing
        code = pytest.main([*words, *_OPTIONS, f"--basetemp={copy / 'tmp'}"], plugins=[plugin])
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        sys.stdout.flush()
        os._exit(code)


class _Plugin:
    """What a child's pytest is told and tells."""

    def __init__(
        self, told: Path, wanted: Sequence[str] | None, files: Sequence[str], limit: Callable[[str], None]
    ) -> None:
        self.ordered = wanted is not None
        self.files = sorted({name.partition("::")[0] for name in wanted or files})
        self._told, self._limit = told, limit
        self._seen: dict[str, Seen] = {}
        self._place = {name: number for number, name in enumerate(wanted or ())}
        self._calls: set[str] = set()
        self._failed: list[str] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self.ordered:
            items[:] = [one for one in items if one.nodeid in self._place]
            items.sort(key=lambda one: self._place[one.nodeid])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        began, used = time.monotonic(), time.process_time()
        if self.ordered:
            self._limit(item.nodeid)
            return (yield)
        self._calls.clear()
        threading.setprofile(self._called)
        sys.setprofile(self._called)
        try:
            return (yield)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
            took = time.monotonic() - began, time.process_time() - used
            self._seen[item.nodeid] = Seen(*took, sorted(self._calls))

    def _called(self, frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event == "call" and "/cococat/memory/" in code.co_filename:
            self._calls.add(
                f"{code.co_filename.rpartition('/cococat/memory/')[2]} {code.co_qualname.replace('.<locals>', '')}"
            )
        elif (code.co_qualname if event == "call" else getattr(argument, "__name__", "")) in _STARTERS:
            self._calls.add(_PROCESS)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._tell(test=report.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed.append(report.nodeid)
            self._tell(test=report.nodeid, late="imeout" in report.longreprtext)

    def pytest_sessionfinish(self) -> None:
        if not self.ordered:
            passed = {name: seen for name, seen in self._seen.items() if name not in self._failed}
            self._tell(seen=passed, failed=self._failed)

    def _tell(self, **what: object) -> None:
        self._told.write_text(json.dumps(what), "utf-8")
