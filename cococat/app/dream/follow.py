"""Looking on while a dream of its own process works: any key gives the shell back, a second Ctrl-C stops the dream."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, Literal, TypeAlias

from cococat.app.dream.stages_shown import Show, shown_line
from cococat.app.dream.when import BEHIND
from cococat.app.signals import ENDING, Leaving, handlers
from cococat.core.events import DreamFinished, Emit
from cococat.store.codec import from_record
from cococat.system.text import json_object
from cococat.ui.screen.modes import by_key

_LINE = 1 << 24  # bytes
AGAIN_S = 2.0  # seconds in which a second Ctrl-C still stops the dream
_LOOK_S = 0.005  # seconds between two looks
_TOLD = b"\r\nthe dream was told to stop; cococat dream log tells what became of it\r\n"
Ending: TypeAlias = Literal["finished", "left", "interrupted"]
ENDINGS: Mapping[Ending, str] = {  # what is said of one that brought no last event
    "left": BEHIND,
    "interrupted": f"{BEHIND}; Ctrl-C again within {AGAIN_S:.0f} s stops it",
    "finished": "the dream ended without a word; the next start tells what became of it",
}


async def follow(
    child: subprocess.Popen[bytes], emit: Emit, leaving: Leaving, show: Show
) -> tuple[Ending, DreamFinished | None]:
    """
    Show what *child* does until it ends or the user has seen enough; it goes on when it is left.

    Args:
        child: from `start`, followed.
        emit: gets its events but the last.
        leaving: is told of what ends the process.
        show: gets what it is at, and how far.
    Returns: how it ended, and its last event where that came; after "interrupted" a second Ctrl-C still stops it.
    """
    assert child.stdout is not None
    reader = asyncio.StreamReader(limit=_LINE)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), child.stdout)
    reading = asyncio.ensure_future(_read(reader, emit, show))
    try:
        with _enough(leaving) as left:
            ends: list[asyncio.Future[Any]] = [reading, left]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                return "finished", reading.result()
            if left.result() != signal.SIGINT:
                return "left", None
            _stop_on_another(child.pid)
            return "interrupted", None
    finally:
        reading.cancel()
        transport.close()


async def _read(reader: asyncio.StreamReader, emit: Emit, show: Show) -> DreamFinished | None:
    """Pass on what the child tells; give its end, or what kept it from one."""
    finished = None
    while line := await reader.readline():
        row = json_object(line) or {}
        if shown_line(row, show):
            continue
        match from_record(row), row:
            case DreamFinished() as event, _:
                if finished:  # a dream of two parts: what it learned, and the notes as a whole
                    emit(finished)
                finished = event
            case None, {"type": "result", "error": {"message": str(message)}}:
                finished = finished or DreamFinished("failed", f"no dream: {message}")
            case None, _:
                pass
            case event, _:
                emit(event)
    return finished


@contextmanager
def _enough(leaving: Leaving) -> Iterator[asyncio.Future[int]]:
    """Give a future: the user wants the shell back, by a key (0) or a signal."""
    loop = asyncio.get_running_loop()
    left: asyncio.Future[int] = loop.create_future()

    def note(number: int) -> None:
        if number not in (0, signal.SIGINT):
            leaving.hear(number)
        if not left.done():
            left.set_result(number)

    def on_signal(number: int, _: FrameType | None) -> None:
        loop.call_soon_threadsafe(note, number)

    def pressed() -> None:
        loop.remove_reader(0)
        _take_one_key()
        note(0)

    if leaving.number:  # it came a moment ago
        note(leaving.number)
    with handlers(dict.fromkeys(ENDING, on_signal)), by_key(0):
        loop.add_reader(0, pressed)
        try:
            yield left
        finally:
            loop.remove_reader(0)


def _take_one_key() -> None:
    """Drop the key that was pressed to get away; more than one was typed for the shell, which reads it."""
    if sys.platform == "win32":
        return
    import fcntl
    import struct
    import termios

    with suppress(OSError):
        (waiting,) = struct.unpack("i", fcntl.ioctl(0, termios.FIONREAD, b"\0\0\0\0"))
        if waiting == 1:
            os.read(0, 1)


def _stop_on_another(pid: int) -> None:
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
