"""Modes of the terminal on a file descriptor: key by key, line by line, and back; its title, and what it tells of itself."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Literal, TextIO, TypeAlias

from cococat.ui.lines.columns import cut, one_line
from cococat.ui.lines.theme import Theme, write_now

if sys.platform != "win32":
    import select
    import termios

    _IFLAG, _LFLAG, _CC = 0, 3, 6  # places in what tcgetattr gives

Modes: TypeAlias = "list[Any] | None"  # what tcgetattr gives; None where there is no terminal
_END = b"\x04"  # Ctrl-D
_MAX_LINE = 4096  # bytes that a terminal holds of one line
_PASTES = {True: b"\x1b[?2004h", False: b"\x1b[?2004l"}
_SANE = b"\x1b[?2004l\x1b[?25h"  # pastes are not bracketed, the cursor is seen
WAIT_S = 0.1
# the last of the questions is answered by every terminal: whatever was not answered before it never will be
_QUESTIONS = b"\x1b]11;?\x1b\\\x1b[?2026$p\x1b[c"
_LAST = re.compile(rb"\x1b\[\?[\d;]*c")
_COLOUR = re.compile(rb"\x1b\]11;rgba?:([0-9a-fA-F]+)/([0-9a-fA-F]+)/([0-9a-fA-F]+)[^\x07\x1b]*(?:\x07|\x1b\\)")
_FRAMES = re.compile(rb"\x1b\[\?2026;([0-4])\$y")
_CAN = (b"1", b"2")  # set, or reset: known in any case
_WEIGHTS = (0.299, 0.587, 0.114)  # of red, green, blue in what an eye sees
COLUMNS = 60
LONG_S = 10.0  # seconds of a turn whose end is worth a sound
_KEEP, _RESTORE = "\x1b[22;2t", "\x1b[23;2t"  # on the terminal's own stack


def is_terminal(fd: int) -> bool:
    """Whether keys can be read from *fd* one by one."""
    with suppress(OSError):
        return sys.platform != "win32" and os.isatty(fd)
    return False


@contextmanager
def by_key(fd: int) -> Iterator[None]:
    """Deliver each key as it is pressed, not echoed; Enter is CR, Ctrl-J is LF, Ctrl-C still a signal."""
    if sys.platform == "win32":
        yield
        return
    with _restored(fd):
        mode = termios.tcgetattr(fd)
        mode[_IFLAG] &= ~(termios.ICRNL | termios.INLCR | termios.IGNCR)
        mode[_LFLAG] &= ~(termios.ICANON | termios.ECHO | termios.IEXTEN)
        mode[_LFLAG] |= termios.ISIG
        mode[_CC][termios.VMIN], mode[_CC][termios.VTIME] = 1, 0
        termios.tcsetattr(fd, termios.TCSANOW, mode)
        yield


@contextmanager
def by_line(fd: int) -> Iterator[None]:
    """Let the terminal echo and edit a line and deliver it whole; Ctrl-C is a signal, Ctrl-D the end."""
    if sys.platform == "win32":
        yield
        return
    with _restored(fd):
        mode = termios.tcgetattr(fd)
        mode[_IFLAG] |= termios.ICRNL
        mode[_LFLAG] |= termios.ICANON | termios.ECHO | termios.ECHOE | termios.ISIG
        termios.tcsetattr(fd, termios.TCSANOW, mode)
        yield


def is_dumb() -> bool:
    """Return whether the terminal cannot move its cursor."""
    return os.environ.get("TERM", "").lower() in ("", "dumb", "unknown")


def takes_lines(fd: int) -> bool:
    """Return whether the terminal itself edits lines and delivers them whole."""
    if sys.platform != "win32":
        with suppress(termios.error):
            return bool(termios.tcgetattr(fd)[_LFLAG] & termios.ICANON)
    return False


def mark_pastes(fd: int, *, on: bool) -> None:
    """Let the terminal put brackets around what is pasted, or not: it tells a paste from typing."""
    with suppress(OSError):  # opened for reading only, or gone
        os.write(fd, _PASTES[on])


def drop_typed(fd: int) -> None:
    """Forget what was typed and not yet read."""
    if sys.platform != "win32":
        with suppress(termios.error):
            termios.tcflush(fd, termios.TCIFLUSH)


def is_waiting(fd: int, wait_s: float = 0) -> bool:
    """Return whether something was typed and not yet read, or is typed within *wait_s*."""
    if sys.platform == "win32":
        return False
    with suppress(OSError, ValueError):
        return bool(select.select([fd], [], [], wait_s)[0])
    return False


def whole_lines(fd: int) -> tuple[list[str], bool]:
    """
    Take the lines that were entered while nothing read them, as at the start; and say whether Ctrl-D ended them.

    A prompt would take their ends for Ctrl-J: a terminal that edits lines itself turns Enter into that.
    """
    data, ended = b"", False
    if sys.platform != "win32" and is_terminal(fd):
        with suppress(OSError, termios.error):
            while termios.tcgetattr(fd)[_LFLAG] & termios.ICANON and select.select([fd], [], [], 0)[0] and not ended:
                line = os.read(fd, _MAX_LINE)
                # Ctrl-D is an empty read, or itself when it was pressed in the modes of a killed program
                data, ended = data + line.removesuffix(_END), not line or line.endswith(_END)
    lines = data.decode("utf-8", "replace").split("\n")
    return lines if lines[-1] else lines[:-1], ended


def is_hung_up(fd: int) -> bool:
    """Whether the terminal behind *fd* is gone for good."""
    if sys.platform == "win32":
        return False
    try:
        poll = select.poll()
        poll.register(fd, 0)
        return any(events & (select.POLLHUP | select.POLLNVAL) for _, events in poll.poll(0))
    except (OSError, ValueError):
        return True


def heal(fd: int) -> None:
    """Undo what a killed program has left behind: no echo, no lines, no signals, brackets around pastes, no cursor."""
    if sys.platform == "win32" or not is_terminal(fd):
        return
    with suppress(termios.error):
        mode = termios.tcgetattr(fd)
        wanted = termios.ICANON | termios.ECHO | termios.ISIG
        if mode[_LFLAG] & wanted != wanted:
            mode[_IFLAG] |= termios.ICRNL | termios.IXON
            mode[_LFLAG] |= wanted | termios.IEXTEN
            termios.tcsetattr(fd, termios.TCSANOW, mode)
            _calm(fd)


def current_modes(fd: int) -> Modes:
    """Return the modes as they are."""
    if sys.platform != "win32":
        with suppress(termios.error):
            return termios.tcgetattr(fd)
    return None


@contextmanager
def suspend_terminal(fd: int, modes: Modes) -> Iterator[None]:
    """Set *modes* for a while, and then those of before; untouched where they are the same, as in the background."""
    own = current_modes(fd)
    if sys.platform == "win32" or own is None or modes in (None, own):
        yield
        return
    _calm(fd)
    termios.tcsetattr(fd, termios.TCSANOW, modes)
    try:
        yield
    finally:
        with suppress(termios.error):  # the terminal is gone
            termios.tcsetattr(fd, termios.TCSANOW, own)


def _calm(fd: int) -> None:
    """Undo what is asked of a terminal by sequences."""
    with suppress(OSError):  # opened for reading only, or gone
        os.write(fd, _SANE)


if sys.platform != "win32":

    @contextmanager
    def _restored(fd: int) -> Iterator[None]:
        """Restore the modes at the end, whatever happened."""
        before = termios.tcgetattr(fd)
        try:
            yield
        finally:
            with suppress(termios.error):  # the terminal is gone
                termios.tcsetattr(fd, termios.TCSANOW, before)


@dataclass(frozen=True, slots=True)
class TerminalInfo:
    """
    What a terminal said.

    Args:
        background: None when it did not say.
        frames: it shows what stands between two marks at once (mode 2026).
        typed: keys that came meanwhile.
        answers: it said anything at all.
    """

    background: Theme | None = None
    frames: bool = False
    typed: bytes = b""
    answers: bool = False


def ask_terminal(fd: int, env: Mapping[str, str], wait_s: float = WAIT_S) -> TerminalInfo:
    """Ask the terminal on *fd*, and wait so many seconds at most; one behind a network is not asked, as its answer may come too late."""
    if sys.platform == "win32" or not is_terminal(fd) or env.get("SSH_CONNECTION") or env.get("SSH_TTY"):
        return TerminalInfo()
    import select

    said, until = b"", time.monotonic() + wait_s
    with suppress(OSError), by_key(fd):
        os.write(fd, _QUESTIONS)
        while not _LAST.search(said) and (left := until - time.monotonic()) > 0:
            if not select.select([fd], [], [], left)[0] or not (data := os.read(fd, 4096)):
                break
            said += data
    frames, colour = _FRAMES.search(said), _COLOUR.search(said)
    typed = _COLOUR.sub(b"", _FRAMES.sub(b"", _LAST.sub(b"", said)))
    can_frame, answers = bool(frames and frames[1] in _CAN), bool(_LAST.search(said))
    return TerminalInfo(_theme(colour) if colour else None, can_frame, typed, answers)


def _theme(colour: re.Match[bytes]) -> Theme:
    parts = (int(part, 16) / (16 ** len(part) - 1) for part in colour.groups())
    return "light" if sum(weight * part for weight, part in zip(_WEIGHTS, parts, strict=True)) > 1 / 2 else "dark"


@contextmanager
def titled(out: TextIO, *, on: bool) -> Iterator[None]:
    """Give the terminal its own title back at the end."""
    if not on:
        yield
        return
    write_now(out, _KEEP)
    try:
        yield
    finally:
        write_now(out, _RESTORE)


def set_title(out: TextIO, words: str) -> None:
    """Make *words*, which may be anything, the title."""
    write_now(out, f"\x1b]2;{cut(one_line(words, 'exact'), COLUMNS)}\x07")


def mark(out: TextIO, part: Literal["A", "C", "D"]) -> None:
    """Tell the terminal where a prompt begins (A), what comes of it (C) and where that ends (D), so that it can go there (OSC 133)."""
    write_now(out, f"\x1b]133;{part}\x1b\\")


def ring(out: TextIO, setting: str, seconds: float) -> None:
    """Sound the bell for a turn of *seconds*, if *setting* (off, on, long) wants it."""
    if setting == "on" or (setting == "long" and seconds >= LONG_S):
        write_now(out, "\a")
