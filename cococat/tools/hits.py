"""What a search found, as a model reads it: notes first, then whole lines, the likeliest files before the rest."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePosixPath
from typing import TypeAlias

from cococat.permissions.paths import Parts
from cococat.tools.access import display_path
from cococat.tools.workers import Collected

Unreadable: TypeAlias = Callable[[Sequence[str]], bool]  # paths a search passes over
LINE_CHARS = 1000  # of a line that is shown
LONG_CHARS = 100  # besides, of what says that it is longer
MAX_HITS = 100  # shown; more are counted
MAX_NAMED = 10  # files whose hits are counted by name
MAX_NEAR = 10  # lines that are shown where no line is as it was written
NEAR_A_FILE = 3  # of them in one file
SHARES = (50, 30, 20, 10, 5, 3)  # hits a file, where there is no room for all
NOTE_CHARS = 250  # of an output that are kept for what says where it stopped
MIN_WORD = 3  # letters of a word that is looked for by itself
_PLACE = re.compile(rb"(\d+)([:-])(.*)", re.DOTALL)
_ESCAPE = re.compile(r"\\[A-Za-z]")
_PART = re.compile(r"[A-Z]?[^\W_A-Z]+|[A-Z]+")  # of a name: get_row, getRow
_PROSE = frozenset((".adoc", ".md", ".org", ".rst", ".txt"))
_DATA = frozenset((".csv", ".ipynb", ".json", ".jsonl", ".lock", ".log", ".map", ".snap", ".svg", ".tsv", ".xml"))
_PAST = ("authors", "changelog", "changes", "copying", "history", "licence", "license", "news")


@dataclass(frozen=True, slots=True)
class HitLine:
    """One line that a search wrote: a hit, or a line near one."""

    parts: Parts
    number: str
    text: str
    hit: bool

    def __str__(self) -> str:
        mark = ":" if self.hit else "-"
        return f"{display_path(self.parts)}{mark}{self.number}{mark} {self.text}"


def order(parts: Parts) -> tuple[int, int, bool, Parts]:
    """Return what files are sorted by: prose near the top explains, data and records of the past hold a word often."""
    name = PurePosixPath(parts[-1].lower() if parts else "")
    readme = name.stem.startswith("readme")
    if name.suffix in _DATA or name.stem.endswith(".min") or name.stem.startswith(_PAST):
        return 2, len(parts), False, parts
    return 0 if (name.suffix in _PROSE or readme) and len(parts) == 1 else 1, len(parts), not readme, parts


def lines_of(found: Collected, start: Parts, unreadable: Unreadable) -> list[HitLine]:
    """Read what the search wrote, without what is passed over, sorted by file."""
    return sorted(_read(found, start, unreadable), key=lambda line: order(line.parts))


def _read(found: Collected, start: Parts, unreadable: Unreadable) -> Iterator[HitLine]:
    for path, _, rest in _lines(found):
        parts = _parts(path)
        match = _PLACE.match(rest)
        if match and (parts == start or not unreadable(parts)):
            text = match[3].decode("utf-8", "replace").rstrip("\r")
            yield HitLine(parts, match[1].decode(), text[: LINE_CHARS + LONG_CHARS], match[2] == b":")


def too_large(found: Collected, start: Parts, unreadable: Unreadable) -> list[Parts]:
    """Return the files that the search names without a line: it did not read them."""
    every = (_parts(path) for path, nul, rest in _lines(found) if nul and not rest)
    return sorted(parts for parts in every if parts == start or not unreadable(parts))


def _lines(found: Collected) -> Iterator[tuple[bytes, bytes, bytes]]:
    return (line.partition(b"\0") for line in found.output.split(b"\n")[:-1])


def _parts(path: bytes) -> Parts:
    return tuple(os.fsdecode(path).removeprefix("./").split("/"))


def by_file(lines: Sequence[HitLine]) -> Mapping[Parts, list[HitLine]]:
    """Return the lines of each file, in the order they have."""
    return {parts: list(group) for parts, group in groupby(lines, lambda line: line.parts)}


def shown_hits(lines: Sequence[HitLine], cut: str, limit: int, *, in_folder: bool = True) -> str:
    """
    Write `path:line: text`, whole lines as far as they have room: as many of each file as of any other.

    Args:
        cut: why the search ended early: "time", "size" or nothing.
        limit: characters of the output.
        in_folder: there are a path and a glob to narrow.
    """
    hits = Counter(line.parts for line in lines if line.hit)
    files = _counted(hits)
    room = max(limit - len(files) - NOTE_CHARS, limit // 2)
    kept, share = _share(lines, room)
    where = f", up to line {kept[-1].number}" if kept and len(hits) == 1 else f", at most {share} of a file"
    stopped = _stopped(sum(line.hit for line in kept), hits.total(), where if share else "", cut, in_folder)
    return "\n".join([*filter(None, (files, stopped)), *map(str, kept)])


def _share(lines: Sequence[HitLine], room: int) -> tuple[Sequence[HitLine], int]:
    """Return what is shown, and the most hits of a file there; 0: all of them."""
    if _fits(lines, room):
        return lines, 0
    groups = by_file(lines).values()
    shares = [(share, [line for group in groups for line in _first(group, share)]) for share in SHARES]
    shares = shares if len(groups) > 1 else [(MAX_HITS, _first(lines, MAX_HITS))]
    share, some = next(((share, some) for share, some in shares if _fits(some, room)), shares[-1])
    kept: list[HitLine] = []
    for line in some:
        if kept and not _fits([*kept, line], room):
            break
        kept.append(line)
    return kept, share


def _fits(lines: Sequence[HitLine], room: int) -> bool:
    return sum(line.hit for line in lines) <= MAX_HITS and sum(len(str(line)) + 1 for line in lines) <= room + 1


def _first(lines: Sequence[HitLine], share: int) -> list[HitLine]:
    """Return a file's first hits, and what stands around them."""
    places = [place for place, line in enumerate(lines) if line.hit]
    return list(lines) if len(places) <= share else list(lines[: places[share - 1] + 1])


