"""The keys of a terminal as prompt_toolkit takes them.

Imports prompt_toolkit, so it is itself imported late.
"""

from __future__ import annotations

import asyncio
import re
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

from prompt_toolkit.application import Application, run_in_terminal
from prompt_toolkit.input import Input
from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys

from cococat.ui.prompt.keys import Key, KeyReader, Paste
from cococat.ui.screen.modes import Modes, suspend_terminal

_CURSOR = re.compile(r"\x1b\[\d+;\d+R")  # where it stands
_ALT = re.compile(r"\x1b([^\[O\]PX^_])", re.DOTALL)


if sys.platform == "win32":

    def prompt_input() -> Input | None:
        """Let prompt_toolkit choose."""
        return None

else:
    from prompt_toolkit.input.vt100 import Vt100Input

    class _TerminalInput(Vt100Input):  # prompt_toolkit takes nothing but subclasses
        """Standard input, read with the grammar of `cococat.ui.prompt.keys`."""

        def __init__(self) -> None:
            super().__init__(sys.stdin)
            self._keys, self._gone = KeyReader(), False

        def read_keys(self) -> list[KeyPress]:
            """Return the keys that can be read now."""
            try:
                return list(_presses(self._keys.read(self.fileno())))
            except EOFError:
                self._gone = True
                return []

        def flush_keys(self) -> list[KeyPress]:
            """Return what a sequence was that did not become whole."""
            return list(_presses(self._keys.flush()))

        @property
        def closed(self) -> bool:
            """Whether the terminal is gone."""
            return self._gone

    def prompt_input() -> Input | None:
        """Return what reads standard input."""
        return _TerminalInput()


def _presses(keys: Iterable[Key]) -> Iterator[KeyPress]:
    """Return what prompt_toolkit knows of *keys*."""
    for key in keys:
        if isinstance(key, Paste):
            yield KeyPress(Keys.BracketedPaste, key.text)
        elif _CURSOR.fullmatch(key):
            yield KeyPress(Keys.CPRResponse, key)
        elif known := ANSI_SEQUENCES.get(key):
            first, *rest = known if isinstance(known, tuple) else (known,)
            yield KeyPress(first, key)
            yield from (KeyPress(typed, "") for typed in rest)
        elif len(key) == 1:
            yield KeyPress(key, key)
        elif alt := _ALT.fullmatch(key):
            yield KeyPress(Keys.Escape, "\x1b")
            yield from _presses(alt[1])


class PromptSignals:
    """
    Signals of a prompt, and what handled them before.

    Args:
        modes: those of the terminal outside of the chat.
    """

    def __init__(self, app: Application[Any], modes: Modes) -> None:
        self._app, self._modes = app, modes
        self._before: dict[int, Any] = {}

    def hear(self, loop: asyncio.AbstractEventLoop, leave: Callable[[int], None]) -> None:
        """Call *leave* with the exit code of a signal that ends the prompt; stop and continue as shells expect it."""
        for number in (getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)):
            self._hear(loop, number, leave, 128 + number)
        if sys.platform != "win32":
            self._hear(loop, signal.SIGCONT, self._renew)
            self._hear(loop, signal.SIGTSTP, self._suspend, loop)

    def forget(self) -> None:
        """Let those handle signals who did before, while the loop is still there: a closed one has no place to note them."""
        for number, before in self._before.items():
            asyncio.get_running_loop().remove_signal_handler(number)
            signal.signal(number, before)
        self._before.clear()

    def _hear(self, loop: asyncio.AbstractEventLoop, number: int, call: Callable[..., object], *given: object) -> None:
        """Let *loop* handle a signal that is not ignored."""
        before = signal.getsignal(number)
        if before != signal.SIG_IGN:
            with suppress(NotImplementedError):  # a Windows loop hears no signals; the interpreter's own handlers stay
                loop.add_signal_handler(number, call, *given)
                self._before[number] = before

    def _suspend(self, loop: asyncio.AbstractEventLoop) -> None:
        """Stop as Ctrl-Z does everywhere, with the terminal as it was found."""
        if sys.platform == "win32":
            return

        def stop() -> None:
            loop.remove_signal_handler(signal.SIGTSTP)
            with suspend_terminal(self._app.input.fileno(), self._modes):
                signal.raise_signal(signal.SIGTSTP)  # sleeps in here, until somebody continues it
            loop.add_signal_handler(signal.SIGTSTP, self._suspend, loop)

        run_in_terminal(stop)

    def _renew(self) -> None:
        """Set the modes again and draw anew: whoever had the terminal during a stop has its own."""
        app = self._app
        if not app.is_done:
            app.input.raw_mode().__enter__()  # the one that is open already restores what was before it
            app.renderer.erase()
            app.renderer.request_absolute_cursor_position()
            app.invalidate()
