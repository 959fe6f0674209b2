"""What tests with MCP servers share."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SERVER = Path(__file__).with_name("server.py")


class Scripted:
    """A scripted server that was added as *name*; `become` makes it another kind from its next start on."""

    def __init__(self, name, folder):
        self.name, self._kind, self._log = name, folder / f"{name}.kind", folder / f"{name}.log"

    @property
    def argv(self):
        return [sys.executable, str(SERVER), str(self._kind), str(self._log)]

    def become(self, kind):
        self._kind.write_text(kind)

    @property
    def log(self):
        return self._log.read_text().splitlines() if self._log.exists() else []

    @property
    def pids(self):
        return [int(line.split()[1]) for line in self.log if line.startswith("start ")]


@pytest.fixture
def mcp(cococat, home, tmp_path_factory):
    """Add a scripted server of a kind, and agree to what it offers."""
    folder = tmp_path_factory.mktemp("servers")

    def added(kind="echo", name="s", *flags, env=None, settings=""):
        server = Scripted(name, folder)
        server.become(kind)
        ran = cococat("mcp", "add", name, "--yes", *flags, "--", *server.argv, env=env)
        assert 0 == ran.code, ran.stderr
        config = home / "config.toml"
        config.write_text(f"{config.read_text()}{settings}\n")
        return server

    return added


@pytest.fixture
def http(tmp_path_factory):
    """Start the scripted server that has an address; give the address, and what it was asked."""
    log = tmp_path_factory.mktemp("http") / "log"
    with subprocess.Popen([sys.executable, SERVER, "http", log], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}", lambda: log.read_text() if log.exists() else ""
        process.kill()
