"""Generated answers on a screen that is resized: every word is in the scrollback once, and nothing there changes."""

from __future__ import annotations

import random
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import pyte

from cococat.core.events import ReasoningDelta, StepStarted, TextDelta, ToolCompleted, ToolPending, TurnFinished
from cococat.core.limits import Stop, StopReason, Usage
from cococat.ui.screen.live import LiveScreen
from cococat.ui.steps.steps import Display
from tests.ui.terminal import Clock, Terminal

SCRIPTS = (
    "word",
    "日本語",
    "שלום",
    "مرحبا",
    "नमस्ते",
    "e\u0301",
    "👨\u200d👩\u200d👧",
    "🇫🇷🇯🇵",
    "❤\ufe0f",
    "全角",
    "Ω≈ç√",
)
BLOCKS = ("prose", "prose", "list", "quote", "code", "table", "heading", "long line")
LINES = 10_000  # of the one document in fifty that is that long
JOINERS = re.compile(
    "([\u200d\ufe0e\ufe0f\u093e-\u094d])"
)  # of no width, and no marks to pyte, which drops what follows them


class JoiningScreen(pyte.HistoryScreen):
    """A screen on which what joins two characters belongs to the first of them, as terminals have it."""

    @property
    def display(self) -> list[str]:
        """The rows; pyte's own fails where half of a wide character was written over."""
        return ["".join(self.buffer[y][x].data for x in range(self.columns)) for y in range(self.lines)]

    def draw(self, data: str) -> None:
        for part in JOINERS.split(data):
            if JOINERS.fullmatch(part):
                at = max(0, self.cursor.x - 1)
                while at and not self.buffer[self.cursor.y][at].data:
                    at -= 1
                cell = self.buffer[self.cursor.y][at]
                self.buffer[self.cursor.y][at] = cell._replace(data=cell.data + part)
            elif part:
                super().draw(part)


class Watched(Terminal):
    """A terminal that knows which of its rows were final."""

    def __init__(self, columns: int, rows: int) -> None:
        super().__init__(columns, rows)
        self.screen = JoiningScreen(columns, rows, history=100_000, ratio=0.5)
        self._stream = pyte.Stream(self.screen)
        self._final: dict[int, str] = {}

    def changed(self) -> int:
        """Return how many rows are others than they were when they were final: above the cursor, as nothing is typed."""
        above = len(self.screen.history.top)
        shown = self.screen.display
        changed = sum(row - above >= 0 and shown[row - above] != text for row, text in self._final.items())
        self._final = {above + at: shown[at] for at in range(self.screen.cursor.y)}
        return changed


@dataclass(slots=True)
class Shown:
    """What the documents came to; *missing*, *doubled* and *rewritten* are there to be 0."""

    documents: int = 0
    characters: int = 0
    words: int = 0
    resizes: int = 0
    missing: int = 0
    doubled: int = 0
    rewritten: int = 0
    seeds: list[int] = field(default_factory=list)

    @property
    def good(self) -> bool:
        """Everything is there once, nothing was rewritten, and there was something to show."""
        return not self.seeds and self.words > 0

    def report(self) -> str:
        """The numbers in a line."""
        wrong = f"; seeds {self.seeds[:20]}" if self.seeds else ""
        return (
            f"{self.documents} documents, {self.words:,} words, {self.characters:,} characters, {self.resizes:,} resizes: "
            f"{self.missing} words missing, {self.doubled} twice, {self.rewritten} rows above the live ones rewritten{wrong}"
        )


def show(seeds: Iterable[int]) -> Shown:
    """Stream the document of each seed to a screen of its own."""
    tally = Shown()
    for seed in seeds:
        _show_one(seed, tally)
    return tally


