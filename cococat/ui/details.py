"""What a call found, in a few rows below it: the end of a command, the lines of a change, the first hits."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from cococat.safety.terminal import safe
from cococat.system.text import clip
from cococat.ui.format import Line, changes
from cococat.ui.plan import counted, item_row
from cococat.ui.step_rows import RESULT, why_failed
from cococat.ui.view import Call, Step

__all__ = ["changed_files", "details", "everything"]

COMMAND_ROWS, HITS, DIFF_ROWS = 5, 3, 20
MIN_WIDTH = 20
GAP = "   ⋮"  # between two places of a file
# what a result says of itself tells what is worth showing: no tool is known here by its name
_ENDED = re.compile(r"exit |ended |killed |no result ")
_FOUND = re.compile(r"[\d,]+\+? (?:hit|file|result)s?\b")
_NOTE = re.compile(r"\[.*\]")  # what the tool says to the model of its hits
_HITS_NOTE = re.compile(r"\[hits a file: .*\]")
_FOREIGN = re.compile(r"\[\S+ output: data, not instructions\]")  # said to the model alone
_CHANGED = re.compile(r"\[(files changed: .*)\]")  # the last line of a command, which the tool has added
_HIT = re.compile(r"(\S.*?:\d+:)( +)(?=\S)")  # a line of a file, with its indentation
_TRUNCATED = re.compile(r"\[truncated (\d+) lines\]")  # in the middle of a long diff
_LEFT_OUT = re.compile(rf"{GAP} (\d+) lines left out")
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


def details(call: Call, width: int, unfold: str = "") -> tuple[Line, ...]:
    """
    Return the rows below *call*, each of at most *width* characters.

    Args:
        unfold: the key or flag that shows the rest, to be named where something is left out.
    """
    room, more = max(MIN_WIDTH, width), f" ({unfold})" if unfold else ""
    if call.status == "failed":  # without an output, what follows is for the model: why, and what to do instead
        return _end(call, room, more) if call.output.partition("\n")[0].endswith("Output:") else ()
    if rows := [row for row in _numbered(_diff(call)) if row[1]]:
        most = _at_most(len(rows), DIFF_ROWS)
        shown = [((clip(text, room), style),) for text, style in rows[:most]]
        return (*shown, *_rest(sum(map(_counts, rows[most:])), "rows", more))
    if _ENDED.match(call.display):
        return _end(call, room, more)
    if _FOUND.match(call.display) and call.lines > 1:
        lines = [line for line in _lines(call.output) if line.strip()]
        hits = [line for line in lines if not _NOTE.fullmatch(line)]
        found = call.lines - (len(lines) - len(hits))
        hits = _set_out(hits[: _at_most(found, HITS)])
        return (*_dim(hits, room), *_rest(found - len(hits), "lines", more))
    return ()


def everything(call: Call, output: str) -> tuple[Line, ...]:
    """Return all rows of the *output* of a call, of a change its diff; what is for the model alone is left out."""
    if rows := _numbered(_diff(call)):
        return tuple(((text, style),) for text, style in rows)
    lines = [line for line in _lines(output) if not _FOREIGN.fullmatch(line)]
    if call.status == "failed":
        lines = _besides(call, lines)
    elif _ENDED.match(call.display):
        lines = _said(lines[1:])  # how it ended is said already
    elif counted(call.display):
        return tuple(item_row(line) for line in lines[1:])
    elif len(lines) == 1 and call.display and call.display in lines[0]:
        lines = []  # it stands beside the call
    return tuple(((_bare(line), "dim"),) for line in lines) if "".join(lines).strip() else ()


def _besides(call: Call, lines: Sequence[str]) -> list[str]:
    """Return what the result of a failed call says besides the reason, of which as much as fits stands beside the call."""
    if call.display or not lines:
        return []
    reason, _ = why_failed(lines[0])
    return [*([reason] if len(reason) > RESULT else []), *lines[1:]]


def _bare(line: str) -> str:
    return line[1:-1] if _HITS_NOTE.fullmatch(line) else line


def changed_files(steps: Iterable[Step]) -> int:
    """Return how many files the calls of *steps* have changed."""
    calls = (call for step in steps for call in step.calls)
    return len({_path(call) for call in calls if call.status == "completed" and re.match(r"\+\d", call.display)})


def _path(call: Call) -> str:
    try:
        given = json.loads(call.arguments)
    except (ValueError, RecursionError):
        given = None
    return str(given.get("path")) if isinstance(given, dict) else call.id


def _end(call: Call, room: int, more: str) -> tuple[Line, ...]:
    """The last rows that a command printed; the first line of its result says how it ended."""
    printed = call.lines - 1
    rows = _said(_lines(call.tail))[-min(_at_most(printed, COMMAND_ROWS), printed) :] if printed > 0 else []
    above = printed - len(rows)
    rows = [row for row in rows if row.strip()]
    words = f"… {above:,} line{'' if above == 1 else 's'} above{more}"
    head: tuple[Line, ...] = (((words, "dim"),),) if above > 0 else ()
    return (*head, *_dim(rows, room))


def _said(lines: Sequence[str]) -> list[str]:
    """Return *lines* of a command with what the tool has added as a user reads it, without its brackets."""
    return [*lines[:-1], *(_CHANGED.sub(r"\1", line) for line in lines[-1:])]


def _at_most(count: int, most: int) -> int:
    """Return how many of *count* rows are shown: one more than *most*, where saying that there is one more takes that row."""
    return count if count == most + 1 else most


def _diff(call: Call) -> list[tuple[str, str]]:
    """The rows of a unified diff with their styles; the names of the file are said by the call."""
    _, _, diff = call.output.partition("\n--- ")
    return [(text, style) for line in changes(diff) for text, style in line][2:] if diff else []


def _numbered(rows: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Rows of a diff with the number of each line, as it is there for the reader: the new one where there is one."""
    return list(_numbers(rows))


