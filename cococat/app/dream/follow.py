"""Looking on while a dream of its own process works: any key gives the shell back, a second Ctrl-C stops the dream."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, Literal, TypeAlias

from cococat.app.dream.abort_window import stop_on_another
from cococat.app.dream.stages_shown import Show, shown_line
from cococat.app.signals import Leaving
from cococat.core.events import DreamFinished, Emit
from cococat.memory.file.place import row_of
from cococat.store.codec import from_record
from cococat.ui.screen.modes import by_key

__all__ = ["Ending", "follow"]

_LINE = 1 << 24  # bytes
_HEEDED = tuple(number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)))
Ending: TypeAlias = Literal["finished", "left", "interrupted"]


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
            stop_on_another(child.pid)
            return "interrupted", None
    finally:
        reading.cancel()
        transport.close()


async def _read(reader: asyncio.StreamReader, emit: Emit, show: Show) -> DreamFinished | None:
    """Pass on what the child tells; give its end, or what kept it from one."""
    finished = None
    while line := await reader.readline():
        row = row_of(line) or {}
        if shown_line(row, show):
            continue
        match from_record(row):
            case DreamFinished() as event:
                if finished:  # a dream of two parts: what it learned, and the notes as a whole
                    emit(finished)
                finished = event
            case None:
                finished = finished or _trouble(row)
            case event:
                emit(event)
    return finished


def _trouble(row: Mapping[str, object]) -> DreamFinished | None:
    match row:
        case {"type": "result", "error": {"message": str(message)}}:
            return DreamFinished("failed", f"no dream: {message}")
        case _:
            return None


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
    before = {number: signal.getsignal(number) for number in _HEEDED}
    heeded = {number: handler for number, handler in before.items() if handler not in (signal.SIG_IGN, None)}
    for number in heeded:
        signal.signal(number, on_signal)
    try:
        with by_key(0):
            loop.add_reader(0, pressed)
            yield left
    finally:
        loop.remove_reader(0)
        for number, handler in heeded.items():
            signal.signal(number, handler)


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
