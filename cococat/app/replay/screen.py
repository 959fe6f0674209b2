"""What a replay shows beside the events: the user's words, questions with their answers, the keys."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator

from cococat.config import Options
from cococat.core.events import Event, MessageAdded, Notice, UserAsked
from cococat.core.messages import User
from cococat.safety.terminal import safe
from cococat.ui.input import shortened
from cococat.ui.sink import Sink
from cococat.ui.theme import STYLES, Theme, ansi, colour

__all__ = ["Screen"]

PROMPT = "> "
HINT = "Space: the next step · c: go on · Ctrl-O: in full · q: leave"
SAVE, RESTORE = "\x1b7", "\x1b8\x1b[J"  # the cursor; what was written behind it is cleared


class Screen:
    """
    A sink, and what a terminal shows beside it: the user's words, and questions with their answers.

    Attributes:
        each: every turn has its own result; otherwise the last one has.
    """

    def __init__(self, sink: Sink, options: Options) -> None:
        self.sink = sink
        self.each = options.output_format == "stream-json"
        self._options = options
        self._theme: Theme = getattr(sink, "theme", "plain")
        self._hinted = self._standing = False

    def emit(self, event: Event) -> None:
        """Show *event*."""
        match event:
            case MessageAdded(User(synthetic=False) as user) if not (self.each or self._options.quiet):
                self._say(self._entered(user))
            case UserAsked() if not self.each:
                with self.sink.apart("both" if event.action is None else "above"):
                    sys.stderr.write(_asked(event, in_full=self._options.verbose))
                    sys.stderr.flush()
            case MessageAdded() | UserAsked():
                pass
            case _:
                self.sink.emit(event)

    @contextlib.contextmanager
    def hint(self) -> Iterator[None]:
        """Name the keys for as long as one of them is waited for."""
        if not self.sink.redraws:
            if not self._hinted:
                self._say(f"{HINT}\n")
            self._hinted = True
            yield
            return
        with self.sink.suspended(), self._named():
            yield

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        self._standing = True
        _show_hint()
        try:
            yield
        finally:
            self._standing = False
            _show(RESTORE)

    def fold(self) -> None:
        """Ctrl-O: show the turn so far in full, and so what comes; or in short again."""
        if self.sink.redraws:
            from cococat.ui.live import LiveScreen

            if isinstance(self.sink, LiveScreen):
                if self._standing:
                    _show(RESTORE)
                self.sink.unfold()
                if self._standing:
                    _show_hint()

    def leave(self) -> None:
        """End the line that was being written."""
        if self._options.output_format == "text":
            with contextlib.suppress(OSError):
                self.sink.emit(Notice("the replay was left"))

    def _entered(self, user: User) -> str:
        """The user's words as the prompt leaves them on the screen."""
        text = safe(shortened(user.text, user.pasted))
        files = [f"+ {safe(a.name, 'exact')}: {len(a.text):,} characters\n" for a in user.attachments]
        below = "".join(files) if self._options.verbose else ""
        if not self.sink.redraws:
            return f"{PROMPT}{text}\n{below}"
        from rich.text import Text

        from cococat.ui.region import rows_of

        room = max(1, _columns() - len(PROMPT))
        rows = [row.plain for line in text.split("\n") for row in rows_of(Text(line), room)]
        coloured = colour(self._options.color, sys.stderr, os.environ)
        prompt = ansi(Text(PROMPT, STYLES["prompt"]), coloured=coloured and self._theme != "plain", theme=self._theme)
        return prompt + f"\n{' ' * len(PROMPT)}".join(rows) + f"\n{below}"

    def _say(self, text: str) -> None:
        with self.sink.suspended():
            sys.stderr.write(text)
            sys.stderr.flush()


def _show_hint() -> None:
    _show(f"{SAVE}{HINT[: _columns() - 1]}")


def _show(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _asked(event: UserAsked, *, in_full: bool) -> str:
    """A question that was put to the user, as its answer left it; *in_full* with the action that it was about."""
    from cococat.ui.confirm import consent_text, decided, question_text

    answer, width = safe(event.answer), _columns()
    if event.action is None:
        return f"{question_text(event.question, event.choices, width)}> {answer}\n"
    row = decided(event.question, answer, width, coloured=False)
    return f"{consent_text(event.question, event.action, width) if in_full else ''}{row}\n"


def _columns() -> int:
    return shutil.get_terminal_size().columns
