"""Questions that a terminal answers itself: what its background is, whether it can show a frame at once."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from cococat.ui.modes import by_key, is_terminal
from cococat.ui.theme import Theme

__all__ = ["Told", "ask_terminal"]

WAIT_S = 0.1
# the last of the questions is answered by every terminal: whatever was not answered before it never will be
_QUESTIONS = b"\x1b]11;?\x1b\\\x1b[?2026$p\x1b[c"
_LAST = re.compile(rb"\x1b\[\?[\d;]*c")
_COLOUR = re.compile(rb"\x1b\]11;rgba?:([0-9a-fA-F]+)/([0-9a-fA-F]+)/([0-9a-fA-F]+)[^\x07\x1b]*(?:\x07|\x1b\\)")
_FRAMES = re.compile(rb"\x1b\[\?2026;([0-4])\$y")
_CAN = (b"1", b"2")  # set, or reset: known in any case
_WEIGHTS = (0.299, 0.587, 0.114)  # of red, green, blue in what an eye sees


@dataclass(frozen=True, slots=True)
class Told:
    """
    What a terminal said.

    Args:
        background: None when it did not say.
        frames: it shows what stands between two marks at once (mode 2026).
        typed: keys that came meanwhile.
    """

    background: Theme | None = None
    frames: bool = False
    typed: bytes = b""


def ask_terminal(fd: int, env: Mapping[str, str], wait_s: float = WAIT_S) -> Told:
    """Ask the terminal on *fd*, and wait so many seconds at most; one behind a network is not asked, as its answer may come too late."""
    if sys.platform == "win32" or not is_terminal(fd) or env.get("SSH_CONNECTION") or env.get("SSH_TTY"):
        return Told()
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
    return Told(_theme(colour) if colour else None, bool(frames and frames[1] in _CAN), typed)


def _theme(colour: re.Match[bytes]) -> Theme:
    parts = (int(part, 16) / (16 ** len(part) - 1) for part in colour.groups())
    return "light" if sum(weight * part for weight, part in zip(_WEIGHTS, parts, strict=True)) > 1 / 2 else "dark"
