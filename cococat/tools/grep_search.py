"""The tool that finds text: bounded in time, always ended, never outside the root."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, TypeAlias

from cococat.core.tools import Tool, ToolFailure, ToolOutcome, tool
from cococat.permissions.paths import Parts
from cococat.tools.access import locate, shown, translate_os_errors
from cococat.tools.kept_outputs import Outputs
from cococat.tools.workers import Collected, collect, worker_words

__all__ = ["Unreadable", "find_rg", "grep_tool"]

Unreadable: TypeAlias = Callable[[Sequence[str]], bool]  # paths a search passes over
SECONDS = 5.0
MAX_HITS = 100  # shown; more are counted
MAX_LINES = 5000  # of what a search writes, hits and the lines around them
MAX_BYTES = 2 << 20
MAX_NAMED = 10  # files whose hits are counted by name
NOTE_CHARS = 200  # of an output that are kept for what says where it stopped
MAX_FILE = 5 << 20  # bytes of a file that is searched
MAX_KEPT = 16 << 20  # of an output that was kept
LINE_CHARS = 1000  # of a line that is shown
LONG_CHARS = 100  # besides, of what says that it is longer
MIN_WORD = 3  # letters of a word that is looked for by itself
NO_HITS = "no hits"
_PLACE = re.compile(rb"(\d+)([:-])(.*)", re.DOTALL)
IN_PART = "no line as written; with some of its words:"


@dataclass(frozen=True, slots=True)
class _Query:
    """What is looked for; *context* lines stand around each hit, files over *largest* bytes are passed over."""

    pattern: str
    glob: str | None
    context: int
    largest: int = MAX_FILE


def grep_tool(
    root: Path, unreadable: Unreadable, rg: str | None = None, outputs: Outputs | None = None, limit: int = 16_000
) -> Tool:
    """
    Make the tool that finds text.

    Args:
        unreadable: files passed over, unless one is named itself.
        rg: path of ripgrep; None searches with the worker.
        outputs: what is searched by a name instead of a path.
        limit: characters of one output.
    """

    @tool("reads", about="path", timeout_s=3 * SECONDS)
    async def grep_search(
        pattern: Annotated[str, "matched line by line"],
        path: Annotated[str, "file or folder; at most 100 hits"] = ".",
        glob: Annotated[str | None, "only files of such names, as *.py"] = None,
        context: Annotated[int, "lines around each hit", {"minimum": 0, "maximum": 10}] = 0,
    ) -> ToolOutcome:
        """Find a regex in files."""
        if kept := outputs.find(path) if outputs else None:
            return _renamed(await _search(*kept, _Query(pattern, None, context, MAX_KEPT)), kept[1], path)
        parts = locate(root, path)
        with translate_os_errors(root, parts):
            root.joinpath(*parts).lstat()
        return await _search(root, parts, _Query(pattern, glob, context))

    async def _search(base: Path, parts: Parts, query: _Query) -> ToolOutcome:
        outcome = _shown(await _run(base, parts, query, rg), parts, unreadable, limit)
        if outcome.output != NO_HITS or not (words := _words(query.pattern)):
            return outcome
        wide = replace(query, pattern=f"(?i){'|'.join(words)}")
        wider = _shown(await _run(base, parts, wide, rg), parts, unreadable, limit)
        return outcome if wider.output == NO_HITS else replace(wider, output=f"{IN_PART}\n{wider.output}")

    return grep_search


def find_rg(root: Path) -> str | None:
    """Find ripgrep on PATH, but never inside the folder it would search."""
    path = shutil.which("rg")
    if path is None or not Path(path).is_absolute() or Path(os.path.realpath(path)).is_relative_to(root):
        return None
    return path


def _renamed(found: ToolOutcome, parts: Parts, name: str) -> ToolOutcome:
    """Let hits in an output that was kept bear the name it is read by."""
    start = re.compile(rf"{re.escape(shown(parts))}(?=[:-])")
    return replace(found, output="\n".join(start.sub(name, line, count=1) for line in found.output.split("\n")))


async def _run(root: Path, parts: Parts, query: _Query, rg: str | None) -> Collected:
    """Search with ripgrep; what it cannot read as a pattern is left to our own search."""
    if "\0" in query.pattern or "\n" in query.pattern:
        raise ToolFailure("PatternError: the pattern matches within one line; leave line breaks out")
    if rg:
        found = await _collect(root, _rg_words(rg, parts, query), b"")
        if found.code != 2 or found.output:  # noqa: PLR2004 - ripgrep's exit code for an error
            return found
    request = {"root": str(root), "start": parts, "line_chars": LINE_CHARS, **asdict(query)}
    found = await _collect(root, worker_words("cococat.tools.grep_worker"), json.dumps(request).encode())
    if found.code == 2:  # noqa: PLR2004 - said in grep_worker
        why = found.output.decode("utf-8", "replace")
        raise ToolFailure(
            f"PatternError: the pattern is no regular expression: {why}; put a backslash before ( [ {{ * + ?"
        )
    return found


async def _collect(root: Path, words: Sequence[str], stdin: bytes) -> Collected:
    return await collect(words, cwd=root, stdin=stdin, seconds=SECONDS, max_bytes=MAX_BYTES, max_lines=MAX_LINES)


def _rg_words(rg: str, parts: Parts, query: _Query) -> list[str]:
    fixed = "--no-config --no-messages --null --line-number --no-heading --with-filename --color=never --hidden"
    bounds = f"--max-columns={LINE_CHARS} --max-columns-preview --max-filesize={query.largest} --sort=path"
    around = f"--context={query.context} --no-context-separator"
    chosen = [f"--glob={query.glob}"] if query.glob else []
    start = "./" + "/".join(parts)
    own = [*fixed.split(), *bounds.split(), *around.split(), *chosen, "--glob=!.git"]
    return [rg, *own, f"--regexp={query.pattern}", "--", start]


@dataclass(frozen=True, slots=True)
class _Line:
    """One line that a search wrote: a hit, or a line near one."""

    file: str
    number: str
    text: str
    hit: bool

    def __str__(self) -> str:
        mark = ":" if self.hit else "-"
        return f"{self.file}{mark}{self.number}{mark} {self.text}"


def _lines(found: Collected, start: Parts, unreadable: Unreadable) -> Iterator[_Line]:
    """Read what the search wrote, without what is passed over."""
    for line in found.output.split(b"\n")[:-1]:
        path, _, rest = line.partition(b"\0")
        parts = tuple(os.fsdecode(path).removeprefix("./").split("/"))
        match = _PLACE.match(rest)
        if match and (parts == start or not unreadable(parts)):
            text = match[3].decode("utf-8", "replace").rstrip("\r")
            yield _Line(shown(parts), match[1].decode(), text[: LINE_CHARS + LONG_CHARS], match[2] == b":")


def _shown(found: Collected, start: Parts, unreadable: Unreadable, limit: int) -> ToolOutcome:
    """Make `path:line: text` of what the search wrote, whole lines as far as they have room, and count the rest."""
    lines = list(_lines(found, start, unreadable))
    count = sum(line.hit for line in lines)
    files = _files(Counter(line.file for line in lines if line.hit))
    kept: list[_Line] = []
    hits, room = 0, max(limit - len(files) - NOTE_CHARS, limit // 2)
    for line in lines:
        room -= len(str(line)) + 1
        hits += line.hit
        if hits > MAX_HITS or (room < 0 and kept):
            break
        kept.append(line)
    notes = filter(None, (files, _stopped(kept, count, found.cut)))
    display = f"{count}{'+' if found.cut else ''} hit{'' if count == 1 else 's'}"
    return ToolOutcome("\n".join([*map(str, kept), *notes]) or NO_HITS, display)


def _files(hits: Counter[str]) -> str:
    """Count the hits of each file, where there are several."""
    if len(hits) <= 1:
        return ""
    named = ", ".join(f"{file} {count}" for file, count in hits.most_common(MAX_NAMED))
    return f"[hits a file: {named}{f' and {len(hits) - MAX_NAMED} files more' if len(hits) > MAX_NAMED else ''}]"


def _stopped(kept: Sequence[_Line], count: int, cut: str) -> str:
    """Say where the lines stop, and how to go on; empty when they are all there is."""
    if cut == "time":
        return f"[partial: stopped after {SECONDS:.0f} s; narrow the path or the glob]"
    shown = sum(line.hit for line in kept)
    if shown == count and not cut:
        return ""
    last = f", up to {kept[-1].file}:{kept[-1].number}" if kept else ""
    return (
        f"[{shown} of {'more than ' if cut else ''}{count} hits shown{last}; narrow the pattern, the path or the glob]"
    )


def _words(pattern: str) -> Sequence[str]:
    """Return the words of a pattern that is nothing but words, which models write as if to a search engine."""
    words = pattern.split()
    if not all(re.fullmatch(r"\w+", word) for word in words):
        return ()
    return [word for word in words if len(word) >= MIN_WORD]