def _counted(hits: Counter[Parts]) -> str:
    """Count the hits of each file, where there are several and one of them has more than one."""
    if len(hits) <= 1 or len(hits) == hits.total() <= MAX_NAMED:
        return ""
    named = ", ".join(f"{display_path(parts)} {count}" for parts, count in hits.most_common(MAX_NAMED))
    return f"[hits a file: {named}{f' and {len(hits) - MAX_NAMED} files more' if len(hits) > MAX_NAMED else ''}]"


def _stopped(kept: int, count: int, where: str, cut: str, in_folder: bool) -> str:
    """Say what is left out, and how to see it; empty when nothing is."""
    if cut == "time":
        return f"[partial: the search ran out of time; {'narrow the path or the glob' if in_folder else 'simplify the pattern'}]"
    if kept == count and not cut:
        return ""
    total = f"{'more than ' if cut else ''}{count}"
    return f"[{kept} of {total} hits shown{where}; narrow the pattern{', the path or the glob' * in_folder}]"


def listed(files: Sequence[Parts]) -> str:
    """Name files, a few of many."""
    more = f" and {len(files) - MAX_NAMED} more" if len(files) > MAX_NAMED else ""
    return ", ".join(map(display_path, files[:MAX_NAMED])) + more


def words_of(pattern: str) -> Sequence[str]:
    """
    Return the words in a pattern, in small letters and once each; models write them as if to a search engine.

    Names count with their parts, as in `test_run.py`; one name alone does not: it is looked for to see that it is gone.
    """
    names = re.findall(r"\w+", _ESCAPE.sub(" ", pattern))
    parts = [part for name in names for part in _PART.findall(name)] if len(names) > 1 else []
    words = (word.casefold() for word in (*names, *parts))
    return tuple(dict.fromkeys(word for word in words if len(word) >= MIN_WORD))


def nearest(lines: Sequence[HitLine], words: Sequence[str]) -> list[HitLine]:
    """Return the lines that hold the most of *words*, of the files that hold the most of them."""

    def held(line: HitLine) -> frozenset[str]:
        text = line.text.casefold()
        return frozenset(word for word in words if word in text)

    best: list[tuple[int, int, list[HitLine]]] = []
    for group in by_file(lines).values():
        found = [held(line) for line in group]
        most = max(map(len, found))
        chosen = [line for line, own in zip(group, found, strict=True) if len(own) == most]
        best.append((most, len(frozenset().union(*found)), chosen[:NEAR_A_FILE]))
    best.sort(key=lambda one: one[:2], reverse=True)
    return [line for _, _, chosen in best for line in chosen][:MAX_NEAR]
