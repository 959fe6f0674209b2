"""The search: a process of its own, so that it can be killed; where there is `rg`, that says which files are worth reading.

It reads a request (JSON) from stdin and writes `path NUL line:text` lines, and `path NUL line-text` for
what stands around them, as `rg --null` does; `path NUL` alone is a file that is too large. Exit codes: 0 the search is
complete, 2 the pattern is wrong and stdout says why.

Nothing is answered about a secret: what is found, counted and shown is the same whatever stands under a mask.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path

from cococat.system.below import all_below, folder_below, open_in
from cococat.system.gitignore import FoundFile, files_below, ignored_at
from cococat.system.text_file import decode_file
from cococat.system.wildmatch import name_pattern

_MASK = re.compile(r"\[redacted:[a-z0-9-]+\]")
_LOOKS_FAR = re.compile(
    r"\(\?(?:[=!>(]|<[=!])|[*+?}]\+"
)  # around, or never back: what matches a part may not match a line
_LOOKS_NEAR = re.compile(r"[\^$]|\\[ABZbz]")  # at one character, or at an end


def main() -> int:
    """Search as the request says."""
    request = json.load(sys.stdin)
    if posix := re.search(r"\[:\w+:\]", request["pattern"]):
        sys.stdout.write(f"unknown class {posix[0]}")
        return 2
    try:
        pattern = re.compile(request["pattern"])
        names = name_pattern(request["glob"]) if request["glob"] else None
    except (re.error, ValueError, RecursionError) as error:
        sys.stdout.write(f"{error}")
        return 2
    root, start = Path(request["root"]), tuple(request["start"])
    for found in _files(root, start, request["only"], everything=request["everything"]):
        if names is None or found.parts == start or names.fullmatch("/".join(found.parts[len(start) :])):
            name = "/".join(found.parts)
            if (text := request["texts"].get(name)) is not None:
                _search(name, text, pattern, request)
            elif (content := _content(root, found, request["largest"])) is None:
                sys.stdout.buffer.write(f"{name}\0\n".encode("utf-8", "surrogateescape"))
            elif read := decode_file(content):
                _search(name, read.text, pattern, request)
    return 0


def _files(
    root: Path, start: tuple[str, ...], only: list[list[str]] | None, *, everything: bool
) -> Iterable[FoundFile]:
    """Return what is to be read: a file that was named, all files, those that git would look at, or of *only* the same."""
    if not root.joinpath(*start).is_dir():
        return (FoundFile(start, None),)
    if only is None:
        return (FoundFile(parts, None) for parts in all_below(root, start)) if everything else files_below(root, start)

    @cache
    def left_out(parts: tuple[str, ...]) -> bool:
        return len(parts) > len(start) and (left_out(parts[:-1]) or rules(parts[:-1])(parts, folder=True))

    rules = cache(lambda folder: ignored_at(root, folder))
    files = (FoundFile(tuple(parts), None) for parts in sorted(only))
    return (
        file
        for file in files
        if everything or not (left_out(file.parts[:-1]) or rules(file.parts[:-1])(file.parts, folder=False))
    )


def _search(name: str, text: str, pattern: re.Pattern[str], request: Mapping[str, int]) -> None:
    """Write the hits of one file, and the lines around them once; of all files that are ignored or not, the first alone."""
    lines = text.replace("\r\n", "\n").split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    if not any(map(pattern.search, lines)):  # masking takes its time, and whatever matches masked matches so
        return
    lines = _as_shown("\n".join(lines)).split("\n")
    around, most = request["context"], request["line_chars"]
    last, written = -1 - around, 0  # the place of the last hit, and how far the lines are written
    for place, line in enumerate(lines):
        if match := _found(pattern, line):
            for near in range(max(written, place - around), place):
                _write(name, near, "-", _part(lines[near], 0, most))
            _write(name, place, ":", _part(line, match.start(), most))
            last, written = place, place + 1
            if request["everything"]:
                break
        elif place <= last + around:
            _write(name, place, "-", _part(line, 0, most))
            written = place + 1
    if written:
        sys.stdout.flush()


def _as_shown(text: str) -> str:
    """Return *text* with a mask in the place of each secret, one a line where it has several."""
    from cococat.safety.secrets import mask

    masked = mask(text)
    spans = [((mark.start, mark.end), 1 + mark.secret.count("\n")) for mark in masked.marks]
    return masked.covering((span, "\n".join([masked.text[slice(*span)]] * lines)) for span, lines in spans).text


def _found(pattern: re.Pattern[str], line: str) -> re.Match[str] | None:
    """
    Return a match that stands beside the masks of a line, and is one whatever they stand for.

    So nothing can be asked about a secret, and looking for files by what they hold loses none of the matches.
    """
    if not (masks := [found.span() for found in _MASK.finditer(line)]):
        return pattern.search(line)
    if _LOOKS_FAR.search(pattern.pattern):
        return None
    near = bool(_LOOKS_NEAR.search(pattern.pattern))
    for (_, start), (end, _) in pairwise([(0, 0), *masks, (len(line), len(line))]):
        begin, stop = start + (near and start > 0), end - (near and end < len(line))
        match = pattern.search(line, begin) if near else pattern.search(line, begin, stop)
        if match and match.end() <= stop:
            return match
    return None


def _part(line: str, match: int, most: int) -> str:
    """Return a line, or of a very long one what stands around the match."""
    if len(line) <= most:
        return line
    start = max(0, match - most // 2)
    return f"{line[start : start + most]} [line of {len(line)} characters]"


def _write(name: str, place: int, mark: str, text: str) -> None:
    sys.stdout.buffer.write(f"{name}\0{place + 1}{mark}{text}\n".encode("utf-8", "surrogateescape"))


def _content(root: Path, found: FoundFile, largest: int) -> bytes | None:
    """The bytes of a regular file, None where it is too large; nothing for anything else."""
    with contextlib.suppress(OSError, ValueError), contextlib.ExitStack() as opened:
        folder = found.folder or opened.enter_context(folder_below(root, found.parts[:-1]))
        file = opened.enter_context(open_in(folder, found.parts[-1]))
        return file.read(largest) if os.fstat(file.fileno()).st_size <= largest else None
    return b""


if __name__ == "__main__":
    sys.exit(main())
