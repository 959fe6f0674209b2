"""The prompt of the REPL: reads what the user enters between two turns.

The editor itself is in `cococat.ui.prompt.line_editor`, which costs 110 ms to import and so is imported by the
constructor.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from cococat.errors import Interrupted
from cococat.ui.lines.theme import write_now
from cococat.ui.prompt.input import Entered, InputLine, Leave, Nothing, clean
from cococat.ui.prompt.pick import Choice
from cococat.ui.prompt.prompt_calls import PromptCalls, PromptLook
from cococat.ui.prompt.slash import SlashCommand
from cococat.ui.screen.ctrl_c import CtrlC
from cococat.ui.screen.modes import by_key, current_modes, heal, is_dumb, mark_pastes, suspend_terminal, takes_lines

if TYPE_CHECKING:
    from cococat.ui.prompt.line_editor import Editor

IDLE_S = 1800.0
LOOKS = 60  # for a key, in that time
MESSAGE = "> "

SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGWINCH") if hasattr(signal, name)]
GONE = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Prompt:
    """
    Reads lines from the terminal on standard input, with history, completion and a toolbar.

    Each `read` runs on an event loop of its own and leaves the terminal modes, the signal handlers
    and the thread's event loop as they were, so that an idle `asyncio.Runner` may stand by.
    On a dumb terminal it reads plain lines.

    Args:
        history_file: created with mode 0600; entries may have many lines.
        root: where `@path` is completed.
        ctrl_c: shared with what else hears Ctrl-C.
        idle_s: seconds without a key at an empty prompt after which `calls.due` is asked, again and again.
    """

    def __init__(
        self,
        history_file: Path,
        root: Path,
        commands: Sequence[SlashCommand],
        calls: PromptCalls,
        *,
        ctrl_c: CtrlC,
        idle_s: float = IDLE_S,
        look: PromptLook = PromptLook(),  # noqa: B008 - frozen
    ) -> None:
        self._calls, self._ctrl_c, self._idle_s = calls, ctrl_c, idle_s
        self._look = look
        self._drawn_before = False
        self._fd = sys.stdin.fileno()
        heal(self._fd)
        self.modes = current_modes(self._fd)  # of the terminal, before the chat and for what it starts
        self._held = ExitStack()
        self._editor: Editor | None = None
        if is_dumb():
            return
        from cococat.ui.prompt.line_editor import Editor

        self._editor = Editor(
            history_file, root, commands, replace(calls, drawn=self._drawn), MESSAGE, ctrl_c, self.modes, look
        )

    @property
    def problem(self) -> str:
        """Why the history is not kept in its file; empty when it is."""
        return self._editor.problem if self._editor else ""

    def hold(self) -> None:
        """
        Have keys delivered as they are pressed and pastes marked until `release`, also while nothing reads.

        What is typed between a turn and the next prompt then waits as keys: typing stays typing, Enter
        stays Enter. May be called again: after a stop the shell's modes are set.
        """
        if self._editor and takes_lines(self._fd):
            self._held.enter_context(by_key(self._fd))
            mark_pastes(self._fd, on=True)

    def release(self) -> None:
        """Leave the terminal as it was found."""
        if self._editor:
            mark_pastes(self._fd, on=False)
            self._held.close()

    @contextmanager
    def suspend_terminal(self) -> Iterator[None]:
        """Leave the terminal to another program for a while, as it was found."""
        with suspend_terminal(self._fd, self.modes):
            yield
        if self._editor:
            mark_pastes(self._fd, on=True)

    def read(self, default: InputLine | str = "") -> Entered:
        """
        Wait for the user.

        Args:
            default: text to start with, such as what was typed while a turn ran.
        Returns: InputLine: a text to send, cleaned, never blank. Nothing: a blank line. Leave: Ctrl-D on
            an empty line (0), Ctrl-C twice within 2 s (130), a signal or a closed terminal (128+n).
            Idle: see `PromptCalls`.
        """
        with _signals_kept():
            if self._editor is None:
                return self._read_plain()
            start = default if isinstance(default, InputLine) else InputLine(default)
            try:
                # a loop factory keeps the runner from replacing the thread's event loop
                with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
                    return runner.run(self._read(self._editor, start))
            except KeyboardInterrupt:  # in the moment before the prompt is there, or behind its end
                return Leave(130)

    def choose(self, heading: str, choices: Sequence[Choice], typed: str = "") -> str | None:
        """
        Let the user choose from a list that letters filter; nothing of it is left on the screen.

        Args:
            heading: what Enter does: "resume".
            typed: what filters the list at first.
        Returns: the id of what was chosen; None when the user left with Esc.
        """
        from prompt_toolkit.styles import DynamicStyle

        from cococat.ui.prompt.picker import Picker
        from cococat.ui.prompt.prompt_style import prompt_style

        picker = Picker(heading, choices, DynamicStyle(lambda: prompt_style(self._look.theme())), typed)
        try:
            with _signals_kept(), asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
                return runner.run(picker.choose())
        finally:
            mark_pastes(self._fd, on=True)

    def typed_ahead(self) -> str:
        """Return the keys that came behind the line just read, and forget them: the next reader's, before its own."""
        return self._editor.typed_ahead() if self._editor else ""

    async def _read(self, editor: Editor, start: InputLine) -> Entered:
        reading = asyncio.ensure_future(editor.read(start))
        looks, seen = 0, editor.pressed
        while not (await asyncio.wait({reading}, timeout=self._idle_s / LOOKS))[0]:
            looks, seen = looks + 1 if seen == editor.pressed else 0, editor.pressed
            if (
                looks == LOOKS
            ):  # counted: the clock goes on while Ctrl-Z holds the chat, and the user has just come back
                looks = 0
                if self._calls.due():
                    editor.idle()
        return await reading

    def _drawn(self) -> None:
        if not self._drawn_before:
            self._drawn_before = True
            self._calls.drawn()

    def _read_plain(self) -> Entered:
        """Lines from a terminal that cannot move its cursor; Ctrl-C drops the line, twice leaves."""
        _heard_at_once()
        if code := self._calls.leaving():
            return Leave(code)
        lines: list[str] = []
        while True:
            try:
                self._write(MESSAGE if not lines else ". ")
                entered = sys.stdin.readline()
            except Interrupted as gone:
                return Leave(gone.exit_code)
            except KeyboardInterrupt:
                if self._ctrl_c.press():
                    return Leave(130)
                lines.clear()
                self._write("\n")
                continue
            if not entered:
                return Leave()
            line = entered.rstrip("\n")
            lines.append(line.removesuffix("\\"))
            if not line.endswith("\\"):
                text = clean("\n".join(lines))
                return InputLine(text) if text.strip() else Nothing()

    def _write(self, text: str) -> None:
        write_now(sys.stdout, text)
        self._drawn()


def _heard_at_once() -> None:
    """Let signals end a blocking read; `_signals_kept` restores who heard them before."""
    if threading.current_thread() is not threading.main_thread():
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in GONE:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _gone)


def _gone(number: int, _: FrameType | None) -> None:
    raise Interrupted(number)


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Restore the handlers and the wake-up descriptor that an event loop replaces."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    wakeup = signal.set_wakeup_fd(-1)
    try:
        yield
    finally:
        signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)
