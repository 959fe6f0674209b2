"""The title of the terminal's window, and its bell."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from cococat.ui.columns import cut, one_line

__all__ = ["ring", "set_title", "titled"]

COLUMNS = 60
LONG_S = 10.0  # seconds of a turn whose end is worth a sound
_KEEP, _RESTORE = "\x1b[22;2t", "\x1b[23;2t"  # on the terminal's own stack


@contextmanager
def titled(out: TextIO, *, on: bool) -> Iterator[None]:
    """Give the terminal its own title back at the end."""
    if not on:
        yield
        return
    _write(out, _KEEP)
    try:
        yield
    finally:
        _write(out, _RESTORE)


def set_title(out: TextIO, words: str) -> None:
    """Make *words*, which may be anything, the title."""
    _write(out, f"\x1b]2;{cut(one_line(words, 'exact'), COLUMNS)}\x07")


def ring(out: TextIO, setting: str, seconds: float) -> None:
    """Sound the bell for a turn of *seconds*, if *setting* (off, on, long) wants it."""
    if setting == "on" or (setting == "long" and seconds >= LONG_S):
        _write(out, "\a")


def _write(out: TextIO, text: str) -> None:
    out.write(text)
    out.flush()
