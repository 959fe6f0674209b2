"""Questions to the user at the terminal: may this run, and what do you mean."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Literal, TextIO, TypeAlias, TypeVar

from cococat.safety.terminal import safe
from cococat.ui.input import clean
from cococat.ui.modes import by_key, by_line, drop_typed, is_terminal

__all__ = ["Answer", "ask_line", "confirm", "consent_keys", "consent_text", "question_text", "revealed"]

Answer: TypeAlias = Literal["yes", "session", "no"]
_T = TypeVar("_T")

GUTTER = "  │ "  # before each row of an action, so that none of them can pass for a question of ours
NARROWEST = 20
READ_BYTES = 4096
KEYS: Mapping[bytes, Answer] = {b"y": "yes", b"s": "session", b"n": "no", b"q": "no", b"\x1b": "no", b"\x04": "no"}
_RUN = re.compile(r"(?<=[^\n ]) {16,}|(?:(?<=\n)|^) {41,}|\t{5,}|\n{4,}")
_RUN_NAMES = {" ": "spaces", "\t": "tabs", "\n": "line ends"}
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")  # printable, yet nothing is seen
_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))


async def confirm(
    question: str,
    action: str,
    *,
    session: bool = True,
    fd: int = 0,
    out: TextIO | None = None,
    paint: Callable[[str], str] = str,
) -> Answer:
    """
    Ask whether *action* may run, from a running event loop, which goes on meanwhile.

    What was typed before the question is dropped. Ctrl-C stays a signal: it cancels the turn, and
    the terminal is restored on the way out. Watch no other keys meanwhile (`KeyWatch.paused`).

    Args:
        session: whether "for this session" is an answer.
        fd: the terminal the answer is read from; off a terminal the answer is no.
        out: where the question goes, standard error unless given.
        paint: gives a row of the action its colours.
    """
    if not is_terminal(fd):
        return "no"
    out = out or sys.stderr
    with _asking(question, action, session=session, fd=fd, out=out, paint=paint):
        answer: Answer = await _next(fd, lambda data: _answer(data, session=session, out=out), out)
    _say(out, f"{answer}\n")
    return answer


async def ask_line(question: str, choices: Sequence[str] = (), *, fd: int = 0, out: TextIO | None = None) -> str:
    """
    Let the user answer *question* in a line of their own, from a running event loop.

    The terminal itself edits the line and the loop is told when it is whole: no thread that would
    outlive a cancelled turn and swallow the next line, no second reader of the keyboard, and
    Ctrl-C is the same signal as everywhere.

    Args:
        choices: offered by number; any other answer is fine as well.
    Returns: the answer, stripped; empty for an empty line, Ctrl-D, or where there is no terminal.
    """
    if not is_terminal(fd):
        return ""
    out = out or sys.stderr
    with by_line(fd):
        _say(out, question_text(question, choices))
        drop_typed(fd)
        _say(out, "> ")
        try:
            entered = await _next(fd, lambda data: data, out)
        except asyncio.CancelledError:
            drop_typed(fd)
            raise
    text = clean(entered.decode("utf-8", "replace")).strip()
    numbers = {str(number): choice for number, choice in enumerate(choices, 1)}
    return numbers.get(text, text)


def consent_text(question: str, action: str, width: int, paint: Callable[[str], str] = str) -> str:
    """Return the question with the whole action: wrapped to *width* cells, nothing hidden, nothing cut."""
    shown, hidden = revealed(action)
    room = max(NARROWEST, width) - len(GUTTER)
    rows = [GUTTER + paint(row) for line in shown.split("\n") for row in _wrapped(line, room)]
    size = f"{len(action):,} characters" if len(action) != 1 else "1 character"
    warning = f", {hidden:,} of them hidden: read it twice" if hidden else ""
    return "\n".join((f"? {revealed(question)[0]}", *rows, f"  {size}{warning}", ""))


def consent_keys(*, session: bool) -> str:
    """Return which keys answer a question of consent."""
    return f"  [y]es once  {'[s]ession  ' if session else ''}[n]o "


def question_text(question: str, choices: Sequence[str]) -> str:
    """Return a question of the model's own, with what it offers for an answer."""
    offered = "".join(f"  {number}. {safe(choice)}\n" for number, choice in enumerate(choices, 1))
    return f"? {safe(question)}\n{offered}"


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


def _wrapped(line: str, width: int) -> Iterator[str]:
    """Cut *line* into rows of at most *width* cells."""
    row, used = "", 0
    for char in line:
        cells = 2 if unicodedata.east_asian_width(char) in "WF" else 0 if unicodedata.combining(char) else 1
        if used + cells > width:
            yield row
            row, used = "", 0
        row, used = row + char, used + cells
    yield row


@contextmanager
def _asking(
    question: str, action: str, *, session: bool, fd: int, out: TextIO, paint: Callable[[str], str] = str
) -> Iterator[None]:
    """Show the question, then forget what was typed, then say which keys answer it."""
    with by_key(fd):
        _say(out, consent_text(question, action, shutil.get_terminal_size().columns, paint))
        drop_typed(fd)
        _say(out, consent_keys(session=session))
        yield


def _answer(data: bytes, *, session: bool, out: TextIO) -> Answer | None:
    """What one read means: a single key answers, pasted text only rings the bell, a hang-up is a no."""
    answer = KEYS.get(data.lower()) if data else "no"
    if answer is None or (answer == "session" and not session):
        _say(out, "\a")
        return None
    return answer


async def _next(fd: int, meaning: Callable[[bytes], _T | None], out: TextIO) -> _T:
    """Wait for input that means something; the reader is gone when this is, and a cancel ends the row."""
    loop = asyncio.get_running_loop()
    answered: asyncio.Future[_T] = loop.create_future()

    def readable() -> None:
        try:
            data = os.read(fd, READ_BYTES)
        except OSError:  # hung up
            data = b""
        meant = meaning(data)
        if meant is not None and not answered.done():
            answered.set_result(meant)

    loop.add_reader(fd, readable)
    try:
        return await answered
    except asyncio.CancelledError:
        with suppress(OSError):
            _say(out, "\n")
        raise
    finally:
        loop.remove_reader(fd)


def _say(out: TextIO, text: str) -> None:
    out.write(text)
    out.flush()
