"""`cococat replay`: a recorded run once more, from its log alone; and a fork before one of its turns.

Nothing here imports a model or runs a tool; only the fork writes, to a log of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from cococat.app.outcome import outcome
from cococat.app.output import note, sink_for, ticking
from cococat.app.signals import cancel_on_signals
from cococat.config import Options, Settings, find_folders
from cococat.config.settings import TerminalSettings
from cococat.core.agent import Turn
from cococat.core.events import Event, MessageAdded, Notice, StepStarted, UserAsked
from cococat.core.messages import User
from cococat.core.result import Result
from cococat.errors import StorageError, UsageError
from cococat.safety.terminal import safe
from cococat.store.sessions import Session, Timed, fork_before, load
from cococat.store.turns import RecordedTurn, turns_of
from cococat.ui.lines.format import picture_line
from cococat.ui.lines.theme import STYLES, Theme, ansi, colour, write_now
from cococat.ui.prompt.input import shortened
from cococat.ui.screen.modes import by_key, is_terminal
from cococat.ui.steps.sink import Sink

MAX_S = 2.0  # seconds of a pause that are worth waiting for
AT_ONCE = 64  # events between two looks at signals and keys, where nothing is waited for
READ_BYTES = 4096
FOLD = b"\x0f"  # Ctrl-O
ESCAPES = (b"\x1b", b"\x04")  # Esc alone, Ctrl-D
PROMPT = "> "
HINT = "Space: the next step · c: go on · Ctrl-O: in full · q: leave"
SAVE, RESTORE = "\x1b7", "\x1b8\x1b[J"  # the cursor; what was written behind it is cleared


def replay(
    options: Options, session_id: str, *, speed: float | None, step: bool, terminal: TerminalSettings | None = None
) -> int:
    """
    Show a recorded session.

    Args:
        speed: the recorded pauses are divided by it; 0 waits for nothing; None is 1 on a terminal, 0 elsewhere.
        step: wait for a key before each step.
        terminal: how text is wrapped and coloured; the defaults where it is not known.
    Raises: UsageError: there is nothing to show, or no terminal to ask for a key. StorageError: it cannot be read.
    """
    if step and not _watched():
        raise UsageError(
            "--step needs a terminal for its input and output", "leave it out, or --speed 1 to see it grow"
        )
    recorded = _recorded(session_id)
    pace = speed if speed is not None else float(options.output_format == "text" and sys.stdout.isatty())
    _show(recorded, options, pace, step=step, terminal=terminal)
    return 0


def replay_from(
    settings: Settings,
    options: Options,
    session_id: str,
    turn: int,
    *,
    speed: float | None,
    step: bool,
    chat: Callable[[Settings, Options, Sequence[str]], int],
) -> int:
    """
    Show what came before a turn, and go on from there in a copy; off a terminal say how to.

    Args:
        chat: goes on in the copy.
    Raises: UsageError: there is no such turn. StorageError: the copy cannot be written.
    """
    recorded = _recorded(session_id)
    before = recorded.turns[: turn - 1]
    if turn > len(recorded.turns) or not _watched():
        return _copy_and_name(settings, session_id, turn)
    if before:
        _show(replace(recorded, turns=before), options, speed or 0, step=step, terminal=settings.terminal)
    fork = _fork(settings, session_id, turn)
    if not fork:
        note("nothing comes before turn 1: this is a new session")
    return chat(settings, replace(options, resume=fork or None), ())


@dataclass(frozen=True, slots=True)
class _Recorded:
    """What a log holds for the screen: *start* comes before the first turn."""

    session: Session
    start: tuple[Timed, ...]
    turns: tuple[RecordedTurn, ...]


def _recorded(session_id: str) -> _Recorded:
    session = load(find_folders(os.environ).sessions, session_id)
    start, turns = turns_of(session.timeline)
    if not turns:
        why = f"session {session.info.id} holds no turn that could be shown"
        raise UsageError("; ".join((why, *session.notes)), "cococat sessions list")
    return _Recorded(session, start, turns)


def _copy_and_name(settings: Settings, session_id: str, turn: int) -> int:
    """Make the copy and print its id."""
    fork = _fork(settings, session_id, turn)
    if not fork:
        raise UsageError("nothing comes before turn 1, so there is nothing to keep", "cococat chat begins a session")
    note(f"this is a copy of what came before turn {turn}; cococat chat -r {fork} goes on with it")
    sys.stdout.write(f"{fork}\n")
    return 0


def _fork(settings: Settings, session_id: str, turn: int) -> str:
    """Return the id of the new session; empty when there is nothing to put in it."""
    from cococat.app.redactor import redactor

    log, messages = fork_before(find_folders(os.environ).sessions, session_id, turn, redact=redactor(settings))
    problem = log.problem
    log.close()
    if problem:
        raise StorageError(problem.message, problem.hint)
    return log.id if messages else ""


def _watched() -> bool:
    """A user is at the terminal, and sees it."""
    return is_terminal(0) and sys.stdin.isatty() and sys.stdout.isatty()


def _show(
    recorded: _Recorded, options: Options, speed: float, *, step: bool, terminal: TerminalSettings | None
) -> None:
    _introduce(recorded, options)
    pace = Pace(speed)
    screen = Screen(_sink(options, terminal, pace), options)
    with asyncio.Runner() as runner:
        runner.run(_play(recorded, screen, pace, step=step))


def _introduce(recorded: _Recorded, options: Options) -> None:
    """Say what is wrong with the log, and that this is a replay, or it could be taken for the run."""
    if options.quiet or options.output_format == "stream-json":
        return
    info = recorded.session.info
    for line in recorded.session.notes:
        note(line)
    try:
        when = datetime.fromtimestamp(info.started).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        when = "at an unknown time"
    note(f"replay of session {info.id}, begun {when} with {info.model or 'an unknown model'}")


async def _play(recorded: _Recorded, screen: Screen, pace: Pace, *, step: bool) -> None:
    """Show every turn; Ctrl-C and q leave at once, and leave the terminal as it was."""
    task = asyncio.current_task()
    assert task is not None
    keys = Keys(task.cancel, screen.fold, stepping=step)
    with cancel_on_signals(), keys.watched() if _watched() else contextlib.nullcontext():
        try:
            async with ticking(screen.sink):
                await _perform(recorded, screen, keys, pace)
        except asyncio.CancelledError:
            screen.leave()
            if not keys.left:
                raise
            task.uncancel()
        finally:
            with contextlib.suppress(OSError):
                screen.sink.close()


def _sink(options: Options, terminal: TerminalSettings | None, pace: Pace) -> Sink:
    if options.output_format == "stream-json":
        from cococat.ui.steps.jsonl import JsonLines

        return JsonLines(sys.stdout, now=lambda: pace.at)
    stops, unfold = ("q", "Ctrl-O") if _watched() else ("Ctrl-C", "-v")
    return sink_for(options, terminal, hold=True, stops=stops, unfold=unfold)


async def _perform(recorded: _Recorded, screen: Screen, keys: Keys, pace: Pace) -> None:
    for timed in recorded.start:
        await _emit(timed, screen, pace)
    for turn in recorded.turns:
        for timed in turn.timeline:
            if isinstance(timed.event, StepStarted) and keys.stepping:
                with screen.hint():
                    await keys.go_on()
                pace.restart()
            await _emit(timed, screen, pace)
        if turn is recorded.turns[-1] or screen.each:
            screen.sink.finish(_result(turn, recorded.session.info.id))


async def _emit(timed: Timed, screen: Screen, pace: Pace) -> None:
    """Wait for the time of an event; a question stands there for as long as the user thought about it."""
    if isinstance(timed.event, UserAsked):
        screen.emit(timed.event)
    await pace.until(timed.ts)
    if not isinstance(timed.event, UserAsked):
        screen.emit(timed.event)


def _result(turn: RecordedTurn, session_id: str) -> Result:
    """What the turn came to when it ran, its exit code included."""
    end = turn.end
    ran = Turn(end.answer, end.stop, end.steps, end.usage, (), (), end.seconds)
    return replace(outcome(ran, None), session_id=session_id)


class Pace:
    """The clock of a replay: *at* is the recorded time, in seconds since 1970."""

    def __init__(self, speed: float) -> None:
        self.at = 0.0
        self._speed = speed
        self._due = time.monotonic()
        self._passed = 0

    async def until(self, ts: float) -> None:
        """Wait as long as the run did before *ts*, but never long."""
        pause = min(max(ts - self.at, 0), MAX_S) if self.at else 0
        self.at = ts
        if self._speed:
            now = time.monotonic()
            self._due = max(self._due + pause / self._speed, now)
            await asyncio.sleep(self._due - now)
            return
        self._passed += 1
        if self._passed % AT_ONCE == 0:
            await asyncio.sleep(0)

    def restart(self) -> None:
        """Take this moment for the recorded one."""
        self._due = time.monotonic()


class Keys:
    """The keys of a replay: go on by a step, go on without stopping, fold what is shown, leave."""

    def __init__(self, leave: Callable[[], object], fold: Callable[[], object], *, stepping: bool) -> None:
        self.stepping = stepping
        self.left = False
        self._leave, self._fold = leave, fold
        self._pressed = asyncio.Event()

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Take the keys of the terminal, also after Ctrl-Z and `fg`, where the shell has set modes of its own."""
        loop = asyncio.get_running_loop()
        with by_key(0), contextlib.ExitStack() as again:
            loop.add_reader(0, self._readable)
            loop.add_signal_handler(signal.SIGCONT, lambda: again.enter_context(by_key(0)))
            try:
                yield
            finally:
                loop.remove_signal_handler(signal.SIGCONT)
                loop.remove_reader(0)

    async def go_on(self) -> None:
        """Wait for a key."""
        self._pressed.clear()
        await self._pressed.wait()

    def _readable(self) -> None:
        try:
            data = os.read(0, READ_BYTES)
        except OSError:  # hung up
            data = b""
        if not data or data in ESCAPES or b"q" in data.lower():
            asyncio.get_running_loop().remove_reader(0)
            self.left = True
            self._leave()
        elif data == FOLD:
            self._fold()
        elif data.lower() == b"c":
            self.stepping = False
            self._pressed.set()
        elif not data.strip(b" \r\n"):
            self._pressed.set()


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
                    write_now(sys.stderr, _asked(event, in_full=self._options.verbose))
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
        with self.sink.suspended():
            self._standing = True
            _show_hint()
            try:
                yield
            finally:
                self._standing = False
                write_now(sys.stdout, RESTORE)

    def fold(self) -> None:
        """Ctrl-O: show the turn so far in full, and so what comes; or in short again."""
        if self.sink.redraws:
            from cococat.ui.screen.live import LiveScreen

            if isinstance(self.sink, LiveScreen):
                if self._standing:
                    write_now(sys.stdout, RESTORE)
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
        below += "".join(f"{picture_line(picture)}\n" for picture in user.pictures)
        if not self.sink.redraws:
            return f"{PROMPT}{text}\n{below}"
        from rich.text import Text

        from cococat.ui.screen.region import rows_of

        room = max(1, _columns() - len(PROMPT))
        rows = [row.plain for line in text.split("\n") for row in rows_of(Text(line), room)]
        coloured = colour(self._options.color, sys.stderr, os.environ)
        prompt = ansi(Text(PROMPT, STYLES["prompt"]), coloured=coloured and self._theme != "plain", theme=self._theme)
        return prompt + f"\n{' ' * len(PROMPT)}".join(rows) + f"\n{below}"

    def _say(self, text: str) -> None:
        with self.sink.suspended():
            write_now(sys.stderr, text)


def _show_hint() -> None:
    write_now(sys.stdout, f"{SAVE}{HINT[: _columns() - 1]}")


def _asked(event: UserAsked, *, in_full: bool) -> str:
    """A question that was put to the user, as its answer left it; *in_full* with the action that it was about."""
    from cococat.ui.prompt.question import consent_text, decided, question_text

    answer, width = safe(event.answer), _columns()
    if event.action is None:
        return f"{question_text(event.question, event.choices, width)}> {answer}\n"
    row = decided(event.question, answer, width, coloured=False)
    return f"{consent_text(event.question, event.action, width) if in_full else ''}{row}\n"


def _columns() -> int:
    return shutil.get_terminal_size().columns
