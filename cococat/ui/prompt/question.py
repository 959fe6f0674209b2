"""What a question to the user shows: the action, whole and with nothing hidden, the answers, and what was decided."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from cococat.safety.terminal import safe
from cococat.ui.lines.columns import cells
from cococat.ui.lines.theme import Theme, ansi, marks
from cococat.ui.lines.wrap import wrap_line, wrap_rows

Paint: TypeAlias = Callable[[str, str], str]
GUTTER = "  │ "  # before each row of an action, so that none of them can pass for a question of ours
NARROWEST = 20
MIN_ROWS = 5  # of an action that are shown on the lowest screen
ConsentAnswer: TypeAlias = Literal[
    "no", "reason", "yes", "remember", "asking", "editing", "edits", "each", "session", "always"
]

NAMES: Mapping[ConsentAnswer, str] = {  # the safe ones first, those that a rule stands below last
    "no": "[n]o",
    "reason": "no, for a [r]eason",
    "yes": "[y]es once",
    "remember": "[y]es, remember this version",
    "asking": "[y]es, ask at each change",
    "editing": "yes, [e]dit unasked",
    "edits": "all edits in the [f]older",
    "each": "[e]ach by itself",
    "session": "[s]ession",
    "always": "[a]lways",
}
_RULED = ("session", "always")
_NARROW = 60  # columns below which the answers are shorter
_SHORT: Mapping[ConsentAnswer, str] = {
    **NAMES,
    "yes": "[y]es",
    "remember": "[y]es, remember",
    "edits": "all edits in [f]older",
    "each": "[e]ach",
    "reason": "no + [r]eason",
}
DECIDED: Mapping[str, str] = {  # the answers once they are given
    "edits": "yes, all edits in the folder for this session",
    "session": "yes, for this session",
    "always": "yes, always",
    "remember": "yes, remembered",
    "asking": "yes, in mode ask-first",
    "editing": "yes, in mode edits",
    "each": "each by itself",
}
_NUMBERED, _CHANGED = re.compile(r" *\d+ "), re.compile(r" *\d+ [+-] |[+-]")  # lines of a diff
_RUN = re.compile(r"(?<=[^\n ]) {16,}|(?:(?<=\n)|^) {41,}|\t{5,}|\n{4,}")
_RUN_NAMES = {" ": "spaces", "\t": "tabs", "\n": "line ends"}
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")  # printable, yet nothing is seen
_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))


def uncoloured(row: str, _: str) -> str:
    """Return *row* as it is, where there are colours."""
    return row


def consent_text(question: str, action: str, width: int, paint: Paint | None = None, max_rows: int = 0) -> str:
    """
    Return the question with the action: wrapped to *width* cells, nothing hidden.

    Args:
        paint: gives a row of the action its colours; None: there are none, for the question neither.
        max_rows: of the action; 0: nothing is cut.
    """
    shown, hidden = escape_visible(action)
    room, ours = max(NARROWEST, width) - len(GUTTER), marks(os.environ)
    gutter = GUTTER.translate(ours)
    lines = [
        [gutter + (paint(row, line) if paint else row) for row in _wrapped(line, room)] for line in shown.split("\n")
    ]
    if max_rows and (count := sum(map(len, lines))) > max_rows:
        first, last = _before_the_change(shown.split("\n"), max_rows)
        rows = [row for line in (*lines[:first], *lines[last:]) for row in line][:max_rows]
        rows.append(f"  … {count - len(rows):,} more rows: Ctrl-O shows all".translate(ours))
    else:
        rows = [row for line in lines for row in line]
    warning = f"{len(action):,} characters, {hidden:,} of them hidden: read it twice"
    rows += wrap_rows(f"  {warning}", 2, width) if hidden else []
    return "\n".join((*question_rows(escape_visible(question)[0], width, coloured=paint is not None), *rows, "", ""))


def _before_the_change(lines: Sequence[str], most: int) -> tuple[int, int]:
    """Return from where to where *lines* of a diff only lead to its first change, where *most* rows would not reach it."""
    change = next((at for at, line in enumerate(lines) if at and _CHANGED.match(line)), 0)
    numbers = 1 if all(map(_NUMBERED.match, lines[1:change])) else change
    head = next((at + 1 for at, line in enumerate(lines[:change]) if line.startswith("@@")), numbers)
    return (head, change) if change + 1 >= most else (0, 0)


def rows_left(question: str, choices: Sequence[str], width: int, height: int, rows: int) -> int:
    """Return how many of *rows* leave the question, what is cut and the answers on the screen; never fewer than a few."""
    others = consent_text(question, "", width).count("\n") + consent_keys(choices, width, -1).count("\n") + 2
    return min(rows, max(MIN_ROWS, height - others))


def question_text(question: str, choices: Sequence[str], width: int, *, coloured: bool = False) -> str:
    """Return a question of the model's own, with what it offers for an answer."""
    rows = question_rows(safe(question), width, coloured=coloured)
    for number, choice in enumerate(choices, 1):
        rows += wrap_rows(f"  {number}. {safe(choice)}", 5, width)
    return "".join(f"{row}\n" for row in rows)


