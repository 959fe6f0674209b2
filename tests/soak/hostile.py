"""Hostile strings in every place where foreign text is shown, each split in two at every character."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import StringIO

from cococat.core.events import (
    ContextCompacted,
    DreamFinished,
    Event,
    Notice,
    ReasoningDelta,
    Retrying,
    SessionStarted,
    StepStarted,
    TextDelta,
    ToolCompleted,
    ToolFailed,
    ToolOutput,
    ToolPending,
    ToolRunning,
    TurnFinished,
)
from cococat.core.limits import Problem, Stop, StopReason, Usage
from cococat.ui.prompt.question import consent_keys, consent_text, question_text
from cococat.ui.screen.draft import LineDraft
from cococat.ui.screen.input_row import input_row
from cococat.ui.screen.live import LiveScreen
from cococat.ui.screen.modes import set_title
from cococat.ui.steps.plain import Plain
from cococat.ui.steps.steps import Display
from tests.ui.terminal import Clock, Paper

PIECES = (
    "\x1b", "\x1b[", "\x1b]", "\x1bP", "\x1b_", "\x1b^", "\x1bX", "\x1b\\", "\x9b", "\x9d", "\x90", "\x9c", "\x07", "\x08",
    "\r", "\r\n", "\n", "\t", "\x0e", "\x0f", "\x18", "\x1a", "\x7f", "\x85", "\u2028", "\u202e", "\u2066", "\u200b",
    "\u200d", "\ufe0f", "\u20e3", "\xad", "\ufeff", "\U000e0041", "\U000e0100", "\ue000", "\ud800", "0;t", "52;c;eA==",
    "8;;http://x", "2J", "?1049h", "31m", "6n", "21t", "777;notify;a;b", "a", "1", "#", "❤", "👨", "日", " ", "**", "`",
    "```\n", "[x](", "|", "|-|\n", "> ", "- ", "&#27;", "&#x202e;", "<b>", "[/INST]", "[red]", "\\", "$", "{", '"',
)  # fmt: skip
OURS = re.compile(
    r"\x1b\[(?:[0-9;]*m|[0-9]*[ABCK]|J|\?(?:7|25)[hl]|\?2026[hl]|22;2t|23;2t)"  # colours, the live rows, the title kept
    r"|\x1b[78D]"  # back to where the live rows begin, and room for them
    r"|\x1b\]2;[^\x00-\x1f\x7f-\x9f]*\x07"  # the title itself
)
FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ue000-\uf8ff\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)
LOCALES = ({"TERM": "xterm", "LANG": "C.UTF-8"}, {"TERM": "xterm", "LC_ALL": "C"})


@dataclass(slots=True)
class Attacked:
    """What the strings came to; *forbidden* is there to be 0."""

    strings: int = 0
    splits: int = 0
    places: int = 0
    written: int = 0
    forbidden: int = 0
    found: list[str] = field(default_factory=list)

    @property
    def good(self) -> bool:
        """Nothing forbidden was written, and something was."""
        return not self.forbidden and self.written > 0

    def report(self) -> str:
        """The numbers in a line."""
        found = "".join(f"\n  {one}" for one in self.found[:10])
        return (
            f"{self.strings:,} hostile strings x {self.places} places, split in two in {self.splits:,} ways: "
            f"{self.forbidden} forbidden bytes in {self.written:,}{found}"
        )


def attack(number: int, seed: int) -> Attacked:
    """Show so many strings."""
    chance, tally = random.Random(seed), Attacked()
    for at in range(number):
        text = "".join(chance.choice(PIECES) for _ in range(chance.randint(1, 8)))
        tally.strings += 1
        for cut in range(1, max(2, len(text))):
            tally.splits += 1
            shown = dict(_places(text[:cut], text[cut:], LOCALES[at % 2], verbose=bool(at % 3)))
            tally.places = len(shown) - 2 + 2 * len(_events(text, text))  # each event on a terminal and off it
            for place, written in shown.items():
                _look(place, text, cut, written, tally)
    return tally


def _look(place: str, text: str, cut: int, written: str, tally: Attacked) -> None:
    left = OURS.sub("", written)
    bad = FORBIDDEN.findall(left) + ([] if place == "live" else re.findall("\r", left))  # the live rows begin with it
    tally.written += len(written)
    if bad:
        tally.forbidden += len(bad)
        tally.found.append(f"{place}: {bad[:3]!r} of {text[:cut]!r} + {text[cut:]!r}")


def _places(one: str, two: str, env: dict[str, str], *, verbose: bool) -> Iterator[tuple[str, str]]:
    """What is written in each place, by its name."""
    text = one + two
    terminal, clock = Paper(), Clock()
    screen = LiveScreen(
        terminal, terminal, Display(verbose=verbose, air=True, wrap=True), clock=clock, size=terminal.size, env=env
    )
    for event in _events(one, two):
        clock.now += 0.3
        screen.emit(event)
    screen.say(text)
    screen.unfold()
    screen.close()
    yield "live", terminal.raw
    out, err = Paper(), StringIO()
    plain = Plain(out, err, verbose=verbose)
    for event in _events(one, two):
        plain.emit(event)
    yield "plain", out.raw + err.getvalue()
    for width in (30, 80):
        yield f"consent {width}", consent_text(text, text, width, max_rows=5)
        yield f"rule {width}", consent_keys(("yes", "session", "always", "no", text or "x"), width)
        yield f"question {width}", question_text(text, (one, two), width)
    row = input_row(LineDraft(text, len(one)), (one, text), 40)
    yield "input row", "\n".join(part.plain for part in row.rows)
    title = Paper()
    set_title(title, text)
    yield "title", title.raw


def _events(one: str, two: str) -> list[Event]:
    return [event for make in _EVENTS for event in make(one, two)]


def _finished(text: str) -> TurnFinished:
    stop = Stop(StopReason.MODEL_ERROR, text, Problem("x", text, text))
    return TurnFinished(text, stop, 1, Usage(1, 1), 1.0)


_EVENTS = (
    lambda a, b: (SessionStarted(a + b, a + b, a + b, "react"), StepStarted(1)),
    lambda a, b: (ReasoningDelta(a), ReasoningDelta(b)),
    lambda a, b: (TextDelta(a), TextDelta(b)),
    lambda a, b: (ToolPending("a", a + b, a + b), ToolPending("b", "run_shell", f'{{"command": "{a}{b}"}}')),
    lambda a, b: (ToolRunning("a", a + b), ToolRunning("b", "run_shell")),
    lambda a, b: (ToolOutput("a", a), ToolOutput("a", b)),
    lambda a, b: (ToolCompleted("a", a + b, f"{a}{b}\n--- x\n+++ y\n@@ -1 +1 @@\n-{a}\n+{b}", a + b),),
    lambda a, b: (ToolFailed("b", "run_shell", f"[TOOL_ERROR] {a}{b} Output:\n{a}\n{b}"),),
    lambda a, b: (Notice(a + b, "warning"), Retrying(1, 1.0, a + b), ContextCompacted(2, 1, a + b)),
    lambda a, b: (DreamFinished("changed", a + b, f"-{a}\n+{b}", (("+", a, b),)),),
    lambda a, b: (StepStarted(2), TextDelta(f"# {a}"), TextDelta(f"{b}\n\n|{a}|{b}|\n|-|-|\n|{b}|{a}|\n")),
    lambda a, b: (_finished(a + b),),
)
