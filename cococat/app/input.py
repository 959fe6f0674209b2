"""What the user said on the command line and through a pipe, as one message."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from cococat.app.output import note
from cococat.core.messages import Attachment, Picture, User
from cococat.errors import UsageError
from cococat.system.text import encodable
from cococat.system.text_file import MAX_BYTES, NoTextError, most_of, read_bytes

PATIENCE_S = 3.0  # before it is said that input has no end yet
HEAD = 16  # bytes that tell what comes
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
    if alone:
        prompt = piped.text.strip() if isinstance(piped, Attachment) else ""
    beside = isinstance(piped, Picture) or (piped and not alone and piped.text.strip())
    texts, pictures = read_files(files, [piped] if piped and beside else ())
    if not prompt:
        raise UsageError("there is nothing to ask", 'cococat ask "your question", or pipe it in')
    if smaller := [picture for picture in pictures if picture.before]:
        from cococat.ui.lines.format import picture_line

        for picture in smaller:
            note(picture_line(picture))
    return User(encodable(prompt), texts, pictures=pictures)


def read_files(
    paths: Sequence[Path], others: Sequence[Attachment | Picture] = ()
) -> tuple[tuple[Attachment, ...], tuple[Picture, ...]]:
    """
    Read the files the user named, and put them before *others* of the same message.

    Raises: UsageError: one is missing, no regular file, too large or neither text nor a picture; the pictures are too many
        or too large together.
    """
    if not (paths or others):
        return (), ()
    from cococat.context.attached import attached, check_pictures

    read: list[Attachment | Picture] = []
    for path in paths:
        try:
            read.append(attached(read_bytes(path), str(path)))
        except NoTextError as error:
            raise UsageError(f"cannot attach {path}: {error.reason}", error.hint) from error
    every = (*read, *others)
    pictures = tuple(each for each in every if isinstance(each, Picture))
    try:
        check_pictures(pictures)
    except NoTextError as error:
        raise UsageError(error.reason, error.hint) from error
    return tuple(each for each in every if isinstance(each, Attachment)), pictures


def _piped(stdin: TextIO | None, *, wait: bool) -> Attachment | Picture | None:
    """
    Return all that is on *stdin* when it is not a terminal; a note on stderr when that takes long.

    Args:
        wait: also for a pipe on which nothing comes; such pipes are inherited from cron, ssh, CI and editors.
    """
    if stdin is None or stdin.closed or stdin.isatty():
        return None
    try:
        if not wait and not _ready(stdin.fileno(), SILENCE_S):
            note(
                "nothing came on standard input for 1 s: asked without it (--no-stdin asks at once; slow input: -f FILE)"
            )
            return None
        data = _all_of(stdin.fileno())
    except OSError:
        return None  # a closed descriptor is no input
    if len(data) > MAX_BYTES and len(data) > (most := most_of(data)):
        raise UsageError(f"standard input holds more than {most >> 20} MiB", "pipe in a part of it, or use -f FILE")
    if not data:
        return None
    from cococat.context.attached import attached

    try:
        return attached(data, "stdin", "stdin")
    except NoTextError as error:
        raise UsageError(f"cannot read standard input: {error.reason}", error.hint) from error


def _all_of(number: int) -> bytes:
    """Return what comes until the end, whether reading blocks or not; at the most one byte more than is taken."""
    data, until, waiting, most = bytearray(), time.monotonic() + PATIENCE_S, True, MAX_BYTES
    while len(data) <= most:
        if waiting and not _ready(number, max(0.0, until - time.monotonic())):
            waiting = False
            note("waiting for standard input to end (</dev/null gives none)")
        _ready(number, None)
        with suppress(BlockingIOError):
            if not (piece := os.read(number, most + 1 - len(data))):
                break
            data += piece
            if len(data) > MAX_BYTES:
                most = most_of(bytes(data[:HEAD]))
    return bytes(data)


def _ready(number: int, timeout_s: float | None) -> bool:
    """Return whether a byte or the end comes in time; also where this system cannot tell."""
    try:
        return bool(select.select([number], [], [], timeout_s)[0])
    except (OSError, ValueError):
        return True
