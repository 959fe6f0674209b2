"""Questions to the user at the terminal: may this run, and what do you mean."""

from __future__ import annotations

import asyncio
import math
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Literal, TextIO, TypeAlias, TypeVar

from cococat.safety.terminal import safe
from cococat.ui.lines.columns import cells
from cococat.ui.lines.format import Line, plain
from cococat.ui.lines.theme import marks, size_of
from cococat.ui.lines.wrap import wrap_line, wrap_rows
from cococat.ui.prompt.input import clean
from cococat.ui.prompt.turn_keys import STAY, KeyWatch, Stay
from cococat.ui.screen.last_block import LastBlock
from cococat.ui.screen.modes import by_line, drop_typed, is_terminal

__all__ = [
    "DECIDED",
    "KEYS",
    "NAMES",
    "WENT_ON",
    "Answer",
    "Choosing",
    "Paint",
    "Reply",
    "ask_line",
    "ask_to_go_on",
    "bare",
    "confirm",
    "consent_keys",
    "consent_text",
    "decided",
    "escape_visible",
    "question_text",
    "told",
    "uncoloured",
]

MORE = "\x0f"  # Ctrl-O
NEXT_MODE = "\x1b[Z"  # Shift-Tab
WENT_ON = "yes, by itself"
Paint: TypeAlias = Callable[[str, str], str]
_T = TypeVar("_T")

GUTTER = "  │ "  # before each row of an action, so that none of them can pass for a question of ours
NARROWEST = 20
READ_BYTES = 4096
MIN_ROWS = 5  # of an action that are shown on the lowest screen
Answer: TypeAlias = Literal["yes", "remember", "edits", "session", "always", "no", "reason", "each"]

KEYS: Mapping[str, Answer] = {
    "y": "yes",
    "f": "edits",
    "s": "session",
    "a": "always",
    "n": "no",
    "r": "reason",
    "e": "each",
    "q": "no",
    "\x1b": "no",
    "\x04": "no",
    "": "no",
}
NAMES: Mapping[Answer, str] = {
    "yes": "[y]es once",
    "remember": "[y]es, remember this version",
    "edits": "all edits in the [f]older",
    "session": "[s]ession",
    "always": "[a]lways",
    "no": "[n]o",
    "each": "[e]ach by itself",
    "reason": "no, for a [r]eason",
}
_NARROW = 60  # columns below which the answers are shorter
_SHORT: Mapping[Answer, str] = {
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
    "each": "each by itself",
}
_STEPS = {"\x1b[C": 1, "\x1b[B": 1, "\x1b[D": -1, "\x1b[A": -1}
_ENDS = {"\x1b[C": 1, "\x1b[D": -1}
_NUMBERED, _CHANGED = re.compile(r" *\d+ "), re.compile(r" *\d+ [+-] |[+-]")  # lines of a diff
_MARK, _OFF = "\x1b[7m", "\x1b[27m"  # reverse
_RUN = re.compile(r"(?<=[^\n ]) {16,}|(?:(?<=\n)|^) {41,}|\t{5,}|\n{4,}")
_RUN_NAMES = {" ": "spaces", "\t": "tabs", "\n": "line ends"}
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")  # printable, yet nothing is seen
_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))


@dataclass(frozen=True, slots=True)
class Reply:
    """How a question of consent was answered; *reason* goes with a no."""

    answer: Answer
    reason: str = ""
    end: int = 0  # which of the rules was agreed to


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
        choices: the answers there are, and behind them the rule that "session" and "always" would add, and those
            that Left and Right lead to.
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
    standing = LastBlock(out, redraws=paint is not bare)
    reply = None
    try:
        reply = await _replied(
            standing, (text, full), Choosing(choices, partial(_say, out), width, keys.cycle), keys, fd
        )
    finally:
        with suppress(OSError):
            _settle(standing, decided(question, told(reply), width, coloured=paint is not bare))
    return reply


