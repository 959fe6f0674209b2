"""The second Ctrl-C behind one that gave the shell back: for two seconds it still stops the dream."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress

__all__ = ["AGAIN_S", "stop_on_another"]

AGAIN_S = 2.0  # seconds in which a second Ctrl-C stops the dream
_LOOK_S = 0.005  # seconds between two looks
_TOLD = b"\r\nthe dream was told to stop; cococat dream log tells what became of it\r\n"


def stop_on_another(pid: int) -> None:
    """
    Leave a process behind that sends TERM to *pid* when Ctrl-C is pressed within two seconds; return at once.

    It goes where the terminal goes: a key at the shell's prompt reaches the shell's process group alone. A hang-up
    ends it. A shell that takes Ctrl-C for a key, with signals off, keeps it for itself.
    """
    if sys.platform == "win32":
        return
    sys.stderr.flush()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # none is lost between here and there
    try:
        if os.fork() == 0:
            try:
                _listen(pid)
            finally:
                os._exit(0)  # also where the dream has ended meanwhile
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _listen(pid: int) -> None:
    """Wait for the key, as one of whatever group the terminal belongs to."""
    assert sys.platform != "win32"
    signal.set_wakeup_fd(-1)  # it belongs to the loop of the process that leaves
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    for number in (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
        signal.signal(number, signal.SIG_IGN)
    telling = os.isatty(2)
    _let_go_of_files(*((0, 2) if telling else (0,)))
    until, group = time.monotonic() + AGAIN_S, os.getpgrp()
    while time.monotonic() < until:
        if signal.SIGINT in signal.sigpending():
            os.kill(pid, signal.SIGTERM)
            if telling:
                os.write(2, _TOLD)
            return
        if os.getpgrp() == group:  # until the shell has its terminal back
            with suppress(OSError):
                os.setpgid(0, os.tcgetpgrp(0))
        time.sleep(_LOOK_S)


def _let_go_of_files(*kept: int) -> None:
    """Close all but the terminal: whoever reads what the process printed must see the end of it."""
    for number in range(max(kept) + 1):
        if number not in kept:
            with suppress(OSError):
                os.close(number)
    os.closerange(max(kept) + 1, 4096)
