"""What the bytes of a file say, and the way back: one strict reader for all that is shown, asked and written."""

from __future__ import annotations

import codecs
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from cococat.system.below import folder_below, open_in

MAX_BYTES = 1 << 20  # of one file that is attached
MAX_PICTURE = 5_000_000  # bytes of one picture that is sent
MAX_FOREIGN = 32 << 20  # bytes of one PDF, of which the text is taken, or of a picture, which can be made smaller
PDF = b"%PDF-"
CHILD_S = 20.0  # seconds to make something of one
CHILD = Path(__file__).with_name("foreign_worker.py")
ONLY_TEXT = "only text can be read"
UNPACK = "unpack it, and hand in a file of it"
CONVERT = "convert it to text or PDF first"
SMALLER = "make it smaller, or cut out the part you mean"
PROGRAM = "hand in its source"
# the first bytes of what is no text, what it is, and what to do with it
_KINDS = (
    (b"\x89PNG\r\n", "a PNG picture", ONLY_TEXT),
    (b"\xff\xd8\xff", "a JPEG picture", ONLY_TEXT),
    (b"GIF8", "a GIF picture", ONLY_TEXT),
    (b"RIFF", "a picture, sound or film (RIFF)", ONLY_TEXT),
    (b"PK\x03\x04", "a ZIP archive or an Office document", "unpack it or convert it to text or PDF first"),
    (b"\x1f\x8b", "a gzip archive", UNPACK),
    (b"BZh", "a bzip2 archive", UNPACK),
    (b"\xfd7zXZ\0", "an xz archive", UNPACK),
    (b"\x28\xb5\x2f\xfd", "a zstd archive", UNPACK),
    (b"\xd0\xcf\x11\xe0", "an older Office document", CONVERT),
    (b"SQLite format 3\0", "an SQLite database", "hand in what `sqlite3 FILE .dump` prints"),
    (b"\x7fELF", "a program (ELF)", PROGRAM),
    (b"\0asm", "a program (WebAssembly)", PROGRAM),
    (PDF, "a PDF", ONLY_TEXT),
)
_SNIFFED = 8192  # characters in which a NUL means binary
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
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


class PictureError(NoTextError):
    """A file is a picture, and none that can be sent."""


@dataclass(frozen=True, slots=True)
class FileText:
    """
    The text of a file; no byte is lost: `encode(text)` gives the file's own bytes.

    Args:
        text: without the mark; what is no text of the encoding stands in it as lone surrogates.
        mark: the byte order mark that the file begins with, if any.
    """

    text: str
    mark: bytes = b""
    encoding: str = "utf-8"

    def encode(self, text: str) -> bytes:
        """Return the bytes of a file of this kind that says *text*."""
        return self.mark + self.body(text)

    def body(self, text: str) -> bytes:
        """Return the bytes of a part of such a file."""
        return text.encode(self.encoding, _errors(self.encoding))

    @property
    def exact(self) -> bool:
        """Whether all of it can be read."""
        return self.visible == self.text

    @property
    def visible(self) -> str:
        r"""The text with `\xe9` for a byte that is none."""
        return self.text.encode("utf-8", "surrogateescape" if self.encoding == "utf-8" else "backslashreplace").decode(
            "utf-8", "backslashreplace"
        )


def encoding_of(start: bytes) -> tuple[bytes, str]:
    """Return the byte order mark that a file begins with, if any, and its encoding: UTF-8 where no mark says otherwise."""
    return next(((mark, encoding) for mark, encoding in _MARKS if start.startswith(mark)), (b"", "utf-8"))


def is_binary(start: str) -> bool:
    """Return whether a file that begins with *start* is no text."""
    return "\0" in start[:_SNIFFED]


def decode_file(data: bytes) -> FileText | None:
    """Read the bytes of a whole file: strictly, never by guessing; None for what is no text."""
    mark, encoding = encoding_of(data)
    try:
        read = FileText(data[len(mark) :].decode(encoding, _errors(encoding)), mark, encoding)
    except UnicodeError:
        return None
    return None if is_binary(read.text) or read.encode(read.text) != data else read


def _errors(encoding: str) -> str:
    return "surrogateescape" if encoding == "utf-8" else "surrogatepass"


def read_text(path: Path, top: Path | None = None) -> str:
    """
    Read a file of at most 1 MiB: UTF-8, with a byte order mark or without, or UTF-16 or UTF-32 with one.

    Args:
        top: a folder below which it must lie, links followed; None for any place.
    Raises: NoTextError: it is missing, no regular file, too large or no such text.
    """
    return decode(read_bytes(path, top))


