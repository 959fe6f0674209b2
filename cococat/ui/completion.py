"""What may complete a line: slash commands, their first words, and paths behind an @.

Imports prompt_toolkit, so it is itself imported late.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

from prompt_toolkit.application import get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.layout import BufferControl, Dimension, Layout, Window
from prompt_toolkit.layout.menus import CompletionsMenuControl

from cococat.ui.attach import MENTION_TYPED, complete_path, list_files
from cococat.ui.columns import cells, cut, cut_start, one_line
from cococat.ui.slash import Command, find, fitting, matching
from cococat.ui.theme import marks, size_of

__all__ = ["InputCompleter", "complete", "is_completed", "lay_out_menu"]

OFFERED = 100  # words behind a command, of which there may be thousands
AROUND = 2  # columns that the menu leaves around each of its texts
SCROLLBAR = 1
LOOK_S = 0.05  # between two looks at whether more can be offered
MIN_NOTE = 12  # columns in which a note still says something


class InputCompleter(Completer):  # prompt_toolkit takes nothing but subclasses
    """Slash commands, the first words behind them, and `@path`."""

    def __init__(self, root: Path, commands: Sequence[Command]) -> None:
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

    def _command(self, before: str) -> tuple[Command, str] | None:
        """The command whose first word is being typed, and that word so far."""
        found = re.fullmatch(r"/(\S+)\s+(\S*)", before)
        command = find(self._commands, found[1]) if found else None
        return (command, found[2]) if found and isinstance(command, Command) else None

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
    if buffer.complete_state:
        buffer.complete_next()
        return
    asked = CompleteEvent(completion_requested=True)
    found = list(islice(completer.get_completions(buffer.document, asked), 2))
    if len(found) == 1:
        buffer.apply_completion(found[0])
    elif found:
        buffer.start_completion(insert_common_part=True)
    elif completer.is_waiting(buffer.document):
        get_app().create_background_task(_complete_later(buffer, completer))


async def _complete_later(buffer: Buffer, completer: InputCompleter) -> None:
    """Complete what stands in *buffer* once there is something to complete it with, unless it was changed meanwhile."""
    document = buffer.document
    while completer.is_waiting(document) and buffer.document == document:  # noqa: ASYNC110 - a thread asks
        await asyncio.sleep(LOOK_S)
    if buffer.document == document:
        complete(buffer, completer)
