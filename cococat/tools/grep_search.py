"""The tool that finds text: bounded in time, always ended, never outside the root."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from cococat.core.tools import Tool, ToolFailure, ToolOutcome, tool
from cococat.permissions.paths import Parts
from cococat.tools.access import locate, shown, translate_os_errors
from cococat.tools.kept_outputs import Outputs
from cococat.tools.workers import Collected, collect, worker_words

__all__ = ["Unreadable", "find_rg", "grep_tool"]

Unreadable: TypeAlias = Callable[[Sequence[str]], bool]  # paths a search passes over
SECONDS = 5.0
MAX_HITS = 100
MAX_BYTES = 1 << 20
MAX_FILE = 5 << 20  # bytes of a file that is searched
MAX_KEPT = 16 << 20  # of an output that was kept
LINE_CHARS = 300
MIN_WORD = 3  # letters of a word that is looked for by itself
NO_HITS = "no hits"
IN_PART = "no line as written; with some of its words:"


def grep_tool(root: Path, unreadable: Unreadable, rg: str | None = None, outputs: Outputs | None = None) -> Tool:
    """
    Make the tool that finds text.

    Args:
        unreadable: files passed over, unless one is named itself.
        rg: path of ripgrep; None searches with the worker.
        outputs: what is searched by a name instead of a path.
    """

    @tool("reads", about="path", timeout_s=3 * SECONDS)
    async def grep_search(pattern: str, path: str = ".", glob: str | None = None) -> ToolOutcome:
        """Find a regex in files."""
        if kept := outputs.find(path) if outputs else None:
            return _renamed(await _search(*kept, pattern, None, MAX_KEPT), kept[1], path)
        parts = locate(root, path)
        with translate_os_errors(root, parts):
            root.joinpath(*parts).lstat()
        return await _search(root, parts, pattern, glob, MAX_FILE)

    async def _search(base: Path, parts: Parts, pattern: str, glob: str | None, largest: int) -> ToolOutcome:
        outcome = _hits(await _run(base, parts, pattern, glob, rg, largest=largest), parts, unreadable)
        if outcome.output != NO_HITS or not (words := _words(pattern)):
            return outcome
        wider = _hits(await _run(base, parts, f"(?i){'|'.join(words)}", glob, rg, largest=largest), parts, unreadable)
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
    lines = found.output.split("\n")
    start = f"{shown(parts)}:"
    own = [f"{name}:{line.removeprefix(start)}" if line.startswith(start) else line for line in lines]
    return replace(found, output="\n".join(own))


async def _run(root: Path, parts: Parts, pattern: str, glob: str | None, rg: str | None, *, largest: int) -> Collected:
    """Search with ripgrep; what it cannot read as a pattern is left to our own search."""
    if "\0" in pattern or "\n" in pattern:
        raise ToolFailure("the pattern matches within one line; leave line breaks out")
    if rg:
        found = await _collect(root, _rg_words(rg, parts, pattern, glob, largest), b"")
        if found.code != 2 or found.output:  # noqa: PLR2004 - ripgrep's exit code for an error
            return found
    request = {"root": str(root), "start": parts, "pattern": pattern, "glob": glob, "largest": largest}
    found = await _collect(root, worker_words("cococat.tools.grep_worker"), json.dumps(request).encode())
    if found.code == 2:  # noqa: PLR2004 - said in grep_worker
        raise ToolFailure(f"the pattern is no regular expression: {found.output.decode('utf-8', 'replace')}")
    return found


async def _collect(root: Path, words: Sequence[str], stdin: bytes) -> Collected:
    # twice the hits: some may be in files that are passed over
    return await collect(words, cwd=root, stdin=stdin, seconds=SECONDS, max_bytes=MAX_BYTES, max_lines=2 * MAX_HITS + 1)


def _rg_words(rg: str, parts: Parts, pattern: str, glob: str | None, largest: int) -> list[str]:
    fixed = "--no-config --no-messages --null --line-number --no-heading --with-filename --color=never --hidden"
    bounds = f"--max-columns={LINE_CHARS} --max-columns-preview --max-filesize={largest} --max-count=50 --sort=path"
    chosen = [f"--glob={glob}"] if glob else []
    start = "./" + "/".join(parts)
    return [rg, *fixed.split(), *bounds.split(), *chosen, "--glob=!.git", f"--regexp={pattern}", "--", start]


def _hits(found: Collected, start: Parts, unreadable: Unreadable) -> ToolOutcome:
    """Make `path:line: text` of what the search wrote."""
    lines: list[str] = []
    complete = found.output.split(b"\n")[:-1]
    for line in complete:
        path, _, text = line.partition(b"\0")
        parts = tuple(os.fsdecode(path).removeprefix("./").split("/"))
        if parts != start and unreadable(parts):
            continue
        number, _, content = text.partition(b":")
        lines.append(f"{shown(parts)}:{number.decode()}: {content.decode('utf-8', 'replace')[:LINE_CHARS]}")
    more = len(lines) > MAX_HITS or found.cut == "size"
    count = f"{min(len(lines), MAX_HITS)}{'+' if more or found.cut else ''} hit{'' if len(lines) == 1 else 's'}"
    lines = lines[:MAX_HITS]
    if more:
        lines.append(f"[more than {len(lines)} hits; narrow the pattern or the path]")
    if found.cut == "time":
        lines.append(f"[partial: stopped after {SECONDS:.0f} s]")
    return ToolOutcome("\n".join(lines) or NO_HITS, count)


def _words(pattern: str) -> Sequence[str]:
    """Return the words of a pattern that is nothing but words, which models write as if to a search engine."""
    words = pattern.split()
    if not all(re.fullmatch(r"\w+", word) for word in words):
        return ()
    return [word for word in words if len(word) >= MIN_WORD]
