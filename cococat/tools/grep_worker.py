"""The search that runs where there is no `rg`: a process of its own, so that it can be killed.

It reads a request (JSON) from stdin and writes `path NUL line:text` lines as `rg --null` does. Exit
codes: 0 the search is complete, 2 the pattern is wrong and stdout says why.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import sys
from pathlib import Path

from cococat.system.gitignore import Found, files_below
from cococat.system.wildmatch import name_pattern

__all__ = ["main"]

LINE_CHARS = 300
HITS_A_FILE = 50
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
    if not root.joinpath(*start).is_dir():
        _search(root, Found(start, None), pattern, request["largest"])
        return 0
    for found in files_below(root, start):
        if names is None or names.fullmatch("/".join(found.parts[len(start) :])):
            _search(root, found, pattern, request["largest"])
    return 0


def _search(root: Path, found: Found, pattern: re.Pattern[str], largest: int) -> None:
    data = _content(root, found, largest)
    if b"\0" in data[:8192]:
        return
    hits = 0
    for number, line in enumerate(data.decode("utf-8", "surrogateescape").replace("\r\n", "\n").split("\n"), 1):
        if match := pattern.search(line):
            start = max(0, match.start() - LINE_CHARS // 2) if len(line) > LINE_CHARS else 0
            hit = f"{'/'.join(found.parts)}\0{number}:{line[start : start + LINE_CHARS]}\n"
            sys.stdout.buffer.write(hit.encode("utf-8", "surrogateescape"))
            hits += 1
        if hits >= HITS_A_FILE:
            break
    if hits:
        sys.stdout.flush()


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