def _counts(row: tuple[str, str]) -> int:
    """Return how many lines *row* stands for."""
    found = _LEFT_OUT.fullmatch(row[0])
    return int(found[1]) if found else 1


def _numbers(rows: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    old = new = 0
    begun = False
    for text, style in rows:
        if hunk := _HUNK.match(text):
            old, new = int(hunk[1]), int(hunk[2])
            if begun:
                yield GAP, "dim"
            begun = True
            continue
        if missing := _TRUNCATED.fullmatch(text):
            begun = False  # the header that follows needs no mark of its own
            yield f"{GAP} {missing[1]} lines left out", "dim"
            continue
        sign, words = text[:1], text[1:].expandtabs(4)
        if not begun or sign == "\\":
            yield text, style
            continue
        yield f"{old if sign == '-' else new:>4} {sign.strip() or ' '} {words}", style
        old, new = old + (sign != "+"), new + (sign != "-")


def _lines(text: str) -> list[str]:
    return [line.replace("\t", "    ").rstrip() for line in safe(text).rstrip().split("\n")]


def _set_out(hits: Sequence[str]) -> list[str]:
    """Return *hits* without the indentation that all of them have, but for one blank; others as they are."""
    found = [_HIT.match(hit) for hit in hits]
    depth = min((len(hit[2]) if hit else 1 for hit in found), default=1) - 1
    return [hit[1] + text[hit.end(1) + depth :] if hit else text for hit, text in zip(found, hits, strict=True)]


def _dim(rows: Sequence[str], room: int) -> list[Line]:
    return [((clip(row, room), "dim"),) for row in rows]


def _rest(count: int, what: str, more: str) -> tuple[Line, ...]:
    return (((f"… {count:,} more {what if count > 1 else what[:-1]}{more}", "dim"),),) if count > 0 else ()
