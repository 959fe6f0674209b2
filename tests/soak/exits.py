"""Every way out of a chat, an `ask` and a replay: the terminal is afterwards what it was before."""

from __future__ import annotations

import random
import re
import signal
import termios
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pexpect

from tests.screens import ready
from tests.scripted import STALL, calls, forever, says, serve
from tests.scripted.server import Server
from tests.scripted.turns import Turn
from tests.ui.pseudo_terminal import PseudoTerminal

PRIVATE = re.compile(rb"\x1b\[\?([\d;]+)([hl])")
KEPT = re.compile(rb"\x1b\[(22|23);?[\d;]*t")
DEFAULTS = {b"25": True, b"7": True}  # the cursor is seen, lines wrap; all else is off

Leave = Callable[[PseudoTerminal], None]


def _asked(words: str, then: str | int, *, seen: str) -> Leave:
    """Send *words*, wait until *seen* stands on the screen, and press keys or send a signal."""

    def leave(terminal: PseudoTerminal) -> None:
        terminal.until(ready)
        if words:
            terminal.press(f"{words}\r")
            terminal.until(seen)
        _do(terminal, then)

    return leave


def _do(terminal: PseudoTerminal, then: str | int) -> None:
    if isinstance(then, int):
        terminal.child.kill(then)
    else:
        for key in then:
            terminal.press(key)


def _stopped(words: str, seen: str, how: str) -> Leave:
    """Stop a turn with *how* and leave at the prompt."""

    def leave(terminal: PseudoTerminal) -> None:
        terminal.until(ready)
        terminal.press(f"{words}\r")
        terminal.until(seen)
        terminal.press(how)
        terminal.until(lambda text: ready(text) and "stopped" in text)
        terminal.press("\x04")

    return leave


def _insisted(words: str, *, seen: str) -> Leave:
    """
    Press Ctrl-C until it is over: two that come at once may be one signal.

    None while output is on its way: the kernel drops, with each, what the terminal has not read yet (see NOFLSH in termios(3)).
    """

    def leave(terminal: PseudoTerminal) -> None:
        _asked(words, "\x03", seen=seen)(terminal)
        while terminal.child.isalive():
            with suppress(OSError, pexpect.TIMEOUT, pexpect.EOF):
                while True:
                    terminal.raw += terminal.child.read_nonblocking(65536, timeout=0.3)
            with suppress(OSError):
                terminal.press("\x03")

    return leave


CHAT = ("chat",)
WAYS: Mapping[str, tuple[tuple[str, ...], Leave]] = {
    "Ctrl-D": (CHAT, _asked("", "\x04", seen="")),
    "/exit": (CHAT, _asked("", "/exit\r", seen="")),
    "quit": (CHAT, _asked("hi", "quit\r", seen="tokens")),
    "Ctrl-C twice": (CHAT, _insisted("", seen="")),
    "TERM at the prompt": (CHAT, _asked("", signal.SIGTERM, seen="")),
    "HUP at the prompt": (CHAT, _asked("", signal.SIGHUP, seen="")),
    "Ctrl-C twice in a turn": (CHAT, _insisted("stall", seen="Esc stops")),
    "TERM in a turn": (CHAT, _asked("stall", signal.SIGTERM, seen="Esc stops")),
    "HUP in a turn": (CHAT, _asked("stall", signal.SIGHUP, seen="Esc stops")),
    "Esc, then Ctrl-D": (CHAT, _stopped("stall", "Esc stops", "\x1b")),
    "Ctrl-C, then Ctrl-D": (CHAT, _stopped("stall", "Esc stops", "\x03")),
    "Ctrl-C in a consent": (CHAT, _stopped("make", "[n]o", "\x03")),
    "TERM in a consent": (CHAT, _asked("make", signal.SIGTERM, seen="[n]o")),
    "HUP in a consent": (CHAT, _asked("make", signal.SIGHUP, seen="[n]o")),
    "TERM in a question": (CHAT, _asked("which", signal.SIGTERM, seen="2. metrics")),
    "Ctrl-C in a question": (CHAT, _stopped("which", "2. metrics", "\x03")),
    "/exit typed ahead": (CHAT, _asked("hi", "/exit\r", seen="> hi")),
    "ask to its end": (("ask", "hi"), lambda _: None),
    "ask, Ctrl-C": (("ask", "stall"), lambda terminal: (terminal.until("stops"), terminal.press("\x03"))[1]),
    "ask, TERM": (("ask", "stall"), lambda terminal: (terminal.until("stops"), _do(terminal, signal.SIGTERM))[1]),
    "ask, an error": (("ask", "hi", "--mode", "nosuch"), lambda _: None),
}


