"""The line editor behind the prompt: keys, completion, pastes, history.

Imports prompt_toolkit, so it is itself imported late.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory, DynamicAutoSuggest
from prompt_toolkit.completion import ThreadedCompleter
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import Condition, has_completions, has_focus
from prompt_toolkit.input.typeahead import get_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.styles import DynamicStyle

from cococat.ui.attach import MENTION_TYPED
from cococat.ui.completion import InputCompleter, complete, is_completed, lay_out_menu
from cococat.ui.ctrl_c import CtrlC
from cococat.ui.input import Entered, Idle, Leave, Line, Nothing, clean, pasted_parts
from cococat.ui.keys import HALF_S, PASTE, PASTE_END
from cococat.ui.modes import Modes, is_hung_up, mark_pastes, takes_lines
from cococat.ui.pastes import Pastes
from cococat.ui.prompt_calls import Look, PromptCalls
from cococat.ui.prompt_history import open_history
from cococat.ui.prompt_input import prompt_input
from cococat.ui.prompt_signals import PromptSignals
from cococat.ui.prompt_style import prompt_style
from cococat.ui.slash import Command
from cococat.ui.theme import marks

LARGE = 256 * 1024  # characters of a line that is sent only after a second Enter
REMEMBERED = 50  # pastes that a later line may repeat from the history
SETTLED_S = 0.05  # behind a drawing of the prompt
UNSAID_S = 2.0  # behind one on a terminal that has not said where its cursor stands; prompt_toolkit waits as long
WIDE = 80  # columns in which the menu has room for what is said of a command
GONE = Leave(128 + getattr(signal, "SIGHUP", 1))


class Editor:
    """A prompt_toolkit session with the keys of the REPL; the arguments are those of `Prompt`."""

    def __init__(  # noqa: PLR0917 - all of them are the prompt's own
        self,
        history_file: Path,
        root: Path,
        commands: Sequence[Command],
        calls: PromptCalls,
        message: str,
        ctrl_c: CtrlC,
        modes: Modes,
        look: Look,
    ) -> None:
        self._calls, self._ctrl_c = calls, ctrl_c
        self.pressed = 0  # keys so far
        self._hint = ""
        self._large_shown = ""
        self._blocks: deque[str] = deque(maxlen=REMEMBERED)
        self._pastes = Pastes()
        self._history, self.problem = open_history(history_file, self._pastes, calls.redact)
        self._completer = InputCompleter(root, commands)
        suggestions = AutoSuggestFromHistory()  # without colours they could not be told from what is typed
        self._session: PromptSession[Entered] = PromptSession(
            [("class:prompt", message)],
            multiline=True,
            prompt_continuation=" " * len(message),
            history=self._history,
            auto_suggest=DynamicAutoSuggest(lambda: None if look.theme() == "plain" else suggestions),
            completer=ThreadedCompleter(self._completer),
            complete_while_typing=Condition(lambda: is_completed(self._session.default_buffer.document)),
            bottom_toolbar=self._below,
            key_bindings=self._keys(),
            style=DynamicStyle(lambda: prompt_style(look.theme(), entered=self._session.app.is_done)),
            vi_mode=look.vi,
            tempfile_suffix=".md",
            enable_suspend=True,
            input=prompt_input(),
        )
        self._session.app.ttimeoutlen = HALF_S
        # a terminal that cannot say where its cursor is goes without a toolbar, and without a warning
        self._session.app.renderer.cpr_not_supported_callback = None
        lay_out_menu(self._session.app.layout, self._session.default_buffer)
        self._signals = PromptSignals(self._session.app, modes)
        # the toolbar comes with the next drawing, when the terminal has told where its cursor stands: it goes first
        self._session.app.after_render += self._rendered
        self._session.default_buffer.on_text_changed += lambda _: self._changed()
        self._session.app.key_processor.before_key_press += lambda _: self._press()

    def _rendered(self, _: object) -> None:
        known = self._session.app.renderer.height_is_known  # before, no toolbar is drawn; some terminals never say
        asyncio.get_running_loop().call_later(SETTLED_S if known else UNSAID_S, self._settled)

    def _settled(self) -> None:
        self._session.app.after_render -= self._rendered
        self._calls.drawn()

    async def read(self, default: Line) -> Entered:
        """Run the editor until the user enters something or leaves."""
        self._blocks.extend(default.pasted)
        self._hint = ""
        self._large_shown = ""
        self._completer.forget()
        try:
            return await self._session.prompt_async(
                default=self._folded(default), pre_run=self._started, set_exception_handler=False
            )
        except EOFError:  # Ctrl-D has a key of its own: the terminal is gone
            return GONE
        except OSError:  # as before, but noticed while drawing
            if is_hung_up(self._session.input.fileno()):
                return GONE
            raise
        finally:
            if not takes_lines(self._session.input.fileno()):  # the chat's: what is pasted now is marked as well
                mark_pastes(self._session.input.fileno(), on=True)
            self._signals.forget()

    def typed_ahead(self) -> str:
        """Return the keys that came right behind the one which ended the prompt, as terminals send them, and forget them."""
        return "".join(
            f"{PASTE}{press.data}{PASTE_END}" if press.key == Keys.BracketedPaste else press.data
            for press in get_typeahead(self._session.input)
        )

    def idle(self) -> None:
        """End the prompt for a while, unless something stands in it."""
        if not (self._session.app.is_done or self._session.default_buffer.text):
            self._session.app.exit(result=Idle())

    def _started(self) -> None:
        """Make signals and bugs end the prompt in good order; `read` of `Prompt` restores the handlers."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: self._fail(context.get("exception")))
        if threading.current_thread() is not threading.main_thread():
            return
        self._signals.hear(loop, self._leave)
        if code := self._calls.leaving():
            self._leave(code)

    def _fail(self, error: BaseException | None) -> None:
        future = self._session.app.future
        if error and future and not future.done():
            future.set_exception(error)

    def _leave(self, code: int) -> None:
        if not self._session.app.is_done:
            self._session.app.exit(result=Leave(code))

    def _below(self) -> str:
        state = self._session.default_buffer.complete_state
        marked = state and state.current_completion
        if marked and self._session.app.output.get_size().columns < WIDE:  # the menu cuts what is said of it
            return f" {self._completer.notes.get(marked.text, '')}"
        words = self._hint or self._calls.toolbar(self._pastes.expanded(self._session.default_buffer.text))
        return f" {words.translate(marks(os.environ))}"

    def _changed(self) -> None:
        self._hint = ""

    def _press(self) -> None:
        self.pressed += 1

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        editing = has_focus(DEFAULT_BUFFER)

        @keys.add("enter", filter=editing)
        def _enter(event: KeyPressEvent) -> None:
            self._enter(event)

        @keys.add("c-j", filter=editing)
        @keys.add("escape", "enter", filter=editing)
        @keys.add("escape", "c-j", filter=editing)
        def _newline(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        @keys.add("c-c", filter=editing)
        @keys.add("<sigint>")
        def _interrupt(event: KeyPressEvent) -> None:
            self._interrupted(event)

        empty = editing & Condition(lambda: not self._session.default_buffer.text)
        keys.add("?", filter=empty)(lambda event: event.app.exit(result=Line("/help keys")))
        keys.add("c-d", filter=empty)(lambda event: event.app.exit(result=Leave()))

        @keys.add("tab", filter=editing)
        def _tab(event: KeyPressEvent) -> None:
            complete(event.current_buffer, self._completer)

        @keys.add("s-tab", filter=editing & ~has_completions)
        def _cycle(event: KeyPressEvent) -> None:
            self._calls.cycle()
            event.app.invalidate()

        @keys.add("c-o", filter=editing)
        def _fold(event: KeyPressEvent) -> None:
            run_in_terminal(self._calls.fold)

        @keys.add("c-g", filter=editing)
        @keys.add("c-x", "c-e", filter=editing)
        def _edit(event: KeyPressEvent) -> None:
            event.current_buffer.open_in_editor()

        @keys.add(Keys.BracketedPaste, filter=editing)
        def _paste(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text(self._pasted(clean(event.data)))

        return keys

    def _enter(self, event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        chosen = buffer.complete_state and buffer.complete_state.current_completion
        if chosen and MENTION_TYPED.search(buffer.document.text_before_cursor):
            buffer.complete_state = None
            buffer.insert_text("" if chosen.text.endswith("/") else " ")
            return
        if buffer.document.text_before_cursor.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
            return
        text, pasted = self._whole(buffer.text)
        if len(text) > LARGE and text != self._large_shown:
            self._large_shown = text
            self._hint = f"{len(text):,} characters: Enter again sends them, Ctrl-C drops them"
            event.app.invalidate()
            return
        event.app.exit(result=Line(text, pasted) if text.strip() else Nothing())
        self._remember(clean(buffer.text))

    def _interrupted(self, event: KeyPressEvent) -> None:
        if self._ctrl_c.press():
            event.app.exit(result=Leave(130))
            return
        event.app.layout.focus(DEFAULT_BUFFER)
        self._session.default_buffer.reset()
        self._large_shown = ""
        self._hint = "Ctrl-C again leaves, so does Ctrl-D"
        event.app.invalidate()

    def _pasted(self, block: str) -> str:
        """What to insert for *block*: itself, or a placeholder when it would fill the screen."""
        self._blocks.append(block)
        return self._pastes.shown(block)

    def _folded(self, line: Line) -> str:
        """*line* as the prompt shows it."""
        text = clean(line.text)
        for block in line.pasted:
            text = text.replace(block, self._pastes.shown(block), 1)
        return text

    def _whole(self, shown: str) -> tuple[str, tuple[str, ...]]:
        """The text that *shown* stands for, and its pasted parts."""
        text = clean(self._pastes.expanded(shown))
        return text, pasted_parts(text, (*self._blocks, *self._pastes.within(shown)))

    def _remember(self, shown: str) -> None:
        """Keep a line for the arrow keys; one that names a secret without it."""
        kept = self._calls.redact(shown)
        if kept.strip() and [kept] != self._history.get_strings()[-1:]:
            # a history that cannot be saved must not cost the line; it stays in memory
            with suppress(OSError):
                self._history.append_string(kept)
