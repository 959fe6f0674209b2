"""Questions to the user at the terminal: may this run, and what do you mean."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Literal, TextIO, TypeAlias, TypeVar

from cococat.safety.terminal import safe
from cococat.ui.choices import DECIDED, Answer, Choosing, consent_keys
from cococat.ui.columns import cells
from cococat.ui.format import Line, plain
from cococat.ui.hang import hang, wrap_rows
from cococat.ui.input import clean
from cococat.ui.modes import by_line, drop_typed, is_terminal
from cococat.ui.revealed import revealed
from cococat.ui.standing import Standing
from cococat.ui.theme import marks, size_of
from cococat.ui.turn_keys import KeyWatch, Stay

__all__ = [
    "Answer",
    "Paint",
    "Reply",
    "ask_line",
    "bare",
    "confirm",
    "consent_keys",
    "consent_text",
    "decided",
    "question_text",
    "revealed",
    "told",
    "uncoloured",
]

MORE = "\x0f"  # Ctrl-O
Paint: TypeAlias = Callable[[str, str], str]
_T = TypeVar("_T")

GUTTER = "  │ "  # before each row of an action, so that none of them can pass for a question of ours
NARROWEST = 20
READ_BYTES = 4096
MIN_ROWS = 5  # of an action that are shown on the lowest screen


@dataclass(frozen=True, slots=True)
class Reply:
    """How a question of consent was answered; *reason* goes with a no."""

    answer: Answer
    reason: str = ""


def told(reply: Reply | None) -> str:
    """Return what is kept of a reply; nothing where the turn was stopped instead."""
    return "" if reply is None else f"{reply.answer}: {reply.reason}" if reply.reason else reply.answer


def bare(row: str, _: str) -> str:
    """Return *row* as it is: there are no colours, for the question neither."""
    return row


def uncoloured(row: str, _: str) -> str:
    """Return *row* as it is, where there are colours."""
    return row


async def confirm(
    question: str,
    action: str,
    choices: Sequence[str] = ("yes", "no"),
    *,
    keys: KeyWatch,
    fd: int = 0,
    out: TextIO | None = None,
    paint: Paint = bare,
    rows: int = 0,
) -> Reply:
    """
    Ask whether *action* may run, from a running event loop, which goes on meanwhile.

    The keys that answer are named, and heard, once the question has stood for a while without a key;
    what is typed before is the draft, as ever. Ctrl-C stays a signal: it cancels the turn.

    Args:
        choices: the answers there are, and behind them the rule that "session" and "always" would add.
        keys: watches the terminal on *fd*; off a terminal the answer is no.
        out: where the question goes, standard error unless given.
        paint: gives a row of the action its colours, from the line that it is a part of.
        rows: of the action that are shown until Ctrl-O asks for the rest, fewer on a low screen; 0: all.
    """
    if not is_terminal(fd):
        return Reply("no")
    out = out or sys.stderr
    width, height = size_of(out)
    text = consent_text(question, action, width, paint, _room(question, choices, width, height, rows))
    full = consent_text(question, action, width, paint)
    standing = Standing(out, redraws=paint is not bare)
    reply = None
    try:
        reply = await _replied(standing, (text, full), Choosing(choices, partial(_say, out), width), keys, fd)
    finally:
        with suppress(OSError):
            _settle(standing, decided(question, told(reply), width, coloured=paint is not bare))
    return reply


async def _replied(standing: Standing, texts: tuple[str, str], choosing: Choosing, keys: KeyWatch, fd: int) -> Reply:
    """Show the question, and the whole of it when that is asked for; wait for its answer."""

    def heard(ready: bool) -> None:
        standing.foot(choosing.keys if ready else "")
        if not ready:
            choosing.show("\a")

    def meaning(key: str) -> Answer | Literal["more"] | Stay | None:
        return "more" if key == MORE and text != texts[1] else choosing.meaning(key)

    for text in texts:
        standing.show(text)
        answer: Answer | Literal["more"] = await keys.answered(meaning, heard)
        if answer != "more":
            break
    if answer == "more":  # never: the whole has no more
        return Reply("no")
    if answer != "reason":
        return Reply(answer)
    with keys.paused(), by_line(fd):
        standing.foot("  why not? ")
        entered = await _next(fd, _Entered(), choosing.show)
        standing.note(entered.decode("utf-8", "replace"))  # as the terminal has shown it
        return Reply("no", _cleaned(entered))


def _settle(standing: Standing, row: str) -> None:
    """Leave what was decided, in the place of the question where that can be taken back."""
    if standing.take_back():
        standing.foot(f"{row}\n")
    else:
        standing.foot(f"{row}\n\n")


async def ask_line(
    question: str, choices: Sequence[str] = (), *, fd: int = 0, out: TextIO | None = None, coloured: bool = False
) -> str:
    """
    Let the user answer *question* in a line of their own, from a running event loop.

    The terminal itself edits the line and the loop is told when it is whole: no thread that would
    outlive a cancelled turn and swallow the next line, no second reader of the keyboard, and
    Ctrl-C is the same signal as everywhere.

    Args:
        choices: offered by number; any other answer is fine as well.
        coloured: the question is bold.
    Returns: the answer, stripped; empty for an empty line, Ctrl-D, or where there is no terminal.
    """
    if not is_terminal(fd):
        return ""
    out = out or sys.stderr
    with by_line(fd):
        _say(out, f"{question_text(question, choices, size_of(out)[0], coloured=coloured)}> ")
        try:
            entered = await _next(fd, lambda data: data, partial(_say, out))
        except asyncio.CancelledError:
            drop_typed(fd)
            raise
    text = _cleaned(entered)
    numbers = {str(number): choice for number, choice in enumerate(choices, 1)}
    return numbers.get(text, text)


def consent_text(question: str, action: str, width: int, paint: Paint = bare, max_rows: int = 0) -> str:
    """
    Return the question with the action: wrapped to *width* cells, nothing hidden.

    Args:
        max_rows: of the action; 0: nothing is cut.
    """
    shown, hidden = revealed(action)
    room, ours = max(NARROWEST, width) - len(GUTTER), marks(os.environ)
    gutter = GUTTER.translate(ours)
    lines = [[gutter + paint(row, line) for row in _wrapped(line, room)] for line in shown.split("\n")]
    if max_rows and (count := sum(map(len, lines))) > max_rows:
        first, last = _before_the_change(shown.split("\n"), max_rows)
        rows = [row for line in (*lines[:first], *lines[last:]) for row in line][:max_rows]
        rows.append(f"  … {count - len(rows):,} more rows: Ctrl-O shows all".translate(ours))
    else:
        rows = [row for line in lines for row in line]
    warning = f"{len(action):,} characters, {hidden:,} of them hidden: read it twice"
    rows += wrap_rows(f"  {warning}", 2, width) if hidden else []
    return "\n".join((*_question(revealed(question)[0], width, coloured=paint is not bare), *rows, "", ""))


def _before_the_change(lines: Sequence[str], most: int) -> tuple[int, int]:
    """Return from where to where *lines* of a diff only lead to its first change, where *most* rows would not reach it."""
    change = next((at for at, line in enumerate(lines) if at and line.startswith(("+", "-"))), 0)
    head = next((at + 1 for at, line in enumerate(lines[:change]) if line.startswith("@@")), change)
    return (head, change) if change + 1 >= most else (0, 0)


def _room(question: str, choices: Sequence[str], width: int, height: int, rows: int) -> int:
    """Return how many of *rows* leave the question, what is cut and the answers on the screen; never fewer than a few."""
    others = consent_text(question, "", width).count("\n") + consent_keys(choices, width).count("\n") + 2
    return min(rows, max(MIN_ROWS, height - others))


def question_text(question: str, choices: Sequence[str], width: int, *, coloured: bool = False) -> str:
    """Return a question of the model's own, with what it offers for an answer."""
    rows = _question(safe(question), width, coloured=coloured)
    for number, choice in enumerate(choices, 1):
        rows += wrap_rows(f"  {number}. {safe(choice)}", 5, width)
    return "".join(f"{row}\n" for row in rows)


