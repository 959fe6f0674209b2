"""A terminal for tests: a text stream that says it is one, and remembers every byte and the screen."""

import re

import pyte

from tests.screens import screen_rows
from tests.ui.reflow import ReflowScreen

ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[@-_])")


class Terminal:
    """What a program wrote, and what a terminal of *columns* x *rows* shows of it."""

    encoding = "utf-8"

    def __init__(self, columns: int = 80, rows: int = 24) -> None:
        self.written: list[str] = []
        self.columns, self.rows = columns, rows
        self.screen = pyte.HistoryScreen(columns, rows, history=100_000, ratio=0.5)
        self._stream = pyte.Stream(self.screen)

    def isatty(self) -> bool:
        return True

    def size(self) -> tuple[int, int]:
        return self.columns, self.rows

    def write(self, text: str) -> int:
        self.written.append(text)
        self._stream.feed(text.replace("\r\n", "\n").replace("\n", "\r\n"))  # as the line discipline does
        return len(text)

    def flush(self) -> None:
        """Everything is written at once."""

    @property
    def raw(self) -> str:
        return "".join(self.written)

    def shown(self) -> list[str]:
        """Every line from the oldest of the scrollback to the last on the screen, right-trimmed."""
        above = ["".join(line[x].data for x in range(self.columns)) for line in self.screen.history.top]
        lines = [*(line.rstrip() for line in above), *screen_rows(self.screen)]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def scrolled(self) -> list[str]:
        """What has left the screen for good."""
        return ["".join(line[x].data for x in range(self.columns)).rstrip() for line in self.screen.history.top]


class ReflowTerminal(Terminal):
    """The same, whose rows are broken anew when it changes its width."""

    def __init__(self, columns: int = 80, rows: int = 24) -> None:
        super().__init__(columns, rows)
        self.screen = ReflowScreen(columns, rows, history=100_000, ratio=0.5)
        self._stream = pyte.Stream(self.screen)

    def reflow(self, columns: int) -> None:
        self.screen.reflow(columns)
        self.columns = columns


class Paper:
    """A terminal that shows nothing and only remembers: for floods."""

    def __init__(self) -> None:
        self.written: list[str] = []

    def isatty(self) -> bool:
        return True

    def size(self) -> tuple[int, int]:
        return 80, 24

    def write(self, text: str) -> int:
        self.written.append(text)
        return len(text)

    def flush(self) -> None:
        """Everything is written at once."""

    @property
    def raw(self) -> str:
        return "".join(self.written)


class Clock:
    """Seconds that pass only when they are told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now
