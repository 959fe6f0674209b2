"""What may complete a line: slash commands, their first words, and paths behind an @.

Imports prompt_toolkit, so it is itself imported late.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.layout import Dimension, Layout, Window
from prompt_toolkit.layout.menus import CompletionsMenuControl

from cococat.ui.attach import MENTION_TYPED, complete_path, list_files
from cococat.ui.columns import one_line
from cococat.ui.slash import Command, find, fitting, matching

__all__ = ["InputCompleter", "complete", "grow_menu", "is_completed"]

OFFERED = 100  # words behind a command, of which there may be thousands


class InputCompleter(Completer):  # prompt_toolkit takes nothing but subclasses
    """Slash commands, the first words behind them, and `@path`."""

    def __init__(self, root: Path, commands: Sequence[Command]) -> None:
        self._root, self._commands = root, commands
        self._known: tuple[str, ...] | None = None

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
            for command in matching(self._commands, found[1]):
                yield Completion(f"/{command.name}", -len(before), display_meta=command.help)
        elif found := re.fullmatch(r"/(\S+)\s+(\S*)", before):
            named = find(self._commands, found[1])
            for value in fitting(named.values(), found[2])[:OFFERED] if isinstance(named, Command) else ():
                yield Completion(value.text, -len(found[2]), display_meta=one_line(value.note))

    def _paths(self, typed: str, *, quoted: bool) -> Iterable[Completion]:
        if typed and self._known is None:
            self._known = list_files(self._root)
        for path in complete_path(typed, self._root, self._known or ()):
            opening = '"' if " " in path and not quoted else ""
            closing = '"' if (opening or quoted) and not path.endswith("/") else ""
            yield Completion(f"{opening}{path}{closing}", -len(typed), path)


def is_completed(document: Document) -> bool:
    """Return whether there is something to complete while typing: a command, its first word, or a mention."""
    before = document.text_before_cursor
    return bool(re.match(r"/\S*( +\S*)?$", before) or MENTION_TYPED.search(before))


def grow_menu(layout: Layout) -> None:
    """Let the menu be as high as the screen has room for; prompt_toolkit stops at 16 rows."""
    for container in layout.walk():
        if isinstance(container, Window) and isinstance(container.content, CompletionsMenuControl):
            container.height = Dimension(min=1)


def complete(buffer: Buffer, completer: Completer) -> None:
    """Take the only completion there is, at once; offer them when there are more."""
    if buffer.complete_state:
        buffer.complete_next()
        return
    asked = CompleteEvent(completion_requested=True)
    found = list(islice(completer.get_completions(buffer.document, asked), 2))
    if len(found) == 1:
        buffer.apply_completion(found[0])
    elif found:
        buffer.start_completion(insert_common_part=True)
