"""Fixtures that every test may use: a home of its own, scripted servers, the command as a process."""

from __future__ import annotations

import gc
import itertools
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # so that `tests.scripted` is found wherever pytest was started
sys.dont_write_bytecode = False  # whatever the environment says: in each run, each worker would rewrite 200 files anew
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # and 120 of pytest's plugins, and what each child imports

from tests import canary, launcher, workers  # noqa: E402 - as below
from tests.forks import can_be_warm, share, warm  # noqa: E402 - it needs the line above
from tests.scripted import Server, serve  # noqa: E402 - as above

# nohup, and a shell that starts a job in the background, have children ignore these for ever; who tests Ctrl-C must not
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# how long an example takes says how busy the machine is, and nothing of what is tested
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


SETTINGS = {
    "COCOCAT_MEMORY_MODE": "read",  # or the first answer of every test would start a dream
    "COCOCAT_SANDBOX_MODE": "off",  # or what a command may do would be the machine's to say; `boxed` takes it back
    canary.VARIABLE: canary.KEY,
}
USERS_HOME = os.environ.get("HOME", "")
HOMES = "TESTS_HOMES"  # where the homes of the run are
MEMORY = Path("/dev/shm")
ENOUGH = 2 << 30  # bytes that are free there; a whole run writes a quarter of that
FROM_OUTSIDE = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "no_color", "force_color", "clicolor_force")
_homes = itertools.count()


@pytest.hookimpl(optionalhook=True)  # it is asked before `workers` is registered
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return how many workers `-n auto` starts: one more than cores, as a test waits for half of its time."""
    return 1 + len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1))


def pytest_configure(config: pytest.Config) -> None:
    """Hold a folder for homes and one warm parent ready for all workers, before they are started."""
    config.pluginmanager.register(workers)
    if hasattr(config, "workerinput"):
        return
    os.environ.pop(HOMES, None)  # of a run that has started this one
    if not config.option.basetemp and _fits_in_memory():
        homes = tempfile.TemporaryDirectory(prefix="cococat-homes-", dir=MEMORY, ignore_cleanup_errors=True)
        os.environ[HOMES] = homes.name
        config.add_cleanup(homes.cleanup)
    if getattr(config.option, "numprocesses", None) and hasattr(os, "fork"):
        config.add_cleanup(share().close)


def _fits_in_memory() -> bool:
    """Whether homes can be in memory: a log that is flushed to a disk waits 3 ms for it, and so does what is removed."""
    with suppress(OSError, AttributeError):
        found = os.statvfs(MEMORY)
        has_room = found.f_bavail * found.f_frsize > ENOUGH
        return has_room and os.access(MEMORY, os.W_OK) and not found.f_flag & os.ST_NOEXEC
    return False


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Hold settings from outside off, and keep what is collected for good: no look for garbage goes through it again."""
    for name in [*os.environ]:
        if name.startswith(("OPENAI_", "COCOCAT_")) or name.lower() in FROM_OUTSIDE:
            del os.environ[name]  # once for all: what a test sets, it takes back
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


class Ran(NamedTuple):
    """What a command gave."""

    code: int
    stdout: str
    stderr: str