async def _replied(
    standing: LastBlock,
    texts: tuple[str, str],
    choosing: Choosing,
    keys: KeyWatch,
    fd: int,
) -> Reply:
    """Show the question, and the whole of it when that is asked for; wait for its answer."""

    def heard(ready: bool) -> None:
        standing.foot(choosing.keys if ready else "")
        if not ready:
            choosing.show("\a")

    def meaning(key: str) -> Answer | Literal["more", "mode"] | Stay | None:
        if key == NEXT_MODE and choosing.cycle:
            choosing.mode, passes = choosing.cycle()
            standing.foot("" if passes else f"  permission mode: {choosing.mode}\n{choosing.unmarked()}")
            return "mode" if passes else STAY
        if choosing.moved(key):
            standing.foot(choosing.unmarked())
            return STAY
        return "more" if key == MORE and text != texts[1] else choosing.meaning(key)

    for text in texts:
        standing.show(text)
        answer: Answer | Literal["more", "mode"] = await keys.answered(meaning, heard)
        if answer != "more":
            break
    if answer == "mode":
        return Reply("yes", f"permission mode {choosing.mode}")
    if answer == "more":  # never: the whole has no more
        return Reply("no")
    return Reply(answer, end=choosing.end) if answer != "reason" else await _reason(standing, choosing, keys, fd)


async def _reason(standing: LastBlock, choosing: Choosing, keys: KeyWatch, fd: int) -> Reply:
    with keys.paused(), by_line(fd):
        standing.foot("  why not? ")
        entered = await _next(fd, _Entered(), choosing.show)
        standing.note(entered.decode("utf-8", "replace"))  # as the terminal has shown it
        return Reply("no", _cleaned(entered))


async def ask_to_go_on(
    question: str, after_s: float, *, keys: KeyWatch, out: TextIO | None = None, redraws: bool = False
) -> str:
    """
    Ask a question that is a yes when nobody answers it for *after_s* seconds, which are counted down; 0: it waits.

    Args:
        redraws: where *out* can take back what it shows.
    Returns: yes, no or WENT_ON.
    """
    out = out or sys.stderr
    width = size_of(out)[0]
    standing = LastBlock(out, redraws=redraws)
    left, ready, answer = math.ceil(after_s), False, ""

    def show() -> None:
        standing.foot((f"  goes on by itself in {left} s\n" if after_s else "") + ("  [y]es  [n]o " if ready else ""))

    def heard(now: bool) -> None:
        nonlocal ready
        ready = now
        show()

    def meaning(key: str) -> Answer | None:
        return meant if (meant := KEYS.get(key.lower())) in ("yes", "no") else None

    async def count() -> None:
        nonlocal left
        while redraws and left:
            show()
            await asyncio.sleep(1)
            left -= 1

    standing.show("".join(f"{row}\n" for row in _question(escape_visible(question)[0], width, coloured=redraws)))
    counting = asyncio.ensure_future(count())
    try:
        async with asyncio.timeout(after_s or None):
            answer = await keys.answered(meaning, heard)
    except TimeoutError:
        answer = WENT_ON
    finally:
        counting.cancel()
        with suppress(OSError):
            _settle(standing, decided(question, answer, width, coloured=redraws))
    return answer


def _settle(standing: LastBlock, row: str) -> None:
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
    shown, hidden = escape_visible(action)
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
    return "\n".join((*_question(escape_visible(question)[0], width, coloured=paint is not bare), *rows, "", ""))


def _before_the_change(lines: Sequence[str], most: int) -> tuple[int, int]:
    """Return from where to where *lines* of a diff only lead to its first change, where *most* rows would not reach it."""
    change = next((at for at, line in enumerate(lines) if at and _CHANGED.match(line)), 0)
    numbers = 1 if all(map(_NUMBERED.match, lines[1:change])) else change
    head = next((at + 1 for at, line in enumerate(lines[:change]) if line.startswith("@@")), numbers)
    return (head, change) if change + 1 >= most else (0, 0)


