"""Long pastes and what stands for them: on the screen, and in the history of the prompt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import count

from cococat.ui.input import placeholder

__all__ = ["Pastes"]

# around a paste in the file of the history; what is entered never holds either (`cococat.ui.input.clean`)
_BEGIN, _END = "\x02", "\x03"


class Pastes:
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