@pytest.fixture(autouse=True)
def home(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home of the test's own, also for what is the user's, and a key that must be in no file when the test is over; `--basetemp` keeps it."""
    where, worker = os.environ.get(HOMES), os.environ.get("PYTEST_XDIST_WORKER", "")
    folder = (Path(where) if where else tmp_path_factory.getbasetemp()) / f"home{worker}{next(_homes)}"
    folder.mkdir(0o700)  # `mktemp` keeps a link to the last one as well, which nobody reads
    os.environ.update({"COCOCAT_HOME": str(folder), "HOME": str(folder), **SETTINGS})
    yield folder
    for name in ("COCOCAT_HOME", *SETTINGS):
        os.environ.pop(name, None)
    os.environ["HOME"] = USERS_HOME
    canary.written([folder, *(found for name, found in request.node.funcargs.items() if name == "tmp_path")])


@pytest.fixture
def dreams(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dreams begin by themselves, as they do for a user."""
    monkeypatch.delenv("COCOCAT_MEMORY_MODE")
    monkeypatch.setenv(launcher.VARIABLE, "yes")


@pytest.fixture
def boxed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands run in a box, as they do for a user, whose programs may lie in their home; skipped where there is no box."""
    monkeypatch.setenv("HOME", USERS_HOME)
    monkeypatch.delenv("COCOCAT_SANDBOX_MODE")
    from cococat.sandbox.box import find

    if not (found := find()):
        pytest.skip(f"no box here: {found.failed}")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder that tools see, with nothing in it."""
    folder = tmp_path / "proj"
    folder.mkdir()
    return folder


@pytest.fixture
def scripted() -> Iterator[Callable[..., Server]]:
    """Start servers that are closed at the end, when no request may have broken the API's rules."""
    servers: list[Server] = []

    def start(*items: object, **options: object) -> Server:
        servers.append(serve(*items, **options))
        return servers[-1]

    yield start
    for server in servers:
        server.close()
    for server in servers:
        server.check()
        canary.absent("a request", repr(server.requests))


@pytest.fixture
def cococat(home: Path, tmp_path: Path) -> Callable[..., Ran]:
    """Run the command in *tmp_path* (or `cwd`) and give its code and streams; `meanwhile` is called with its pid."""

    def run(
        *words: object,
        stdin: str | bytes | None = "",
        env: Mapping[str, str] | None = None,
        timeout: float = 100,
        cwd: Path | None = None,
        meanwhile: Callable[[int], None] | None = None,
    ) -> Ran:
        given = stdin.encode() if isinstance(stdin, str) else stdin
        if can_be_warm(env or {}):
            whole = {**os.environ, **(env or {})}
            done = warm().run([*map(str, words)], given, whole, cwd or tmp_path, timeout, meanwhile=meanwhile)
            canary.absent("what the command printed", done.stdout, done.stderr)
            return Ran(done.code, done.stdout.decode(), done.stderr.decode())
        command = [sys.executable, "-m", "cococat", *map(str, words)]
        pipes = {
            "stdin": subprocess.DEVNULL if given is None else subprocess.PIPE,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
        }
        whole = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
        with subprocess.Popen(command, env=whole, cwd=cwd or tmp_path, **pipes) as process:
            try:
                if meanwhile:
                    meanwhile(process.pid)
                out, err = process.communicate(given, timeout)
            finally:
                process.kill()  # only where it did not end in time
        canary.absent("what the command printed", out, err)
        return Ran(process.returncode, out.decode(), err.decode())

    return run


@pytest.fixture
def ask(cococat: Callable[..., Ran], request: pytest.FixtureRequest) -> Callable[..., Ran]:
    """Run `cococat ask` against a scripted server, with the flags of the test's mark `ask`."""
    mark = request.node.get_closest_marker("ask")
    flags = mark.args if mark else ()

    def run(server: Server, *words: object, **options: Any) -> Ran:
        return cococat("ask", "--base-url", server.base_url, "-m", "scripted", *flags, *words, **options)

    return run


@pytest.fixture
def chat(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Start `cococat chat` in *tmp_path* against a scripted server; give the terminal, by default once it takes a line."""
    from tests.ui.pseudo_terminal import PseudoTerminal  # there are none on Windows

    started: list[Any] = []

    def start(server: Any, *words: Any, env: Any = None, wait: bool = True, **options: Any) -> Any:
        flags = ["chat", "--base-url", server.base_url, "-m", "scripted", "--root", tmp_path, *words]
        started.append(PseudoTerminal("cococat", *flags, env={"PWD": str(tmp_path), **(env or {})}, **options))
        if wait:
            from tests.screens import ready

            started[-1].until(ready)
        return started[-1]

    yield start
    for terminal in started:
        terminal.child.close(force=True)
