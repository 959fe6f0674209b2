"""Modes of the terminal on a file descriptor: key by key, line by line, and back.

Public: by_key, by_line, drop_typed, heal, is_hung_up, is_terminal.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

if sys.platform != "win32":
    import select
    import termios

    _IFLAG, _LFLAG, _CC = 0, 3, 6  # places in what tcgetattr gives


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


def drop_typed(fd: int) -> None:
    """Forget what was typed and not yet read."""
    if sys.platform != "win32":
        with suppress(termios.error):
            termios.tcflush(fd, termios.TCIFLUSH)


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
    """Undo the modes that a killed program has left behind: no echo, no lines, no signals."""
    if sys.platform == "win32" or not is_terminal(fd):
        return
    with suppress(termios.error):
        mode = termios.tcgetattr(fd)
        wanted = termios.ICANON | termios.ECHO | termios.ISIG
        if mode[_LFLAG] & wanted != wanted:
            mode[_IFLAG] |= termios.ICRNL
            mode[_LFLAG] |= wanted | termios.IEXTEN
            termios.tcsetattr(fd, termios.TCSANOW, mode)


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
