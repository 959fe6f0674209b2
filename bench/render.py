"""What a streamed reply costs on a terminal, as ratios to a bare SDK client in the same run.

    python bench/render.py [--tree PATH]

CPU seconds of whole processes on a pseudo-terminal of 80 x 24: 1,000, 10,000 and 50,000 deltas as fast as they
come, 50,000 of reasoning, and 2,000 that come one a millisecond. Then four seconds of reasoning: bytes, and the redraws and cleared lines
of the second that had the most of them.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import re
import resource
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.scripted import says, serve  # noqa: E402 - it needs the line above
from tests.scripted.turns import Delta, Turn  # noqa: E402 - as above

WORDS = ["one", "two", "three", "**four**", "five", "`six`", "seven", "eight", "nine", "ten,\n"]
RAW_SDK = """
import sys
from openai import OpenAI
client = OpenAI(base_url=sys.argv[1], api_key="none", max_retries=0)
messages = [{"role": "user", "content": "say hi"}]
for chunk in client.chat.completions.create(model="m", messages=messages, stream=True):
    if chunk.choices and chunk.choices[0].delta.content:
        sys.stdout.write(chunk.choices[0].delta.content)
        sys.stdout.flush()
"""
SECONDS, RATE, LINE = 4, 100, 50  # of reasoning; deltas a second; deltas a line


def on_terminal(
    command: list[str], env: dict[str, str], times: list[tuple[float, bytes]] | None = None
) -> tuple[float, bytes]:
    """CPU seconds of a process on a terminal of its own, and what it wrote there; *times* takes it with its moments."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(
        command, env=env, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, cwd=env["PYTHONPATH"]
    )
    os.close(theirs)
    written = bytearray()
    while True:
        try:
            data = os.read(ours, 1 << 16)
        except OSError:
            break
        if not data:
            break
        written += data
        if times is not None:
            times.append((time.monotonic(), data))
    os.close(ours)
    if process.wait():
        sys.exit(f"{command} failed: {written[-500:].decode('utf-8', 'replace')}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, bytes(written)


def deltas(count: int, pause: float = 0) -> Turn:
    """A reply in so many deltas."""
    words = (f"{WORDS[number % len(WORDS)]}{number} " for number in range(count))
    return says(*(part for word in words for part in ((word, pause) if pause else (word,))))


def reasoned(count: int) -> Turn:
    """As many deltas of reasoning, and a short answer."""
    return Turn(tuple(Delta({"reasoning_content": f"{WORDS[at % len(WORDS)]}{at} "}) for at in range(count))) + says(
        "done"
    )


def reasoning() -> Turn:
    """Thoughts at RATE for SECONDS, a line now and then, and a short answer."""
    steps = [part for at in range(SECONDS * RATE) for part in (_thought(at), 1 / RATE)]
    return Turn(tuple(steps)) + says("done")


def _thought(at: int) -> Delta:
    return Delta({"reasoning_content": "\n" if at % LINE == LINE - 1 else f"thought {at} "})


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", default=str(ROOT), help="where the package is imported from")
    tree = str(Path(parser.parse_args().tree).resolve())
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "COCOCAT_HOME": home, "PYTHONPATH": tree, "TERM": "xterm-256color"}
        ask = [sys.executable, "-m", "cococat", "ask", "-m", "m", "--no-dream", "--base-url"]
        for name, turn in (
            ("1,000 deltas", deltas(1000)),
            ("10,000 deltas", deltas(10_000)),
            ("50,000 deltas", deltas(50_000)),
            ("50,000 of reasoning", reasoned(50_000)),
            ("2,000 paced deltas", deltas(2000, 0.001)),
        ):
            with serve(turn, turn) as server:
                raw, _ = on_terminal([sys.executable, "-c", RAW_SDK, server.base_url], env)
                ours, written = on_terminal([*ask, server.base_url, "say hi"], env)
            print(f"{name:<20} {ours:.2f} s / {raw:.2f} s = {ours / raw:.2f}; {len(written):,} bytes")
        with serve(reasoning()) as server:
            times: list[tuple[float, bytes]] = []
            on_terminal([*ask, server.base_url, "think"], env, times)
        size = sum(len(data) for _, data in times) / (times[-1][0] - times[0][0])
        drawn, cleared = most(times, rb"\x1b\[\?7l"), most(times, rb"\x1b\[[02]?K")
        print(f"reasoning: {size:,.0f} bytes a second; in one second at most {drawn} redraws, {cleared} cleared lines")


def most(times: list[tuple[float, bytes]], sequence: bytes) -> int:
    """How often *sequence* was written in the second that had the most of it."""
    at = [moment for moment, data in times for _ in re.findall(sequence, data)]
    return max((sum(first <= moment < first + 1 for moment in at) for first in at), default=0)


if __name__ == "__main__":
    main()
