"""Choosing from a list below what was printed: letters filter it, arrows move, Enter chooses, Esc leaves.

Imports prompt_toolkit, so it is itself imported late.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Size
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import BufferControl, FormattedTextControl, HSplit, Layout, VSplit, Window
from prompt_toolkit.styles import BaseStyle

from cococat.ui.lines.columns import cells, cut, one_line
from cococat.ui.lines.theme import marks
from cococat.ui.prompt.input import clean
from cococat.ui.prompt.keys import HALF_S
from cococat.ui.prompt.pick import Choice, detail, matcher, row
from cococat.ui.prompt.prompt_input import prompt_input

AROUND = 3  # rows beside the list: what is typed, the keys, and one that stays
ABOUT, ROOMY = 2, 10  # rows of the marked choice, on a screen of so many rows and more
MARK = "> "


class Picker:
    """
    A list from which one row is taken.

    Args:
        heading: what Enter does: "resume".
        choices: in the order in which they stand while nothing is typed.
        typed: what filters the list at first.
    """

    def __init__(self, heading: str, choices: Sequence[Choice], style: BaseStyle, typed: str = "") -> None:
        self._heading, self._all = heading, choices
        self._match = matcher(choices)
        self._found = self._match(typed)
        self._at = 0
        self._typed = Buffer(multiline=False, document=Document(typed), on_text_changed=lambda _: self._filter())
        self._app: Application[str | None] = Application(
            layout=self._layout(), key_bindings=self._keys(), style=style, erase_when_done=True, input=prompt_input()
        )
        self._app.ttimeoutlen = self._app.timeoutlen = HALF_S
        self._app.renderer.cpr_not_supported_callback = None

    async def choose(self) -> str | None:
        """Return the id of what was chosen; None when the user left, or the terminal is gone."""
        try:
            return await self._app.run_async(set_exception_handler=False)
        except EOFError:
            return None

    def _layout(self) -> Layout:
        typed = VSplit([
            Window(FormattedTextControl(lambda: [("class:prompt", f"{self._heading}: ")]), dont_extend_width=True),
            Window(BufferControl(self._typed), height=1),
        ])  # fmt: skip
        rows = Window(FormattedTextControl(self._rows), height=lambda: min(self._room(), max(1, len(self._all))))
        return Layout(
            HSplit([typed, rows, Window(FormattedTextControl(self._below), height=lambda: 1 + self._about())]),
            self._typed,
        )

    def _rows(self) -> StyleAndTextTuples:
        """The part of the list that holds the marked row."""
        room, width = self._room(), self._size().columns - len(MARK)
        first = max(0, min(self._at - room // 2, len(self._found) - room))
        shown: StyleAndTextTuples = []
        for at, choice in enumerate(self._found[first : first + room], first):
            style, mark = ("class:chosen", MARK) if at == self._at else ("", " " * len(MARK))
            shown.append((style, f"{mark}{row(choice, width)}".translate(marks(os.environ))))
            shown.append(("", "\n"))
        return shown[:-1] or [("class:dim", "  nothing like that")]

    def _below(self) -> StyleAndTextTuples:
        """More of the marked row, and the keys."""
        ours = marks(os.environ)
        width = self._size().columns - len(MARK)
        about = detail(self._found[self._at], width) if self._found else ("", "")
        keys = f"{len(self._found):,} of {len(self._all):,}"
        for key in (f"Enter {one_line(self._heading)}s", "Esc leaves", "letters filter"):
            keys = f"{keys} · {key}" if cells(keys) + 3 + cells(key) <= width else keys
        return [
            ("", "".join(f"  {row}\n" for row in about[: self._about()]).translate(ours)),
            ("class:dim", f"  {cut(keys, width).translate(ours)}"),
        ]

    def _filter(self) -> None:
        self._found, self._at = self._match(self._typed.text), 0

    def _room(self) -> int:
        return max(1, self._size().rows - AROUND - self._about())

    def _about(self) -> int:
        return ABOUT if self._size().rows >= ROOMY else 0

    def _size(self) -> Size:
        return self._app.output.get_size()

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        for names, by in ((("up", "c-p", "s-tab"), -1), (("down", "c-n", "tab"), 1)):
            for name in names:
                keys.add(name)(lambda _, by=by: self._move(by))
        keys.add("pageup")(lambda _: self._move(-self._room()))
        keys.add("pagedown")(lambda _: self._move(self._room()))

        @keys.add("enter")
        def _take(event: KeyPressEvent) -> None:
            if self._found:
                event.app.exit(result=self._found[self._at].id)

        @keys.add("escape")
        @keys.add("c-c")
        @keys.add("c-d")
        @keys.add("<sigint>")
        def _leave(event: KeyPressEvent) -> None:
            event.app.exit(result=None)

        @keys.add(Keys.BracketedPaste)
        def _paste(event: KeyPressEvent) -> None:
            self._typed.insert_text(" ".join(clean(event.data).split()))

        return keys

    def _move(self, by: int) -> None:
        self._at = max(0, min(self._at + by, len(self._found) - 1))
