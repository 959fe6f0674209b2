"""Replacing a passage of a file's bytes, or all of them, so that every byte that need not change stays as it was."""

from __future__ import annotations

import heapq
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from cococat.core.tools import ToolFailure
from cococat.system.text import apart, encodable
from cococat.system.text_file import FileText, decode_file
from cococat.tools.diff import changed_lines
from cococat.tools.notebook import as_json, is_notebook

_ENDING = r"(?:\r\n|(?<!\r)\n|\r(?!\n))"
_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")
_IN_A_LETTER = re.compile(
    "[\udc80-\udcff][0-~]"
)  # the second may be a part of the first in Shift-JIS, GBK and the like
_LETTER = re.compile(r"[^\u0300-\u036f][\u0300-\u036f]*|.", re.DOTALL)
_QUOTES = str.maketrans(dict.fromkeys("\u2018\u2019\u201a\u201b", "'") | dict.fromkeys("\u201c\u201d\u201e\u201f", '"'))
LINES_NAMED = 10
LINES_NEAR = 3
LINE_CHARS = 200  # of a line that is compared and shown
MAX_COMPARED = 2000  # lines; a longer file is looked through for shared words first
ALIKE = 0.3  # share of a line that must agree before it is worth showing


@dataclass(frozen=True, slots=True)
class Splice:
    """The new bytes, both versions as visible text for the diff, and how often the passage was replaced."""

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
    old, new = old.replace("\r\n", "\n"), encodable(new).replace("\r\n", "\n")
    if not old:
        raise ToolFailure(
            "ValueError: old_text is empty: quote the passage to replace, or use write_file for a new file"
        )
    if old == new:
        raise ToolFailure("ValueError: old_text and new_text are the same: nothing to do; go on")
    read = decoded(data)
    if not read.exact and not (old + new).isascii():
        raise ToolFailure("UnicodeError: the file is not UTF-8; only passages of plain ASCII can be replaced in it")
    text = read.text
    old, new = as_json(text, old, new) or (old, new)
    spans = _occurrences(text, old)
    if not spans and len(alike := _look_alikes(text, old)) == 1:
        spans = alike
        new = _in_form_of(text[slice(*spans[0])], new)
    if not spans:
        raise ToolFailure(f"NoMatchError: {not_found(read.visible, old)}")
    if any(_IN_A_LETTER.match(text, start - 1) for start, _ in spans if start):
        raise ToolFailure(
            "UnicodeError: what old_text begins with may be a part of a letter that cannot be read; begin it with a blank, or at a line's start"
        )
    if len(spans) > 1 and not every:
        raise ToolFailure(f"ManyMatchesError: {_several(text, spans)}")
    done = _spliced(text, apart(spans), new)
    first, last = spans[0][0], spans[-1][1]
    _assert_untouched(data, read.encode(done), read.mark + read.body(text[:first]), read.body(text[last:]))
    return _splice(read, done, len(apart(spans)))


def rewrite(data: bytes | None, content: str) -> Splice:
    r"""
    Make *content* of a file: its mark, its encoding and its line ends stay, and with them each line that is equal.

    Args:
        data: of the whole file; None when there is none.
        content: with `\n` line ends, as the model is shown any file.
    Raises: ToolFailure: some of the file could not be shown, and would be lost.
    """
    content = encodable(content)
    if not data:
        return Splice(content.encode(), "", content, 1)
    read = decoded(data)
    if not read.exact:
        raise ToolFailure(
            "UnicodeError: the file is not UTF-8: bytes that were shown as \ufffd would be lost; nothing is written: "
            "change the passages of plain ASCII with edit_file"
        )
    return _splice(read, _in_ends_of(read.text, content.removeprefix("\ufeff") if read.mark else content), 1)


def decoded(data: bytes) -> FileText:
    """
    Return the text of a file that is to be changed.

    Raises: ToolFailure: it is binary.
    """
    if read := decode_file(data):
        return read
    raise ToolFailure("FileTypeError: the file is binary; only text can be changed")


def _splice(read: FileText, after: str, count: int) -> Splice:
    if is_notebook(read.text) and not is_notebook(after):
        raise ToolFailure(
            "ValueError: the notebook would be none any more: it is shown as its cells, and kept as JSON; "
            "change passages of its cells with edit_file"
        )
    return Splice(read.encode(after), read.visible, replace(read, text=after).visible, count)


def _in_ends_of(text: str, content: str) -> str:
    """Return *content* with the line ends of *text*: equal lines keep theirs, others take those of what they replace."""
    old = [match.groups() for match in _LINE.finditer(text) if match[0]]
    usual = next((match[2] for whole in (text, content) for match in _LINE.finditer(whole) if match[2]), "\n")
    new = content.replace("\r\n", "\n").split("\n")
    last_end = "\n" if new[-1] == "" else ""
    new = new[: len(new) - bool(last_end)]
    ends: list[str] = []
    place = 0
    for a, b, c, d in [*changed_lines([line for line, _ in old], new), (len(old), len(old), len(new), len(new))]:
        ends += [end for _, end in old[place:a]]
        near = [end for _, end in (*old[a:b], *(old[a - 1 : a] or old[:1])) if end] or [usual]
        region = near[: max(1, b - a)]
        ends += [region[min(i, len(region) - 1)] for i in range(d - c)]
        if c < d == len(new):
            ends[-1] = ends[-1] if last_end else ""
        place = b
    ends[:-1] = [end or usual for end in ends[:-1]]
    return "".join(line + end for line, end in zip(new, ends, strict=True))


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


def _look_alikes(text: str, old: str) -> list[tuple[int, int]]:
    """Where *text* reads like *old*: composed letters or not, typographic quotes or not; whole letters only."""
    if text.isascii() and old.isascii():
        return []
    places = [at for at, char in enumerate(text) for _ in _plain(char)] + [len(text)]
    found = ((places[start], places[end]) for start, end in _occurrences(_plain(text), _plain(old)))
    return [
        (start, end)
        for start, end in dict.fromkeys(found)
        if _plain(text[start:end]).replace("\r\n", "\n").replace("\r", "\n") == _plain(old)
        and not unicodedata.combining(text[end : end + 1] or " ")
    ]


def _plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFD", char) for char in text).translate(_QUOTES)


def _in_form_of(passage: str, new: str) -> str:
    """Return *new* with each letter that *passage* has too as it is there."""
    from difflib import SequenceMatcher

    mine, theirs = _LETTER.findall(passage), _LETTER.findall(new)
    apart = passage == unicodedata.normalize("NFD", passage) != unicodedata.normalize("NFC", passage)
    matcher = SequenceMatcher(None, list(map(_plain, mine)), list(map(_plain, theirs)), autojunk=False)
    pieces: list[str] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        written = "".join(theirs[c:d])
        pieces.append(
            "".join(mine[a:b]) if tag == "equal" else unicodedata.normalize("NFD", written) if apart else written
        )
    return "".join(pieces)


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
