"""MEMORY.md: read as it is, compared by its bytes, changed line by line."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from difflib import SequenceMatcher
from pathlib import Path

from cococat.errors import StorageError
from cococat.memory.file.place import read_bytes
from cococat.memory.file.provenance import learned
from cococat.memory.file.scan import threat

MEMORY = "MEMORY.md"
MAX_BYTES = 1 << 20  # a file beyond this was not made by a user or a dream
SMALLER = "make it smaller with `cococat memory edit`"
_BOM = b"\xef\xbb\xbf"
_HEADING = re.compile(r"(#{1,6})\s+(.*)")


@dataclass(frozen=True, slots=True)
class Memory:
    """
    What MEMORY.md holds.

    Args:
        data: its exact bytes; empty when it is missing.
        text: the same as text, without byte order mark, every line end a line feed.
        notes: what a user may want to know about the file, one sentence each.
        learned: the day each line was said, by `words.key`, where that is known.
    """

    data: bytes = b""
    text: str = ""
    exists: bool = False
    notes: tuple[str, ...] = ()
    learned: Mapping[str, date] = field(default_factory=dict)

    @property
    def sha(self) -> str:
        """SHA-256 of the bytes, in hex."""
        return hashlib.sha256(self.data).hexdigest()


def read(folder: Path) -> Memory:
    """
    Read MEMORY.md; a missing one is empty.

    Raises: StorageError: a link, a folder, a FIFO, not UTF-8, too big, or not readable.
    """
    data = read_bytes(folder, MEMORY, most=MAX_BYTES, smaller=SMALLER)
    if data is None:
        return Memory()
    try:
        text = as_text(data)
    except UnicodeDecodeError as error:
        why = f"{folder / MEMORY} is not UTF-8 (byte {error.start:,})"
        raise StorageError(why, "save it as UTF-8: cococat memory edit") from error
    notes: list[str] = []
    if data.startswith(_BOM):
        notes.append("MEMORY.md begins with a byte order mark; it stays")
    if b"\r" in data:
        notes.append("MEMORY.md has Windows line ends; they stay")
    days: Mapping[str, date] = {}
    with suppress(StorageError):  # without it the lines only lack their age
        days = learned(folder)
    return Memory(data, text, exists=True, notes=tuple(notes), learned=days)


def as_text(data: bytes) -> str:
    """
    Return the text of a MEMORY.md with these bytes.

    Raises: UnicodeDecodeError: it is not UTF-8.
    """
    return data.removeprefix(_BOM).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def blocked(memory: Memory) -> tuple[int, ...]:
    """Return the numbers of the lines, from 1, that no prompt will hold: a user should look at them."""
    return tuple(number for number, line in enumerate(memory.text.split("\n"), 1) if threat(line))


def memory_lines(text: str) -> tuple[str, ...]:
    """Return the lines that remember something: neither blank nor a heading."""
    return tuple(line.strip() for line in text.split("\n") if line.strip() and not _HEADING.match(line))


def heading_level(line: str) -> int:
    """Return how deep a heading stands, from 1; 0 for a line that is none."""
    heading = _HEADING.match(line)
    return len(heading[1]) if heading else 0


def pinned(text: str) -> tuple[str, ...]:
    """Return the lines of every section called Pinned, heading included; a dream may not touch them."""
    kept: list[str] = []
    level = 0  # of the pinned section we are in; 0 outside
    for line in text.split("\n"):
        if heading := _HEADING.match(line):
            depth = len(heading[1])
            if not level or depth <= level:
                level = depth if heading[2].strip().casefold().startswith("pinned") else 0
        if level and line.strip():
            kept.append(line)
    return tuple(kept)


def without_empty(text: str, own: Collection[str] | None = None) -> str:
    """
    Return *text* without headings that nothing stands under; the title stays.

    Args:
        own: headings that stay as well; by default Pinned, which is the user's.
    """
    own, lines = pinned(text) if own is None else own, text.split("\n")
    while (at := next((at for at in range(len(lines)) if _empty(lines, at, own)), None)) is not None:
        end = at + 1
        while end < len(lines) - 1 and not lines[end].strip():
            end += 1
        while end >= len(lines) - 1 and at > 1 and not lines[at - 1].strip():  # nothing follows: no blank line, either
            at -= 1
        del lines[at:end]
    return "\n".join(lines)


def _empty(lines: Sequence[str], at: int, own: Collection[str]) -> bool:
    level = heading_level(lines[at])
    below = next((line for line in lines[at + 1 :] if line.strip()), "# ")
    return level > 1 and 0 < heading_level(below) <= level and lines[at] not in own


def encoded(memory: Memory, text: str) -> bytes:
    """Return the bytes of *text*: lines that were there keep theirs, new ones end like most others."""
    old = re.findall(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", memory.data.removeprefix(_BOM))
    ending = Counter(raw[len(raw.rstrip(b"\r\n")) :] for raw in old).most_common(1)
    end = ending[0][0] if ending and ending[0][0] else b"\n"
    plain = [raw.rstrip(b"\r\n") for raw in old]
    wanted = [line.encode("utf-8") for line in text.split("\n")]
    ends_bare = wanted[-1] != b""
    wanted = wanted if ends_bare else wanted[:-1]
    out: list[bytes] = []
    for how, i1, i2, j1, j2 in SequenceMatcher(None, plain, wanted, autojunk=False).get_opcodes():
        out += old[i1:i2] if how == "equal" else [line + end for line in wanted[j1:j2]]
    whole = [raw if raw.endswith((b"\n", b"\r")) else raw + end for raw in out]
    if whole and ends_bare:
        whole[-1] = whole[-1].rstrip(b"\r\n")
    return (_BOM if memory.data.startswith(_BOM) else b"") + b"".join(whole)
