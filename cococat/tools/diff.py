"""The unified diff of two versions of a text, fast also where the versions are large."""

from __future__ import annotations

import bisect
import re
from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from cococat.system.text import shorten

CONTEXT = 3  # unchanged lines around a change
COMPARED = 400  # changed lines that are compared one by one; more are one block
MAX_CHARS = 1900
NAMES = 2  # lines at the beginning of a diff that name its file
MAX_PLACES = 5  # hunks that are named where the text itself is known
PLACE_LINES = 6  # of either end of such a hunk, when it is longer
PLACE_CHARS = 200  # of a line there

_Way: TypeAlias = "tuple[int, int, _Way | None]"
_LINE_END = re.compile(r"(\r\n|\r|\n)")
_SHOWN_END = {"\r\n": "␍␊", "\r": "␍", "\n": "␊"}
_NO_END = "\n\\ No newline at end of file"

_Change: TypeAlias = tuple[int, int, int, int]  # before[a:b] becomes after[c:d]


def unified(before: str, after: str, name: str, *, max_chars: int = MAX_CHARS) -> tuple[str, str]:
    """
    Compare two texts.

    Returns: the diff, of a long one whole lines of its beginning and its end, at most *max_chars* and what says so; and its size as
        "+3 -1".
    """
    old, new = _lines(before, after)
    changes = changed_lines(old, new)
    lines = [f"--- {name}", f"+++ {name}"]
    for group in _grouped(changes, CONTEXT):
        lines += _hunk(old, new, group, CONTEXT)
    added = sum(d - c for _, _, c, d in changes)
    removed = sum(b - a for a, b, _, _ in changes)
    return _short(lines, max_chars), f"+{added} -{removed}"


def changed_places(before: str, after: str, *, changed: bool) -> str:
    """
    Return where two texts differ: hunks with a line around them, of a long one its ends.

    Args:
        changed: show what changed, and not only where.
    """
    old, new = _lines(before, after)
    groups = _grouped(changed_lines(old, new), 1)
    lines: list[str] = []
    for group in groups[:MAX_PLACES]:
        hunk = [line for line in _hunk(old, new, group, 1) if changed or line[0] not in "+-"]
        left_out = len(hunk) - 1 - 2 * PLACE_LINES
        short = [*hunk[: 1 + PLACE_LINES], f"[{left_out} more lines]", *hunk[-PLACE_LINES:]]
        lines += (line[:PLACE_CHARS] for line in (short if left_out > 1 else hunk))
    if len(groups) > MAX_PLACES:
        lines.append(f"[{len(groups) - MAX_PLACES} more places]")
    return "\n".join(lines)


def _lines(before: str, after: str) -> tuple[list[str], list[str]]:
    """Return the lines of both texts; an end that is not the usual one is shown, so that two lines that look equal are."""
    usual = next(iter(_LINE_END.findall(before) or _LINE_END.findall(after)), "\n")

    def lines(text: str) -> list[str]:
        parts = _LINE_END.split(text)
        ended = [
            line + ("" if end == usual else _SHOWN_END[end])
            for line, end in zip(parts[:-1:2], parts[1::2], strict=True)
        ]
        return ended + [f"{parts[-1]}{_NO_END}"] * bool(parts[-1])

    return lines(before), lines(after)


