"""What the user said on the command line and through a pipe, as one message."""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from cococat.core.messages import Attachment, User
from cococat.errors import UsageError
from cococat.system.text_file import MAX_BYTES, MAX_PDF, PDF, NoTextError, decode, read_text

__all__ = ["first_message", "read_file"]

PATIENCE_S = 3.0  # before it is said that input has no end yet
SILENCE_S = 1.0  # of a pipe beside a prompt; after that it is no input


def first_message(words: Sequence[str], files: Sequence[Path], stdin: TextIO | None) -> User:
    """
    Make the message of `ask`: the words, then piped input and files as context.

    Args:
        words: the PROMPT arguments; none, or a single `-`, takes the prompt from *stdin*.
        stdin: None: it is not looked at.
    Raises: UsageError: nothing to ask, or an input that is too large or cannot be read.
    """
    prompt = " ".join(words).strip()
    alone = prompt in ("", "-")
    piped = _piped(stdin, wait=alone)
    attached = [read_file(path) for path in files]
    if alone:
        prompt, piped = piped.strip(), ""
        if not prompt:
            raise UsageError("there is nothing to ask", 'cococat ask "your question", or pipe it in')
    if piped.strip():
        attached.append(Attachment("stdin", piped, "stdin"))
    return User(_clean(prompt), tuple(attached))


def read_file(path: Path) -> Attachment:
    """
    Read a file the user named.

    Raises: UsageError: it is missing, no regular file, too large or not text.
    """
    try:
        return Attachment(str(path), read_text(path, pdf=True), "file")
    except NoTextError as error:
        raise UsageError(f"cannot attach {path}: {error.reason}", error.hint) from error


def _piped(stdin: TextIO | None, *, wait: bool) -> str:
    """
    Return everything on *stdin* when it is not a terminal; a note on stderr when that takes long.

    Args:
        wait: also for a pipe on which nothing comes; such pipes are inherited from cron, ssh, CI and editors.
    """
    if stdin is None or stdin.closed or stdin.isatty():
        return ""
    try:
        if not wait and not _ready(stdin.fileno(), SILENCE_S):
            _note(
                "nothing came on standard input for 1 s: asked without it (--no-stdin asks at once; slow input: -f FILE)"
            )
            return ""
        data = _all_of(stdin.fileno())
    except OSError:
        return ""  # a closed descriptor is no input
    if len(data) > (most := MAX_PDF if data.startswith(PDF) else MAX_BYTES):
        raise UsageError(f"standard input holds more than {most >> 20} MiB", "pipe in a part of it, or use -f FILE")
    try:
        return decode(data, pdf=True)
    except NoTextError as error:
        raise UsageError(f"cannot read standard input: {error.reason}", error.hint) from error


def _all_of(number: int) -> bytes:
    """Return what comes until the end, whether reading blocks or not; at the most one byte more than is taken."""
    data, until, waiting = bytearray(), time.monotonic() + PATIENCE_S, True
    while len(data) <= (most := MAX_PDF if data.startswith(PDF) else MAX_BYTES):
        if waiting and not _ready(number, max(0.0, until - time.monotonic())):
            waiting = False
            _note("waiting for standard input to end (</dev/null gives none)")
        _ready(number, None)
        with suppress(BlockingIOError):
            if not (piece := os.read(number, most + 1 - len(data))):
                break
            data += piece
    return bytes(data)


def _ready(number: int, timeout_s: float | None) -> bool:
    """Return whether a byte or the end comes in time; also where this system cannot tell."""
    try:
        return bool(select.select([number], [], [], timeout_s)[0])
    except (OSError, ValueError):
        return True


def _note(line: str) -> None:
    sys.stderr.write(f"cococat: {line}\n")
    sys.stderr.flush()


def _clean(text: str) -> str:
    """Replace lone surrogates: neither JSON nor a log can hold them."""
    return text.encode("utf-8", "replace").decode("utf-8")
