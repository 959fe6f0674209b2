"""Work that must never hold up the loop or the exit: daemon threads, and processes that can be killed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from cococat.safety.secrets import Masked, redact
from cococat.tools.child import DRAIN_S, start

# ruff: noqa: SIM905 - long lists of words read better as a text

T = TypeVar("T")
_STRONG = "Zq7Vw3xK9pLm2Rt5"
_SECRET_NAME = re.compile(r"(^|_)(AUTH|BEARER|COOKIE|DSN|JWT|OTP|PAT|PIN|WEBHOOK|ACCESS_KEY_ID)(_|$)")
_PASSWORD_IN_URL = re.compile(r"://[^/@\s]*:[^/@\s]+@")
_EDITORS = ("EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "SUDO_EDITOR", "KUBE_EDITOR", "HGEDITOR")
# a program of its own, so that it fails as well where its words are split and run without a shell
_NO_EDITOR = "sh -c 'echo \"no editor here: pass the text as an option, as -m\" >&2; exit 1'"
# what wants a user says so at once: an editor fails, a pager prints, a password is not asked for
_WITHOUT_TERMINAL = {
    **dict.fromkeys(_EDITORS, _NO_EDITOR),
    **dict.fromkeys(("PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER", "GH_PAGER", "AWS_PAGER"), "cat"),
    **dict.fromkeys(("GIT_ASKPASS", "SSH_ASKPASS", "SUDO_ASKPASS"), "false"),
    "SSH_ASKPASS_REQUIRE": "never",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",  # or `git status` writes its index, and runs a hook
    "CDPATH": "",  # or `cd` leads to folders that are not named
    "GCM_INTERACTIVE": "never",
    "PIP_NO_INPUT": "1",
    "DEBIAN_FRONTEND": "noninteractive",
    "TERM": "dumb",
    "NO_COLOR": "1",
}
_PASSED_ON = frozenset(
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR TEMP TMP VIRTUAL_ENV CONDA_PREFIX PYTHONPATH JAVA_HOME "
    "GOPATH GOROOT CARGO_HOME RUSTUP_HOME NVM_DIR XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR "
    "SSL_CERT_FILE SSL_CERT_DIR SYSTEMROOT COMSPEC PATHEXT USERPROFILE APPDATA LOCALAPPDATA PROGRAMDATA "
    "PROGRAMFILES WINDIR".split()
)


async def run_in_daemon(work: Callable[[], T], *, stop: Callable[[], None] | None = None) -> T:
    """
    Run blocking *work* in a thread that the exit of the process never waits for.

    Args:
        stop: called when the wait is cancelled, to make *work* end soon.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]  # T may itself be None

    def run() -> None:
        result: T | None = None
        failure: BaseException | None = None
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - it is raised again where the result is awaited
            failure = error
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, result, failure)

    threading.Thread(target=run, daemon=True, name="cococat-tool").start()
    try:
        return await future
    except asyncio.CancelledError:
        if stop:
            stop()
        raise


@dataclass(frozen=True, slots=True)
class Collected:
    """
    What a worker process wrote.

    Args:
        code: its exit code; None when it was ended early.
        cut: why it was ended early: "time", "size" or nothing.
    """

    output: bytes
    code: int | None
    cut: str = ""


async def collect(
    argv: Sequence[str], *, cwd: Path, stdin: bytes = b"", seconds: float, max_bytes: int, max_lines: int = 0
) -> Collected:
    """
    Run a worker process and read what it writes, within bounds; it never outlives this call.

    Args:
        seconds: after which it is killed and what came so far is returned.
        max_lines: after which it is killed; 0 for no bound.
    """
    output = bytearray()
    full: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def take(chunk: bytes) -> None:
        output.extend(chunk)
        enough = len(output) >= max_bytes or 0 < max_lines <= output.count(b"\n")
        if enough and not full.done():
            full.set_result(None)

    child = await start(argv, cwd=cwd, env=child_env(os.environ), take=take, stdin=stdin)
    try:
        await asyncio.wait({full, child.drained}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        cut = "size" if full.done() else "" if child.drained.done() else "time"
        if not cut:
            await asyncio.wait({child.exited}, timeout=DRAIN_S)
        return Collected(bytes(output), None if cut else child.code, cut)
    finally:
        await child.end(patience_s=0)


def worker_words(module: str) -> list[str]:
    """Return the command that runs `main()` of a module of ours, from wherever this package was imported."""
    home = str(Path(__file__).resolve().parents[2])
    code = f"import sys; sys.path.insert(0, {home!r}); from {module} import main; sys.exit(main())"
    return [sys.executable, "-P", "-c", code]


def child_env(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a worker: known harmless names only, and no value that looks like a secret."""
    kept = {name: value for name, value in environ.items() if name.upper() in _PASSED_ON or name.startswith("LC_")}
    return {name: value for name, value in kept.items() if redact(value, ()) == value} | _WITHOUT_TERMINAL


def command_env(environ: Mapping[str, str], mask: Callable[[str], Masked]) -> tuple[dict[str, str], list[str]]:
    """
    Return the environment of a command: the user's, without settings of our own; and the names of secrets left out.

    Args:
        mask: finds secrets, those that are known too.
    """
    kept = {name: value for name, value in environ.items() if not name.startswith("COCOCAT_")}
    secret = [name for name, value in kept.items() if _is_secret(name, value, mask)]
    return {name: value for name, value in kept.items() if name not in secret} | _WITHOUT_TERMINAL, sorted(secret)


def _is_secret(name: str, value: str, mask: Callable[[str], Masked]) -> bool:
    if not value or name in ("PWD", "OLDPWD"):
        return False
    labelled = f"{name}={_STRONG}"  # a value that is masked behind the name of a secret, and behind no other
    named = _SECRET_NAME.search(name.upper()) or redact(labelled, ()) != labelled
    return bool((named and not value.startswith("/")) or mask(value).marks or _PASSWORD_IN_URL.search(value))