def _short(lines: Sequence[str], max_chars: int) -> str:
    text = "\n".join(lines)
    if len(text) <= max_chars:
        return text
    head, tail = _fitting(lines, max_chars // 2), _fitting(lines[::-1], max_chars // 2)
    at = len(lines) - tail
    if head < NAMES or not tail or at <= head:  # there are no lines to choose from
        return shorten(text, max_chars)
    return "\n".join((*lines[:head], f"[truncated {at - head} lines]", *_header_of(lines, at), *lines[at:]))


def _fitting(lines: Sequence[str], max_chars: int) -> int:
    """Return how many of the first *lines* hold no more than *max_chars*."""
    size = 0
    for count, line in enumerate(lines):
        size += len(line) + 1
        if size > max_chars:
            return count
    return len(lines)


def _header_of(lines: Sequence[str], at: int) -> list[str]:
    """Return a header that numbers the rest of a hunk from the line *at* on; none where one stands there."""
    if lines[at].startswith("@@"):
        return []
    start = max(number for number, line in enumerate(lines[:at]) if line.startswith("@@"))
    old, new = (int(part[1:].partition(",")[0]) for part in lines[start].split()[1:3])
    signs = [line[:1] for line in lines[start + 1 : at]]
    return [f"@@ -{old + len(signs) - signs.count('+')} +{new + len(signs) - signs.count('-')} @@"]


def changed_lines(old: Sequence[str], new: Sequence[str]) -> list[_Change]:
    """Find what changed, in order: lines that both texts have once hold a large change together."""
    found: list[_Change] = []
    a = c = 0
    for b, d in [*_anchors(old, new), (len(old), len(new))]:
        found += _between(old, new, (a, b, c, d))
        a, c = b, d
    return found


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return places of equal lines that are there once in each text and in the same order in both; none of short texts."""
    if len(old) + len(new) <= COMPARED:
        return []
    once = [{line for line, count in Counter(lines).items() if count == 1} for lines in (old, new)]
    both = once[0] & once[1]
    places = {line: place for place, line in enumerate(new) if line in both}
    ends: list[int] = []  # the place in *new* with which the best way of each length ends, and the way itself
    ways: list[_Way] = []
    for i, line in enumerate(old):
        if (j := places.get(line)) is not None:
            at = bisect.bisect(ends, j)
            ends[at : at + 1] = [j]
            ways[at : at + 1] = [(i, j, ways[at - 1] if at else None)]
    way, found = ways[-1] if ways else None, list[tuple[int, int]]()
    while way:
        found.append(way[:2])
        way = way[2]
    return found[::-1]


def _between(old: Sequence[str], new: Sequence[str], span: _Change) -> list[_Change]:
    """Find what changed in a part of both; equal lines at its ends are never compared."""
    import difflib

    a, b, c, d = span
    shorter = min(b - a, d - c)
    start = next((i for i in range(shorter) if old[a + i] != new[c + i]), shorter)
    end = next((i for i in range(shorter - start) if old[b - 1 - i] != new[d - 1 - i]), shorter - start)
    a, b, c, d = a + start, b - end, c + start, d - end
    if a == b and c == d:
        return []
    if b - a + d - c > COMPARED:
        return [(a, b, c, d)]
    matcher = difflib.SequenceMatcher(None, old[a:b], new[c:d], autojunk=False)
    return [(a + i, a + j, c + k, c + m) for tag, i, j, k, m in matcher.get_opcodes() if tag != "equal"]


def _grouped(changes: Sequence[_Change], context: int) -> list[list[_Change]]:
    """Put changes into one hunk where the *context* lines around them touch."""
    groups: list[list[_Change]] = []
    for change in changes:
        if groups and change[0] - groups[-1][-1][1] <= 2 * context:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _hunk(old: Sequence[str], new: Sequence[str], group: Sequence[_Change], context: int) -> list[str]:
    top, bottom, header = _span(old, group, context)
    lines = [header]
    place = top
    for a, b, c, d in group:
        lines += [f" {line}" for line in old[place:a]]
        lines += [f"-{line}" for line in old[a:b]]
        lines += [f"+{line}" for line in new[c:d]]
        place = b
    return lines + [f" {line}" for line in old[place:bottom]]


def _span(old: Sequence[str], group: Sequence[_Change], context: int) -> tuple[int, int, str]:
    """Return the old lines that a hunk covers with its context, and its header."""
    top = max(0, group[0][0] - context)
    bottom = min(len(old), group[-1][1] + context)
    shift = group[0][2] - group[0][0]
    grown = sum((d - c) - (b - a) for a, b, c, d in group)
    return top, bottom, f"@@ -{_range(top, bottom)} +{_range(top + shift, bottom + shift + grown)} @@"


def _range(start: int, stop: int) -> str:
    """Write a range of lines the way unified diffs do."""
    length = stop - start
    first = start + 1 if length else start
    return f"{first}" if length == 1 else f"{first},{length}"
