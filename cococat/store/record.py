"""One line of a session log: a JSON object with its number, its time and a checksum.

A line is ASCII, so nothing that a model or a tool says can break or join lines. Its last key is the
CRC-32 of the line as it would be without that key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

from cococat.system.text import json_object

VERSION = 1
_HEAD = re.compile(rb'\{"v":%d,"seq":(\d{1,18}),"ts":(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?),"type":"(\w+)"' % VERSION)
MAX_DAMAGED = 5  # lines that are named
_CRC = b',"crc":"'
_SEAL = len(_CRC) + len('01234567"}\n')  # bytes from the comma before the checksum to the end of the line


@dataclass(frozen=True, slots=True)
class Record:
    """A line that was read back: *ts* is seconds since 1970; *future* means a newer format than ours."""

    seq: int
    ts: float
    type: str
    line: bytes
    future: bool = False

    @property
    def body(self) -> Mapping[str, Any]:
        """The whole object, keys we do not know included; read again each time, as most lines are only passed over."""
        return json_object(self.line) or {}


def encode(seq: int, ts: float, body: Mapping[str, object]) -> bytes:
    """Return the line for *body*, which holds its `type`."""
    record = {"v": VERSION, "seq": seq, "ts": round(ts, 3), **body}
    line = json.dumps(record, separators=(",", ":")).encode("ascii")
    return line[:-1] + _CRC + b'%08x"}\n' % crc32(line)


def decode(line: bytes) -> Record | None:
    """Read one line, its newline included; None when it is not one that was written whole."""
    if (head := _HEAD.match(line)) and _sealed(line):
        return Record(int(head[1]), float(head[2]), head[3].decode("ascii"), line)
    body = json_object(line) or {}
    match body:
        case {"v": int(version), "seq": int(seq), "ts": int() | float() as ts, "type": str(kind)} if version > VERSION:
            return Record(seq, ts, kind, line, future=True)  # whatever its checksum is
        case _:
            return None


def _sealed(line: bytes) -> bool:
    """Return whether *line* has its end, and the checksum there is that of the rest."""
    if line[-_SEAL : -_SEAL + len(_CRC)] != _CRC or not line.endswith(b'"}\n'):
        return False
    expected = b"%08x" % crc32(b"}", crc32(memoryview(line)[:-_SEAL]))
    return line[-11:-3] == expected


class Reading:
    """
    One pass over a log, line by line, that remembers what it met.

    Attributes:
        seq: the number of the last good line.
        end: bytes up to the end of the last good line; what stands behind it is a torn tail.
        skipped: bad lines that good ones follow; they stay where they are.
        damaged: where the first few of those are, counted from 1.
        future: some line was written by a newer format.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.seq = 0
        self.end = 0
        self.size = 0
        self.skipped = 0
        self.damaged: list[int] = []
        self.future = False

    def __iter__(self) -> Iterator[Record]:
        """Return the good lines in order."""
        bad = 0
        for number, line in enumerate(self._stream, 1):
            self.size += len(line)
            record = decode(line)
            if record is None or record.seq <= self.seq:
                bad += 1
                continue
            if bad:
                self.damaged += range(number - bad, number)[: MAX_DAMAGED - len(self.damaged)]
                self.skipped, bad = self.skipped + bad, 0
            self.seq = record.seq
            self.end = self.size
            self.future = self.future or record.future
            yield record


def read_log(path: Path, take: Callable[[Record], object]) -> Reading:
    """
    Return every good line of the log at *path* to *take*.

    Raises: OSError: it cannot be read.
    """
    with path.open("rb") as stream:
        reading = Reading(stream)
        for record in reading:
            take(record)
    return reading
