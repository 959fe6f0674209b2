"""The free look before a dream: whether anything that waits could be learned from, found out without a model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from cococat.core.events import DreamFinished
from cococat.memory.file import receipt
from cococat.memory.file.history import Record, confirmed, pending
from cococat.memory.file.journal import update
from cococat.memory.file.place import Busy, locked
from cococat.memory.file.state import read_state
from cococat.memory.file.versions import log_run
from cococat.memory.judge.sentences import sentences
from cococat.memory.words import asks, sequence

__all__ = ["free_look", "nothing_to_learn"]

MAX_RECORDS = 200  # that one look reads; behind them a model looks
FEW_WORDS = 3  # a message of fewer says nothing by itself


def nothing_to_learn(records: Iterable[Record]) -> bool:
    """Return whether *records* hold nothing but single questions and a word or two: no dream could note a line."""
    return not any(_may_tell(record) for record in records)


def free_look(folder: Path, *, now: datetime) -> DreamFinished | None:
    """
    Move the cursor behind records that nothing can be learned from; None when a model has to look.

    Raises: StorageError: the memory folder is not usable.
    """
    try:
        with locked(folder, "dream.lock", wait_s=0):
            found = pending(folder, read_state(folder).cursor, most=MAX_RECORDS)
            if not found.records or found.waiting > MAX_RECORDS or not nothing_to_learn(found.records):
                return None
            last = found.records[-1].seq
            update(folder, lambda state: replace(state, cursor=last, offset=0, failures=0, limit=0))
            finished = DreamFinished("nothing", receipt.unchanged("only questions"))
            log_run(folder, finished, now=now)
            return finished
    except Busy:  # a dream runs, and will say what became of it
        return None


def _may_tell(record: Record) -> bool:
    """Return whether *record* may say something lasting: not one question alone, nor a word or two that answer nothing."""
    typed = record.typed
    if len(sequence(typed)) < FEW_WORDS:
        return bool(confirmed(typed, record.asked))
    return not (asks(typed) and len(sentences(typed)) == 1)
