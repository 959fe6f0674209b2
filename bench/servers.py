"""What MCP servers cost the first request: tokens without one, with each of the seven reference servers, and with all.

    python bench/servers.py [--window N]

The servers are installed as tests/servers/reference.py does it, by npm and pip; the model is scripted, and its request
counted by the vocabulary of the tokenizer. The last column says how the tools of servers are offered: each with its
arguments, or a line each behind `mcp_tools`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from cococat.model.tokens import count  # noqa: E402 - the path comes first
from tests.scripted import says, serve  # noqa: E402 - as above
from tests.servers.reference import SERVERS, installed, missing  # noqa: E402 - as above


def main(words: Sequence[str]) -> None:
    """Print a line for each set of servers."""
    parser = argparse.ArgumentParser("python bench/servers.py")
    parser.add_argument("--window", type=int, default=128_000, metavar="N", help="tokens the model takes")
    window = parser.parse_args(words).window
    names = [name for name in SERVERS if not missing(name)]
    sets = [(), *((name,) for name in names), tuple(names)]
    without = 0
    print(f"{'servers':<12}{'tools':>7}{'tokens':>9}{'more':>8}  offered")
    for chosen in sets:
        request = first_request(chosen, window)
        tools = [one["function"]["name"] for one in request["tools"]]
        tokens = count(json.dumps([request["messages"], request["tools"]], ensure_ascii=False))
        without = without or tokens
        name = chosen[0] if len(chosen) == 1 else f"all {len(chosen)}" if chosen else "none"
        how = "" if not chosen else "a line each" if "mcp_tools" in tools else "with arguments"
        known = sum(SERVERS[one][2] for one in chosen)
        print(f"{name:<12}{known:>7}{tokens:>9,}{tokens - without:>8,}  {how}".rstrip(), flush=True)


def first_request(chosen: Sequence[str], window: int) -> dict[str, object]:
    """Add the servers in a home of their own; return what the model is asked first."""
    with tempfile.TemporaryDirectory() as folder, serve(says("ok")) as model:
        home, root = Path(folder, "home"), Path(folder, "root")
        root.mkdir()
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)  # server-git wants one
        paths = [str(installed(name)) for name in chosen]
        env = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PATH": os.pathsep.join([*paths, os.environ["PATH"]]),
            "COCOCAT_HOME": str(home),
            "COCOCAT_MEMORY_MODE": "off",
            "COCOCAT_MODEL_CONTEXT_WINDOW": str(window),
            "COCOCAT_API_KEY": "none",
        }
        for name in chosen:
            run(["mcp", "add", name, "--yes", "--", *SERVERS[name][0]], env, root)
        flags = ["--mode", "react", "--no-dream", "--no-session", "--base-url", model.base_url, "-m", "scripted"]
        run(["ask", *flags, "hi"], env, root)
        return model.requests[0]


def run(words: Sequence[str], env: dict[str, str], folder: Path) -> None:
    """Run the command; its words are shown where it fails."""
    command = [sys.executable, "-m", "cococat", *words]
    ran = subprocess.run(
        command, env=env, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if ran.returncode:
        raise SystemExit(f"{' '.join(words)}: exit {ran.returncode}\n{ran.stderr}")


if __name__ == "__main__":
    main(sys.argv[1:])
