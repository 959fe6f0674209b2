"""Sessions: begin one, go on with one, fork one, read one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cococat.core.events import Event, SessionStarted
from cococat.core.history import pictures_as_text, repair, without_extra
from cococat.core.messages import Message, Picture, User
from cococat.errors import StorageError, UsageError
from cococat.store.codec import from_record
from cococat.store.ids import find, log_path, new_id
from cococat.store.listing import SessionInfo, info_of
from cococat.store.log import LogFile
from cococat.store.record import Reading, Record, read_log
from cococat.store.recorder import SessionLog
from cococat.store.session_state import History
from cococat.system.same_folder import Place, place_of

Clock = Callable[[], float]
Redact = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Timed:
    """An event and when it was recorded, in seconds since 1970; the order of the log decides, not the time."""

    ts: float
    event: Event


@dataclass(frozen=True, slots=True)
class Session:
    """
    A log that was read whole.

    Args:
        messages: the valid history that a resumed session goes on with.
        timeline: every event that we know, in order.
        skipped: lines that could not be read; they are still in the file.
        notes: what the user should know about the log, in sentences.
    """

    info: SessionInfo
    messages: tuple[Message, ...]
    timeline: tuple[Timed, ...]
    skipped: int
    notes: tuple[str, ...]


def create(
    folder: Path,
    *,
    model: str,
    host: str,
    mode: str,
    cwd: Path | str,
    clock: Clock = time.time,
    redact: Redact = str,
) -> SessionLog:
    """Begin a session; when it cannot be saved it is kept in memory, and its `problem` says why."""
    return _begin(folder, SessionStarted("", model, host, mode), place_of(cwd), clock, redact)


def resume(
    folder: Path,
    prefix: str,
    *,
    fork: bool = False,
    cwd: Path | str = "",
    model: tuple[str, str] | None = None,
    clock: Clock = time.time,
    redact: Redact = str,
) -> tuple[SessionLog, tuple[Message, ...], tuple[str, ...]]:
    """
    Go on with the session whose id begins with *prefix*, or with a copy of it.

    Args:
        model: name and host of the one that a copy goes on with; what another gave is not copied.
        cwd: where it goes on, when that may be another folder than the one it worked in.

    Returns:
        the open log; its history, fixed where a crash left a hole, and the fix recorded; sentences for the user.

    Raises:
        UsageError: no such session, or another process writes it, or it is of a newer format (unless *fork*).
        StorageError: it cannot be read.
    """
    path = log_path(folder, find(folder, prefix))
    if fork:
        return _fork(path, cwd, model, clock, redact)
    file = LogFile(path, new=False)
    history = History()
    try:
        reading = file.read(history.take)
    except OSError as error:
        file.close()
        raise unreadable(path, error) from error
    if reading.future:
        file.close()
        hint = f"update cococat, or go on with a copy: cococat chat --resume {path.stem} --fork"
        raise UsageError(f"session {path.stem} was written by a newer cococat: it can be read, not continued", hint)
    if reading.size and not reading.end:
        file.close()
        raise StorageError(f"session {path.stem} holds no line that can be read ({path})", "cococat sessions list")
    file.go_on()
    log = SessionLog(file, clock=clock, redact=redact)
    place = place_of(cwd) if cwd else history.place
    log.carry_on(started=history.started, turns=history.turns, title=history.named, asked=history.asked, place=place)
    messages = repair(history.messages)
    if list(messages) != history.messages:
        log.rewrite("repair", history.messages, messages)
    messages = with_pixels(messages, path)
    torn = [f"the last line of the log was torn; it was moved to {file.torn}"] if file.torn else []
    return log, messages, (*torn, *_notes(history, reading, messages), *_elsewhere(history.place, place))


def fork_before(
    folder: Path, prefix: str, turn: int, *, clock: Clock = time.time, redact: Redact = str
) -> tuple[SessionLog, tuple[Message, ...]]:
    """
    Copy what a session held before its question number *turn*, counted from 1, into a new session.

    It is copied as it was then: notes that were written later do not take its place.

    Returns: the open log, and its history.

    Raises:
        UsageError: no such session, or it has fewer questions.
        StorageError: it cannot be read.
    """
    path = log_path(folder, find(folder, prefix))
    history = History()

    def take(record: Record) -> None:
        if history.asked.count < turn:
            history.take(record)

    _read(path, take)
    if (turns := history.asked.count) < turn:
        held = f"{turns} turn{'' if turns == 1 else 's'}"
        raise UsageError(f"session {path.stem} has {held}, so there is no turn {turn}", f"cococat replay {path.stem}")
    messages = with_pixels(repair(history.messages[:-1]), path)
    return _copy(path, history, messages, clock, redact), messages


def load(folder: Path, prefix: str) -> Session:
    """
    Read a session, whoever writes it, and change nothing.

    Raises:
        UsageError: no such session.
        StorageError: it cannot be read.
    """
    path = log_path(folder, find(folder, prefix))
    history = History()
    timeline: list[Timed] = []

    def take(record: Record) -> None:
        history.take(record)
        if event := from_record(record.body):
            timeline.append(Timed(record.ts, event))

    reading = _read(path, take)
    messages = repair(history.messages)
    notes = _notes(history, reading, messages)
    if reading.future:
        notes = (*notes, "it was written by a newer cococat: some of it may not be shown")
    if reading.size > reading.end:
        notes = (*notes, "the end of the log is torn: what is left of its last line cannot be read")
    info = info_of(path, history, reading.size)
    return Session(info, with_pixels(messages, path), tuple(timeline), reading.skipped, notes)


def repair_log(folder: Path, prefix: str) -> tuple[str, ...]:
    """
    Fix a log as going on with it would; give what there was to fix, in sentences.

    Raises:
        UsageError: no such session, or another process writes it, or it is of a newer format.
        StorageError: it cannot be read or written.
    """
    log, _, notes = resume(folder, prefix)
    problem = log.problem
    log.close()
    if problem:
        raise StorageError(problem.message, problem.hint)
    return notes


def delete(folder: Path, prefix: str, before: Callable[[str], None] | None = None) -> str:
    """
    Delete the session whose id begins with *prefix*, and give its id.

    Args:
        before: deletes what belongs to the session elsewhere; it is called once nobody else can open it.

    Raises:
        UsageError: no such session, or another process writes it.
        StorageError: it cannot be deleted.
    """
    path = log_path(folder, find(folder, prefix))
    file = LogFile(path, new=False)
    try:
        if before and not file.problem:
            before(path.stem)
        file.remove()
    except OSError as error:
        message = f"session {path.stem} cannot be deleted: {error.strerror or error} ({path})"
        raise StorageError(message, f"check who may write there: ls -ld '{folder}'") from error
    finally:
        file.close()
    return path.stem


def outdated(
    infos: Sequence[SessionInfo], *, before: float = 0, keep: int = 0, most: int = 0
) -> tuple[SessionInfo, ...]:
    """
    Choose the sessions that are more than is to be kept.

    Args:
        infos: all of them, the one used last first.
        before: seconds since 1970; those not used since are too old. 0: none is.
        keep: how many may stay; 0: any number.
        most: bytes that those which stay may have together; 0: any size.
    Returns: what one of the limits rules out, oldest first; size alone never rules out the one used last.
    """
    stay = 0
    total = 0
    for info in infos:
        total += info.size
        if info.updated < before or (keep and stay >= keep) or (most and total > most and stay):
            break
        stay += 1
    return tuple(reversed(infos[stay:]))


def _begin(
    folder: Path, started: SessionStarted, place: Place, clock: Clock, redact: Redact, **extra: object
) -> SessionLog:
    session_id = new_id(clock())
    log = SessionLog(LogFile(log_path(folder, session_id), new=True), clock=clock, redact=redact)
    log.begin(SessionStarted(session_id, started.model, started.host, started.mode), place, extra)
    return log


def _fork(
    path: Path, cwd: Path | str, model: tuple[str, str] | None, clock: Clock, redact: Redact
) -> tuple[SessionLog, tuple[Message, ...], tuple[str, ...]]:
    history = History()
    reading = _read(path, history.take)
    messages = repair(history.messages)
    place = place_of(cwd) if cwd else history.place
    notes = (*_notes(history, reading, messages), *_elsewhere(history.place, place))
    if model and history.started and model != (history.started.model, history.started.host):
        messages = without_extra(messages)
    messages = with_pixels(messages, path)
    history.place = place  # the copy begins here
    log = _copy(path, history, messages, clock, redact)
    return log, messages, (f"this is a copy of session {path.stem}", *notes)


def _copy(path: Path, history: History, messages: Sequence[Message], clock: Clock, redact: Redact) -> SessionLog:
    """Begin a session with *messages*, which come from the log at *path*."""
    started = history.started or SessionStarted("", "", "", "")
    extra = {"forked_from": path.stem, "turn": history.turns}
    log = _begin(path.parent, started, history.place, clock, redact, **extra)
    log.turns, log.title = history.turns, history.named
    log.add(messages)
    return log


def with_pixels(messages: Sequence[Message], log: Path) -> tuple[Message, ...]:
    """Return *messages* of the session at *log* with the bytes of their pictures; one that is gone becomes a line of text."""
    return tuple(
        _filled(message, log.with_suffix(".files")) if isinstance(message, User) and message.pictures else message
        for message in messages
    )


def _filled(message: User, folder: Path) -> User:
    found = tuple(replace(picture, data=_bytes(folder, picture)) for picture in message.pictures)
    lost = replace(message, pictures=tuple(picture for picture in found if not picture.data))
    return replace(
        pictures_as_text(lost, "no longer there"), pictures=tuple(picture for picture in found if picture.data)
    )


def _bytes(folder: Path, picture: Picture) -> bytes:
    """Return the bytes of *picture*; none where the file does not hold those that it had."""
    from hashlib import sha256

    try:
        data = (folder / picture.file).read_bytes() if Path(picture.file).name == picture.file else b""
    except (OSError, ValueError):
        return b""
    return data if sha256(data).hexdigest() == picture.sha256 else b""


def _read(path: Path, take: Callable[[Record], None]) -> Reading:
    try:
        return read_log(path, take)
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: OSError) -> StorageError:
    """Say that the log at *path* cannot be read."""
    message = f"session {path.stem} cannot be read: {error.strerror or error} ({path})"
    return StorageError(message, f"check the file: ls -l '{path}'")


def _elsewhere(before: Place, now: Place) -> tuple[str, ...]:
    """Return when a session goes on in another folder than the one it worked in, or at another place."""
    if before.cwd and now.cwd != before.cwd:
        return (f"it worked in {before.cwd}; now its tools work in {now.cwd}",)
    return (f"{now.cwd} is another folder now than the one it worked in",) if now.is_other(before) else ()


def _notes(history: History, reading: Reading, messages: tuple[Message, ...]) -> tuple[str, ...]:
    """Return what is wrong with a log."""
    notes = []
    if reading.skipped:
        notes.append(f"damaged lines of the log that were skipped, and are still in the file: {reading.skipped}")
    if history.unread:
        notes.append(f"messages of an unknown kind that were left out: {history.unread}")
    if list(messages) != history.messages:
        notes.append("the log ends in the middle of a step; tool calls without a result have an unknown outcome")
    return tuple(notes)
