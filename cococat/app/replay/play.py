"""`cococat replay`: a recorded run once more, from its log alone; and a fork before one of its turns.

Nothing here imports a model or runs a tool; only the fork writes, to a log of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from dataclasses import dataclass, replace
from datetime import datetime

from cococat.app.outcome import outcome
from cococat.app.output import note, sink_for, ticking
from cococat.app.replay.clock import Keys, Pace
from cococat.app.replay.screen import Screen
from cococat.app.signals import cancel_on_signals
from cococat.config import Options, Settings, folders
from cococat.config.settings import TerminalSettings
from cococat.core.agent import Turn
from cococat.core.events import StepStarted, UserAsked
from cococat.core.result import Result
from cococat.errors import StorageError, UsageError
from cococat.store.sessions import Session, Timed, fork_before, load
from cococat.store.turns import RecordedTurn, turns_of
from cococat.ui.modes import is_terminal
from cococat.ui.sink import Sink

__all__ = ["replay", "replay_from"]


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
    pace = speed if speed is not None else float(_animated(options))
    _show(recorded, options, pace, step=step, terminal=terminal)
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
        return _copy_and_name(settings, session_id, turn)
    if before:
        _show(replace(recorded, turns=before), options, speed or 0, step=step, terminal=settings.terminal)
    from cococat.app.chat import repl

    fork = _fork(settings, session_id, turn)
    if not fork:
        note("nothing comes before turn 1: this is a new session")
    return repl.chat(settings, replace(options, resume=fork or None), ())


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

    log, messages = fork_before(folders(os.environ).sessions, session_id, turn, redact=redactor(settings))
    problem = log.problem
    log.close()
    if problem:
        raise StorageError(problem.message, problem.hint)
    return log.id if messages else ""


def _watched() -> bool:
    """A user is at the terminal, and sees it."""
    return is_terminal(0) and sys.stdin.isatty() and sys.stdout.isatty()


def _animated(options: Options) -> bool:
    return options.output_format == "text" and sys.stdout.isatty()


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
    with cancel_on_signals(task), keys.watched() if _watched() else contextlib.nullcontext():
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
        from cococat.ui.jsonl import JsonLines

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
