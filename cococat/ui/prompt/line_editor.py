"""The line editor behind the prompt: keys, completion, pastes, history.

Imports prompt_toolkit, so it is itself imported late.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import count, islice
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app, run_in_terminal
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory, DynamicAutoSuggest
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion, ThreadedCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import Condition, has_completions, has_focus
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input.typeahead import get_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import BufferControl, Dimension, Layout, Window
from prompt_toolkit.layout.menus import CompletionsMenuControl
from prompt_toolkit.styles import DynamicStyle

from cococat.system.private import private_dir
from cococat.ui.lines.columns import cells, cut, cut_start, one_line
from cococat.ui.lines.theme import marks, size_of
from cococat.ui.prompt.attach import MENTION_TYPED, complete_path, list_files
from cococat.ui.prompt.input import Entered, Idle, InputLine, Leave, Nothing, clean, pasted_parts, placeholder
from cococat.ui.prompt.keys import HALF_S, PASTE, PASTE_END
from cococat.ui.prompt.prompt_calls import PromptCalls, PromptLook
from cococat.ui.prompt.prompt_input import PromptSignals, prompt_input
from cococat.ui.prompt.prompt_style import prompt_style
from cococat.ui.prompt.slash import SlashCommand, find, fitting, matching
from cococat.ui.screen.ctrl_c import CtrlC
from cococat.ui.screen.modes import Modes, is_hung_up, mark_pastes, takes_lines

LARGE = 256 * 1024  # characters of a line that is sent only after a second Enter
REMEMBERED = 50  # pastes that a later line may repeat from the history
SETTLED_S = 0.05  # behind a drawing of the prompt
UNSAID_S = 2.0  # behind one on a terminal that has not said where its cursor stands; prompt_toolkit waits as long
WIDE = 80  # columns in which the menu has room for what is said of a command
GONE = Leave(128 + getattr(signal, "SIGHUP", 1))
OFFERED = 100  # words behind a command, of which there may be thousands
AROUND = 2  # columns that the menu leaves around each of its texts
SCROLLBAR = 1
LOOK_S = 0.05  # between two looks at whether more can be offered
MIN_NOTE = 12  # columns in which a note still says something
HISTORY_CHARS = 64 * 1024  # longer entries are not kept in the file
HISTORY_BYTES = 4 * 1024 * 1024  # a larger file loses its older half
# around a paste in the file of the history; what is entered never holds either (`cococat.ui.prompt.input.clean`)
_BEGIN, _END = "\x02", "\x03"


class Editor:
    """A prompt_toolkit session with the keys of the REPL; the arguments are those of `Prompt`."""

    def __init__(  # noqa: PLR0917 - all of them are the prompt's own
        self,
        history_file: Path,
        root: Path,
        commands: Sequence[SlashCommand],
        calls: PromptCalls,
        message: str,
        ctrl_c: CtrlC,
        modes: Modes,
        look: PromptLook,
    ) -> None:
        self._calls, self._ctrl_c = calls, ctrl_c
        self.pressed = 0  # keys so far
        self._hint, self._by_tab = "", False
        self._large_shown = ""
        self._blocks: deque[str] = deque(maxlen=REMEMBERED)
        self._pastes = _Pastes()
        self._history, self.problem = _open_history(history_file, self._pastes, calls.redact)
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

    async def read(self, default: InputLine) -> Entered:
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
        self._hint, self._by_tab = "", False

    def _press(self) -> None:
        self.pressed += 1

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        editing = has_focus(DEFAULT_BUFFER)

        keys.add("enter", filter=editing)(self._enter)

        @keys.add("c-j", filter=editing)
        @keys.add("escape", "enter", filter=editing)
        @keys.add("escape", "c-j", filter=editing)
        def _newline(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        keys.add("c-c", filter=editing)(self._interrupted)
        keys.add("<sigint>")(self._interrupted)
        empty = editing & Condition(lambda: not self._session.default_buffer.text)
        keys.add("?", filter=empty)(lambda event: event.app.exit(result=InputLine("/help keys")))
        keys.add("c-d", filter=empty)(lambda event: event.app.exit(result=Leave()))

        @keys.add("tab", filter=editing)
        def _tab(event: KeyPressEvent) -> None:
            complete(event.current_buffer, self._completer)
            self._by_tab = True

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
            self._blocks.append(block := clean(event.data))
            event.current_buffer.insert_text(self._pastes.shown(block))

        return keys

    def _enter(self, event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        chosen = buffer.complete_state and buffer.complete_state.current_completion
        folder = bool(chosen and chosen.text.endswith("/"))
        if chosen and MENTION_TYPED.search(buffer.document.text_before_cursor) and (folder or not self._by_tab):
            buffer.complete_state = None
            buffer.insert_text("" if folder else " ")
            return
        if buffer.document.text_before_cursor.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
            return
        text = clean(self._pastes.expanded(buffer.text))
        pasted = pasted_parts(text, (*self._blocks, *self._pastes.within(buffer.text)))
        if len(text) > LARGE and text != self._large_shown:
            self._large_shown = text
            self._hint = f"{len(text):,} characters: Enter again sends them, Ctrl-C drops them"
            event.app.invalidate()
            return
        event.app.exit(result=InputLine(text, pasted) if text.strip() else Nothing())
        kept = self._calls.redact(clean(buffer.text))  # for the arrow keys: one that names a secret without it
        if kept.strip() and [kept] != self._history.get_strings()[-1:]:
            with suppress(OSError):  # a history that cannot be saved must not cost the line; it stays in memory
                self._history.append_string(kept)

    def _interrupted(self, event: KeyPressEvent) -> None:
        if self._ctrl_c.press():
            event.app.exit(result=Leave(130))
            return
        event.app.layout.focus(DEFAULT_BUFFER)
        self._session.default_buffer.reset()
        self._large_shown = ""
        self._hint = "Ctrl-C again leaves, so does Ctrl-D"
        event.app.invalidate()

    def _folded(self, line: InputLine) -> str:
        """*line* as the prompt shows it."""
        text = clean(line.text)
        for block in line.pasted:
            text = text.replace(block, self._pastes.shown(block), 1)
        return text


class _FileHistory(FileHistory):  # prompt_toolkit takes nothing but subclasses
    """Lines with something standing for their long pastes; the file holds the pastes, and no secrets."""

    def __init__(self, path: Path, pastes: _Pastes, redact: Callable[[str], str]) -> None:
        self._pastes, self._redact = pastes, redact
        super().__init__(path)

    def load_history_strings(self) -> Iterable[str]:
        """Return the entries of the file, the newest first."""
        return map(self._pastes.unmarked, super().load_history_strings())

    def store_string(self, string: str) -> None:
        """Append an entry to the file."""
        if len(kept := self._pastes.marked(string, self._redact)) <= HISTORY_CHARS:
            super().store_string(kept)


def _open_history(path: Path, pastes: _Pastes, redact: Callable[[str], str]) -> tuple[History, str]:
    """Return the history in *path*, private to the user; or one in memory, and why."""
    try:
        private_dir(path.parent)
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)  # it may be a link of the user's
        with os.fdopen(descriptor, "rb+") as file:
            if hasattr(os, "fchmod"):
                os.fchmod(descriptor, 0o600)
            if os.fstat(descriptor).st_size > HISTORY_BYTES:
                file.seek(-HISTORY_BYTES // 2, os.SEEK_END)
                kept = file.read().partition(b"\n\n")[2]  # entries are parted by empty lines
                file.truncate(0)
                file.write(kept)
    except OSError as error:
        return InMemoryHistory(), f"what you enter is not kept: {path}: {error.strerror or error}"
    return _FileHistory(path, pastes, redact), ""


class _Pastes:
    """The long pastes of a chat by what stands for them; what stood once for a paste stands for it to the end."""

    def __init__(self) -> None:
        self._blocks: dict[str, str] = {}

    def shown(self, block: str) -> str:
        """Return what to show for *block*: itself, or what stands for it when it would fill the screen."""
        for number in count(1):
            stands = placeholder(number, block)
            if not stands:
                return block
            if self._blocks.setdefault(stands, block) == block:
                return stands
        raise AssertionError

    def expanded(self, text: str) -> str:
        """Return *text* with the pastes in the place of what stands for them."""
        return self._replaced(text, lambda block: block)

    def within(self, text: str) -> Iterable[str]:
        """Return the pastes that something in *text* stands for."""
        return (block for stands, block in self._blocks.items() if stands in text)

    def marked(self, text: str, redact: Callable[[str], str]) -> str:
        """Return *text* without secrets, each paste whole and between marks; unmarked where it hides a part of one."""
        whole = redact(self.expanded(text))
        marked = self._replaced(redact(text), lambda block: f"{_BEGIN}{redact(block)}{_END}")
        return marked if marked.replace(_BEGIN, "").replace(_END, "") == whole else whole

    def unmarked(self, text: str) -> str:
        """Return *text* of the history with something standing for each of its pastes."""
        return re.sub(f"{_BEGIN}([^{_BEGIN}{_END}]*){_END}", lambda found: self.shown(found[1]), text)

    def _replaced(self, text: str, write: Callable[[str], str]) -> str:
        parts = "|".join(map(re.escape, self._blocks)) or "(?!)"
        return re.sub(parts, lambda found: write(self._blocks[found[0]]), text)


class InputCompleter(Completer):  # prompt_toolkit takes nothing but subclasses
    """Slash commands, the first words behind them, and `@path`."""

    def __init__(self, root: Path, commands: Sequence[SlashCommand]) -> None:
        self._root, self._commands = root, commands
        self._known: tuple[str, ...] | None = None
        self.notes: Mapping[str, str] = {}  # what is said of each word that was offered last, in full

    def forget(self) -> None:
        """Look at the files anew."""
        self._known = None

    def get_completions(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002 - the signature is prompt_toolkit's
    ) -> Iterable[Completion]:
        """Yield what may stand in the place of the word before the cursor."""
        before = document.text_before_cursor
        if mention := MENTION_TYPED.search(before):
            yield from self._paths(mention["path"], quoted=bool(mention["quote"]))
        elif found := re.fullmatch(r"/(\S*)", before):
            commands = matching(self._commands, found[1])
            yield from self._words({f"/{command.name}": command.help for command in commands}, len(before))
        elif named := self._command(before):
            command, word = named
            values = fitting(command.values(), word)[:OFFERED]
            yield from self._words({value.text: one_line(value.note) for value in values}, len(word))

    def is_waiting(self, document: Document) -> bool:
        """Return whether there will be more to offer in a moment."""
        named = self._command(document.text_before_cursor)
        return named is not None and named[0].coming()

    def _command(self, before: str) -> tuple[SlashCommand, str] | None:
        """The command whose first word is being typed, and that word so far."""
        found = re.fullmatch(r"/(\S+)\s+(\S*)", before)
        command = find(self._commands, found[1]) if found else None
        return (command, found[2]) if found and isinstance(command, SlashCommand) else None

    def _words(self, notes: Mapping[str, str], typed: int) -> Iterable[Completion]:
        """Offer words in the place of what is *typed*; what is said of them is cut, or left out, before they are."""
        self.notes, ours, width = notes, marks(os.environ), _room()
        room = width - max(map(cells, notes), default=0) - AROUND
        for text, note in notes.items():
            shown = cut(note, room).translate(ours) if room >= MIN_NOTE else ""
            yield Completion(text, -typed, cut(text, width).translate(ours), display_meta=shown)

    def _paths(self, typed: str, *, quoted: bool) -> Iterable[Completion]:
        if typed and self._known is None:
            self._known = list_files(self._root)
        for path in complete_path(typed, self._root, self._known or ()):
            opening = '"' if " " in path and not quoted else ""
            closing = '"' if (opening or quoted) and not path.endswith("/") else ""
            shown = cut_start(path, _room()).translate(marks(os.environ))
            yield Completion(f"{opening}{path}{closing}", -len(typed), shown)


def is_completed(document: Document) -> bool:
    """Return whether there is something to complete while typing: a command, its first word, or a mention."""
    before = document.text_before_cursor
    return bool(re.match(r"/\S*( +\S*)?$", before) or MENTION_TYPED.search(before))


def lay_out_menu(layout: Layout, buffer: Buffer) -> None:
    """Let the menu of *buffer* be as high as the screen has room for, its words below the one that they complete."""

    def before_word() -> int | None:
        state = buffer.complete_state
        if not (state and state.completions):
            return None
        word = state.original_document.cursor_position + state.completions[0].start_position
        return max(0, word - AROUND // 2)

    for container in layout.walk():
        if isinstance(container, Window) and isinstance(container.content, CompletionsMenuControl):
            container.height = Dimension(min=1)  # prompt_toolkit stops at 16 rows
        if isinstance(container, Window) and isinstance(container.content, BufferControl):
            container.content.menu_position = before_word if container.content.buffer is buffer else None


def _room() -> int:
    """Return the columns for words in the menu, with what the mark of a cut takes more than it is reckoned as."""
    return size_of(sys.stdout)[0] - AROUND - SCROLLBAR - len("…".translate(marks(os.environ))) + 1


def complete(buffer: Buffer, completer: InputCompleter) -> None:
    """Take the only completion there is, at once; offer them when there are more, and as soon as there are some."""
    if buffer.complete_state and buffer.complete_state.completions:  # an empty one is being filled
        buffer.complete_next()
        return
    document, asked = buffer.document, CompleteEvent(completion_requested=True)
    found = list(islice(completer.get_completions(document, asked), 2))
    waiting = not found and completer.is_waiting(document)
    if not (found or waiting):  # what was waited for may have come between the two
        found = list(islice(completer.get_completions(document, asked), 2))
    if len(found) == 1:
        buffer.apply_completion(found[0])
    elif found:
        buffer.start_completion(insert_common_part=True)
    elif waiting:
        get_app().create_background_task(_complete_later(buffer, completer))


async def _complete_later(buffer: Buffer, completer: InputCompleter) -> None:
    """Complete what stands in *buffer* once there is something to complete it with, unless it was changed meanwhile."""
    document = buffer.document
    while completer.is_waiting(document) and buffer.document == document:  # noqa: ASYNC110 - a thread asks
        await asyncio.sleep(LOOK_S)
    if buffer.document == document:
        complete(buffer, completer)
