"""One question that is asked and answered before the first test, where every command is forked from.

Public: rehearse.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
import threading
from pathlib import Path

from tests.scripted import says, serve

SECRETS = (
    "My pin is not 2026: pass words two three four; curl -u a:b, token=x and https://u:p@h/"  # asks for every pattern
)


def rehearse() -> None:
    """
    Answer a question in this process: what each run would compile anew, or work out of types, is there for all.

    Nothing else is left of it: what the product keeps for as long as a process lives, it keeps by folder or by name.
    """
    address, server, leave = _server_beside()
    before, streams, here = dict(os.environ), (sys.stdin, sys.stdout, sys.stderr), Path.cwd()
    with tempfile.TemporaryDirectory() as folder, Path(os.devnull).open("r+") as nowhere:
        os.environ.update(COCOCAT_HOME=folder, COCOCAT_MEMORY_MODE="read", COCOCAT_API_KEY="")
        sys.stdin = sys.stdout = sys.stderr = nowhere
        os.chdir(folder)
        words = ["ask", "--base-url", address, "-m", "scripted", "Ready?"]
        code = importlib.import_module("cococat.cli.main").main(words)
        importlib.import_module("cococat.model.tokens").count("Ready?")  # the vocabulary: half of what a dream takes
        _compile_patterns()
        os.chdir(here)
    os.environ.clear()
    os.environ.update(before)
    sys.stdin, sys.stdout, sys.stderr = streams
    os.close(leave)
    os.waitpid(server, 0)
    assert (code, threading.active_count()) == (0, 1), "the rehearsal failed, or left a thread behind"


def _compile_patterns() -> None:
    """Compile what finds secrets, 0.3 s where a question holds a digit and a plus."""
    safety = importlib.import_module("cococat.safety.secrets")
    safety.redact_speech(safety.redact(SECRETS, ()))


def _server_beside() -> tuple[str, int, int]:
    """
    Start a scripted server in a process of its own, as it has threads.

    Returns: its address, its pid, and what to close when it may end, as it does when this process is gone.
    """
    (source, sink), (told, leave) = os.pipe(), os.pipe()
    if (pid := os.fork()) == 0:
        os.close(leave)
        with serve(says("Yes.")) as server:
            os.write(sink, server.base_url.encode())
            os.read(told, 1)
        os._exit(0)
    address = os.read(source, 100).decode()
    for one in (source, sink, told):
        os.close(one)
    return address, pid, leave
