"""What a screen of the chat says.

Public: after, asked, ready, says_somewhere, screen_rows.
"""

from __future__ import annotations

from typing import Any


def asked(text: str) -> bool:
    """A question of consent stands on the screen and has no answer behind it yet."""
    return any("[n]o" in row and "[y]es once" in row for row in text.splitlines())


def ready(text: str) -> bool:
    """The prompt waits for a line: a row holds nothing but `>`."""
    return any(row.rstrip() == ">" for row in text.splitlines())


def says_somewhere(text: str, words: str) -> bool:
    """The screen says *words*, wherever its lines happen to break: a path above them may be of any length."""
    return "".join(words.split()) in "".join(text.split())


def screen_rows(screen: Any) -> list[str]:
    """The rows of a pyte screen, right-stripped: what its `display` gives, without asking how wide each blank is."""
    buffer = screen.buffer
    return [_row(buffer[number]) if number in buffer else "" for number in range(screen.lines)]


def _row(cells: dict[int, Any]) -> str:
    # the second column of a wide character holds no text
    return "".join(cells[at].data if at in cells else " " for at in range(max(cells, default=-1) + 1)).rstrip()


def after(terminal: Any, typed: str, words: str) -> Any:
    """Enter a line, and wait until *words* are there and the prompt is back."""
    terminal.press(f"{typed}\r")

    def done(text: str) -> bool:
        _, found, behind = text.rpartition(f"> {typed}\n")
        return bool(found) and words in behind and ready(behind)

    return terminal.until(done)