@dataclass(slots=True)
class Left:
    """What the exits came to; *changed* is there to be 0."""

    exits: int = 0
    ways: Counter[str] = field(default_factory=Counter)
    codes: Counter[int] = field(default_factory=Counter)
    changed: list[str] = field(default_factory=list)

    @property
    def good(self) -> bool:
        """Every terminal was left as it was found, and every way was gone."""
        return not self.changed and len(self.ways) == min(self.exits, len(WAYS))

    def report(self) -> str:
        """The numbers in a line."""
        changed = "".join(f"\n  {one}" for one in self.changed[:20])
        codes = ", ".join(f"{code}: {count}" for code, count in sorted(self.codes.items()))
        return (
            f"{self.exits} exits of {len(self.ways)} kinds (codes {codes}): "
            f"{len(self.changed)} terminals with other modes than before{changed}"
        )


def leave(folder: Path, number: int, seed: int) -> Left:
    """Leave *number* times, each way as often as the others, on terminals with different modes."""
    chance, tally = random.Random(seed), Left()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell that put this into the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    ways = list(WAYS)
    chance.shuffle(ways)
    with serve(forever(_reply)) as server:
        for at in range(number):
            _leave_once(folder / str(at), server, ways[at % len(ways)], chance, tally)
    return tally


def _leave_once(folder: Path, server: Server, way: str, chance: random.Random, tally: Left) -> None:
    words, leave_by = WAYS[way]
    folder.mkdir()
    env = {"COCOCAT_HOME": str(folder), "PWD": str(folder), "COCOCAT_MEMORY_MODE": "off"}
    flags = ("--base-url", server.base_url, "-m", "m", "--root", str(folder))
    with PseudoTerminal("cococat", *words, *flags, env=env, columns=100) as terminal:
        fd = terminal.child.child_fd
        before = _modes(fd)
        if chance.random() < 0.5:  # a terminal of somebody who has set it up otherwise
            before[0] ^= termios.IXON
            termios.tcsetattr(fd, termios.TCSANOW, before)
            before = _modes(fd)
        try:
            leave_by(terminal)
        except AssertionError as stuck:
            tally.changed.append(f"{way}: {stuck}")
            tally.exits += 1
            return
        while terminal._read():
            pass
        after, code = _modes(fd), terminal.child.wait()
    tally.exits += 1
    tally.ways[way] += 1
    tally.codes[code if code is not None else -1] += 1
    for problem in [*_differing(before, after), *_private(terminal.raw)]:
        tally.changed.append(f"{way}: {problem}")


def _modes(fd: int) -> list[Any]:
    return termios.tcgetattr(fd)


def _differing(before: list[Any], after: list[Any]) -> list[str]:
    names = ("input", "output", "control", "local", "speed in", "speed out", "keys")
    return [f"{name} modes {old} -> {new}" for name, old, new in zip(names, before, after, strict=True) if old != new]


def _private(raw: bytes) -> list[str]:
    """What was asked of the terminal by sequences and not taken back."""
    state: dict[bytes, bool] = {}
    for numbers, sign in PRIVATE.findall(raw):
        for number in numbers.split(b";"):
            state[number] = sign == b"h"
    wrong = [f"mode ?{number.decode()} is {on}" for number, on in state.items() if on != DEFAULTS.get(number, False)]
    titles = Counter(KEPT.findall(raw))
    return wrong + (["a title is kept"] if titles[b"22"] != titles[b"23"] else [])


def _reply(body: dict[str, Any]) -> Turn:
    last = next(message["content"] for message in reversed(body["messages"]) if message["role"] == "user")
    if "stall" in last:
        return says("so far", STALL, finish=None, usage=None, done=False)
    if body["messages"][-1]["role"] == "tool":
        return says("done")
    if "make" in last:
        return calls(("run_shell", {"command": "make it"}))
    if "which" in last:
        return calls(("ask_user", {"question": "Which?", "choices": ["server", "metrics"]}))
    return says("hello")
