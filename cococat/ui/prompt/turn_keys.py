"""Keys while a turn runs: Esc stops it, Ctrl-O folds, everything else is typed ahead."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from enum import Enum
from types import TracebackType
from typing import Any, Self, TypeVar

from cococat.ui.prompt.input import InputLine, Leave, clean, pasted_parts
from cococat.ui.prompt.keys import HALF_S, Key, KeyReader, Paste
from cococat.ui.screen.draft import LineDraft, edited
from cococat.ui.screen.modes import by_key, is_terminal, is_waiting, mark_pastes, takes_lines

T = TypeVar("T")


class Stay(Enum):
    """The meaning of a key that answers nothing yet."""

    STAY = 0


STAY = Stay.STAY

QUIET_S = 0.7  # a question of consent is answered by no key that comes sooner after it, or after another key


class KeyWatch:
    """
    Watches the terminal on *fd* from a running event loop; `with` it around the turn.

    Off a terminal it does nothing. One watch may be entered again for each turn.

    Args:
        on_escape: Esc was pressed alone.
        on_fold: Ctrl-O was pressed.
        on_queue: takes each line that was completed, in order, and the wish to leave.
        draft: the line that was begun before.
        on_change: the draft, or what is queued, is another one.
        on_up: gives back the line that was queued last, if there is one.
        on_cycle: Shift-Tab was pressed.

    Attributes:
        behind: lines that come to be the draft after it, one by one.
        cycle: while an action is asked about, goes to the next permission mode; returns it, and whether the action passes.
    """

    def __init__(
        self,
        on_escape: Callable[[], object] = lambda: None,
        on_fold: Callable[[], object] = lambda: None,
        on_queue: Callable[[InputLine | Leave], object] = lambda _: None,
        fd: int = 0,
        *,
        draft: InputLine | None = None,
        on_change: Callable[[], object] = lambda: None,
        on_up: Callable[[], InputLine | None] = lambda: None,
        on_cycle: Callable[[], object] = lambda: None,
    ) -> None:
        self._on_escape, self._on_fold, self._on_queue, self.fd = on_escape, on_fold, on_queue, fd
        self._on_change, self._on_up, self._on_cycle = on_change, on_up, on_cycle
        self.behind: list[InputLine] = []
        self._begin(draft or InputLine(""))
        self._keys = KeyReader()
        self.cycle: Callable[[], tuple[str, bool]] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._question: _Question | None = None
        self._open = ExitStack()

    def __enter__(self) -> Self:
        if is_terminal(self.fd):
            self._open.enter_context(self._watching())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.close()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave the terminal to somebody else, in the modes it was found in."""
        watching = is_terminal(self.fd)
        self._open.close()
        if watching:
            mark_pastes(self.fd, on=False)
        try:
            yield
        finally:
            if watching and is_terminal(self.fd):  # it may have hung up meanwhile
                self._open.enter_context(self._watching())

    def take_waiting(self) -> None:
        """Read what was typed until now: it is the draft's, whoever has the terminal next."""
        while is_terminal(self.fd) and is_waiting(self.fd) and self._readable():
            pass

    def feed(self, keys: str) -> None:
        """Take in keys that somebody else has read, as if they were pressed now."""
        self._take(self._keys.feed(keys.encode("utf-8", "replace")))

    def take_rest(self) -> InputLine:
        """Return the unfinished line, to be completed at the next prompt, and forget it."""
        rest, blocks = clean(self.draft.text), self._blocks
        self._begin(InputLine(""))
        return InputLine(rest, pasted_parts(rest, blocks))

    def _begin(self, line: InputLine) -> None:
        self.draft, self._blocks = LineDraft(line.text, len(line.text)), list(line.pasted)

    async def answered(self, meaning: Callable[[str], T | Stay | None], heard: Callable[[bool], object]) -> T:
        """
        Return what the key means that answers a question on the screen.

        No key answers before the question has stood for QUIET_S without one: until then, and whenever
        several come at once or one that means nothing, keys are the draft's as ever.

        Args:
            meaning: of a key; None for one that is no answer, STAY for one that only moves among the answers. An empty key is a terminal that is gone.
            heard: is told True when the next key may answer, and False when that is over again.
        """
        asked = _Question(asyncio.get_running_loop(), meaning, heard)
        self._question = asked
        asked.wait()
        try:
            answer: T = await asked.answer
            return answer
        finally:
            asked.close()
            self._question = None

    @contextmanager
    def _watching(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        ours = takes_lines(self.fd)  # else a chat has the terminal from start to end, and its pastes are marked
        with by_key(self.fd), self._renewed(loop):
            mark_pastes(self.fd, on=True)
            loop.add_reader(self.fd, self._readable)
            try:
                yield
            finally:
                loop.remove_reader(self.fd)
                self._stop_timer()
                if ours:
                    mark_pastes(self.fd, on=False)

    @contextmanager
    def _renewed(self, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
        """Set the modes again after Ctrl-Z and `fg`: the shell has set its own in between."""
        if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
            yield
            return
        with ExitStack() as again:

            def renew() -> None:
                if is_terminal(self.fd):
                    again.enter_context(by_key(self.fd))
                    mark_pastes(self.fd, on=True)

            loop.add_signal_handler(signal.SIGCONT, renew)
            try:
                yield
            finally:
                loop.remove_signal_handler(signal.SIGCONT)

    def _readable(self) -> bool:
        """Take in what can be read; return whether there is more to come."""
        try:
            keys = self._keys.read(self.fd)
        except EOFError:  # hung up: a reader left here would be called for ever
            asyncio.get_running_loop().remove_reader(self.fd)
            if self._question:
                self._question.take("")
            return False
        self._stop_timer()
        if self._keys.is_half:
            self._timer = asyncio.get_running_loop().call_later(HALF_S, lambda: self._take(self._keys.flush()))
            if self._question and not self._question.ready:
                self._question.wait()
        self._take(keys)
        return True

    def _stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _take(self, keys: Sequence[Key]) -> None:
        if keys and self._question:
            if len(keys) == 1 and isinstance(keys[0], str) and self._question.take(keys[0]):
                return
            self._question.wait()
        for key in keys:
            if isinstance(key, Paste):
                self._paste(clean(key.text))
            else:
                self._key(key)

    def _paste(self, block: str) -> None:
        self._blocks.append(block)
        self.draft = self.draft.with_text(block)
        self._on_change()

    def _key(self, key: str) -> None:
        match key:
            case "\x1b":
                self._on_escape()
            case "\x03":  # Ctrl-C of a terminal that encodes it; else it is a signal already
                signal.raise_signal(signal.SIGINT)
            case "\x0f":  # Ctrl-O
                self._on_fold()
            case "\r":
                self._enter()
            case "\x04" if not self.draft.text:  # Ctrl-D
                self._on_queue(Leave())
            case "\x1b[A":
                self._take_back()
            case "\x1b[Z":
                self._on_cycle()
            case _:
                self.draft = edited(self.draft, key)
        self._on_change()

    def _take_back(self) -> None:
        """Let the line that was queued last be the draft, and what is the draft come behind it."""
        if queued := self._on_up():
            if (line := self.take_rest()).text:
                self.behind.insert(0, line)
            self._begin(queued)

    def _enter(self) -> None:
        if self.draft.text.endswith("\\") and self.draft.at == len(self.draft.text):
            self.draft = LineDraft(self.draft.text[:-1], self.draft.at - 1).with_text("\n")
            return
        line = self.take_rest()
        if line.text.strip():
            self._on_queue(line)
        if self.behind:
            self._begin(self.behind.pop(0))


class _Question:
    """A question that waits for its answer, and whether the next key may be that."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, meaning: Callable[[str], Any], heard: Callable[[bool], object]
    ) -> None:
        self.answer: asyncio.Future[Any] = loop.create_future()
        self._loop, self._meaning, self._heard = loop, meaning, heard
        self.ready = False
        self._timer: asyncio.TimerHandle | None = None

    def wait(self) -> None:
        """Let the time without a key begin anew."""
        if self.ready:
            self._heard(False)  # noqa: FBT003 - see `KeyWatch.answered`
        self.close()
        self.ready = False
        self._timer = self._loop.call_later(QUIET_S, self._stand)

    def take(self, key: str) -> bool:
        """Let *key* answer, if it may and does."""
        if (not self.ready and key) or self.answer.done() or (meant := self._meaning(key)) is None:
            return False
        if meant is not STAY:
            self.answer.set_result(meant)
        return True

    def close(self) -> None:
        if self._timer:
            self._timer.cancel()

    def _stand(self) -> None:
        self.ready = True
        self._heard(True)  # noqa: FBT003 - as above
