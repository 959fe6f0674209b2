"""The unified diff of two versions of a text, fast also where the versions are large."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from cococat.system.text import shorten

__all__ = ["places", "unified"]

CONTEXT = 3  # unchanged lines around a change
COMPARED = 400  # changed lines that are compared one by one; more are one block
MAX_CHARS = 1900
NAMES = 2  # lines at the beginning of a diff that name its file
MAX_PLACES = 5  # hunks that are named where the text itself is known

_Change: TypeAlias = tuple[int, int, int, int]  # before[a:b] becomes after[c:d]


def unified(before: str, after: str, name: str, *, max_chars: int = MAX_CHARS) -> tuple[str, str]:
    """
    Compare two texts.

    Returns: the diff, of a long one whole lines of its beginning and its end, at most *max_chars* and what says so; and its size as
        "+3 -1".
    """
    old, new = before.splitlines(), after.splitlines()
    changes = _changes(old, new)
    lines = [f"--- {name}", f"+++ {name}"]
    for group in _grouped(changes, CONTEXT):
        lines += _hunk(old, new, group)
    added = sum(d - c for _, _, c, d in changes)
    removed = sum(b - a for a, b, _, _ in changes)
    if not changes and before != after:
        lines.append("(only line endings changed)")
    return _short(lines, max_chars), f"+{added} -{removed}"


def places(before: str, after: str) -> str:
    """Return where two texts differ, for whoever knows how: each hunk's header, and the line before and after it."""
    old, new = before.splitlines(), after.splitlines()
    groups = _grouped(_changes(old, new), 1)
    lines: list[str] = []
    for group in groups[:MAX_PLACES]:
        top, bottom, header = _span(old, group, 1)
        above = [f" {line}" for line in old[top : group[0][0]]]
        below = [f" {line}" for line in old[group[-1][1] : bottom]]
        lines += [header, *above, *below]
    if len(groups) > MAX_PLACES:
        lines.append(f"[{len(groups) - MAX_PLACES} more places]")
    return "\n".join(lines) or "(only line endings changed)"


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


def _changes(old: Sequence[str], new: Sequence[str]) -> list[_Change]:
    """Find what changed; equal lines at both ends are never compared."""
    import difflib

    shorter = min(len(old), len(new))
    start = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    end = next((i for i in range(shorter - start) if old[-1 - i] != new[-1 - i]), shorter - start)
    left, right = old[start : len(old) - end], new[start : len(new) - end]
    if not left and not right:
        return []
    if len(left) + len(right) > COMPARED:
        return [(start, start + len(left), start, start + len(right))]
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    return [(start + a, start + b, start + c, start + d) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]


def _grouped(changes: Sequence[_Change], context: int) -> list[list[_Change]]:
    """Put changes into one hunk where the *context* lines around them touch."""
    groups: list[list[_Change]] = []
    for change in changes:
        if groups and change[0] - groups[-1][-1][1] <= 2 * context:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _hunk(old: Sequence[str], new: Sequence[str], group: Sequence[_Change]) -> list[str]:
    top, bottom, header = _span(old, group, CONTEXT)
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
