"""How soon the prompt of a chat stands, and how soon something is seen behind Enter, beside floors of the same run.

    python bench/prompt.py [-n RUNS]

Wall clock on a pseudo-terminal of 80 x 24 that answers as terminals do; medians over RUNS, interleaved. The prompt's
floor is a process that imports prompt_toolkit. Enter is pressed as soon as the prompt stands, when it has stood for
two seconds, and for a second question; help is timed on the same terminal.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import resource
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.scripted import forever, says, serve  # noqa: E402 - it needs the line above

ANSWERS = {
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b]11;?": b"\x1b]11;rgb:0000/0000/0000\x1b\\",
    b"\x1b[?2026$p": b"\x1b[?2026;2$y",
    b"\x1b[c": b"\x1b[?62;22c",
}
PATIENCE_S = 30
PROMPT = b" tok"  # what is only there when the screen has come so far
LIFE = (b"Esc stops", b"Yes.")  # the row of a turn that runs, or an answer that is sooner


class Terminal:
    """A command on a terminal, and the moments at which something was seen."""

    def __init__(self, command: list[str], env: dict[str, str]) -> None:
        self.start = time.perf_counter()
        self.seen = b""
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.execve(command[0], command, env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def until(self, *wanted: bytes) -> float:
        """Wait until one of *wanted* is printed since the last keys; return the moment."""
        while not any(text in self.seen for text in wanted):
            if not self.read(PATIENCE_S):
                raise SystemExit(f"not printed in {PATIENCE_S} s: {wanted!r}, but {self.seen[-300:]!r}")
        return time.perf_counter()

    def read(self, patience_s: float) -> bool:
        """Read once, and answer what the command asks of a terminal; False when nothing came, or it is over."""
        if not select.select([self.fd], [], [], patience_s)[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.seen += data
        for question, answer in ANSWERS.items():
            if question in data:
                os.write(self.fd, answer)
        return bool(data)

    def quiet(self, seconds: float) -> None:
        """Read until nothing has come for so long."""
        while self.read(seconds):
            pass

    def press(self, keys: bytes) -> float:
        """Type, and forget what was printed before; return the moment."""
        self.seen = b""
        os.write(self.fd, keys)
        return time.perf_counter()

    def end(self) -> float:
        """Kill the command and let its terminal go; return the seconds of CPU that it took."""
        os.kill(self.pid, 9)
        used = os.wait4(self.pid, 0)[2]
        os.close(self.fd)
        return used.ru_utime + used.ru_stime


def chat(command: list[str], env: dict[str, str], wait_s: float) -> dict[str, float]:
    """Seconds to the prompt, and behind two Enters to the first sign of life, in one chat."""
    terminal = Terminal(command, env)
    stands = terminal.until(PROMPT) - terminal.start
    if wait_s:
        terminal.quiet(wait_s)
    first = terminal.press(b"hi\r")
    first = terminal.until(*LIFE) - first
    terminal.quiet(0.5)
    second = terminal.press(b"hi\r")
    second = terminal.until(*LIFE) - second
    terminal.end()
    return {"prompt": stands, "after 2 s" if wait_s else "at once": first, "second": second}


def cpu_to_prompt(command: list[str], env: dict[str, str]) -> float:
    """Seconds of CPU until the prompt stands: what a busy machine does not change."""
    terminal = Terminal(command, env)
    terminal.until(PROMPT)
    return terminal.end()


def cpu_of(command: list[str], env: dict[str, str]) -> float:
    """Seconds of CPU of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=env, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def page(command: list[str], env: dict[str, str]) -> float:
    """Seconds of a command that ends by itself."""
    terminal = Terminal(command, env)
    while terminal.read(PATIENCE_S):
        pass
    os.waitpid(terminal.pid, 0)
    os.close(terminal.fd)
    return time.perf_counter() - terminal.start


def seconds_of(command: list[str], env: dict[str, str]) -> float:
    """Wall clock of a process."""
    start = time.perf_counter()
    subprocess.run(command, env=env, check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=7, help="counted runs")
    runs, python = parser.parse_args().n, sys.executable
    seen: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as home, serve(forever(says("Yes."))) as server:
        env = {**os.environ, "COCOCAT_HOME": home, "PYTHONPATH": str(ROOT), "COCOCAT_MEMORY_MODE": "auto"}
        env |= {"TERM": "xterm-256color", "COCOCAT_API_KEY": "none"}
        for name in ("PYTHONDONTWRITEBYTECODE", "NO_COLOR", "SSH_CONNECTION", "SSH_TTY"):
            env.pop(name, None)
        cococat = [python, "-m", "cococat"]
        env |= {"COCOCAT_BASE_URL": server.base_url, "COCOCAT_MODEL": "m"}
        os.chdir(Path(home, "project").mkdir() or Path(home, "project"))
        talk = [*cococat, "chat"]
        for number in range(runs + 1):
            row = {"import prompt_toolkit": seconds_of([python, "-c", "import prompt_toolkit"], env)}
            row |= {"CPU: import prompt_toolkit": cpu_of([python, "-c", "import prompt_toolkit"], env)}
            row |= {"CPU: prompt": cpu_to_prompt(talk, env)}
            row |= {"CPU: prompt with flags": cpu_to_prompt([*talk, "-m", "m", "--no-tools"], env)}
            row |= {"python -c pass": seconds_of([python, "-c", "pass"], env)}
            row |= {"ask --help on a terminal": page([*cococat, "ask", "--help"], env)}
            row |= {**chat(talk, env, 0), **chat(talk, env, 2)}
            for name, value in row.items() if number else ():
                seen.setdefault(name, []).append(value)
    medians = {name: statistics.median(values) for name, values in seen.items()}
    for name, value in medians.items():
        print(f"{name:<26} {value:.3f} s   worst {max(seen[name]):.3f}")
    print(f"prompt / import prompt_toolkit: {medians['prompt'] / medians['import prompt_toolkit']:.2f} (bar 2)")
    for name in ("CPU: prompt", "CPU: prompt with flags"):
        print(f"{name} / import prompt_toolkit: {medians[name] / medians['CPU: import prompt_toolkit']:.2f} (bar 2)")
    print(f"life behind Enter: {max(medians[name] for name in ('at once', 'after 2 s', 'second')):.3f} s (bar 0.1)")


if __name__ == "__main__":
    main()
