"""Real servers: started as programs of their own, on loopback, each with a key of its own."""

from __future__ import annotations

import os
import select
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# 500 MB that are checked before each use, so one copy does for all runs
CACHE = Path(tempfile.gettempdir()) / f"cococat-tests-{os.getuid() if hasattr(os, 'getuid') else 0}"
START_S = 120.0
WORDS = 4  # that pass before a stream is cut


@dataclass(frozen=True)
class Real:
    """A server that runs: *base_url* ends in /v1."""

    base_url: str
    key: str
    model: str = "qwen-small"

    @property
    def env(self) -> dict[str, str]:
        """What cococat is told of it; replies are short and the same each time."""
        return {
            "COCOCAT_BASE_URL": self.base_url,
            "COCOCAT_API_KEY": self.key,
            "COCOCAT_MODEL": self.model,
            "COCOCAT_MODEL_MAX_OUTPUT_TOKENS": "64",
            "COCOCAT_MODEL_TEMPERATURE": "0",
        }


def started(*words: object) -> tuple[subprocess.Popen[str], str]:
    """Start a program that prints its address first and ends with its stdin."""
    process = subprocess.Popen(
        [sys.executable, *map(str, words)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
    )
    assert process.stdout
    ready, _, _ = select.select([process.stdout], [], [], START_S)
    address = process.stdout.readline().strip() if ready else ""
    if not address:
        process.kill()
    return process, address


@contextmanager
def llama_cpp(window: int) -> Iterator[Real]:
    """Run llama.cpp with a window of so many tokens."""
    key = f"sk-own-{window}-0123456789abcdef"
    process, address = started(Path(__file__).with_name("llama_cpp.py"), CACHE, window, key)
    try:
        assert address, "llama.cpp did not start"
        yield Real(f"{address}/v1", key)
    finally:
        process.kill()
        process.communicate()


@contextmanager
def cutting(server: Real) -> Iterator[Real]:
    """Stand between the user and *server*, and break the connection once a few words of an answer have passed."""
    goal = server.base_url.split("//")[1].split("/")[0].split(":")

    class Relay(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with suppress(OSError), socket.create_connection((goal[0], int(goal[1]))) as behind:
                words = 0
                while words < WORDS:
                    for ready in select.select([self.request, behind], [], [])[0]:
                        passed = ready.recv(1 << 16)
                        (behind if ready is self.request else self.request).sendall(passed)
                        words += passed.count(b'"content":"') if ready is behind else 0
                        if not passed:
                            return

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Relay) as relay:
        relay.daemon_threads = True
        threading.Thread(target=relay.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield replace(server, base_url=f"http://127.0.0.1:{relay.server_address[1]}/v1")
        relay.shutdown()
