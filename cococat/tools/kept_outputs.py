"""Outputs too long to be shown whole: kept with their session, and read again as `output:N`.

The name is a number and nothing else: no path is ever made of what a model writes. What is written
has no name yet; it gets one in the moment it is pointed at, so that a text which somebody changed
before the model saw it cannot be read behind their back. Equal texts have one name.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from cococat.context.micro import pointer
from cococat.core.tools import FullOutput, ToolFailure
from cococat.permissions.paths import Parts
from cococat.safety.untrusted import wrap
from cococat.system.below import Folder, folder_below, new_in
from cococat.system.private import open_private, private_dir
from cococat.system.text import shorten

if TYPE_CHECKING:
    from cococat.tools.background import Running

MAX_OUTPUT = 10 << 20  # bytes of one output; characters, where it is text already
MAX_SESSION = 100 << 20  # bytes of one session
OUTPUTS = "outputs"  # the folder below the state folder
HEAD_CHARS = 200  # of a page that go to its head line
MIN_PAGE = 200
BLOCK = 1 << 16  # characters that secrets are taken out of at a time
MAX_BLOCK = 1 << 20  # of a text that has no place to be cut at
PREFIX = "output:"
_NAME = re.compile(PREFIX + r"([1-9][0-9]{0,5})")
_FILE = re.compile(r"([1-9][0-9]{0,5})-[0-9a-f]{16}\.txt")

Redact = Callable[[str], str]
_NOTHING: Mapping[str, Running] = MappingProxyType({})


def page_chars(output_chars: int) -> int:
    """Characters of one page of a file, where the model sees *output_chars* of an output."""
    return max(MIN_PAGE, output_chars - HEAD_CHARS)


class Outputs:
    """
    The outputs of one session.

    Args:
        base: gives the folder that `outputs/SESSION` lies in; neither need exist.
        redact: takes the secrets out of a text.
        running: commands of the background, whose outputs are no files and grow.
        width: characters of a line; longer ones go on in the next, so that every part can be read.
        max_bytes: of what is kept; the oldest outputs go first.
    """

    def __init__(
        self,
        base: Callable[[], Path],
        session: str,
        redact: Redact = str,
        running: Mapping[str, Running] = _NOTHING,
        *,
        width: int = 1800,
        max_bytes: int = MAX_SESSION,
    ) -> None:
        self.redact, self._running = redact, running
        self._base, self._parts, self._width, self._max_bytes = base, (OUTPUTS, session), width, max_bytes

    def write(self, pieces: Iterable[str]) -> FullOutput | None:
        """
        Write a text that holds no secrets; None when that cannot be done.

        Args:
            pieces: whole lines, wherever that is possible.
        """
        try:
            base = self._base()
            private_dir(base.joinpath(*self._parts))
            with folder_below(base, self._parts) as folder:
                return self._written(folder, pieces)
        except OSError:
            return None

    def _written(self, folder: Folder, pieces: Iterable[str]) -> FullOutput:
        part, sha, lines, end = os.urandom(8).hex(), hashlib.sha256(), 0, "\n"
        with new_in(folder, f"{part}.part") as file:
            for piece in pieces:
                text = self._folded(piece)
                data = text.encode("utf-8", "replace")
                sha.update(data)
                lines += text.count("\n")
                end = text[-1:] or end
                file.write(data)
        return FullOutput(f"{part}-{sha.hexdigest()[:16]}", lines + (end != "\n"))

    def _folded(self, text: str) -> str:
        """Break lines that fit on no page; a NUL would make a text a binary."""
        return re.sub(rf"([^\n]{{{self._width}}})(?=[^\n])", r"\1\n", text.replace("\0", "\ufffd"))

    def publish(self, full: FullOutput) -> str:
        """Return the name that it can be read by; empty when it has gone."""
        part, _, sha = full.name.partition("-")
        try:
            with folder_below(self._base(), self._parts) as folder:
                files = _files(folder)
                number = next((n for n, file in files.items() if file.endswith(f"-{sha}.txt")), 0)
                if not number:
                    number = max(files, default=0) + 1
                    source, target = folder.name(f"{part}.part"), folder.name(f"{number}-{sha}.txt")
                    os.rename(source, target, src_dir_fd=folder.fd, dst_dir_fd=folder.fd)
                    self._drop_oldest(folder)
                for part_name in _parts(folder):
                    with contextlib.suppress(OSError):
                        folder.remove(part_name)
        except OSError:
            return ""
        return f"output:{number}"

    def keep(self, text: str) -> str:
        """Keep a text that holds no secrets and give the name that it can be read by; empty when it cannot be kept."""
        full = self.write([shorten(text, MAX_OUTPUT)])
        return self.publish(full) if full else ""

    def growing(self, name: str) -> str | None:
        """Return what the command of the background prints that *name* stands for; None for any other name."""
        running = self._running.get(name.removeprefix(PREFIX)) if name.startswith(PREFIX) else None
        return running.text() if running else None

    def find(self, name: str) -> tuple[Path, Parts] | None:
        """
        Return where the output called *name* lies: a folder, and its path below; None for any other name.

        Raises: ToolFailure: it is not kept.
        """
        if self.growing(name) is not None:
            raise ToolFailure(f"ValueError: {name} is the output of a command in the background; read_file shows it")
        match = _NAME.fullmatch(name)
        if match is None:
            return None
        files: Mapping[int, str] = {}
        with contextlib.suppress(OSError), folder_below(self._base(), self._parts) as folder:
            files = _files(folder)
        if file := files.get(int(match[1])):
            return self._base(), (*self._parts, file)
        if int(match[1]) < max(files, default=0):
            raise ToolFailure(
                f"FileNotFoundError: {name} is no longer kept: of a session the newest {self._max_bytes >> 20} MiB stay"
            )
        raise ToolFailure(
            f"FileNotFoundError: there is no {name}" + (f"; the newest is output:{max(files)}" if files else "")
        )

    def inherit(self, state: Path, session: str) -> None:
        """Take over what is kept of another session, under the same names; as far as it can be done."""
        with contextlib.suppress(OSError), folder_below(state, (OUTPUTS, session)) as old:
            files = _files(old).values()
            base = self._base()
            private_dir(base.joinpath(*self._parts))
            with folder_below(base, self._parts) as new:
                for file in files:
                    _linked(old, new, file)

    def _drop_oldest(self, folder: Folder) -> None:
        """Make room: the lowest numbers go first, the newest always stays."""
        sizes = {}
        for number, file in sorted(_files(folder).items()):
            with contextlib.suppress(OSError):
                sizes[number] = (file, os.stat(folder.name(file), dir_fd=folder.fd, follow_symlinks=False).st_size)
        total = sum(size for _, size in sizes.values())
        for file, size in list(sizes.values())[:-1]:
            if total <= self._max_bytes:
                return
            with contextlib.suppress(OSError):
                folder.remove(file)
            total -= size


def observer(outputs: Outputs, limit: int) -> Callable[[str, str, FullOutput | None], str]:
    """Make what shows an output to the model: no secrets, at most *limit* characters of it, marked as data."""

    def observe(source: str, text: str, full: FullOutput | None) -> str:
        text = outputs.redact(text)
        missing = full.missing if full else 0
        if len(text) <= limit and not missing:
            return wrap(text, source)
        full = full or outputs.write([shorten(text, MAX_OUTPUT)])
        name = outputs.publish(full) if full else ""
        mark = f"{pointer(name, full.lines)}\n" if full and name else ""
        return wrap(mark + shorten(text, max(limit - len(mark), limit // 2), missing), source)

    return observe


def redacted(pieces: Iterable[str], redact: Redact) -> Iterator[str]:
    """Take the secrets out of a text that comes in pieces, without ever holding all of it."""
    held = ""
    for piece in pieces:
        held += piece
        while len(held) >= BLOCK and (cut := _cut(held)):
            yield redact(held[:cut])
            held = held[cut:]
    yield redact(held)


def _cut(held: str) -> int:
    """Where a text can be cut so that no secret lies on both sides; 0 when more of it must come first."""
    cut = len(held)
    while cut := held.rfind("\n", 0, cut - 1) + 1:
        before, after = held[max(0, cut - 80) : cut].rstrip()[-1:], held[cut : cut + 80].lstrip()[:1]
        if before and before not in ":=>" and after and after not in ":=":
            break  # not between the name of a secret and its value
    key = held.rfind("-----BEGIN ", 0, cut)
    if key >= 0 and held.find("-----END ", key, cut) < 0:
        cut = held.rfind("\n", 0, key) + 1
    if not cut and len(held) >= MAX_BLOCK:
        return held.rfind(" ") + 1 or len(held)
    return cut


class Scratch:
    """The base of a session that is not saved: a private folder, there from its first use until it is removed."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._end: Callable[[], object] | None = None

    def __call__(self) -> Path:
        """Return the folder."""
        if self._path is None:
            import shutil
            import tempfile
            import weakref

            self._path = Path(tempfile.mkdtemp(prefix="cococat-"))
            self._end = weakref.finalize(self, shutil.rmtree, self._path, ignore_errors=True)
        return self._path

    def remove(self) -> None:
        """Remove the folder now; otherwise it goes with this value, or at a regular exit."""
        if self._end:
            self._end()
        self._path = self._end = None


