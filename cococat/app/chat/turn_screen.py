"""What a chat shows and hears while a turn runs."""

from __future__ import annotations

import contextlib
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator
from typing import Literal

from cococat.core.messages import User
from cococat.safety.terminal import safe
from cococat.ui.lines.columns import one_line
from cococat.ui.lines.theme import Theme, theme_of, write_now
from cococat.ui.prompt.input import InputLine, Leave, clean
from cococat.ui.prompt.turn_keys import KeyWatch
from cococat.ui.screen.draft import LineDraft
from cococat.ui.screen.input_row import InputRow, input_row
from cococat.ui.screen.live import LiveScreen
from cococat.ui.screen.modes import ask_terminal, is_terminal, mark
from cococat.ui.steps.sink import Sink

PROMPT = "> "
QUIET = ("resume", "sessions")  # commands that often leave nothing on the screen
LEAVING = "leaving when this turn has ended"


class TurnScreen:
    """
    The screen and the keys of a chat.

    Args:
        queue: what was entered and not dealt with yet; lines that are completed while a turn runs join it.
        answered: answers at once a line that only wants to be shown something; says whether it was one.
        cycle: Shift-Tab.
        toolbar: gives the line below all that is typed, for what stands in the draft.
    """

    def __init__(
        self,
        sink: Sink,
        queue: deque[InputLine | User | Leave],
        answered: Callable[[InputLine], bool] = lambda _: False,
        cycle: Callable[[], object] = lambda: None,
        toolbar: Callable[[str], str] = lambda _: "",
    ) -> None:
        self._sink, self._queue = sink, queue
        self._answered, self._cycle, self._toolbar = answered, cycle, toolbar
        self._watch: KeyWatch | None = None
        self._rest: list[InputLine] = []  # what was not completed, and what stands behind that
        self._questioned = False  # a question stands on the screen
        self._asked = False
        self._background: Theme | None = None  # of the terminal, where it told
        self._marks = False
        self._said: object = None  # the last of the queue that was told where nothing can be redrawn

    @contextlib.contextmanager
    def listening(self, stop: Callable[[], object], ahead: str = "") -> Iterator[None]:
        """Watch the keys for as long as a turn runs, those of *ahead* first; Esc calls *stop*."""
        try:
            watch = KeyWatch(
                stop,
                self.fold,
                self._enter,
                draft=self.take_rest(),
                on_change=self._typed,
                on_up=self._take_back,
                on_cycle=self._cycle,
            )
            watch.behind, self._rest = self._rest, []
            with watch as self._watch:
                watch.feed(ahead)
                if isinstance(self._sink, LiveScreen):
                    self._sink.begin(self._input_row if is_terminal(0) else None)
                yield
        finally:
            if self._watch:
                self._rest = [line for line in (self._watch.take_rest(), *self._watch.behind) if line.text]
            self._watch = None

    @contextlib.contextmanager
    def undisturbed(self) -> Iterator[None]:
        """Redraw nothing and read no other keys while a user is asked."""
        if self._watch:
            self._watch.take_waiting()
        with self._sink.apart(), self._watch.paused() if self._watch else contextlib.nullcontext():
            yield

    @contextlib.contextmanager
    def asking(self) -> Iterator[KeyWatch]:
        """Redraw nothing while a user is asked for consent; the keys go on to be heard, and the call follows at once."""
        with (
            self._sink.apart("above" if self._watch else "both"),
            KeyWatch() if self._watch is None else contextlib.nullcontext(self._watch) as keys,
        ):
            self._questioned = True
            try:
                yield keys
            finally:
                self._questioned = False
        waiting = list(self._queue)
        self._queue.clear()
        for entered in waiting:  # by now it can be shown
            self._enter(entered)

    def take_rest(self) -> InputLine:
        """Return the line that was not completed when the turn ended, and forget it; others may stand behind it."""
        return self._rest.pop(0) if self._rest else InputLine("")

    def keep(self, draft: InputLine) -> None:
        """Let the next prompt or turn begin with *draft*."""
        if draft.text:
            (self._watch.behind if self._watch else self._rest).insert(0, draft)

    def ask_terminal(self, theme: str, draft: InputLine) -> InputLine:
        """Ask the terminal once what *theme* leaves open; return *draft* with what was typed meanwhile."""
        if self._asked or not isinstance(self._sink, LiveScreen):
            return draft
        self._asked = True
        told = ask_terminal(0, os.environ)
        self._background, self._marks = told.background, told.answers
        self.paint(theme)
        self._sink.use_terminal(frames=told.frames, links=told.answers)
        return InputLine(draft.text + clean(told.typed.decode("utf-8", "replace")), draft.pasted)

    def mark(self, part: Literal["A", "C", "D"]) -> None:
        """Mark a part of the conversation where the terminal is one that answers; see `modes.mark`."""
        if self._marks:
            mark(sys.stdout, part)

    def paint(self, theme: str) -> Theme:
        """Show what follows in the colours of *theme*, as the setting names it; return which one that came to."""
        if isinstance(self._sink, LiveScreen):
            self._sink.theme = theme_of(theme, self._background)
        return self.theme()

    def theme(self) -> Theme:
        """Return the colours of this moment."""
        return self._sink.theme if isinstance(self._sink, LiveScreen) else "plain"

    @contextlib.contextmanager
    def below_prompt(self, command: str, *, leads: bool = False) -> Iterator[None]:
        """Leave air around what *command* writes below the line that it was entered in; see `SlashCommand`."""
        airy = isinstance(self._sink, LiveScreen) and not leads
        if airy:
            self.say("")
        yield
        if airy and command not in QUIET:
            self.say("")

    def say(self, text: str) -> None:
        """Print lines of ours between or above what the sink prints."""
        if isinstance(self._sink, LiveScreen):
            self._sink.say(text)
            return
        with self._sink.suspended():
            write_now(sys.stderr, f"{safe(text)}\n")

    def echo(self, text: str) -> None:
        """Show once more what was entered before, where it begins to run or is heard."""
        if isinstance(self._sink, LiveScreen):
            with self._sink.apart() if self._watch else contextlib.nullcontext():
                self._sink.say(text, PROMPT)
        else:
            self.say(f"{PROMPT}{text}")

    def fold(self) -> None:
        """Ctrl-O: show the last turn in full, and so those to come; or in short again."""
        if isinstance(self._sink, LiveScreen):
            self._sink.unfold()
            self.say(f"steps are shown in {'full; Ctrl-O folds them' if self._sink.verbose else 'short'}")
            if self._watch is None:  # the prompt follows
                self.say("")

    def give_back(self) -> None:
        """The turn was stopped: what was queued behind it is drafts again, one at a time."""
        self._rest = [*(entered for entered in self._queue if isinstance(entered, InputLine)), *self._rest]
        others = [entered for entered in self._queue if isinstance(entered, User)]
        self._queue.clear()
        self._queue.extend(others)
        if behind := self._rest[1:]:
            self.say(f"given back, one at a time; next: {' · '.join(one_line(line.text) for line in behind)}")

    def _enter(self, entered: InputLine | User | Leave) -> None:
        if self._questioned or not isinstance(entered, InputLine) or not self._answered(entered):
            self._queue.append(entered)

    def _take_back(self) -> InputLine | None:
        """Take the line that was queued last out of the queue."""
        at = next((at for at in reversed(range(len(self._queue))) if isinstance(self._queue[at], InputLine)), None)
        if at is None:
            return None
        line = self._queue[at]
        del self._queue[at]
        return line if isinstance(line, InputLine) else None

    def _typed(self) -> None:
        if isinstance(self._sink, LiveScreen):
            self._sink.redraw()
        elif self._queue and self._queue[-1] is not self._said:
            self._said = self._queue[-1]
            self.say(f"queued: {self._said.text}" if isinstance(self._said, InputLine) else LEAVING)

    def _input_row(self, width: int) -> InputRow:
        draft, behind = (self._watch.draft, self._watch.behind) if self._watch else (LineDraft(), [])
        return input_row(draft, map(_words, self._queue), width, map(_words, behind), f" {self._toolbar(draft.text)}")


def _words(entered: InputLine | User | Leave) -> str:
    return LEAVING if isinstance(entered, Leave) else entered.text
