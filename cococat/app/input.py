"""What the user said on the command line and through a pipe, as one message."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from cococat.core.messages import Attachment, User
from cococat.errors import UsageError
from cococat.system.text_file import MAX_BYTES, NoTextError, read_text

__all__ = ["first_message", "read_file"]

PATIENCE_S = 3.0


def first_message(words: Sequence[str], files: Sequence[Path], stdin: TextIO | None) -> User:
    """
    Make the message of `ask`: the words, then piped input and files as context.

    Args:
        words: the PROMPT arguments; none, or a single `-`, takes the prompt from *stdin*.
    Raises: UsageError: nothing to ask, or an input that is too large or cannot be read.
    """
    prompt = " ".join(words).strip()
    piped = _piped(stdin)
    attached = [read_file(path) for path in files]
    if prompt in ("", "-"):
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
        return Attachment(str(path), read_text(path), "file")
    except NoTextError as error:
        raise UsageError(f"cannot attach {path}: {error.reason}", error.hint) from error


def _piped(stdin: TextIO | None) -> str:
    """Everything on *stdin* when it is not a terminal; a note on stderr when that takes long."""
    if stdin is None or stdin.closed or stdin.isatty():
        return ""
    waiting = threading.Timer(PATIENCE_S, _say_waiting)
    waiting.daemon = True
    waiting.start()
    try:
        data = stdin.buffer.read(MAX_BYTES + 1)
    except OSError:
        return ""  # a closed descriptor is no input
    finally:
        waiting.cancel()
    if len(data) > MAX_BYTES:
        raise UsageError(
            f"standard input holds more than {MAX_BYTES >> 20} MiB", "pipe in a part of it, or use -f FILE"
        )
    return data.decode("utf-8", "replace").removeprefix("\ufeff")


def _say_waiting() -> None:
    sys.stderr.write("cococat: waiting for standard input to end (</dev/null gives none)\n")
    sys.stderr.flush()


def _clean(text: str) -> str:
    """Replace lone surrogates: neither JSON nor a log can hold them."""
    return text.encode("utf-8", "replace").decode("utf-8")