def most_of(start: bytes) -> int:
    """Return how many bytes may be attached of a file that begins with *start*."""
    from cococat.system.picture import look_at

    return MAX_FOREIGN if start.startswith(PDF) or look_at(start) else MAX_BYTES


def decode(data: bytes, *, pdf: bool = False) -> str:
    """
    Return the text in *data*: UTF-8, with a byte order mark or without, or UTF-16 or UTF-32 with one.

    Args:
        pdf: a PDF is text as well, that of its pages.
    Raises: NoTextError: it is no such text; says what it is.
    """
    if pdf and data.startswith(PDF):
        return _pages(data)
    read = decode_file(data)
    if read is None or "\0" in read.text:
        kind, hint = next((names for start, *names in _KINDS if data.startswith(start)), ("binary", ONLY_TEXT))
        raise NoTextError(f"it is {kind}", hint)
    if not read.exact:
        raise NoTextError("it is binary, or text in an encoding other than UTF-8", "convert it to UTF-8 first")
    return read.text


def _pages(data: bytes) -> str:
    """
    Return the text of a PDF, each page below a line that numbers it.

    Raises: NoTextError: the extra is missing, or there is no text, or more than 1 MiB of it.
    """
    from importlib.util import find_spec

    if find_spec("pypdf") is None:
        raise NoTextError("it is a PDF, which takes a library to read", "pip install 'cococat[docs]'")
    text = in_child(("pdf",), data, "a PDF", "make text of it with another program, e.g. pdftotext or ocrmypdf")
    if len(text) > MAX_BYTES:
        size = f"{-(-len(text) // 1024):,} KiB"
        raise NoTextError(
            f"it is a PDF with {size} of text, at most {MAX_BYTES >> 20} MiB is taken", "hand in a part of it"
        )
    return text.decode("utf-8")


def in_child(words: Sequence[str], data: bytes, kind: str, hint: str) -> bytes:
    """
    Return what another process makes of *data*, which has limits and no key of ours.

    Args:
        words: what is made of it.
        kind: what it is.
        hint: what to do where nothing can be made of it.
    Raises: NoTextError: nothing can, or not in time.
    """
    import subprocess

    env = {name: value for name, value in os.environ.items() if name in ("PATH", "SYSTEMROOT", "PYTHONPATH")}
    try:
        done = subprocess.run(
            [sys.executable, "-P", CHILD, *words],
            input=data,
            capture_output=True,
            timeout=CHILD_S,
            env=env,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise NoTextError(
            f"it is {kind} that took more than {CHILD_S:.0f} s to read", "hand in a part of it"
        ) from error
    if done.returncode:
        why = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2][:300] or "reading it failed"
        raise NoTextError(f"it is {kind}; {why}", hint)
    return done.stdout


@contextmanager
def _opened(path: Path, top: Path | None) -> Iterator[BinaryIO]:
    if top is None:
        with os.fdopen(os.open(path, _READ), "rb") as file:  # opening a named pipe does not wait for its writer
            yield file
        return
    real, above = Path(os.path.realpath(path)), Path(os.path.realpath(top))
    if not real.is_relative_to(above):
        raise NoTextError("it is a link out of the repository", "put the text itself there")
    with folder_below(above, real.relative_to(above).parts[:-1]) as folder, open_in(folder, real.name) as file:
        yield file


def read_bytes(path: Path, top: Path | None = None) -> bytes:
    """
    Read a file of at most 1 MiB, 32 MiB for a picture or a PDF; *top* as for `read_text`.

    Raises: NoTextError: it is missing, no regular file or too large.
    """
    try:
        if path.is_dir():
            raise NoTextError("it is a folder", "name a file in it")
        with _opened(path, top) as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise NoTextError("it is no regular file", "name a text file")
            data = file.read(MAX_BYTES + 1)
            most = most_of(data) if len(data) > MAX_BYTES else MAX_BYTES
            data += file.read(most - MAX_BYTES)
    except (OSError, ValueError) as error:  # a NUL in the name is a ValueError
        why = error.strerror if isinstance(error, OSError) else None
        raise NoTextError(why or str(error), "check the path") from error
    if len(data) > most:
        size = max(about.st_size, len(data))
        told = f"it has {-(-size // 1024):,} KiB, at most {most >> 20} MiB can be attached"
        kind = NoTextError if data.startswith(PDF) or most == MAX_BYTES else PictureError
        raise kind(told, "ask for the part you need")
    return data
