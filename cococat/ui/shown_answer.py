"""The answer on a live screen: rendered as it streams, or on its way to a pipe."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text

from cococat.safety.terminal import safe
from cococat.ui.canvas import Canvas
from cococat.ui.display import Display
from cococat.ui.format import Line
from cococat.ui.markdown import render
from cococat.ui.plain import Answer
from cococat.ui.reply import Reply
from cococat.ui.steps import Steps

__all__ = ["ShownAnswer"]

HOLD_CHARS = 600  # a reply that is longer is an answer, whatever follows
HOLD_LINES = 6


class ShownAnswer:
    """
    One reply after the other: each may turn out to be a thought, or the answer.

    Args:
        pipe: takes the answer where it is not rendered; None where it is.
        say: prints lines of ours above the answer.
    """

    def __init__(
        self, canvas: Canvas, steps: Steps, display: Display, pipe: Answer | None, say: Callable[[list[Line]], None]
    ) -> None:
        self._canvas, self._steps, self._display, self._pipe, self._say = canvas, steps, display, pipe, say
        self._reply = Reply(canvas.width, wrap=display.wrap)
        self._answering = False
        self.printed = False  # something of this turn stands above

    def begin(self) -> None:
        """A turn begins."""
        self.printed = False

    def feed(self, raw: str) -> None:
        """Take in the next piece of a reply."""
        if self._pipe:
            self._pipe.add(raw)
            return
        self._reply.feed(raw)
        long = self._steps.view.step.text_chars > HOLD_CHARS or self._reply.lines > HOLD_LINES
        if not self._answering and (long or not self._display.hold):
            self._show()

    def settle(self) -> None:
        """Print what of the answer is final."""
        if self._answering:
            self._canvas.commit(self._reply.final(self._canvas.column))

    def live(self) -> list[Text] | None:
        """Return what of the reply is not final, as it looks now; None where it goes to a pipe."""
        if self._pipe:
            return None
        reply = self._reply.live()
        if self._canvas.open and not reply:  # what comes next stands below the line that was begun
            return [Text()]
        return [Text(), *reply] if reply and self._wants_air and not self._answering else reply

    def was_thought(self) -> None:
        """Forget the rendering of a reply that was a thought, or end it where it was shown as an answer."""
        if self._answering:
            self._canvas.commit(self._reply.rest())
            self.printed = True
        elif self._pipe:
            self._pipe.rewind()
        self._forget()

    def end(self, answer: str) -> None:
        """Print whatever part of *answer* is not on the screen: the turn is over."""
        if self._pipe:
            self._say(self._steps.answered())
            self._canvas.flush()
            self._canvas.erase()
            self._pipe.end(answer)
        else:
            self._end_rendered(answer)
        self._forget()

    def again(self, answer: str) -> None:
        """Print *answer* once more."""
        if answer and not self._pipe:
            self._canvas.commit([Text(), *self._render(answer), Text()])

    def flush(self) -> None:
        """Leave nothing unwritten."""
        if self._pipe:
            self._pipe.flush()

    @property
    def _wants_air(self) -> bool:
        return self.printed and not self._canvas.blank

    def _show(self) -> None:
        """What was said is an answer from here on."""
        self._answering = self._steps.shown = True
        self._say(self._steps.reasoned())
        if self._wants_air:
            self._say([()])

    def _end_rendered(self, answer: str) -> None:
        said, wanted = safe(self._steps.text).strip(), safe(answer).strip()
        if said and (said.endswith(wanted) or wanted.endswith(said)):
            if not self._answering:
                self._show()
            self._canvas.commit(self._reply.rest())
        elif wanted:
            self._say(self._steps.thought())
            self.was_thought()
            if wanted != safe(self._steps.last_thought):
                self._show()
                self._canvas.commit(self._render(wanted))
        self._say(self._steps.answered())

    def _render(self, answer: str) -> list[Text]:
        return render(answer, self._canvas.width(), wrap=self._display.wrap)

    def _forget(self) -> None:
        self._answering = False
        self._reply.forget()
