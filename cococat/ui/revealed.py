"""Foreign text of which every character is seen."""

from __future__ import annotations

import re

__all__ = ["revealed"]

_RUN = re.compile(r"(?<=[^\n ]) {16,}|(?:(?<=\n)|^) {41,}|\t{5,}|\n{4,}")
_RUN_NAMES = {" ": "spaces", "\t": "tabs", "\n": "line ends"}
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")  # printable, yet nothing is seen
_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))


def revealed(text: str) -> tuple[str, int]:
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