def decided(question: str, answer: str, width: int, *, coloured: bool) -> str:
    """Return what is left of a question once it is answered: itself, in short, and what was decided; no answer is told as one."""
    told, sign, why = answer.partition(": ")
    words = f"→\xa0{safe(DECIDED.get(told, told) + sign + why) or 'not answered'}"
    line = ((f"? {' '.join(escape_visible(question)[0].split())} ", ""), (words, "strong"))
    bold = "\x1b[1m{}\x1b[0m" if coloured else "{}"
    rows = ("".join(bold.format(text) if style else text for text, style in row) for row in wrap_line(line, 2, width))
    return "\n".join(rows).replace("\xa0", " ").translate(marks(os.environ))


def question_rows(words: str, width: int, *, coloured: bool) -> list[str]:
    """Return a question in rows, bold where there are colours."""
    rows = [row for line in f"? {words}".split("\n") for row in wrap_rows(line, 2, width)]
    return [f"\x1b[1m{row}\x1b[0m" for row in rows] if coloured else rows


def _wrapped(line: str, width: int) -> Iterator[str]:
    """Cut *line* into rows of at most *width* cells, behind a blank or a part of a path; every character stays."""
    row, used = "", 0
    for char in line:
        size = cells(char)
        if used + size > width:
            ends = (max(row.rfind(mark) + 1 for mark in joints) for joints in (" ", "/?&="))
            end = next((end for end in ends if end > len(row) // 2 and row[:end].strip()), len(row))
            yield row[:end]
            row = row[end:]
            used = cells(row)
        row, used = row + char, used + size
    yield row


def consent_keys(
    choices: Sequence[str], width: int, end: int = 0, chosen: str = "", *, theme: Theme | None = None
) -> str:
    """
    Return which keys answer a question of consent, and below two of them the rule of *choices* that they would add.

    Args:
        end: which of the rules is shown.
        chosen: the answer that an arrow led to.
        theme: None: there are no colours.
    """
    answers = [answer for answer in NAMES if answer in choices]
    rules = [choice for choice in choices if choice not in NAMES]
    names = _SHORT if width < _NARROW else NAMES
    rows = list[list[ConsentAnswer]]()
    for answer in answers:
        fits = rows and sum(len(names[each]) + 2 for each in (*rows[-1], answer)) < width
        if not fits or (answer in _RULED and rules and rows[-1][-1] not in _RULED):
            rows.append([])
        rows[-1].append(answer)
    lines = [_paint_keys([(" >" if each == chosen else "  ", names[each]) for each in row], theme) for row in rows]
    lines += wrap_rows(f"    {escape_visible(rules[end])[0]}", 6, width) if rules else []
    lines += ["    Left and Right move its end"] if len(rules) > 1 else []
    return "\n".join(lines) + " "


def _paint_keys(row: Sequence[tuple[str, str]], theme: Theme | None) -> str:
    """Write answers with their keys in colour; the one that is chosen is reversed."""
    if theme is None:
        return "".join(before + name for before, name in row)
    from cococat.ui.lines.paint import paint

    line = list[tuple[str, str]]()
    for before, name in row:
        words, key, rest = re.split(r"(?<=\[)(.)(?=\])", name, maxsplit=1)
        line += [("  ", ""), *([(name, "cursor")] if before == " >" else [(words, ""), (key, "prompt"), (rest, "")])]
    return ansi(paint(tuple(line)), theme=theme)


def escape_visible(text: str) -> tuple[str, int]:
    r"""
    Make every character of *text* visible.

    Hidden ones become `\u{...}`; runs of blanks that could push the rest out of sight become their
    length. Returns the text, with no control character but newline, and how many were hidden.
    """
    hidden = 0
    pieces: list[str] = []
    at = 0
    for run in _RUN.finditer(text):
        piece, count = _escaped(text[at : run.start()])
        pieces += [piece, f"⟨{len(run[0]):,} {_RUN_NAMES[run[0][0]]}⟩"]
        hidden += count + len(run[0])
        at = run.end()
    piece, count = _escaped(text[at:])
    return "".join([*pieces, piece]), hidden + count


def _escaped(text: str) -> tuple[str, int]:
    """*text* with hidden characters as escapes, and their number; a tab is shown, as a gap."""
    shown = [char if char == "\n" or _visible(char) else f"\\u{{{ord(char):x}}}" for char in text.replace("\t", "    ")]
    return "".join(shown), sum(len(piece) > 1 for piece in shown)


def _visible(char: str) -> bool:
    return char.isprintable() and char not in _BLANK_LETTERS and not any(ord(char) in held for held in _SELECTORS)
