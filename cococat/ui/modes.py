"""Modes of the terminal on a file descriptor: key by key, line by line, and back."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias

__all__ = [
    "Modes",
    "by_key",
    "by_line",
    "drop_typed",
    "found",
    "heal",
    "is_hung_up",
    "is_terminal",
    "is_waiting",
    "lent",
    "mark_pastes",
    "takes_lines",
    "whole_lines",
]

if sys.platform != "win32":
    import select
    import termios

    _IFLAG, _LFLAG, _CC = 0, 3, 6  # places in what tcgetattr gives

Modes: TypeAlias = "list[Any] | None"  # what tcgetattr gives; None where there is no terminal
_END = b"\x04"  # Ctrl-D
_MAX_LINE = 4096  # bytes that a terminal holds of one line
_PASTES = {True: b"\x1b[?2004h", False: b"\x1b[?2004l"}
_SANE = b"\x1b[?2004l\x1b[?25h"  # pastes are not bracketed, the cursor is seen


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


def found(fd: int) -> Modes:
    """Return the modes as they are."""
    if sys.platform != "win32":
        with suppress(termios.error):
            return termios.tcgetattr(fd)
    return None


@contextmanager
def lent(fd: int, modes: Modes) -> Iterator[None]:
    """Set *modes* for a while, and then those of before; untouched where they are the same, as in the background."""
    own = found(fd)
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