def forget(state: Path, session: str) -> None:
    """
    Delete what is kept of *session*.

    Raises: OSError: some of it is still there.
    """
    with contextlib.suppress(FileNotFoundError):
        with folder_below(state, (OUTPUTS, session)) as folder:
            for file in (*_files(folder).values(), *_parts(folder)):
                folder.remove(file)
        state.joinpath(OUTPUTS, session).rmdir()


def _linked(old: Folder, new: Folder, name: str) -> None:
    """Let a file that never changes have the same name in another folder, or a copy of it on another disk."""
    source, target = old.name(name), new.name(name)
    try:
        os.link(source, target, src_dir_fd=old.fd, dst_dir_fd=new.fd, follow_symlinks=False)
    except (OSError, NotImplementedError):  # another disk, or a system without hard links by descriptor: copy
        with os.fdopen(open_private(source, os.O_RDONLY, folder=old.fd), "rb") as file, new_in(new, name) as copy:
            while chunk := file.read(BLOCK):
                copy.write(chunk)


def _files(folder: Folder) -> dict[int, str]:
    """The files that have a number."""
    return {int(found[1]): found[0] for entry in folder.entries() if (found := _FILE.fullmatch(entry.name))}


def _parts(folder: Folder) -> list[str]:
    """The files that have none: not pointed at yet, or never."""
    return [entry.name for entry in folder.entries() if entry.name.endswith(".part")]
