"""How fast sessions are listed, searched and resumed, beside floors measured in the same run.

    python bench/sessions.py [-n SESSIONS] [-r RECORDS] [--runs RUNS]

The first part makes SESSIONS logs of five turns and runs the commands as processes; its floors are the same
command with nothing to list, and a stat of every log. The second makes one log of RECORDS records of 2 KB and
resumes it; its floor is json.loads of every line. Every row is the median of RUNS.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from cococat.core.messages import Assistant, ToolCall, ToolResult, User  # noqa: E402 - it needs the line above
from cococat.store.codec import message_to_json  # noqa: E402 - as above
from cococat.store.ids import new_id  # noqa: E402 - as above
from cococat.store.record import encode  # noqa: E402 - as above

Body = Mapping[str, object]
WORDS = [
    "quick",
    "brown",
    "fox",
    "jumps",
    "over",
    "lazy",
    "dog",
    "parser",
    "config",
    "token",
    "session",
    "request",
    "server",
    "model",
    "error",
    "memory",
]
BEGAN = 1.7e9  # seconds since 1970
RESUME = """
import sys, time, resource
from pathlib import Path
from cococat.store.sessions import resume
start = time.perf_counter(), time.process_time()
log, messages, _ = resume(Path(sys.argv[1]), sys.argv[2])
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(time.perf_counter() - start[0], time.process_time() - start[1], memory, sum(len(repr(one)) for one in messages))
"""
LOADS = """
import sys, time, json
from pathlib import Path
start = time.perf_counter(), time.process_time()
for line in Path(sys.argv[1], sys.argv[2] + ".jsonl").open("rb"):
    json.loads(line)
print(time.perf_counter() - start[0], time.process_time() - start[1])
"""


def write(folder: Path, began: float, bodies: Iterator[Body]) -> str:
    """Write one log; give its id."""
    name = new_id(began)
    started = {"type": "session_started", "session_id": name, "model": "m", "host": "h", "mode": "react"}
    with (folder / f"{name}.jsonl").open("wb") as log:
        log.write(encode(1, began, {**started, "cwd": "/home/me/project"}))
        log.writelines(encode(seq, began + seq / 100, body) for seq, body in enumerate(bodies, 2))
    return name


def message(one: User | Assistant | ToolResult) -> Body:
    """The record of a message."""
    return {"type": "message", "message": message_to_json(one)}


def talk(chance: random.Random, turns: int) -> Iterator[Body]:
    """A conversation of short questions and answers."""
    for turn in range(turns):
        yield message(User(" ".join(chance.choices(WORDS, k=20))))
        for _ in range(5):
            yield {"type": "text_delta", "text": " ".join(chance.choices(WORDS, k=10))}
        yield message(Assistant(" ".join(chance.choices(WORDS, k=80))))
        yield {"type": "turn_finished", "turn": turn + 1, "model": "m"}


def work(records: int) -> Iterator[Body]:
    """A long run with tools: a call, its output as it came, its result."""
    output = "x" * 2000
    yield message(User("begin"))
    for number in range(records // 5):
        call = ToolCall(f"c{number}", "run_shell", "{}")
        yield message(Assistant("next", calls=(call,)))
        yield {"type": "tool_running", "call_id": call.id, "name": call.name, "at": 0.0}
        yield {"type": "tool_output", "call_id": call.id, "text": output}
        yield {"type": "tool_completed", "call_id": call.id, "name": call.name, "output": output}
        yield message(ToolResult(call.id, call.name, output))


def median(runs: int, measure: Callable[[], float]) -> float:
    """The median of *runs* measurements, after one that does not count."""
    return statistics.median([measure() for _ in range(runs + 1)][1:])


def seconds_of(env: Mapping[str, str], *words: str) -> tuple[float, float]:
    """Wall clock and CPU of one command."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "cococat", *words]
    subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def many(home: Path, count: int, runs: int) -> None:
    """Measure the commands on *count* sessions."""
    folder, chance = home / "sessions", random.Random(1)
    folder.mkdir()
    env = {**os.environ, "COCOCAT_HOME": str(home), "PYTHONPATH": str(ROOT)}

    def row(name: str, *words: str) -> None:
        seen = [seconds_of(env, *words) for _ in range(runs)]
        wall, cpu = (statistics.median(values) for values in zip(*seen, strict=True))
        print(f"{name:<44} {wall:7.3f} s   CPU {cpu:6.3f} s")

    def stats() -> float:
        start = time.perf_counter()
        for entry in os.scandir(folder):
            entry.stat()
        return time.perf_counter() - start

    row("floor: list with no session", "sessions", "list")
    for number in range(count):
        write(folder, BEGAN + 60 * number, talk(chance, 5))
    size = sum(entry.stat().st_size for entry in os.scandir(folder))
    print(f"{count:,} sessions, {size / 1e6:,.0f} MB")
    print(f"{'floor: stat of every log':<44} {median(runs, stats):7.3f} s")
    wall, _ = seconds_of(env, "sessions", "list")
    print(f"{'list, with no index yet':<44} {wall:7.3f} s")
    row("list (bar 0.5 s)", "sessions", "list")
    row("list --limit 50", "sessions", "list", "--limit", "50")
    wall, _ = seconds_of(env, "sessions", "search", "fox")
    print(f"{'search, with no index yet':<44} {wall:7.3f} s")
    row("search of a word in every session", "sessions", "search", "fox")
    row("search of a phrase", "sessions", "search", '"lazy dog parser config"')
    row("search of what nobody said", "sessions", "search", "zebra")
    row("search of signs alone", "sessions", "search", "=>")


def long(home: Path, records: int, runs: int) -> None:
    """Measure one log of *records* records."""
    folder = home / "sessions"
    folder.mkdir()
    name = write(folder, BEGAN, work(records))
    size = (folder / f"{name}.jsonl").stat().st_size
    env = {**os.environ, "COCOCAT_HOME": str(home), "PYTHONPATH": str(ROOT)}

    def run(program: str) -> list[float]:
        command = [sys.executable, "-c", program, str(folder), name]
        return list(map(float, subprocess.run(command, env=env, capture_output=True, check=True).stdout.split()))

    floor, seen = [[run(program) for _ in range(runs)] for program in (LOADS, RESUME)]
    print(f"one log of {records:,} records, {size / 1e6:,.0f} MB")
    for title, rows in (("floor: json.loads of every line", floor), ("resume (bar 3 s)", seen)):
        wall, cpu = (statistics.median(one[at] for one in rows) for at in (0, 1))
        print(f"{title:<44} {wall:7.3f} s   CPU {cpu:6.3f} s")
    print(
        f"{'memory of the process that resumed':<44} {seen[0][2]:7,.0f} MB for {seen[0][3] / 1e6:,.0f} MB of messages"
    )
    wall, cpu = seconds_of(env, "sessions", "list")
    print(f"{'list (bar 0.5 s)':<44} {wall:7.3f} s   CPU {cpu:6.3f} s")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=10_000, help="sessions")
    parser.add_argument("-r", type=int, default=100_000, help="records of the long log")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    for measure, number in ((many, given.n), (long, given.r)):
        if number:
            with tempfile.TemporaryDirectory() as home:
                measure(Path(home), number, given.runs)


if __name__ == "__main__":
    main()
