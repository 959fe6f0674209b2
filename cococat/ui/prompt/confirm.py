"""Questions to the user at the terminal: may this run, and what do you mean."""

from __future__ import annotations

import asyncio
import math
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Literal, TextIO, TypeVar

from cococat.ui.lines.theme import Theme, size_of, write_now
from cococat.ui.prompt.input import clean
from cococat.ui.prompt.keys import HALF_S
from cococat.ui.prompt.question import (
    NAMES,
    ConsentAnswer,
    Paint,
    consent_keys,
    consent_text,
    decided,
    escape_visible,
    question_rows,
    question_text,
    rows_left,
    uncoloured,
)
from cococat.ui.prompt.turn_keys import STAY, KeyWatch, Stay
from cococat.ui.screen.last_block import LastBlock
from cococat.ui.screen.modes import by_line, drop_typed, is_dumb, is_terminal, mark_pastes, takes_lines

MORE = "\x0f"  # Ctrl-O
NEXT_MODE = "\x1b[Z"  # Shift-Tab
WENT_ON = "yes, by itself"
_T = TypeVar("_T")

READ_BYTES = 4096
KEYS: Mapping[str, ConsentAnswer] = {
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
# by a key
_MEANT: Mapping[ConsentAnswer | None, Sequence[ConsentAnswer]] = {"yes": ("remember", "asking"), "each": ("editing",)}
_STEPS = {"\x1b[C": 1, "\x1b[B": 1, "\x1b[D": -1, "\x1b[A": -1}
_ENDS = {"\x1b[C": 1, "\x1b[D": -1}


@dataclass(frozen=True, slots=True)
class ConsentReply:
    """How a question of consent was answered; *reason* goes with a no."""

    answer: ConsentAnswer
    reason: str = ""
    end: int = 0  # which of the rules was agreed to


def recorded_reply(reply: ConsentReply | None) -> str:
    """Return what is kept of a reply; nothing where the turn was stopped instead."""
    return "" if reply is None else f"{reply.answer}: {reply.reason}" if reply.reason else reply.answer


async def confirm(
    question: str,
    action: str,
    choices: Sequence[str] = ("yes", "no"),
    *,
    keys: KeyWatch,
    out: TextIO | None = None,
    paint: Paint = uncoloured,
    rows: int = 0,
    theme: Theme | None = None,
) -> ConsentReply:
    """
    Ask whether *action* may run, from a running event loop, which goes on meanwhile.

    The keys that answer are named, and heard, once the question has stood for a while without a key;
    what is typed before is the draft, as ever. Ctrl-C stays a signal: it cancels the turn.

    Args:
        choices: the answers there are, and behind them the rule that "session" and "always" would add, and those
            that Left and Right lead to.
        keys: watches the terminal; off one the answer is no.
        out: where the question goes, standard error unless given.
        paint: gives a row of the action its colours, from the line that it is a part of.
        rows: of the action that are shown until Ctrl-O asks for the rest, fewer on a low screen; 0: all.
        theme: of the keys; None: there are no colours.
    """
    if not is_terminal(keys.fd):
        return ConsentReply("no")
    out = out or sys.stderr
    width, height = size_of(out)
    painted, coloured = paint if theme else None, theme is not None
    text = consent_text(question, action, width, painted, rows_left(question, choices, width, height, rows))
    full = consent_text(question, action, width, painted)
    standing = LastBlock(out, redraws=coloured)
    choosing = Choosing(choices, partial(consent_keys, choices, width, theme=theme), keys.cycle)
    reply = None
    try:
        answer = await _replied(standing, (text, full), choosing, keys, partial(write_now, out))
        reply = (
            ConsentReply("yes", f"permission mode {choosing.mode}")
            if answer == "mode"
            else ConsentReply(answer, end=choosing.end)
        )
        if answer == "reason":
            reply = ConsentReply("no", await _reason(standing, keys, out))
    finally:
        with suppress(OSError):
            _settle(standing, decided(question, recorded_reply(reply), width, coloured=coloured))
    return reply


async def _replied(
    standing: LastBlock, texts: Sequence[str], choosing: Choosing, keys: KeyWatch, say: Callable[[str], object]
) -> ConsentAnswer | Literal["mode"]:
    """Show the question, and the whole of it when that is asked for; wait for its answer."""

    def heard(ready: bool) -> None:
        standing.foot(choosing.keys if ready else "")
        if not ready:
            say("\a")

    def meaning(key: str) -> ConsentAnswer | Literal["more", "mode"] | Stay | None:
        if key == NEXT_MODE and choosing.cycle:
            choosing.mode, passes = choosing.cycle()
            standing.foot("" if passes else f"  permission mode: {choosing.mode}\n{choosing.keys}")
            return "mode" if passes else STAY
        if key == MORE and text != texts[1]:
            return "more"
        if (meant := choosing.meaning(key)) is STAY:
            standing.foot(choosing.keys)
        return meant

    for text in texts:
        standing.show(text)
        answer: ConsentAnswer | Literal["more", "mode"] = await keys.answered(meaning, heard)
        if answer != "more":
            return answer
    return "no"  # never: the whole has no more


async def _reason(standing: LastBlock, keys: KeyWatch, out: TextIO) -> str:
    with keys.paused(), by_line(keys.fd):
        standing.foot("  why not? ")
        entered = await _next(keys.fd, _Entered(), partial(write_now, out))
        standing.note(entered.decode("utf-8", "replace"))  # as the terminal has shown it
        return _cleaned(entered)


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
        standing.foot((f"  goes on by itself in {left} s\n" if after_s else "") + ("  [n]o  [y]es " if ready else ""))

    def heard(now: bool) -> None:
        nonlocal ready
        ready = now
        show()

    def meaning(key: str) -> ConsentAnswer | None:
        return meant if (meant := KEYS.get(key.lower())) in ("yes", "no") else None

    async def count() -> None:
        nonlocal left
        while redraws and left:
            show()
            await asyncio.sleep(1)
            left -= 1

    standing.show("".join(f"{row}\n" for row in question_rows(escape_visible(question)[0], width, coloured=redraws)))
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
    standing.foot(f"{row}\n" if standing.take_back() else f"{row}\n\n")


async def ask_line(
    question: str, choices: Sequence[str] = (), *, fd: int = 0, out: TextIO | None = None, coloured: bool = False
) -> str:
    """
    Let the user answer *question* in a line of their own, from a running event loop.

    The line is edited as at the prompt, and Esc stops what asks as Ctrl-C does, by the same signal as everywhere. A dumb
    terminal edits it itself, and the loop is told when it is whole. No thread outlives a cancelled turn either way.

    Args:
        choices: offered by number; any other answer is fine as well.
        coloured: the question is bold.
    Returns: the answer, stripped; empty for an empty line, Ctrl-D, or where there is no terminal.
    """
    if not is_terminal(fd):
        return ""
    out = out or sys.stderr
    write_now(out, question_text(question, choices, size_of(out)[0], coloured=coloured))
    text = await (_whole(fd, out) if is_dumb() else _edited(fd, out))
    numbers = {str(number): choice for number, choice in enumerate(choices, 1)}
    return numbers.get(text, text)


async def _whole(fd: int, out: TextIO) -> str:
    """Return a line as the terminal itself edits it."""
    with by_line(fd):
        write_now(out, "> ")
        try:
            return _cleaned(await _next(fd, lambda data: data, partial(write_now, out)))
        except asyncio.CancelledError:
            drop_typed(fd)
            raise


async def _edited(fd: int, out: TextIO) -> str:
    """Return a line that the user edits here."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
    from prompt_toolkit.output import create_output

    from cococat.ui.prompt.prompt_input import prompt_input

    keys = KeyBindings()

    @keys.add("escape", eager=True)
    @keys.add("c-c")
    def _stop(event: KeyPressEvent) -> None:
        del event
        signal.raise_signal(signal.SIGINT)

    session: PromptSession[str] = PromptSession(
        "> ", key_bindings=keys, input=prompt_input(), output=create_output(out), enable_suspend=True
    )
    session.app.ttimeoutlen = HALF_S
    session.app.renderer.cpr_not_supported_callback = None
    marked = not takes_lines(fd)  # the chat's: what is pasted later is marked as well
    try:
        entered = await session.prompt_async(set_exception_handler=False, handle_sigint=False)
    except EOFError:
        return ""
    finally:
        if marked:
            mark_pastes(fd, on=True)
    return clean(entered).strip()


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


class Choosing:
    """
    What a key answers; nothing is chosen until an arrow was pressed, so Enter alone never answers.

    Attributes:
        end: which of the rules is shown.
        mode: of permissions, that Shift-Tab led to.

    Args:
        choices: the answers there are, and behind them the rules of which two of them would add one.
        shown: gives the keys, from the number of the rule and the answer that is chosen.
        cycle: see `KeyWatch`.
    """

    def __init__(
        self,
        choices: Sequence[str],
        shown: Callable[[int, str], str],
        cycle: Callable[[], tuple[str, bool]] | None = None,
    ) -> None:
        self.cycle, self.mode, self.end = cycle, "", 0
        self._shown, self._at = shown, -1
        self._answers: list[ConsentAnswer] = [answer for answer in NAMES if answer in choices]
        self._rules = len(choices) - len(self._answers)

    @property
    def keys(self) -> str:
        """Which keys answer, and which of them is chosen."""
        return self._shown(self.end, self._answers[self._at] if self._at >= 0 else "")

    def meaning(self, key: str) -> ConsentAnswer | Stay | None:
        """Return what *key* answers; STAY when it moves the mark or the end of the rule; None when it means nothing here."""
        if key in _ENDS and self._rules > 1:
            self.end, self._at = min(self._rules - 1, max(0, self.end + _ENDS[key])), -1
            return STAY
        if key in _STEPS:
            begin = -1 if _STEPS[key] > 0 else 0
            self._at = ((self._at if self._at >= 0 else begin) + _STEPS[key]) % len(self._answers)
            return STAY
        if key == "\r" and self._at >= 0:
            return self._answers[self._at]
        if key.isdecimal() and key.isascii() and 1 <= int(key) <= len(self._answers):
            return self._answers[int(key) - 1]
        answer = KEYS.get(key.lower())
        return next((name for name in (answer, *_MEANT.get(answer, ())) if name in self._answers), None)
