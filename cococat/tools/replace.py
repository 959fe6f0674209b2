"""Replacing a passage of a file's bytes so that every byte outside it stays as it was."""

from __future__ import annotations

import codecs
import heapq
import re
from collections.abc import Sequence
from dataclasses import dataclass

from cococat.core.tools import ToolFailure

__all__ = ["Splice", "decoded", "not_found", "splice"]

_ENDING = r"(?:\r\n|(?<!\r)\n|\r(?!\n))"
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
LINES_NAMED = 10
LINES_NEAR = 3
LINE_CHARS = 200  # of a line that is compared and shown
MAX_COMPARED = 2000  # lines; a longer file is looked through for shared words first
ALIKE = 0.3  # share of a line that must agree before it is worth showing


@dataclass(frozen=True, slots=True)
class Splice:
    """The new bytes, both versions as text for the diff, and how often the passage was replaced."""

    data: bytes
    before: str
    after: str
    count: int


def splice(data: bytes, old: str, new: str, *, every: bool) -> Splice:
    r"""
    Replace *old* by *new*.

    Args:
        old, new: with `\n` line ends; *old* matches any line ending, *new* takes the one it replaces.
        every: replace all occurrences; otherwise there must be exactly one.
    Raises: ToolFailure: no such passage, or several, or a text that cannot be read for certain.
    Source: docs/reliability.md, 3.1 rules 1 to 3.
    """
    old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    if not old:
        raise ToolFailure(
            "ValueError: old_text is empty: quote the passage to replace, or use write_file for a new file"
        )
    if old == new:
        raise ToolFailure("ValueError: old_text and new_text are the same: nothing to do; go on")
    mark, encoding = _encoding(data, old + new)
    text = data[len(mark) :].decode(encoding)
    spans = _occurrences(text, old)
    if not spans:
        raise ToolFailure(f"NoMatchError: {not_found(text, old)}")
    if len(spans) > 1 and not every:
        raise ToolFailure(f"ManyMatchesError: {_several(text, spans)}")
    done = _spliced(text, _apart(spans), new)
    result = mark + done.encode(encoding)
    first, last = spans[0][0], spans[-1][1]
    _assert_untouched(data, result, mark + text[:first].encode(encoding), text[last:].encode(encoding))
    return Splice(result, text, done, len(_apart(spans)))


def decoded(data: bytes) -> str:
    """
    Return the text of a file as `splice` reads it, without the mark of its encoding.

    Raises: ToolFailure: it is binary.
    """
    mark, encoding = _encoding(data, "")
    return data[len(mark) :].decode(encoding)


def _spliced(text: str, spans: Sequence[tuple[int, int]], new: str) -> str:
    pieces: list[str] = []
    place = 0
    for start, end in spans:
        pieces += [text[place:start], _with_endings(text, start, end, new)]
        place = end
    return "".join([*pieces, text[place:]])


def _assert_untouched(data: bytes, result: bytes, head: bytes, tail: bytes) -> None:
    """Check that the bytes before and after the passages are those of the file."""
    if not (result.startswith(head) and data.startswith(head) and result.endswith(tail) and data.endswith(tail)):
        raise ToolFailure(
            "UnicodeError: the file's encoding does not survive an edit; nothing was changed: tell the user"
        )


def _encoding(data: bytes, wanted: str) -> tuple[bytes, str]:
    """Return how the bytes are to be read: strictly, never by guessing."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            if _is_exact(data[len(mark) :], encoding):
                return mark, encoding
            break
    if _is_exact(data, "utf-8"):
        return b"", "utf-8"
    if b"\0" in data[:8192]:
        raise ToolFailure("FileTypeError: the file is binary; edit_file changes text only")
    if not wanted.isascii():
        raise ToolFailure("UnicodeError: the file is not UTF-8; only passages of plain ASCII can be replaced in it")
    return b"", "latin-1"  # one byte a character: every byte outside the passage stays


def _is_exact(data: bytes, encoding: str) -> bool:
    try:
        return data.decode(encoding).encode(encoding) == data
    except UnicodeError:
        return False


def _occurrences(text: str, old: str) -> list[tuple[int, int]]:
    """Where *old* stands in *text*, overlaps included."""
    if "\n" not in old:
        found, start = [], text.find(old)
        while start >= 0:
            found.append((start, start + len(old)))
            start = text.find(old, start + 1)
        return found
    expression = re.compile(f"(?=({_ENDING.join(map(re.escape, old.split(chr(10))))}))")
    return [match.span(1) for match in expression.finditer(text)]


def _apart(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Leave out what overlaps an earlier span."""
    kept: list[tuple[int, int]] = []
    for span in spans:
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


def _with_endings(text: str, start: int, end: int, new: str) -> str:
    """Return *new* the line endings of the region it replaces: one by one, then the last of them."""
    endings = re.findall(r"\r\n|\r|\n", text[start:end]) or _ending_near(text, start, end)
    lines = new.split("\n")
    return lines[0] + "".join(endings[min(i, len(endings) - 1)] + line for i, line in enumerate(lines[1:]))


def _ending_near(text: str, start: int, end: int) -> list[str]:
    """The line ending after the region, else the last one before it."""
    after = re.compile(r"\r\n|\r|\n").search(text, end)
    if after:
        return [after[0]]
    before = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start))
    if before < 0:
        return ["\n"]
    return ["\r\n" if text[before - 1 : before + 1] == "\r\n" else text[before]]


def _line_of(text: str, place: int) -> int:
    return len(re.findall(r"\r\n|\r|\n", text[:place])) + 1


def _several(text: str, spans: Sequence[tuple[int, int]]) -> str:
    lines = ", ".join(str(_line_of(text, start)) for start, _ in spans[:LINES_NAMED])
    more = ", …" if len(spans) > LINES_NAMED else ""
    return f"old_text occurs {len(spans)} times (lines {lines}{more}): quote more of it, or set replace_all"


def not_found(text: str, old: str) -> str:
    """Return what comes nearest to a passage that is not there."""
    wanted = next((line for line in old.split("\n") if line.strip()), old)
    lines = re.split(r"\r\n|\r|\n", text)
    listed = "".join(f"\n{number + 1}: {lines[number][:LINE_CHARS]}" for number in _nearest(wanted, lines))
    hint = ""
    if " ".join(old.split()) in " ".join(text.split()):
        hint = "; it differs in white space only"
    elif old.casefold() in text.casefold():
        hint = "; it differs in upper and lower case only"
    return f"old_text occurs 0 times{hint}: quote it exactly as the file has it" + (
        f". Nearest lines:{listed}" if listed else ""
    )


def _nearest(wanted: str, lines: Sequence[str]) -> list[int]:
    """Return where the lines most like *wanted* are, the best first."""
    from difflib import SequenceMatcher

    words = set(wanted.split())
    places: Sequence[int] = range(len(lines))
    if len(lines) > MAX_COMPARED:
        places = heapq.nlargest(MAX_COMPARED, places, key=lambda place: len(words.intersection(lines[place].split())))
    matcher = SequenceMatcher(None, "", wanted[:LINE_CHARS], autojunk=False)
    best: list[tuple[float, int]] = []
    floor = ALIKE
    for place in places:
        matcher.set_seq1(lines[place][:LINE_CHARS])
        if matcher.real_quick_ratio() > floor and matcher.quick_ratio() > floor and (score := matcher.ratio()) > floor:
            best = heapq.nlargest(LINES_NEAR, [*best, (score, -place)])
            floor = best[-1][0] if len(best) == LINES_NEAR else ALIKE
    return [-place for _, place in best]
