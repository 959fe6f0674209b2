"""The keys of a terminal as prompt_toolkit takes them.

Imports prompt_toolkit, so it is itself imported late.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator

from prompt_toolkit.input import Input
from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys

from cococat.ui.keys import Key, KeyReader, Paste

__all__ = ["prompt_input"]

_CURSOR = re.compile(r"\x1b\[\d+;\d+R")  # where it stands
_ALT = re.compile(r"\x1b([^\[O\]PX^_])", re.DOTALL)


if sys.platform == "win32":

    def prompt_input() -> Input | None:
        """Let prompt_toolkit choose."""
        return None

else:
    from prompt_toolkit.input.vt100 import Vt100Input

    class _TerminalInput(Vt100Input):  # prompt_toolkit takes nothing but subclasses
        """Standard input, read with the grammar of `cococat.ui.keys`."""

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
            yield from (KeyPress(one, "") for one in rest)
        elif len(key) == 1:
            yield KeyPress(key, key)
        elif alt := _ALT.fullmatch(key):
            yield KeyPress(Keys.Escape, "\x1b")
            yield from _presses(alt[1])
