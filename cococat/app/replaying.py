"""`cococat replay`: a recorded run once more, from its log alone; and a fork before one of its turns.

Nothing here imports a model, reads settings or runs a tool; only the fork writes, to a log of its own.

Public: replay, replay_from.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from cococat.app.endings import outcome
from cococat.app.outputs import note, sink_for, ticking
from cococat.app.signals import cancel_on_signals
from cococat.config import Options, Settings, folders
from cococat.core.agent import Turn
from cococat.core.events import Event, MessageAdded, Notice, StepStarted, UserAsked
from cococat.core.messages import User
from cococat.core.result import Result
from cococat.errors import StorageError, UsageError
from cococat.safety.terminal import safe
from cococat.store.sessions import Session, Timed, fork_before, load
from cococat.store.turns import RecordedTurn, turns_of
from cococat.ui.line import shortened
from cococat.ui.modes import by_key, is_terminal
from cococat.ui.sink import Sink
from cococat.ui.theme import colour

LONGEST_S = 2.0  # seconds of a pause that are worth waiting for
AT_ONCE = 64  # events between two looks at signals and keys, where nothing is waited for
READ_BYTES = 4096
PROMPT = "> "
ESCAPES = (b"\x1b", b"\x04")  # Esc alone, Ctrl-D
HINT = "Space: the next step · c: go on · q: leave"
SAVE, RESTORE = "\x1b7", "\x1b8\x1b[J"  # the cursor; what was written behind it is cleared


def replay(options: Options, session_id: str, *, speed: float | None, step: bool) -> int:
    """
    Show a recorded session.

    Args:
        speed: the recorded pauses are divided by it; 0 waits for nothing; None is 1 on a terminal, 0 elsewhere.
        step: wait for a key before each step.
    Raises: UsageError: there is nothing to show, or no terminal to ask for a key. StorageError: it cannot be read.
    """
    if step and not _watched():
        raise UsageError(
            "--step needs a terminal for its input and output", "leave it out, or --speed 1 to see it grow"
        )
    recorded = _recorded(session_id)
    _show(recorded, options, speed if speed is not None else float(_animated(options)), step=step)
    return 0


def replay_from(
    settings: Settings, options: Options, session_id: str, turn: int, *, speed: float | None, step: bool
) -> int:
    """
    Show what came before a turn, and go on from there in a copy; off a terminal say how to.

    Raises: UsageError: there is no such turn. StorageError: the copy cannot be written.
    """
    recorded = _recorded(session_id)
    before = recorded.turns[: turn - 1]
    if turn > len(recorded.turns) or not _watched():
        return _told(settings, session_id, turn)
    if before:
        _show(replace(recorded, turns=before), options, speed or 0, step=step)
    from cococat.app import conversation  # noqa: PLC0415 - brings the model's library, which a replay does without

    fork = _fork(settings, session_id, turn)
    if not fork:
        note("nothing comes before turn 1: this is a new session")
    return conversation.chat(settings, replace(options, resume=fork or None), ())


@dataclass(frozen=True, slots=True)
class _Recorded:
    """What a log holds for the screen: *start* comes before the first turn."""

    session: Session
    start: tuple[Timed, ...]
    turns: tuple[RecordedTurn, ...]


def _recorded(session_id: str) -> _Recorded:
    session = load(folders(os.environ).sessions, session_id)
    start, turns = turns_of(session.timeline)
    if not turns:
        why = f"session {session.info.id} holds no turn that could be shown"
        raise UsageError("; ".join((why, *session.notes)), "cococat sessions list")
    return _Recorded(session, start, turns)


def _told(settings: Settings, session_id: str, turn: int) -> int:
    """Make the copy and print its id."""
    fork = _fork(settings, session_id, turn)
    if not fork:
        raise UsageError("nothing comes before turn 1, so there is nothing to keep", "cococat chat begins a session")
    note(f"this is a copy of what came before turn {turn}; cococat chat -r {fork} goes on with it")
    sys.stdout.write(f"{fork}\n")
    return 0


def _fork(settings: Settings, session_id: str, turn: int) -> str:
    """Give the id of the new session; empty when there is nothing to put in it."""
    from cococat.app.redactor import redactor  # noqa: PLC0415 - a replay knows no key

    log, messages = fork_before(folders(os.environ).sessions, session_id, turn, redact=redactor(settings))
    problem = log.problem
    log.close()
    if problem:
        raise StorageError(problem.message, problem.hint)
    return log.id if messages else ""


def _watched() -> bool:
    """A person is at the terminal, and sees it."""
    return is_terminal(0) and sys.stdin.isatty() and sys.stdout.isatty()


def _animated(options: Options) -> bool:
    return options.output_format == "text" and sys.stdout.isatty()


def _show(recorded: _Recorded, options: Options, speed: float, *, step: bool) -> None:
    _introduce(recorded, options)
    with asyncio.Runner() as runner:
        runner.run(_play(recorded, options, speed, step=step))


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


async def _play(recorded: _Recorded, options: Options, speed: float, *, step: bool) -> None:
    """Show every turn; Ctrl-C and q leave at once, and leave the terminal as it was."""
    task = asyncio.current_task()
    assert task is not None
    keys, pace, watched = _Keys(task.cancel, stepping=step), _Pace(speed), _watched()
    with cancel_on_signals(task), keys.watched() if watched else contextlib.nullcontext():
        stage = _Stage(_sink(options, pace, "q" if watched else "Ctrl-C"), options)
        try:
            async with ticking(stage.sink):
                await _perform(recorded, stage, keys, pace)
        except asyncio.CancelledError:
            stage.leave()
            if not keys.left:
                raise
            task.uncancel()
        finally:
            with contextlib.suppress(OSError):
                stage.sink.close()


def _sink(options: Options, pace: _Pace, stops: str) -> Sink:
    if options.output_format == "stream-json":
        from cococat.ui.jsonl import JsonLines  # noqa: PLC0415 - only the sink that is used

        return JsonLines(sys.stdout, now=lambda: pace.at)
    return sink_for(options, hold=True, stops=stops)


async def _perform(recorded: _Recorded, stage: _Stage, keys: _Keys, pace: _Pace) -> None:
    for timed in recorded.start:
        await _emit(timed, stage, pace)
    for turn in recorded.turns:
        for timed in turn.timeline:
            if isinstance(timed.event, StepStarted) and keys.stepping:
                with stage.hint():
                    await keys.go_on()
                pace.restart()
            await _emit(timed, stage, pace)
        if turn is recorded.turns[-1] or stage.each:
            stage.sink.finish(_result(turn, recorded.session.info.id))


async def _emit(timed: Timed, stage: _Stage, pace: _Pace) -> None:
    """Wait for the time of an event; a question stands there for as long as the user thought about it."""
    if isinstance(timed.event, UserAsked):
        stage.emit(timed.event)
    await pace.until(timed.ts)
    if not isinstance(timed.event, UserAsked):
        stage.emit(timed.event)


def _result(turn: RecordedTurn, session_id: str) -> Result:
    """What the turn came to when it ran, its exit code included."""
    end = turn.end
    ran = Turn(end.answer, end.stop, end.steps, end.usage, (), (), end.seconds)
    return replace(outcome(ran, None), session_id=session_id)


class _Pace:
    """The clock of a replay: *at* is the recorded time, in seconds since 1970."""

    def __init__(self, speed: float) -> None:
        self.at = 0.0
        self._speed = speed
        self._due = time.monotonic()
        self._passed = 0

    async def until(self, ts: float) -> None:
        """Wait as long as the run did before *ts*, but never long."""
        pause = min(max(ts - self.at, 0), LONGEST_S) if self.at else 0
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


class _Keys:
    """The keys of a replay: go on by a step, go on without stopping, leave."""

    def __init__(self, leave: Callable[[], object], *, stepping: bool) -> None:
        self.stepping = stepping
        self.left = False
        self._leave = leave
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
        elif data.lower() == b"c":
            self.stepping = False
            self._pressed.set()
        elif not data.strip(b" \r\n"):
            self._pressed.set()


class _Stage:
    """
    A sink, and what a terminal shows beside it: the user's words, and questions with their answers.

    Attributes:
        each: every turn has its own result; otherwise the last one has.
    """

    def __init__(self, sink: Sink, options: Options) -> None:
        self.sink = sink
        self.each = options.output_format == "stream-json"
        self._options = options
        self._hinted = False
        self._suspended: Callable[[], contextlib.AbstractContextManager[None]] | None = getattr(sink, "suspended", None)

    def emit(self, event: Event) -> None:
        """Show *event*."""
        match event:
            case MessageAdded(User(synthetic=False) as user) if not (self.each or self._options.quiet):
                self._say(self._entered(user))
            case UserAsked() if not self.each:
                self._say(_asked(event))
            case MessageAdded() | UserAsked():
                pass
            case _:
                self.sink.emit(event)

    @contextlib.contextmanager
    def hint(self) -> Iterator[None]:
        """Name the keys for as long as one of them is waited for."""
        if self._suspended is None:
            if not self._hinted:
                self._say(f"{HINT}\n")
            self._hinted = True
            yield
            return
        with self._suspended():
            sys.stdout.write(f"{SAVE}{HINT[: _columns() - 1]}")
            sys.stdout.flush()
            try:
                yield
            finally:
                sys.stdout.write(RESTORE)
                sys.stdout.flush()

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
        if self._suspended is None:
            return f"{PROMPT}{text}\n{below}"
        from rich.text import Text  # noqa: PLC0415 - a pipe does without

        from cococat.ui.region import rows_of  # noqa: PLC0415 - brings rich

        room = max(1, _columns() - len(PROMPT))
        rows = [row.plain for line in text.split("\n") for row in rows_of(Text(line), room)]
        coloured = colour(self._options.color, sys.stderr, os.environ)
        prompt = f"\x1b[0;36;1m{PROMPT}\x1b[0m" if coloured else PROMPT
        return prompt + f"\n{' ' * len(PROMPT)}".join(rows) + f"\n{below}"

    def _say(self, text: str) -> None:
        with self._suspended() if self._suspended else contextlib.nullcontext():
            sys.stderr.write(text)
            sys.stderr.flush()


def _asked(event: UserAsked) -> str:
    """A question that was put to the user, and the answer; none when the turn was stopped instead."""
    from cococat.ui.confirm import consent_keys, consent_text, question_text  # noqa: PLC0415 - for questions only

    answer = safe(event.answer)
    if event.action is None:
        return f"{question_text(event.question, event.choices)}> {answer}\n"
    keys = consent_keys(session="session" in event.choices)
    return consent_text(event.question, event.action, _columns()) + keys + (f"{answer}\n" if answer else "")


def _columns() -> int:
    return shutil.get_terminal_size().columns
