"""The signals that the prompt hears while it waits: those that end it, and a stop with what comes after it.

Imports prompt_toolkit, so it is itself imported late.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from prompt_toolkit.application import Application, run_in_terminal

from cococat.ui.modes import Modes, lent

__all__ = ["PromptSignals"]


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
            with lent(self._app.input.fileno(), self._modes):
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