def _room(question: str, choices: Sequence[str], width: int, height: int, rows: int) -> int:
    """Return how many of *rows* leave the question, what is cut and the answers on the screen; never fewer than a few."""
    others = consent_text(question, "", width).count("\n") + consent_keys(choices, width, -1).count("\n") + 2
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
    line = ((f"? {' '.join(escape_visible(question)[0].split())} ", ""), (words, "strong"))
    rows = (plain(row) if not coloured else _bold_end(row) for row in wrap_line(line, 2, width))
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


class Choosing:
    """
    What a key answers; nothing is chosen until an arrow was pressed, so Enter alone never answers.

    Attributes:
        end: which of the rules is shown.
        mode: of permissions, that Shift-Tab led to.

    Args:
        choices: the answers there are, and behind them the rules of which two of them would add one.
        show: prints; the row of answers stands at the end of what was printed before.
        width: columns of the screen.
        cycle: see `KeyWatch`.
    """

    def __init__(
        self,
        choices: Sequence[str],
        show: Callable[[str], object],
        width: int,
        cycle: Callable[[], tuple[str, bool]] | None = None,
    ) -> None:
        self.cycle, self.mode = cycle, ""
        self._answers: list[Answer] = [answer for answer in NAMES if answer in choices]
        self.show, self._width = show, width
        self._choices, self.end = choices, 0
        self._at: int | None = None

    @property
    def keys(self) -> str:
        """Which keys answer, see `consent_keys`."""
        return consent_keys(self._choices, self._width, self.end)

    def moved(self, key: str) -> bool:
        """Return whether *key* is for moving the end of the rule, and do so where it has another one that way."""
        last = len(self._choices) - len(self._answers) - 1
        if last < 1 or key not in _ENDS:
            return False
        self.end = min(last, max(0, self.end + _ENDS[key]))
        return True

    def meaning(self, key: str) -> Answer | Stay | None:
        """Return what *key* answers; STAY when it moves the mark; None when it means nothing here."""
        if key in _STEPS:
            first = 0 if _STEPS[key] > 0 else len(self._answers) - 1
            self._mark(first if self._at is None else (self._at + _STEPS[key]) % len(self._answers))
            return STAY
        if key == "\r" and self._at is not None:
            return self._answers[self._at]
        if key.isdecimal() and key.isascii() and 1 <= int(key) <= len(self._answers):
            return self._answers[int(key) - 1]
        answer = KEYS.get(key.lower())
        if answer == "yes" and "remember" in self._answers:
            return "remember"
        return answer if answer in self._answers else None

    def unmarked(self) -> str:
        """Return the keys, none of them chosen any more."""
        self._at = None
        return self.keys

    def _mark(self, at: int) -> None:
        self._at = at
        rows = _rows(self._answers, self._width)
        up = f"\x1b[{rows.count(chr(10))}A" if "\n" in rows else ""
        name = _names(self._width)[self._answers[at]]
        self.show(f"{up}\r{rows.replace(f'  {name} ', f'  {_MARK}{name}{_OFF} ', 1)}")


def consent_keys(choices: Sequence[str], width: int, end: int = 0) -> str:
    """Return which keys answer a question of consent, and the rule of those in *choices* that two of them would add."""
    rules = [choice for choice in choices if choice not in NAMES]
    told = wrap_rows(f"  [s]ession and [a]lways allow {escape_visible(rules[end])[0]}", 4, width) if rules else []
    told += ["  Left and Right move its end"] if len(rules) > 1 else []
    return "\n".join([*told, _rows([answer for answer in NAMES if answer in choices], width)])


def _names(width: int) -> Mapping[Answer, str]:
    return _SHORT if width < _NARROW else NAMES


def _rows(answers: Sequence[Answer], width: int) -> str:
    """The answers in rows, each between two blanks and one."""
    rows, names = [""], _names(width)
    for answer in answers:
        if rows[-1] and len(rows[-1]) + len(names[answer]) + 3 > width:
            rows.append("")
        rows[-1] += f"  {names[answer]}"
    return " \n".join(rows) + " "


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
