"""When a chat is killed: at some moment, or while it changes a file of its home.

Public: Aim, CALLS, at.
"""

from __future__ import annotations

import os
import platform
import random
import time
from collections.abc import Iterator

from tests.soak.chat import Chat, children

# system calls that change files, by machine: write, pwrite64, writev, fsync, fdatasync, ftruncate, rename*, unlink*, link*
CALLS = {
    "x86_64": {1, 18, 20, 74, 75, 77, 82, 264, 316, 87, 263, 86, 265},
    "aarch64": {64, 68, 66, 82, 83, 46, 38, 276, 35, 37},
}
BY_NUMBER = {"x86_64": {1, 18, 20, 74, 75, 77}, "aarch64": {64, 68, 66, 82, 83, 46}}  # their first argument is a file
MACHINE = platform.machine()
FEWEST = 10
LOOKS = 200  # between two of the chat's own turns to act


def at(moment: float) -> Iterator[str]:
    """Yield "now" from *moment* on, by the monotonic clock, and nothing before."""
    while time.monotonic() < moment:
        time.sleep(0.002)
        yield ""
    while True:
        yield "now"


class Aim:
    """Aims at one of as many calls as a chat, and its dream, were seen in when they were left alone: few miss."""

    def __init__(self) -> None:
        self.calls = 2 * FEWEST

    def inside(self, chat: Chat, dice: random.Random) -> Iterator[str]:
        """
        Look which system call the processes are in, until it is the n-th that changes a file of their home.

        Returns: "chat" or "dream": who is in it; nothing before.
        """
        wanted, seen, last = dice.randint(1, self.calls), 0, dict[int, str]()
        while True:
            family = [(chat.pid, "chat"), *((pid, "dream") for pid in children(chat.pid))]
            for pid, who in family * (LOOKS // len(family)):
                now = _changing(pid, chat.home)
                if now and now != last.get(pid):
                    seen += 1
                    if seen >= wanted:
                        yield who
                last[pid] = now
            if chat.over:
                self.calls = max(FEWEST, seen)
            yield ""


def _changing(pid: int, home: str) -> str:
    """The call that changes a file of the home right now, if any."""
    try:
        with open(f"/proc/{pid}/syscall", encoding="ascii") as file:  # noqa: PTH123 - in a loop of microseconds
            words = file.read().split()
        if len(words) < 3 or not words[0].isdecimal() or int(words[0]) not in CALLS.get(MACHINE, ()):
            return ""
        if int(words[0]) not in BY_NUMBER[MACHINE]:
            return " ".join(words)
        name = os.readlink(f"/proc/{pid}/fd/{int(words[1], 16)}")  # noqa: PTH115 - as above
    except (OSError, ValueError):
        return ""
    return f"{words} {name}" if name.startswith(home) else ""