def _show_one(seed: int, tally: Shown) -> None:
    chance = random.Random(seed)
    columns, rows = chance.choice([40, 61, 80, 120]), chance.choice([8, 12, 24, 40])
    words: list[str] = []
    resized = seed % 3 > 0
    source = _long(words) if seed % 50 == 0 else _document(chance, words, long_lines=not resized)
    terminal, clock = Watched(columns, rows), Clock()
    told = [columns]
    display = Display(hold=chance.random() < 0.5, air=True, wrap=chance.random() < 0.7)
    screen = LiveScreen(
        terminal, terminal, display, clock=clock, size=lambda: (told[0], rows), env={"TERM": "xterm", "LANG": "C.UTF-8"}
    )
    rewritten = 0
    for event in _events(source, chance):
        # the real one stays as it is: what it shows is wider or narrower than was told
        if resized and chance.random() < 0.02:
            told[0] = chance.choice([columns, columns, columns - 7, columns + 10])
            tally.resizes += 1
        clock.now += 0.1
        screen.emit(event)
        rewritten += terminal.changed()
    screen.close()
    rewritten += terminal.changed()
    # a script without blanks may go on in the next row of a quotation, behind its sign
    rows = (row.lstrip().removeprefix("> ") for row in terminal.shown())
    found = Counter(re.findall(r"⟦\d+[^⟧]*⟧", unicodedata.normalize("NFC", "".join("".join(rows).split()))))
    missing, doubled = len(set(words) - set(found)), sum(found[word] > 1 for word in set(words))
    tally.documents, tally.words, tally.characters = (
        tally.documents + 1,
        tally.words + len(words),
        tally.characters + len(source),
    )
    tally.missing, tally.doubled, tally.rewritten = (
        tally.missing + missing,
        tally.doubled + doubled,
        tally.rewritten + rewritten,
    )
    if missing or doubled or rewritten:
        tally.seeds.append(seed)


def _events(source: str, chance: random.Random) -> Iterator[object]:
    yield StepStarted(1)
    yield ReasoningDelta("thinking " * chance.randrange(60))
    yield ToolPending("a", "list_dir", "{}")
    yield ToolCompleted("a", "list_dir", "x\ny", "2 entries")
    yield StepStarted(2)
    size, at = chance.choice([9, 40, 150]) if len(source) < 50_000 else 2000, 0
    while at < len(source):
        step = chance.randint(1, 2 * size)
        yield TextDelta(source[at : at + step])
        at += step
    yield TurnFinished(source, Stop(StopReason.ANSWERED), 2, Usage(1, 1), 1.0)


def _long(words: list[str]) -> str:
    return "".join(f"{_word(words, 'line')}\n" for _ in range(LINES))


def _word(words: list[str], script: str) -> str:
    words.append(unicodedata.normalize("NFC", f"⟦{len(words)}{script}⟧"))  # as the screen keeps it
    return words[-1]


def _document(chance: random.Random, words: list[str], *, long_lines: bool) -> str:
    """Some blocks; no line is printed in parts on a screen that is resized, as pyte does not wrap it anew."""

    def some(least: int, most: int) -> list[str]:
        return [_word(words, chance.choice(SCRIPTS)) for _ in range(chance.randint(least, most))]

    def marked(word: str) -> str:
        return chance.choice(["{}", "{}", "{}", "**{}**", "*{}*", "`{}`", "~~{}~~"]).format(word)

    blocks: list[str] = []
    for _ in range(chance.randint(3, 14)):
        match chance.choice(BLOCKS):
            case "prose":
                blocks.append(" ".join(map(marked, some(1, 60))))
            case "list":
                blocks.append("\n".join(f"{chance.choice(['-', '1.', '  *'])} {' '.join(some(1, 15))}" for _ in "abc"))
            case "quote":
                blocks.append("\n".join(f"> {' '.join(map(marked, some(1, 20)))}" for _ in "ab"))
            case "code":
                rows = "\n".join(f"x = {' '.join(some(1, 12))}" for _ in "abcd")
                blocks.append(f"```{chance.choice(['python', '', 'nosuch'])}\n{rows}\n```")
            case "table":
                size = chance.randint(1, 6)
                head = "|".join(["column"] * size)
                rows = "\n".join(
                    f"|{'|'.join(_word(words, '') for _ in range(size))}|" for _ in range(chance.choice([2, 9, 70]))
                )
                blocks.append(f"|{head}|\n|{'---|' * size}\n{rows}")
            case "heading":
                blocks.append(f"{'#' * chance.randint(1, 4)} {' '.join(some(1, 9))}")
            case _:
                blocks.append("".join(f"{word} " for word in some(*((400, 900) if long_lines else (90, 180)))))
    return "\n\n".join(blocks)