def decided(question: str, answer: str, width: int, *, coloured: bool) -> str:
    """Return what is left of a question once it is answered: itself, in short, and what was decided; no answer is told as one."""
    told, sign, why = answer.partition(": ")
    words = f"→\xa0{safe(DECIDED.get(told, told) + sign + why) or 'not answered'}"
    line = ((f"? {' '.join(revealed(question)[0].split())} ", ""), (words, "strong"))
    rows = (plain(row) if not coloured else _bold_end(row) for row in hang(line, 2, width))
    return "\n".join(rows).replace("\xa0", " ").translate(marks(os.environ))


def _bold_end(row: Line) -> str:
    return "".join(f"\x1b[1m{text}\x1b[0m" if style else text for text, style in row)


def _question(words: str, width: int, *, coloured: bool) -> list[str]:
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


class _Entered:
    """Puts the pieces of a line together, as a terminal gives some of one that was begun in another mode."""

    def __init__(self) -> None:
        self._data = b""

    def __call__(self, data: bytes) -> bytes | None:
        self._data += data
        return self._data if not data or data[-1:] in b"\r\n" else None


def _cleaned(entered: bytes) -> str:
    return clean(entered.decode("utf-8", "replace")).strip()


async def _next(fd: int, meaning: Callable[[bytes], _T | None], say: Callable[[str], object]) -> _T:
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
            say("\n")
        raise
    finally:
        loop.remove_reader(fd)


def _say(out: TextIO, text: str) -> None:
    out.write(text)
    out.flush()
