"""The search that runs where there is no `rg`: a process of its own, so that it can be killed.

It reads a request (JSON) from stdin and writes `path NUL line:text` lines, and `path NUL line-text` for
what stands around them, as `rg --null` does. Exit codes: 0 the search is complete, 2 the pattern is wrong and stdout says why.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import sys
from collections.abc import Mapping
from pathlib import Path

from cococat.system.gitignore import Found, files_below
from cococat.system.wildmatch import name_pattern

__all__ = ["main"]

_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def main() -> int:
    """Search as the request says."""
    request = json.load(sys.stdin)
    try:
        pattern = re.compile(request["pattern"])
        names = name_pattern(request["glob"]) if request["glob"] else None
    except (re.error, ValueError, RecursionError) as error:
        sys.stdout.write(f"{error}")
        return 2
    root, start = Path(request["root"]), tuple(request["start"])
    for found in files_below(root, start) if root.joinpath(*start).is_dir() else (Found(start, None),):
        if names is None or found.parts == start or names.fullmatch("/".join(found.parts[len(start) :])):
            data = _content(root, found, request["largest"])
            _search("/".join(found.parts), data, pattern, request)
    return 0


def _search(name: str, data: bytes, pattern: re.Pattern[str], request: Mapping[str, int]) -> None:
    """Write the hits of one file, and the lines around them once."""
    if b"\0" in data[:8192]:
        return
    lines = data.decode("utf-8", "surrogateescape").replace("\r\n", "\n").split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    around, most = request["context"], request["line_chars"]
    last, written = -1 - around, 0  # the place of the last hit, and how far the lines are written
    for place, line in enumerate(lines):
        if match := pattern.search(line):
            for near in range(max(written, place - around), place):
                _write(name, near, "-", _part(lines[near], 0, most))
            _write(name, place, ":", _part(line, match.start(), most))
            last, written = place, place + 1
        elif place <= last + around:
            _write(name, place, "-", _part(line, 0, most))
            written = place + 1
    if written:
        sys.stdout.flush()


def _part(line: str, match: int, most: int) -> str:
    """Return a line, or of a very long one what stands around the match."""
    if len(line) <= most:
        return line
    start = max(0, match - most // 2)
    return f"{line[start : start + most]} [line of {len(line)} characters]"


def _write(name: str, place: int, mark: str, text: str) -> None:
    sys.stdout.buffer.write(f"{name}\0{place + 1}{mark}{text}\n".encode("utf-8", "surrogateescape"))


def _content(root: Path, found: Found, largest: int) -> bytes:
    """The bytes of a regular file that is not too large; nothing for anything else."""
    with contextlib.suppress(OSError):
        name = found.parts[-1] if found.folder_fd is not None else str(root.joinpath(*found.parts))
        fd = os.open(name, _READ, dir_fd=found.folder_fd)
        with os.fdopen(fd, "rb") as file:
            status = os.fstat(fd)
            if stat.S_ISREG(status.st_mode) and status.st_size <= largest:
                return file.read(largest)
    return b""


if __name__ == "__main__":
    sys.exit(main())
