"""When to dream, of how much, and whether anything that waits could be learned from: found out without a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from cococat.core.events import DreamFinished
from cococat.core.settings import DreamSettings
from cococat.memory.file import receipt
from cococat.memory.file.history import PastExchange, Said, confirmed, pending
from cococat.memory.file.journal import update
from cococat.memory.file.place import Busy, locked
from cococat.memory.file.state import read_state
from cococat.memory.file.versions import log_run
from cococat.memory.judge.sentences import sentences
from cococat.memory.words import asks, sequence

BATCH_RECORDS = 20
MAX_RECORDS = 200  # that one look reads; behind them a model looks
FEW_WORDS = 3  # a message of fewer says nothing by itself


@dataclass(frozen=True, slots=True)
class Due:
    """A dream should run now; *reason* says why, in a few words."""

    reason: str


@dataclass(frozen=True, slots=True)
class NotDue:
    """No dream now; *reason* is one line for the user."""

    reason: str


def due(
    waiting: int,
    minutes_since_last: float | None,
    settings: DreamSettings,
    *,
    manual: bool = False,
    ended: bool = False,
) -> Due | NotDue:
    """
    Decide whether to dream.

    Args:
        waiting: records that no dream has read.
        minutes_since_last: since the last dream; None = there was none, which is infinitely long ago.
        ended: a chat has ended, so one record is enough.
    """
    if not manual and settings.mode in ("off", "read"):
        return NotDue(f"memory.mode is {settings.mode}")
    if not waiting:
        return NotDue("nothing new to remember")
    if manual:
        return Due("asked for")
    if ended:
        return Due("a chat has ended")
    if waiting >= settings.dream_min_records:
        return Due(f"{waiting} records")
    if minutes_since_last is None:
        return Due("no dream yet")
    if minutes_since_last > settings.dream_min_minutes:
        return Due(f"{minutes_since_last:.0f} min since the last dream")
    ago = f"last dream {max(0.0, minutes_since_last):.0f} min ago"
    return NotDue(f"{waiting} of {settings.dream_min_records} records, {ago}")


def due_now(
    folder: Path, settings: DreamSettings, *, now: datetime | None = None, manual: bool = False, ended: bool = False
) -> Due | NotDue:
    """
    Return whether a dream is due by what lies in *folder*.

    Args:
        now: with its time zone; None = this moment.
        ended: a chat has ended, so one record is enough.

    Raises: StorageError: the memory folder is not usable.
    """
    state = read_state(folder)
    if state.held and not (manual or state.aside):
        return NotDue(f"dream {state.held} waits for you: cococat dream --review")
    waiting = pending(folder, state.cursor, most=1).waiting
    since = state.last_dream
    minutes = ((now or datetime.now(UTC)) - since).total_seconds() / 60 if since else None
    return due(waiting, minutes, settings, manual=manual, ended=ended)


@dataclass(frozen=True, slots=True)
class Batch:
    """
    What one run reads.

    Args:
        cursor, offset: where the next batch begins once this one is done; see `State`.
    """

    records: tuple[PastExchange, ...]
    cursor: int
    offset: int = 0


def next_batch(
    records: Sequence[PastExchange], offset: int, limit: int, most_tokens: int, count: Callable[[str], int]
) -> Batch:
    """
    Take the oldest records that fit.

    Args:
        records: pending, oldest first; at least one.
        offset: characters of the first record's typed text that an earlier batch has read.
        limit: records at most; 0 = 20.
        most_tokens: of typed text; a longer record is read in pieces, one batch each.
        count: tokens of a text.
    """
    first = replace(records[0], user=_typed(records[0].typed[offset:])) if offset else records[0]
    if not fits_budget(first.typed, most_tokens, count):
        size = _fitting(first.typed, most_tokens, count)
        piece = replace(first, user=_typed(first.typed[:size]))
        return Batch((piece,), records[0].seq - 1, offset + size)
    wanted = (first, *records[1 : limit or BATCH_RECORDS])
    if fits_budget("\n".join(record.typed for record in wanted), most_tokens, count):
        return Batch(wanted, wanted[-1].seq)
    taken = [first]
    used = count(first.typed)
    for record in wanted[1:]:
        used += count(record.typed)
        if used > most_tokens:
            break
        taken.append(record)
    return Batch(tuple(taken), taken[-1].seq)


def _typed(text: str) -> tuple[Said, ...]:
    return (Said("typed", text),)


def _fitting(text: str, most_tokens: int, count: Callable[[str], int]) -> int:
    """Characters of *text* that hold at most *most_tokens*, cut at a line or a word where there is one."""
    size = len(text)
    while size > 1 and not fits_budget(text[:size], most_tokens, count):
        size //= 2
    for edge in ("\n", " "):
        if cut := text.rfind(edge, size // 2, size) + 1:
            return cut
    return size


def fits_budget(text: str, limit: float, count: Callable[[str], int]) -> bool:
    """
    Return whether *text* holds at most *limit* tokens.

    No token is less than a byte, so what is short enough is not counted: a vocabulary takes 0.3 s to load.

    Args:
        count: tokens of a text.
    """
    return len(text.encode("utf-8", "replace")) <= limit or count(text) <= limit


def lacks_candidates(records: Iterable[PastExchange]) -> bool:
    """Return whether *records* hold nothing but single questions and a word or two: no dream could note a line."""
    return not any(_may_tell(record) for record in records)


def nothing_to_take(folder: Path, *, now: datetime) -> DreamFinished | None:
    """
    Move the cursor behind records that nothing can be learned from; None when a model has to look.

    Raises: StorageError: the memory folder is not usable.
    """
    try:
        with locked(folder, "dream.lock", wait_s=0):
            found = pending(folder, read_state(folder).cursor, most=MAX_RECORDS)
            if not found.records or found.waiting > MAX_RECORDS or not lacks_candidates(found.records):
                return None
            last = found.records[-1].seq
            update(folder, lambda state: replace(state, cursor=last, offset=0, failures=0, limit=0))
            finished = DreamFinished("nothing", receipt.unchanged("only questions"))
            log_run(folder, finished, now=now)
            return finished
    except Busy:  # a dream runs, and will say what became of it
        return None


def _may_tell(record: PastExchange) -> bool:
    """Return whether *record* may say something lasting: not one question alone, nor a word or two that answer nothing."""
    typed = record.typed
    if len(sequence(typed)) < FEW_WORDS:
        return bool(confirmed(typed, record.asked))
    return not (asks(typed) and len(sentences(typed)) == 1)
