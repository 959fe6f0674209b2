"""What a chat shows and hears while a turn runs."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator

from cococat.safety.terminal import safe
from cococat.ui.input import Leave, Line, clean
from cococat.ui.live import LiveScreen
from cococat.ui.sink import Sink
from cococat.ui.terminal_query import ask_terminal
from cococat.ui.theme import theme_of
from cococat.ui.turn_keys import KeyWatch

__all__ = ["TurnScreen"]


class TurnScreen:
    """
    The screen and the keys of a chat.

    Args:
        queue: takes each line that is completed while a turn runs, and the wish to leave after it.
    """

    def __init__(self, sink: Sink, queue: Callable[[Line | Leave], object]) -> None:
        self._sink, self._queue = sink, queue
        self._watch: KeyWatch | None = None
        self._rest = Line("")
        self._asked = False

    @contextlib.contextmanager
    def listening(self, stop: Callable[[], object], ahead: str = "") -> Iterator[None]:
        """Watch the keys for as long as a turn runs, those of *ahead* first; Esc calls *stop*."""
        try:
            with KeyWatch(stop, self.fold, self._completed, draft=self.take_rest()) as self._watch:
                self._watch.feed(ahead)
                yield
        finally:
            if self._watch:
                self._rest = self._watch.take_rest()
            self._watch = None

    @contextlib.contextmanager
    def undisturbed(self) -> Iterator[None]:
        """Redraw nothing and read no other keys while a user is asked."""
        if self._watch:
            self._watch.take_waiting()
        with self._sink.suspended(), self._watch.paused() if self._watch else contextlib.nullcontext():
            yield

    @contextlib.contextmanager
    def asking(self) -> Iterator[KeyWatch]:
        """Redraw nothing while a user is asked for consent; the keys go on to be heard."""
        with (
            self._sink.suspended(),
            KeyWatch(_nothing, _nothing, _nothing)
            if self._watch is None
            else contextlib.nullcontext(self._watch) as keys,
        ):
            yield keys

    def take_rest(self) -> Line:
        """Return the line that was not completed when the turn ended, and forget it."""
        rest, self._rest = self._rest, Line("")
        return rest

    def keep(self, draft: Line) -> None:
        """Let the next prompt or turn begin with *draft*."""
        self._rest = draft

    def ask_terminal(self, theme: str, draft: Line) -> Line:
        """Ask the terminal once what *theme* leaves open; return *draft* with what was typed meanwhile."""
        if self._asked or not isinstance(self._sink, LiveScreen):
            return draft
        self._asked = True
        told = ask_terminal(0, os.environ)
        self._sink.theme = theme_of(theme, told.background)
        self._sink.show_frames(can=told.frames)
        return Line(draft.text + clean(told.typed.decode("utf-8", "replace")), draft.pasted)

    def say(self, text: str) -> None:
        """Print lines of ours between or above what the sink prints."""
        with self._sink.suspended():
            sys.stderr.write(f"{safe(text)}\n")
            sys.stderr.flush()

    def fold(self) -> None:
        """Ctrl-O: show the last turn in full, and so those to come; or in short again."""
        if isinstance(self._sink, LiveScreen):
            self._sink.unfold()
            self.say(f"steps are shown in {'full; Ctrl-O folds them' if self._sink.verbose else 'short'}")

    def _completed(self, line: Line | Leave) -> None:
        self.say(f"queued: {line.text}" if isinstance(line, Line) else "leaving when this turn has ended")
        self._queue(line)


def _nothing(*_: object) -> None:
    """Hear a key that means nothing outside of a turn."""
