"""The tool that finds text: bounded in time, always ended, never outside the root."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

from cococat.core.tools import Tool, ToolFailure, ToolOutcome, tool
from cococat.permissions.paths import Parts
from cococat.safety.known import KnownStream
from cococat.system.below import read_below
from cococat.system.gitignore import files_below
from cococat.system.text_file import decode_file
from cococat.tools.access import display_path, locate, translate_os_errors
from cococat.tools.hits import (
    LINE_CHARS,
    MAX_NEAR,
    Unreadable,
    by_file,
    lines_of,
    listed,
    nearest,
    order,
    shown_hits,
    too_large,
    words_of,
)
from cococat.tools.kept_outputs import Outputs
from cococat.tools.workers import Collected, collect, run_in_daemon, worker_words

SECONDS = 5.0
IGNORED_SECONDS = 1.5  # for a look at what is ignored, where nothing else holds it
MAX_LINES = 5000  # of what a search writes, hits and the lines around them
MAX_BYTES = 2 << 20
MAX_LISTING = 16 << 20  # bytes of names
MAX_FILE = 5 << 20  # bytes of a file that is searched
MAX_KEPT = 16 << 20  # of an output that was kept
NO_HITS = "no hits"
PLAIN = "put a backslash before ( [ { * + ? where it stands for itself"
IN_OTHERS = "no hits in files of such names; in others:"
IN_PART = "no hits as written; nearest lines, with some of its words:"
IN_NAMES = "no hits; files of such names:"
PARTS = "read_file reads parts of it"


_RG = "--no-config --no-messages --null --color=never --hidden --glob=!.git"
_IGNORING = "--no-ignore-dot --no-ignore-global --no-require-git"
_LIKE_UTF_32 = r"^\x00"  # what ripgrep does not read as we do is worth reading in any case
_NOT_ASCII = r"(?-u:[\x80-\xff])"  # a byte of no letter is matched by `.`, which in ripgrep it is not
_MATCHES_ANY = re.compile(r"\.|\[\^|\\[WDSbB]")


@dataclass(frozen=True, slots=True)
class _Query:
    """
    What is looked for; *context* lines stand around each hit, files over *largest* bytes are passed over.

    Args:
        everything: files that git ignores as well; one hit of each is enough then.
    """

    pattern: str
    glob: str | None
    context: int
    largest: int = MAX_FILE
    everything: bool = False


@dataclass(frozen=True, slots=True)
class _Where:
    """The folder or file at *parts* below a root; *rg*, *limit* and *keys* as `grep_tool` has them."""

    root: Path
    parts: Parts
    unreadable: Unreadable
    rg: str | None
    limit: int
    keys: Collection[str]

    @property
    def in_folder(self) -> bool:
        return self.root.joinpath(*self.parts).is_dir()


def grep_tool(
    root: Path,
    unreadable: Unreadable,
    rg: str | None = None,
    outputs: Outputs | None = None,
    limit: int = 16_000,
    *,
    keys: Collection[str] = (),
) -> Tool:
    """
    Make the tool that finds text.

    Args:
        unreadable: files passed over, unless one is named itself.
        rg: path of ripgrep; None searches with the worker.
        outputs: what is searched by a name instead of a path.
        limit: characters of one output.
        keys: values that are secret whatever they look like; no worker is told of them.
    """

    @tool("reads", about="path", timeout_s=5 * SECONDS)
    async def grep_search(
        pattern: Annotated[str, "Python regex"],
        path: Annotated[str, "or file; default ., 100 hits"] = ".",
        glob: Annotated[str | None, "*.py; default all"] = None,
        context: Annotated[int, "lines around; default 0", {"minimum": 0, "maximum": 10}] = 0,
    ) -> ToolOutcome:
        """Find a regex in lines of files."""
        if kept := outputs.find(path) if outputs else None:
            found = await _search(_Where(*kept, unreadable, rg, limit, keys), _Query(pattern, None, context, MAX_KEPT))
            return _renamed(found, kept[1], path)
        parts = locate(root, path)
        with translate_os_errors(root, parts):
            root.joinpath(*parts).lstat()
        return await _search(_Where(root, parts, unreadable, rg, limit, keys), _Query(pattern, glob, context))

    return grep_search


async def _search(where: _Where, query: _Query) -> ToolOutcome:
    found = await _run(where, query)
    lines = lines_of(found, where.parts, where.unreadable)
    count = sum(line.hit for line in lines)
    display = f"{count}{'+' if found.cut else ''} hit{'' if count == 1 else 's'}"
    large = too_large(found, where.parts, where.unreadable)
    bound = f"larger than {query.largest >> 20} MiB"
    if large and not where.in_folder:
        raise ToolFailure(f"TooLargeError: {display_path(where.parts)} is {bound} and is not searched; {PARTS}")
    said = f"[not searched, {bound}: {listed(large)}; {PARTS}]\n" if large else ""
    if lines or found.cut:
        hits = shown_hits(lines, found.cut, where.limit - len(said), in_folder=where.in_folder)
        return ToolOutcome(said + hits, display)
    return ToolOutcome(said + (await _instead(where, replace(query, context=0)) or NO_HITS), display)


async def _instead(where: _Where, query: _Query) -> str:
    """Where no line is as it was written: ignored files that hold it, hits in others, what is nearest."""
    if not where.in_folder:
        return await _nearest(where, query)
    hidden = await _run(where, replace(query, everything=True), IGNORED_SECONDS)
    if files := list(by_file(lines_of(hidden, where.parts, where.unreadable))):
        count = "1 ignored file holds it" if len(files) == 1 else f"{len(files)} ignored files hold it"
        return f"{NO_HITS}; {'at least ' if hidden.cut else ''}{count}: {listed(files)}; name one as path to search it"
    if query.glob:
        query = replace(query, glob=None)
        if lines := lines_of(await _run(where, query), where.parts, where.unreadable):
            return "\n".join([IN_OTHERS, *map(str, lines[:MAX_NEAR])])
    return await _nearest(where, query)


async def _nearest(where: _Where, query: _Query) -> str:
    """Lines that hold some of the words, else files whose names do."""
    if not (words := words_of(query.pattern)):
        return ""
    wide = replace(query, pattern=f"(?i){'|'.join(map(re.escape, words))}")
    if near := nearest(lines_of(await _run(where, wide), where.parts, where.unreadable), words):
        return "\n".join([IN_PART, *map(str, near)])
    names = await run_in_daemon(lambda: _named(where, words))
    return f"{IN_NAMES} {', '.join(names)}" if names else ""


def find_rg(root: Path) -> str | None:
    """Find ripgrep on PATH, but never inside the folder it would search."""
    path = shutil.which("rg")
    if path is None or not Path(path).is_absolute() or Path(os.path.realpath(path)).is_relative_to(root):
        return None
    return path


def _renamed(found: ToolOutcome, parts: Parts, name: str) -> ToolOutcome:
    """Let hits in an output that was kept bear the name it is read by."""
    start = re.compile(rf"{re.escape(display_path(parts))}(?=[:-])")
    return replace(found, output="\n".join(start.sub(name, line, count=1) for line in found.output.split("\n")))


async def _run(where: _Where, query: _Query, seconds: float = SECONDS) -> Collected:
    """Search with our own reader; ripgrep, where it can read the pattern, finds the files that are worth reading."""
    if "\0" in query.pattern or "\n" in query.pattern:
        raise ToolFailure("PatternError: the pattern matches within one line; leave line breaks out")
    only = None
    if where.rg and where.in_folder:
        looking = collect(_rg_words(where.rg, where.parts, query), cwd=where.root, seconds=seconds, max_bytes=MAX_BYTES)
        found, large = await asyncio.gather(looking, _large(where.rg, where, query, seconds))
        if found.code in (0, 1) and not found.cut:
            only = [os.fsdecode(path).removeprefix("./").split("/") for path in (*_paths(found), *large)]
    found = await _work(where, query, seconds, only=only)
    texts = await run_in_daemon(lambda: _keyless(where, found, query.largest))
    if not texts:
        return found
    others = b"".join(line for line in found.output.splitlines(keepends=True) if _path(line) not in texts)
    again = await _work(where, query, seconds, only=[name.split("/") for name in texts], texts=texts)
    return replace(found, output=others + again.output, cut=found.cut or again.cut)


def _keyless(where: _Where, found: Collected, largest: int) -> dict[str, str]:
    """Return the files that were found and hold a key, each without it, by their paths as the worker writes them."""
    texts, keyless = dict[str, str](), KnownStream(where.keys).whole
    for line in found.output.split(b"\n")[:-1]:
        text, path = line.decode("utf-8", "replace"), _path(line)
        if path in texts or (len(text) <= LINE_CHARS and keyless(text) == text):
            continue
        with suppress(OSError, ValueError):
            read = decode_file(read_below(where.root, path.split("/"), largest))
            if read and (clean := keyless(read.text)) != read.text:
                texts[path] = clean
    return texts


def _path(line: bytes) -> str:
    return line.partition(b"\0")[0].decode("utf-8", "surrogateescape")


async def _work(
    where: _Where,
    query: _Query,
    seconds: float,
    only: Sequence[Sequence[str]] | None,
    texts: Mapping[str, str] = MappingProxyType({}),
) -> Collected:
    """
    Run the worker.

    Args:
        only: the files that are worth reading; None: all.
        texts: what to read in the place of a file.
    """
    base, texts = {"root": str(where.root), "start": where.parts, "line_chars": LINE_CHARS}, dict(texts)
    request = {**base, "only": only, "texts": texts, **asdict(query)}
    found = await collect(
        worker_words("cococat.tools.grep_worker"),
        cwd=where.root,
        stdin=json.dumps(request).encode(),
        seconds=seconds,
        max_bytes=MAX_BYTES,
        max_lines=MAX_LINES,
    )
    if found.code == 2:  # noqa: PLR2004 - said in grep_worker
        why = found.output.decode("utf-8", "replace")
        hint = "write a class as [A-Za-z], \\d, \\s or \\w" if "escape" in why or "[:" in why else PLAIN
        raise ToolFailure(f"PatternError: the pattern is no regular expression: {why}; {hint}")
    return found


async def _large(rg: str, where: _Where, query: _Query, seconds: float) -> Sequence[bytes]:
    """Return the files that ripgrep does not read because of their size, which it does not tell."""
    if query.everything:
        return ()
    words = [rg, *_RG.split(), "--files", *_IGNORING.split(), "--", _rg_start(where.parts)]
    listing = await collect(words, cwd=where.root, seconds=seconds, max_bytes=MAX_LISTING)
    root = os.fsencode(where.root)

    def large() -> list[bytes]:
        found = []
        for path in _paths(listing):
            with suppress(OSError):
                if os.lstat(os.path.join(root, path)).st_size > query.largest:  # noqa: PTH118 - of thousands
                    found.append(path)
        return found

    return await run_in_daemon(large)


def _paths(found: Collected) -> list[bytes]:
    return found.output.split(b"\0")[:-1]


def _rg_start(parts: Parts) -> str:
    return "./" + "/".join(parts)


def _rg_words(rg: str, parts: Parts, query: _Query) -> list[str]:
    fixed = f"{_RG} --files-with-matches --text --crlf {'--no-ignore' if query.everything else _IGNORING}"
    bounds = f"--max-filesize={query.largest}"
    more = [_LIKE_UTF_32, *([_NOT_ASCII] if _MATCHES_ANY.search(query.pattern) else [])]
    patterns = [f"--regexp={pattern}" for pattern in (*more, query.pattern)]
    return [rg, *fixed.split(), bounds, *patterns, "--", _rg_start(parts)]


def _named(where: _Where, words: Sequence[str]) -> list[str]:
    """Return the paths below the folder that hold the most of *words*."""
    until = time.monotonic() + SECONDS
    base, parts = where.root, where.parts
    found: list[tuple[int, Parts]] = []
    if where.in_folder:
        for file in files_below(base, parts):
            if time.monotonic() > until:
                break
            name = "/".join(file.parts[len(parts) :]).casefold()
            if (held := sum(word in name for word in words)) and not where.unreadable(file.parts):
                found.append((held, file.parts))
    found.sort(key=lambda one: (-one[0], order(one[1])))
    return [display_path(path) for _, path in found[:MAX_NEAR]]
