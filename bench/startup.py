"""How fast cococat starts, as ratios to floors measured in the same run.

    python bench/startup.py [-n RUNS]

Each row is the median over RUNS of whole processes, interleaved: CPU seconds of the command, and for
`ask` the wall clock from the start of the process to the arrival of its request at a server on loopback. Then the
memory that one process of each holds at most.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.scripted import forever, says, serve  # noqa: E402 - it needs the line above

RAW_SDK = """
import sys
from openai import OpenAI
client = OpenAI(base_url=sys.argv[1], api_key="none", max_retries=0)
messages = [{"role": "user", "content": "say hi"}]
for chunk in client.chat.completions.create(model="m", messages=messages, stream=True):
    if chunk.choices and chunk.choices[0].delta.content:
        sys.stdout.write(chunk.choices[0].delta.content)
"""
SMALLEST_TYPER = """
import typer
app = typer.Typer()
@app.command()
def ask(prompt: str): "Ask."
@app.command()
def chat(): "Chat."
app(["--help"])
"""


def cpu_of(command: list[str], env: dict[str, str]) -> float:
    """User and system seconds of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def peak_of(command: list[str], env: dict[str, str]) -> float:
    """MiB that one process held at most."""
    process = subprocess.Popen(
        command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, _, used = os.wait4(process.pid, 0)
    return used.ru_maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024)


def interleaved(runs: int, rows: dict[str, Callable[[], float]]) -> dict[str, float]:
    """Medians of *runs* rounds, A B C A B C, after one round that does not count."""
    seen: dict[str, list[float]] = {name: [] for name in rows}
    for number in range(runs + 1):
        for name, measure in rows.items():
            value = measure()
            if number:
                seen[name].append(value)
    return {name: statistics.median(values) for name, values in seen.items()}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=7, help="counted runs")
    runs = parser.parse_args().n
    python = sys.executable
    with tempfile.TemporaryDirectory() as home, chdir(home), serve(forever(says("hi")), usage=(1500, 2)) as server:
        env = {**os.environ, "COCOCAT_HOME": home, "PYTHONPATH": str(ROOT)}
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed has its byte code
        cococat = [python, "-m", "cococat"]

        def request(command: list[str]) -> float:
            count = len(server.times)
            start = time.monotonic()
            subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
            return server.times[count] - start

        ask = [*cococat, "ask", "--base-url", server.base_url, "-m", "m", "--no-dream", "say hi"]
        sdk, react = [python, "-c", RAW_SDK, server.base_url], [*ask[:-1], "--mode", "react", ask[-1]]
        rows = interleaved(
            runs,
            {
                "python -c pass": lambda: cpu_of([python, "-c", "pass"], env),
                "cococat --version": lambda: cpu_of([*cococat, "--version"], env),
                "smallest Typer --help": lambda: cpu_of([python, "-c", SMALLEST_TYPER], env),
                "cococat --help": lambda: cpu_of([*cococat, "--help"], env),
                "cococat ask --help": lambda: cpu_of([*cococat, "ask", "--help"], env),
                "raw SDK: to its request": lambda: request(sdk),
                "cococat ask: to its request": lambda: request(ask),
                "raw SDK: whole CPU": lambda: cpu_of(sdk, env),
                "cococat ask: whole CPU": lambda: cpu_of(ask, env),
                "cococat ask --mode react: CPU": lambda: cpu_of(react, env),
            },
        )
        peaks = {"raw SDK": peak_of(sdk, env), "cococat ask": peak_of(ask, env), "--mode react": peak_of(react, env)}
    for name, seconds in rows.items():
        print(f"{name:<30} {seconds:.3f} s")
    print("peak memory:", ", ".join(f"{name} {size:.0f} MiB" for name, size in peaks.items()), "(bar 65 MiB)")
    for one, other, bar in (
        ("cococat --version", "python -c pass", 1.15),
        ("cococat ask --help", "python -c pass", 2.0),
        ("cococat --help", "smallest Typer --help", 1.3),
        ("cococat ask: to its request", "raw SDK: to its request", 1.2),
        ("cococat ask: whole CPU", "raw SDK: whole CPU", 1.1),
        ("cococat ask --mode react: CPU", "raw SDK: whole CPU", 1.1),
    ):
        print(f"{one} / {other}: {rows[one] / rows[other]:.2f} (bar {bar})")


if __name__ == "__main__":
    main()
