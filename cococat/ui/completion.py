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

from cococat.ui.attach import MENTION_TYPED, complete_path, list_files
from cococat.ui.slash import Command, find, matching

__all__ = ["InputCompleter", "complete"]


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
                title = f"/{command.name} {command.usage}".rstrip()
                yield Completion(f"/{command.name}", -len(before), title, command.help)
        elif found := re.fullmatch(r"/(\S+)\s+(\S*)", before):
            named = find(self._commands, found[1])
            for value in named.values() if isinstance(named, Command) else ():
                if value.startswith(found[2]):
                    yield Completion(value, -len(found[2]))

    def _paths(self, typed: str, *, quoted: bool) -> Iterable[Completion]:
        if typed and self._known is None:
            self._known = list_files(self._root)
        for path in complete_path(typed, self._root, self._known or ()):
            opening = '"' if " " in path and not quoted else ""
            closing = '"' if (opening or quoted) and not path.endswith("/") else ""
            yield Completion(f"{opening}{path}{closing}", -len(typed), path)


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
