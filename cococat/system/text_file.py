"""Reading a file that the user names, as text."""

from __future__ import annotations

import codecs
import os
import stat
from pathlib import Path

__all__ = ["MAX_BYTES", "NoTextError", "decode", "read_text"]

MAX_BYTES = 1 << 20  # of one file
_READ = sum(getattr(os, name, 0) for name in ("O_RDONLY", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))


class NoTextError(Exception):
    """
    A file cannot be read as text.

    Args:
        reason: why, in words that go on after the file's name.
        hint: what to do about it.
    """

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(f"{reason}; {hint}")
        self.reason, self.hint = reason, hint


def read_text(path: Path) -> str:
    """
    Read a file of at most 1 MiB: UTF-8, with a byte order mark or without, or UTF-16 with one.

    Raises: NoTextError: it is missing, no regular file, too large or no such text.
    """
    return decode(_bytes(path))


def decode(data: bytes) -> str:
    """
    Return the text in *data*: UTF-8, with a byte order mark or without, or UTF-16 with one.

    Raises: NoTextError: it is no such text.
    """
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        raise NoTextError(
            "it is binary, or text in an encoding other than UTF-8", "convert it to UTF-8 first"
        ) from None
    if "\0" in text:
        raise NoTextError("it is binary", "only text can be read")
    return text


def _bytes(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise NoTextError("it is a folder", "name a file in it")
        with os.fdopen(os.open(path, _READ), "rb") as file:  # opening a named pipe does not wait for its writer
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise NoTextError("it is no regular file", "name a text file")
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # a NUL in the name is a ValueError
        why = error.strerror if isinstance(error, OSError) else None
        raise NoTextError(why or str(error), "check the path") from error
    if len(data) > MAX_BYTES:
        size = f"{-(-max(about.st_size, len(data)) // 1024):,} KiB"
        raise NoTextError(f"it has {size}, at most {MAX_BYTES >> 20} MiB can be attached", "ask for the part you need")
    return data
