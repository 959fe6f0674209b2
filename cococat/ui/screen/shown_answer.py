"""The answer on a live screen: rendered as it streams, or on its way to a pipe."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text

from cococat.safety.terminal import SafeStream, safe
from cococat.ui.lines.columns import is_measured
from cococat.ui.lines.format import Line
from cococat.ui.lines.inline import join
from cococat.ui.lines.markdown import Markdown, render
from cococat.ui.screen.canvas import Canvas
from cococat.ui.screen.region import end_of
from cococat.ui.steps.plain import AnswerStream
from cococat.ui.steps.steps import Display, Steps

HOLD_CHARS = 600  # a reply that is longer is an answer, whatever follows
HOLD_LINES = 6
LONG_LINE = 4000  # characters of one line that may wait in the live rows
CELLS = 2  # columns that one character may take


class ShownAnswer:
    """
    One reply after the other: each may turn out to be a thought, or the answer.

    Args:
        pipe: takes the answer where it is not rendered; None where it is.
        say: prints lines of ours above the answer.
    """

    def __init__(
        self,
        canvas: Canvas,
        steps: Steps,
        display: Display,
        pipe: AnswerStream | None,
        say: Callable[[list[Line]], None],
    ) -> None:
        self._canvas, self._steps, self._display, self._pipe, self._say = canvas, steps, display, pipe, say
        self._reply = ShownReply(canvas.width, wrap=display.wrap)
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


class ShownReply:
    """
    The rendering of one reply after the other.

    Args:
        width: gives the columns of the screen.
        wrap: prose at words, and tables inside of their cells.
    """

    def __init__(self, width: Callable[[], int], *, wrap: bool = False) -> None:
        self._width, self._wrap = width, wrap
        self.forget()

    def forget(self) -> None:
        """Begin anew, with the next reply."""
        self._ready: list[Text] = []  # finished lines that were not printed
        self._markdown, self._safe = Markdown(self._width, wrap=self._wrap), SafeStream()

    @property
    def lines(self) -> int:
        """How many finished lines wait."""
        return len(self._ready)

    def feed(self, raw: str) -> None:
        """Take in the next piece."""
        self._ready += self._markdown.feed(self._safe.feed(raw))

    def final(self, column: int) -> list[Text]:
        """
        Take what can be printed for good.

        Args:
            column: where the line that was printed last ends, if it has no end yet.
        """
        end = len(self._ready)
        while end and not self._ready[end - 1].end:
            end -= 1
        done, self._ready = self._ready[:end], self._ready[end:]
        long = sum(len(piece.plain) for piece in self._ready) > LONG_LINE
        if long and self._width() > CELLS and all(is_measured(piece.plain) for piece in self._ready):
            done += self._part_of_line(column if not done else 0)
        return done

    def rest(self) -> list[Text]:
        """Take everything; the reply ends here."""
        texts = [*self._ready, *self._markdown.feed(self._safe.flush()), *self._markdown.close()]
        self._ready = []
        return texts

    def live(self) -> list[Text]:
        """Return what is not final yet, as it looks now."""
        texts: list[Text] = []
        for text in self._ready:
            _go_on(texts, text)
        tail = self._markdown.tail()
        if tail:
            _go_on(texts, tail[0])
        return [*texts, *tail[1:]]

    def _part_of_line(self, column: int) -> list[Text]:
        """Return what can be printed of a line that goes on."""
        line = Text(end="")
        for piece in self._ready:
            join(line, piece)
        self._ready = []
        if end_of([line], self._width(), column) < self._width():
            return [line]
        # behind a full row the cursor stands between two rows, a place that cannot be found again
        head, last = line.divide([len(line.plain) - 1])
        head.end = last.end = ""
        self._ready = [last]
        return [head] if head.plain else []


def _go_on(texts: list[Text], text: Text) -> None:
    """Put *text* behind the last of *texts* if that has no end, else below it."""
    if not texts or texts[-1].end:
        texts.append(text)
        return
    row = Text(end=text.end)
    join(row, texts[-1])
    join(row, text)
    texts[-1] = row
